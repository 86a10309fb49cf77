"""
A published system whole, behind a hook, beside Quarry: what a prompt costs, and what is found.

    PYTHONPATH=tests/performance sidecar/.venv/bin/python tests/retrieval/stages_hook.py DATA --model MODEL

Options: --rounds N, --keep DIR.

The system searches in the three stages of `stages.py` and says as many of its blocks as a hook has tokens for. Its
stages answer `context` in the sidecar of an empty folder, so that both are asked by the same process, `quarry hook`, in
the same words. DATA is a folder with `vaults/*.tar.xz`, MODEL a contextual model as in
`embedding.model`. Rows:

    stages: static, stages: MODEL    the three stages with vectors of the bundled model, and of MODEL
    Quarry                           by default

Prompts are asked in turns: each of all systems before the next. CPU time is that of the hook and of the sidecar. What
was embedded stays in DIR for the next run.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from shutil import copytree

import numpy as np
import stages
from benchmark.corpora import find_notes
from benchmark.interfaces import run_hook
from benchmark.measurement import memory_mb, percentiles, work_folder
from benchmark.server_cost import QUARRY_SERVE, connected, serving
from collected import of_published_size
from msgspec import Struct

from quarry import protocol
from quarry.embedding import FloatMatrix
from quarry.evaluation.collections import Collection
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import MAIN, means, measure
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_TOKENS
from quarry.search.answer import estimate_tokens
from quarry.server import dispatch
from quarry.server.encode.state import freshness
from quarry.server.handlers import HANDLERS, Handler
from quarry.server.serve import ServeOptions, serve
from quarry.server.service import Request, Service

STATIC, QUARRY = "static", "Quarry"
WARM_UP = 3
POLL_S = 0.2
SEPARATOR = "\n\n"
_NAMED = re.compile(r"\*\*([^*]+\.md)\*\*")


class ThreeStages:
    """The published system over the notes of a vault."""

    def __init__(self, vault: Path, embedder: stages.Embedder) -> None:
        """Read and embed the notes."""
        self.paths = find_notes(vault)
        self._cards = [stages.read_card(vault / path) for path in self.paths]
        self._first = stages.KeywordStage([card.first_words for card in self._cards])
        self._second = stages.RerankStage(embedder, [card.passages for card in self._cards])

    def search(self, query: str) -> list[int]:
        """The numbers of the notes for *query*, nearest first."""
        return self._second.rerank(query, self._first.top(query, stages.PROPOSED))[: stages.KEPT]

    def context(self, service: Service, params: protocol.ContextParams, _: Request) -> protocol.ContextResult:
        """The blocks of the notes found, as many as fit into the budget."""
        room = params.max_tokens * CHARACTERS_PER_TOKEN
        blocks: list[str] = []
        sources = []
        for note in self.search(params.query):
            text = f"**{self.paths[note]}**\n{stages.block(self._cards[note].file)}"
            room -= len(text) + len(SEPARATOR)
            if room < 0:
                break
            blocks.append(text)
            source = protocol.Source(path=self.paths[note], project=None, heading_path=[], line=0, confidence=1.0)
            sources.append(source)
        text = SEPARATOR.join(blocks)
        return protocol.ContextResult(
            text=text,
            sources=sources,
            tokens=estimate_tokens(text),
            abstained=None if blocks else "low-confidence",
            missing=[],
            index=freshness(service.engine.freshness.now()),
            quoted_before=[],
            left_tokens=None,
            confidence=0.0,
        )


class Measured(Struct, frozen=True):
    """What a system finds, and what its answers to prompts cost."""

    recall: float  # of the first stages.PROPOSED
    ndcg: float
    said: int  # prompts for which the hook says a note that answers
    notes: int  # that it says for all prompts
    wall_ms: Mapping[str, float]
    cpu_ms: float  # the mean of a prompt
    memory_mb: float  # private, of the sidecar


def embedder(model: str, folder: Path) -> stages.Embedder:
    """The embedder called *model*, which embeds the passages of one vault and keeps their vectors in *folder*."""
    made = stages.static_embedder() if model == STATIC else stages.contextual_embedder(model)
    file = folder / f"{Path(model).name}.npy"

    def passages(texts: Sequence[str]) -> FloatMatrix:
        if not file.exists():
            np.save(file, made.passages(texts))
        vectors: FloatMatrix = np.load(file)
        return vectors

    return stages.Embedder(passages, made.query)


def serve_stages(vault: Path, model: str, notes: Path) -> None:
    """Serve *vault* as `quarry serve` does, with the published system's answers to `context` from the vault *notes*."""
    system = ThreeStages(notes, embedder(model, notes.parent))
    dispatch.HANDLERS = {**HANDLERS, "context": Handler(system.context)}
    serve(ServeOptions(vault=vault, lifeline=True))


# --- measuring -----------------------------------------------------------------------------------


