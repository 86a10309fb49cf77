"""
Judge the whole path: write a collection out as a vault, index it, ask its queries, and measure nDCG@10.

`python tests/retrieval/judged.py DIR` prints a table by kind for a folder in BEIR layout (corpus.jsonl, queries.jsonl,
qrels.tsv) whose document ids are paths of notes; without DIR, for the sample vault beside this file.
"""

import csv
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quarry.engine import Engine
from quarry.types import SearchMode, SearchRequest

HERE = Path(__file__).parent
SAMPLE_VAULT = HERE / "vault"
CUTOFF = 10
MODES: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")
READY_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Judged:
    """Queries with graded judgments: `qrels[query id][path]` is 1 to 3."""

    queries: Mapping[str, str]
    kinds: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def read_sample() -> Judged:
    """The queries and judgments of the sample vault."""
    rows = _read_tsv(HERE / "queries.tsv")
    return Judged(
        {row["id"]: row["text"] for row in rows},
        {row["id"]: row["kind"] for row in rows},
        _read_qrels(HERE / "qrels.tsv"),
    )


def read_beir(folder: Path) -> Judged:
    """The queries and judgments of a folder in BEIR layout."""
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    return Judged(
        {row["_id"]: row["text"] for row in rows},
        {row["_id"]: row.get("kind", "all") for row in rows},
        _read_qrels(folder / "qrels.tsv"),
    )


def write_vault(folder: Path, vault: Path) -> None:
    """Write the corpus of a folder in BEIR layout out as notes, each under its id."""
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        document = json.loads(line)
        path = vault / document["_id"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document["text"], "utf-8", newline="")


@contextmanager
def indexed(vault: Path, index_path: Path) -> Iterator[Engine]:
    """An engine whose index equals *vault*."""
    engine = Engine.open(vault, index_path)
    deadline_s = time.monotonic() + READY_TIMEOUT_S
    try:
        while engine.is_working:
            assert time.monotonic() < deadline_s, f"not indexed in time: {engine.status()}"
            time.sleep(0.02)
        yield engine
    finally:
        engine.close()


def ndcg_by_query(engine: Engine, judged: Judged, mode: SearchMode) -> dict[str, float]:
    """nDCG@10 with linear gains of every query, asked as a person would type it."""
    scores = {}
    for query_id, text in judged.queries.items():
        answer = engine.search(SearchRequest(text, limit=CUTOFF, mode=mode, guard=False, with_text=False))
        scores[query_id] = ndcg([hit.path for hit in answer.hits], judged.qrels[query_id])
    return scores


def ndcg(paths: list[str], grades: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain at 10 (Järvelin and Kekäläinen 2002), gain = grade."""
    gained = sum(grades.get(path, 0) / math.log2(rank + 1) for rank, path in enumerate(paths[:CUTOFF], start=1))
    ideal = sorted(grades.values(), reverse=True)[:CUTOFF]
    return gained / sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ideal, start=1))


def mean_by_kind(scores: Mapping[str, float], judged: Judged) -> dict[str, float]:
    """The mean of each kind of query, and of `ALL`."""
    of_kind: dict[str, list[float]] = defaultdict(list)
    for query_id, score in scores.items():
        of_kind[judged.kinds[query_id]].append(score)
        of_kind["ALL"].append(score)
    return {kind: sum(values) / len(values) for kind, values in of_kind.items()}


def table(engine: Engine, judged: Judged) -> str:
    """nDCG@10 by kind and mode, as Markdown."""
    means = {mode: mean_by_kind(ndcg_by_query(engine, judged, mode), judged) for mode in MODES}
    counts = mean_by_kind(dict.fromkeys(judged.queries, 1.0), judged)
    kinds = sorted(counts, key=lambda kind: (kind == "ALL", kind))
    sizes = {kind: list(judged.kinds.values()).count(kind) for kind in kinds} | {"ALL": len(judged.queries)}
    lines = [f"| kind | queries | {' | '.join(MODES)} |", f"|---|--:|{'--:|' * len(MODES)}"]
    lines += [f"| {k} | {sizes[k]} | {' | '.join(f'{means[mode][k]:.3f}' for mode in MODES)} |" for k in kinds]
    return "\n".join(lines)


def _read_tsv(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _read_qrels(file: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for row in _read_tsv(file):
        qrels[row["query-id"]][row["corpus-id"]] = int(row["score"])
    return qrels


def main() -> None:
    """Print the table for the folder on the command line, or for the sample vault."""
    with tempfile.TemporaryDirectory() as temporary:
        vault = SAMPLE_VAULT
        judged = read_sample()
        if len(sys.argv) > 1:
            folder = Path(sys.argv[1])
            vault = Path(temporary, "vault")
            write_vault(folder, vault)
            judged = read_beir(folder)
        with indexed(vault, Path(temporary, "index.db")) as engine:
            print(table(engine, judged))


if __name__ == "__main__":
    main()
