"""
Quality and cost of search in three stages, the design of a published system, on collections with judged queries.

    PYTHONPATH=tests/performance sidecar/.venv/bin/python tests/retrieval/stages.py DIR... [--model MODEL] [--json FILE]

A keyword stage over the front matter and the first words of each note proposes 50 notes; their vectors rank them again,
and 10 are left; a block of each contains title, summary and first paragraph. The vectors are those of the bundled
model, or of MODEL, a contextual one, as in `embedding.model`. `stages_hook.py` runs the stages behind a hook.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from benchmark.corpora import find_notes
from benchmark.measurement import Percentiles, memory_mb, percentiles, run_in_subprocess
from msgspec import Struct, to_builtins
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.analysis.analysis import ranking_terms
from quarry.analysis.languages import STOP_WORDS
from quarry.documents.decoding import decode_note
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.note import ParserSettings, read_note
from quarry.embedding import FloatMatrix, FloatVector, load_contextual_encoder, load_encoder
from quarry.errors import ModelMissing
from quarry.evaluation.collections import Collection, find_collections, read_collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import MAIN, means, measure
from quarry.index.postings.bm25 import K1, B, idf, term_scores
from quarry.indexing.vector_model import embedded_text
from quarry.types import PropertyValue
from quarry.vault.paths import nfc

PROPOSED = 50  # notes, by the first stage
KEPT = 10  # of these, by the second
FIRST_WORDS = 200  # of a note's text, that the first stage looks through
FRONT_MATTER = ("domain", "project")  # beside title and tags
SUMMARIES = ("summary", "description", "desc")  # the property that says what a note is about: the first there is
PARAGRAPH_CHARACTERS = 600  # of the first paragraph in a block
WARM_UP = 5

_PARAGRAPH_END = re.compile(r"\n\s*\n")
Stage = TypeVar("Stage")
Item = TypeVar("Item")
Found = TypeVar("Found")


class StageReport(Struct, frozen=True):
    """A stage over all queries of a collection: what it finds, and what it costs."""

    name: str
    wall_ms: Percentiles  # of one query
    cpu_ms: Percentiles
    index_cpu_s: float  # spent on preparing it
    memory_mb: float | None  # that preparing it added to the process; None where the system does not tell
    quality: Mapping[str, float] = {}  # measure -> mean; empty for a stage that ranks nothing


class StagesReport(Struct, frozen=True):
    """All stages on one collection."""

    name: str
    notes: int
    queries: int
    stages: tuple[StageReport, ...]


class Embedder(Struct, frozen=True):
    """An encoder, as the second stage uses it."""

    passages: Callable[[Sequence[str]], FloatMatrix]
    query: Callable[[str], FloatVector]


def static_embedder() -> Embedder:
    """The bundled model."""
    encoder = load_encoder()
    return Embedder(encoder.encode, lambda text: encoder.encode([text])[0])


def contextual_embedder(name: str) -> Embedder:
    """
    The contextual model called *name*.

    Raises:
        ModelMissing, ModelDamaged: It cannot be loaded, or is a static one.
    """
    encoder = load_contextual_encoder(name)
    if encoder is None:
        raise ModelMissing(f"{name} is a static model")
    return Embedder(encoder.encode_passages, encoder.encode_query)


class Card(Struct, frozen=True):
    """A note as the first two stages know it."""

    file: Path
    first_words: str  # with its front matter: what the first stage searches
    passages: tuple[str, ...]  # as an encoder sees them


class KeywordStage:
    """BM25 over short texts, in memory."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index *texts*."""
        frequencies: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(texts))
        for number, text in enumerate(texts):
            counts = Counter(_terms(text))
            lengths[number] = counts.total()
            for term, count in counts.items():
                frequencies[term].append((number, count))
        self._norms = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        self._postings = {term: np.array(rows, np.int32) for term, rows in frequencies.items()}

    def top(self, query: str, count: int) -> list[int]:
        """The numbers of the best *count* texts that hold a word of *query*, best first."""
        scores = np.zeros(len(self._norms))
        for term in dict.fromkeys(_terms(query)):
            if (rows := self._postings.get(term)) is not None:
                at = rows[:, 0]
                scores[at] += term_scores(rows[:, 1].astype(np.float64), self._norms[at], idf(len(at), len(scores)))
        best = np.argsort(-scores, kind="stable")[:count]
        found: list[int] = best[scores[best] > 0].tolist()
        return found