def measure_systems(
    collection: Collection, model: str, folder: Path, rounds: int
) -> tuple[dict[str, Measured], stages.StagesReport]:
    """
    Measure all systems on *collection*, and the stages by themselves.

    Below *folder*, each system has a folder and a sidecar of its own.
    """
    report = stages.evaluate_stages(
        collection, {Path(one).name: partial(embedder, one, folder) for one in (STATIC, model)}
    )
    recall, reranked = report.stages[0].quality[f"R@{stages.PROPOSED}"], report.stages[1:3]
    programs: dict[str, Sequence[str]] = {QUARRY: QUARRY_SERVE}
    vaults = {QUARRY: copytree(collection.corpus, folder / QUARRY, dirs_exist_ok=True)}
    found: dict[str, tuple[float, float]] = {}
    for one, stage in zip((STATIC, model), reranked, strict=True):
        system = f"stages: {Path(one).name}"
        programs[system] = (__file__, "--serve", one, "--notes", str(collection.corpus))
        vaults[system] = folder / system
        vaults[system].mkdir(exist_ok=True)
        found[system] = recall, stage.quality[MAIN]
    with ExitStack() as running:
        processes = {
            system: running.enter_context(serving(vaults[system], program)) for system, program in programs.items()
        }
        found[QUARRY] = _found_by_quarry(vaults[QUARRY], collection)
        walls: dict[str, list[float]] = {system: [] for system in programs}
        cpus: dict[str, list[float]] = {system: [] for system in programs}
        said: dict[str, int] = dict.fromkeys(programs, 0)
        notes: dict[str, int] = dict.fromkeys(programs, 0)
        for turn in range(-1, rounds):
            for number, query in enumerate(collection.queries[:WARM_UP] if turn < 0 else collection.queries):
                for system, process in processes.items():
                    before_ms = _cpu_ms(process)
                    run = run_hook(vaults[system], query.text, f"turn {turn}, prompt {number}")
                    if turn < 0:
                        continue
                    walls[system].append(run.wall_ms)
                    cpus[system].append(run.cpu_ms + _cpu_ms(process) - before_ms)
                    if turn == 0:
                        paths = _NAMED.findall(run.output.decode())
                        said[system] += not query.grades.keys().isdisjoint(paths)
                        notes[system] += len(paths)
        measured = {
            system: Measured(
                *found[system],
                said[system],
                notes[system],
                percentiles(walls[system]),
                sum(cpus[system]) / len(cpus[system]),
                memory_mb(processes[system].pid)["private"],
            )
            for system in programs
        }
    return measured, report


def _found_by_quarry(vault: Path, collection: Collection) -> tuple[float, float]:
    """The recall and nDCG@10 of the running sidecar of *vault*, once it has nothing left to do."""
    with connected(vault) as client:
        while client.status().state != "live":
            time.sleep(POLL_S)

        params = {"limit": stages.PROPOSED, "maxTokens": MAX_TOKENS}
        answers = {query.id: client.ask("search", {"query": query.text, **params}) for query in collection.queries}
    run = {number: [hit.path for hit in answer.hits] for number, answer in answers.items()}
    recalls = [len(query.grades.keys() & set(run[query.id])) / len(query.grades) for query in collection.queries]
    return sum(recalls) / len(recalls), means(measure(collection.queries, run).values())[MAIN]


def _cpu_ms(process: "subprocess.Popen[bytes]") -> float:
    """CPU time that *process* has spent."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def table(measured: Mapping[str, Measured]) -> str:
    """A row a system."""
    rows = [
        [
            system,
            *(f"{one:.3f}" for one in (row.recall, row.ndcg)),
            f"{row.said} ({row.notes} notes)",
            " / ".join(f"{row.wall_ms[p]:.0f}" for p in ("p50", "p95", "p99")),
            f"{row.cpu_ms:.0f}",
            f"{row.memory_mb:.0f}",
        ]
        for system, row in measured.items()
    ]
    columns = ("", f"recall@{stages.PROPOSED}", MAIN, "said", "hook, ms, p50 / p95 / p99", "CPU, ms", "memory, MB")
    return markdown_table(columns, rows)


def main() -> int:
    """Print the table; or serve a vault, as the sidecar that is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", metavar="DATA")
    parser.add_argument("--model", metavar="MODEL")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--serve", metavar="MODEL", help=argparse.SUPPRESS)
    parser.add_argument("--notes", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--vault", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lifeline", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_stages(options.vault, options.serve, options.notes)
        return 0
    if options.data is None or options.model is None:
        parser.error("DATA and --model are needed")
    with work_folder(options.keep) as folder:
        os.environ["QUARRY_HOME"] = str(folder / "home")
        collection = of_published_size(options.data, folder)
        measured, report = measure_systems(collection, options.model, folder, options.rounds)
        print(table(measured), stages.stages_table(report), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
