"""
How do size and speed grow with a vault?

    size_table.py VAULT [--notes 500,2000,5000,15000,50000] [--work DIR] [--questions N] [--json]

For each number of notes it cuts a copy of VAULT to them, or grows it with synthetic notes as `npm run bench` does, and
prints a row of figures. Below it stands the row of the published design, of those figures that were published.

    chunks, MB         of the index, all its files
    full index         wall and CPU seconds of a process that builds it, from start to end
    incremental        wall seconds of a process that finds and indexes 10 notes that changed while none was running
    save               wall milliseconds from a saved note to its being searchable, p50 of 20
    keyword ... query  CPU milliseconds, p50: the keyword retriever, embedding the query, the dense retriever, rank
                       fusion; and the default query with everything that it shows

Every measurement runs in a process of its own. VAULT itself is only read. With --work, copies are kept in DIR for the
next time.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmark.corpora import create_corpus, find_notes, questions, restored, words_of
from benchmark.index_cost import bring_up_to_date, index_whole, save_notes, size_of
from benchmark.measurement import run_in_subprocess, work_folder
from benchmark.query_cost import measure_queries
from msgspec import Struct, structs

from quarry.evaluation.results import markdown_table

NOTES = (500, 2_000, 5_000, 15_000, 50_000)
QUESTIONS = 200
WORDS = 50
SAVES = 20
CHANGED_NOTES = 10
COLUMNS = (
    "notes", "chunks", "MB", "full index, s", "CPU s", "incremental, s", "save, ms",
    "keyword, ms", "embedding, ms", "dense, ms", "fusion, ms", "query, ms",
)  # fmt: skip
PUBLISHED = {
    500: {"MB": "3", "full index, s": "15", "incremental, s": "< 1", "query, ms": "3"},
    2_000: {"MB": "12", "full index, s": "45", "incremental, s": "2"},
    5_000: {"MB": "30", "full index, s": "120", "incremental, s": "4", "query, ms": "8"},
    15_000: {"MB": "83", "full index, s": "240", "incremental, s": "< 10", "query, ms": "23"},
    50_000: {"MB": "250", "full index, s": "900", "incremental, s": "30", "query, ms": "50"},
}


class SizeRow(Struct, frozen=True):
    """The figures of one size: seconds and milliseconds as their names say, CPU milliseconds at the median."""

    notes: int
    chunks: int
    disk_mb: float
    full_index_s: float
    full_index_cpu_s: float
    incremental_s: float
    save_ms: float
    keyword_ms: float
    embedding_ms: float
    dense_ms: float
    fusion_ms: float
    query_ms: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--notes", type=_numbers, default=NOTES, metavar="A,B")
    parser.add_argument("--work", type=Path, metavar="DIR")
    parser.add_argument("--questions", type=int, default=QUESTIONS, metavar="N")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or every process would compile what it imports
    with work_folder(arguments.work) as work:
        rows = [measure_size(arguments.vault, work, notes, arguments.questions) for notes in arguments.notes]
    print(json.dumps(list(map(structs.asdict, rows)), indent=2) if arguments.json else table(rows))


def measure_size(vault: Path, work: Path, notes: int, question_count: int = QUESTIONS) -> SizeRow:
    """Measure a copy of *vault* with so many *notes*, kept below *work*."""
    corpus = create_corpus(vault, work, notes=notes)
    index_path = corpus.vault.parent / "sizes.db"
    full = run_in_subprocess(index_whole, corpus.vault, index_path)
    disk_mb = size_of(index_path)
    with changed_notes(corpus.vault, CHANGED_NOTES):
        incremental_s = run_in_subprocess(bring_up_to_date, corpus.vault, index_path).wall_s
    saves = run_in_subprocess(save_notes, corpus.vault, index_path, min(SAVES, notes)).result
    texts = questions(vault, question_count)
    asked = run_in_subprocess(measure_queries, corpus.vault, index_path, texts, words_of(texts, WORDS)).result
    stages = asked["stages_cpu_ms"]
    return SizeRow(
        notes=notes,
        chunks=full.result["chunks"],
        disk_mb=disk_mb,
        full_index_s=full.wall_s,
        full_index_cpu_s=full.cpu_s,
        incremental_s=incremental_s,
        save_ms=saves["wall"]["p50"],
        keyword_ms=stages["keyword"]["p50"],
        embedding_ms=stages["encode"]["p50"],
        dense_ms=stages["dense"]["p50"],
        fusion_ms=stages["fuse"]["p50"],
        query_ms=asked["engine_cpu_ms"]["p50"],
    )


@contextmanager
def changed_notes(vault: Path, count: int) -> Iterator[None]:
    """Add a line to *count* notes of *vault*, spread over it; in the end every note is as it was."""
    paths = find_notes(vault)
    with restored(vault) as remember:
        for path in paths[:: max(1, len(paths) // count)][:count]:
            with remember(path).open("a", encoding="utf-8") as note:
                note.write("\n\nA line was added.\n")
        yield


def table(rows: Sequence[SizeRow]) -> str:
    """A row for each size, and one for what was published of a size."""
    cells = []
    for row in rows:
        count, chunks, *figures = structs.astuple(row)
        cells.append([f"{count:,}", f"{chunks:,}", *(f"{value:.3g}" for value in figures)])
        if published := PUBLISHED.get(row.notes):
            cells.append(["published", *(published.get(column, "-") for column in COLUMNS[1:])])
    return markdown_table(COLUMNS, cells)


def _numbers(given: str) -> tuple[int, ...]:
    return tuple(int(number) for number in given.split(","))


if __name__ == "__main__":
    main()