class RerankStage:
    """Ranks notes by their nearest passage."""

    def __init__(self, embedder: Embedder, passages: Sequence[Sequence[str]]) -> None:
        """Embed the *passages* of each note."""
        self._embedder = embedder
        self._ends = np.cumsum([len(of_note) for of_note in passages])
        self._vectors = embedder.passages([text for of_note in passages for text in of_note])

    def rerank(self, query: str, notes: Sequence[int]) -> list[int]:
        """All of *notes*, nearest first; those equally near stay in their order."""
        vector = self._embedder.query(query)
        nearest = [float((self._of(note) @ vector).max(initial=-1.0)) for note in notes]
        return [notes[at] for at in np.argsort(-np.array(nearest), kind="stable")]

    def _of(self, note: int) -> NDArray[np.float32]:
        return self._vectors[self._ends[note - 1] if note else 0 : self._ends[note]]


def evaluate_stages(collection: Collection, embedders: Mapping[str, Callable[[], Embedder]]) -> StagesReport:
    """
    Measure the stages on *collection*; each of *embedders* is loaded for a second stage of its own, called by its
    name.

    Raises:
        BadCollection: A document cannot be read.
        ExtraMissing: The library of measures is not installed.
    """
    texts = [query.text for query in collection.queries]
    with tempfile.TemporaryDirectory(prefix="quarry-stages-") as folder:
        corpus = prepare(collection, Path(folder))
        paths = find_notes(corpus.vault)
        cards = [read_card(corpus.vault / path) for path in paths]
        ids = [corpus.ids[nfc(path)] if corpus.ids else nfc(path) for path in paths]

        def quality(found: Sequence[Sequence[int]], depth: int) -> dict[str, float]:
            """Recall of the notes *found*, of which there are at most *depth* a query, and nDCG@10."""
            every = list(zip(collection.queries, found, strict=True))
            run = {query.id: [ids[note] for note in notes] for query, notes in every}
            recalls = [len(query.grades.keys() & set(run[query.id])) / len(query.grades) for query, _ in every]
            ndcg = means(measure(collection.queries, run).values())[MAIN]
            return {f"R@{depth}": sum(recalls) / max(1, len(recalls)), MAIN: ndcg}

        first, proposed = _measured(
            "keyword",
            lambda: KeywordStage([card.first_words for card in cards]),
            lambda stage, text: stage.top(text, PROPOSED),
            texts,
        )
        reports, kept = [replace(first, quality=quality(proposed, PROPOSED))], [notes[:KEPT] for notes in proposed]
        for name, load in embedders.items():
            second, kept = _measured(
                f"rerank: {name}",
                partial(_rerank_stage, load, cards),
                lambda stage, asked: stage.rerank(*asked)[:KEPT],
                list(zip(texts, proposed, strict=True)),
            )
            reports.append(replace(second, quality=quality(kept, KEPT)))
        third, _ = _measured(
            "block", lambda: cards, lambda notes, at: "\n\n".join([block(notes[i].file) for i in at]), kept
        )
    return StagesReport(collection.name, len(cards), len(texts), (*reports, third))


def block(file: Path) -> str:
    """The note in *file* in short: its title, its summary and its first paragraph."""
    data = file.read_bytes()
    note, text = read_note(file.name, data, ParserSettings()), decode_note(data)
    paragraphs = filter(None, map(str.strip, _PARAGRAPH_END.split(text[read_front_matter(text).body_start :])))
    first = next((one for one in paragraphs if not one.startswith("#")), "")[:PARAGRAPH_CHARACTERS]
    return "\n".join(filter(None, (note.title, _property(note.properties, SUMMARIES), first)))


