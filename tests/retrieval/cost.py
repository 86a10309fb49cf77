"""
What does a query cost beyond its keyword retriever?

    cost.py VAULT QUERIES [--chunks 50000]

Indexes as many notes of VAULT as make up the chunks asked for, asks the queries of QUERIES (JSON lines with `text`, as
in a collection) in four ways by turns, and prints the CPU time of each in milliseconds, on one thread:

    keyword   the keyword retriever alone, as published
    rrf       both retrievers, fused by rank, as published
    six       both retrievers, and the six signals of another published system
    default   everything: both retrievers, the signals, the order

Notes alone are asked for, without snippets, which cost the same whatever ranked. Times differ from machine to machine
and from hour to hour; compare them within one run.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from quarry.engine import Engine
from quarry.options import SearchOptions

ASKED = {
    "keyword": SearchOptions(query="", mode="keyword", fusion="rrf", snippet_width=0),
    "rrf": SearchOptions(query="", fusion="rrf", snippet_width=0),
    "six": SearchOptions(query="", fusion="six-signals", snippet_width=0),
    "default": SearchOptions(query="", fusion="convex", snippet_width=0),
}
WARM_UP = 20  # queries that fill caches before anything is timed


def main() -> None:
    """Index, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--each", type=int, default=100, help="queries taken of each file")
    arguments = parser.parse_args()
    queries = [query for file in arguments.queries for query in read_queries(file, arguments.each)]
    with tempfile.TemporaryDirectory() as temporary:
        vault = Path(temporary, "vault")
        vault.mkdir()
        engine = Engine.open(vault, Path(temporary, "index.db"))
        try:
            fill(engine, arguments.vault, vault, arguments.chunks)
            for query in queries[:WARM_UP]:
                ask(engine, ASKED["default"], query)
            times: dict[str, list[float]] = {name: [] for name in ASKED}
            for query in queries:
                for name, request in ASKED.items():
                    times[name].append(ask(engine, request, query))
            print(f"{engine.status().chunks:,} chunks, {len(queries)} queries")
            show(times)
        finally:
            engine.close()


def read_queries(file: Path, count: int) -> list[str]:
    """*count* queries, evenly spread over the file."""
    every = [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
    return every[:: max(1, len(every) // count)][:count]


def fill(engine: Engine, source: Path, vault: Path, chunks: int) -> None:
    """Copy notes of *source* into *vault* until its index holds *chunks*."""
    notes = sorted(source.rglob("*.md"))
    step = max(1, len(notes) // 20)
    for start in range(0, len(notes), step):
        if engine.status().chunks >= chunks:
            return
        for note in notes[start : start + step]:
            target = vault / note.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(note, target)
        engine.reconcile()
        while engine.is_working:
            time.sleep(0.05)


def ask(engine: Engine, request: SearchOptions, query: str) -> float:
    """The CPU time of one search in milliseconds."""
    begun = time.thread_time()
    engine.search(replace(request, query=query))
    return (time.thread_time() - begun) * 1000


def show(times: dict[str, list[float]]) -> None:
    """Print the medians, the 95th percentiles, and what each costs beyond the keyword retriever."""
    base = statistics.median(times["keyword"])
    for name, values in times.items():
        median = statistics.median(values)
        last = sorted(values)[int(len(values) * 0.95)]
        print(f"{name:8} p50 {median:6.2f} ms  p95 {last:6.2f} ms  {median - base:+6.2f} ms  x {median / base:.2f}")


if __name__ == "__main__":
    main()