def stages_table(report: StagesReport) -> str:
    """A row a stage."""
    rows = []
    for stage in report.stages:
        qualities = ", ".join(f"{name} {value:.4f}" for name, value in stage.quality.items())
        times = [" / ".join(f"{of[p]:.2f}" for p in ("p50", "p95", "p99")) for of in (stage.wall_ms, stage.cpu_ms)]
        memory = "-" if stage.memory_mb is None else f"{stage.memory_mb:.1f}"
        rows.append([stage.name, qualities, *times, f"{stage.index_cpu_s:.2f}", memory])
    title = f"{report.name}: {report.notes} notes, {report.queries} queries"
    columns = ("quality", "wall ms, p50 / p95 / p99", "CPU ms, p50 / p95 / p99", "preparing, CPU s", "memory, MB")
    return markdown_table([title, *columns], rows, text_columns=(0, 1))


# --- steps -----------------------------------------------------------------------------------------


def _measured(
    name: str, build: Callable[[], Stage], ask: Callable[[Stage, Item], Found], items: Sequence[Item]
) -> tuple[StageReport, list[Found]]:
    """Build a stage and ask it all *items*, each once; the first few are asked before, and not counted."""
    before_mb, begun_s = memory_mb().get("anonymous"), time.process_time()
    stage = build()
    index_cpu_s, after_mb = time.process_time() - begun_s, memory_mb().get("anonymous")
    for item in items[:WARM_UP]:
        ask(stage, item)
    found, wall_ms, cpu_ms = [], [], []
    for item in items:
        wall_ns, cpu_ns = time.perf_counter_ns(), time.process_time_ns()
        found.append(ask(stage, item))
        cpu_ms.append((time.process_time_ns() - cpu_ns) / 1e6)
        wall_ms.append((time.perf_counter_ns() - wall_ns) / 1e6)
    added_mb = None if before_mb is None or after_mb is None else round(max(0.0, after_mb - before_mb), 1)
    times = [percentiles(series, (50, 95, 99)) for series in (wall_ms, cpu_ms)]
    return StageReport(name, times[0], times[1], round(index_cpu_s, 3), added_mb), found


def _rerank_stage(load: Callable[[], Embedder], cards: Sequence[Card]) -> RerankStage:
    return RerankStage(load(), [card.passages for card in cards])


def read_card(file: Path) -> Card:
    """The note in *file*."""
    data = file.read_bytes()
    note, text = read_note(file.name, data, ParserSettings()), decode_note(data)
    first_words = text[read_front_matter(text).body_start :].split()[:FIRST_WORDS]
    front = (note.title, " ".join(note.tags), *(_property(note.properties, (name,)) for name in FRONT_MATTER))
    return Card(file, " ".join((*front, *first_words)), tuple(map(embedded_text, note.chunks)))


def _property(properties: Mapping[str, PropertyValue], names: Sequence[str]) -> str:
    """The first of the properties *names* that is there, as text."""
    value = next((properties[name] for name in names if properties.get(name)), "")
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _terms(text: str) -> list[str]:
    return [term for word in text.lower().split() if word not in STOP_WORDS for term in ranking_terms(word)]


def main() -> int:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--model", metavar="MODEL")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    collections = [read_collection(folder) for place in options.places for folder in find_collections(place)]
    import stages  # under its own name, by which a process of its own finds it

    embedders: dict[str, Callable[[], Embedder]] = {"static": stages.static_embedder}
    if options.model:
        embedders[Path(options.model).name] = partial(stages.contextual_embedder, options.model)
    # Each in a process of its own, so that memory left by one is not attributed to a stage of the next.
    reports = [run_in_subprocess(stages.evaluate_stages, one, embedders).result for one in collections]
    if options.json:
        options.json.write_text(json.dumps(to_builtins(reports), indent=2, ensure_ascii=False) + "\n", "utf-8")
    print("\n\n".join(map(stages_table, reports)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
