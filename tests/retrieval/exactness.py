"""
What do the shortcuts of search cost its quality? `python tests/retrieval/exactness.py [DATA]`.

DATA is a folder with `ir/*.tar.xz`; without it, the sample vault alone is asked. Every collection is indexed once, and
its queries are put to two searches, with the same signals and the same order over different answers of the index:

    shipped   vectors rounded to int8, the query to two digits of int8, words from postings in memory
    exact     embeddings as the model makes them, compared with one by one in float64, and BM25 by FTS5

With `--signs` to a third, the shipped one as it is for very large vaults: it proposes passages by the signs of their
components, and looks through the share of them that it does where that begins.

Prints nDCG@10, one hit a note, and ends with 1 where a collection differs by more than `TOLERANCE`.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from collected import HELD_BACK, SAMPLE, TUNING, available, read_named
from exact_search import ExactEngine
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.errors import IndexUnavailable
from quarry.evaluation.collections import Collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table
from quarry.evaluation.runner import MAIN, SYSTEMS, SystemRun, ask, indexed, measure
from quarry.index.vectors import matrix
from quarry.index.vectors.vector_query import OVERFETCH, OVERFETCH_EXTRA
from quarry.search.candidates import POOL

TOLERANCE = 0.005  # of nDCG@10
HITS = 10
# Of all passages, in the smallest vault in which binary codes propose.
SHARE_BY_SIGNS = matrix.DEFAULT_LIMITS.shortlist / matrix.DEFAULT_LIMITS.exact_rows
LEAST_BY_SIGNS = OVERFETCH * POOL + OVERFETCH_EXTRA  # passages: fewer would leave less than dense retrieval asks for
_ALIKE = 1e-9

Values = Mapping[str, float]
"""nDCG@10 by query."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out for one collection: means of nDCG@10 over its queries."""

    name: str
    queries: int
    shipped: float
    exact: float
    moved: int  # queries of which the two differ
    by_signs: float | None = None  # None: not asked, or the collection is too small for that

    @property
    def difference(self) -> float:
        """Negative where exactness finds more."""
        return self.shipped - self.exact

    @property
    def is_within(self) -> bool:
        """Whether it is small enough."""
        return abs(self.difference) <= TOLERANCE


def weigh(collection: Collection, folder: Path, *, system: str = "default", signs: bool = False) -> Outcome:
    """
    Put the queries of *collection* to the searches, all over one index.

    Args:
        system: One of `evaluation.systems.SYSTEMS`, which all of them follow.

    Raises:
        IndexUnavailable: A retriever cannot serve, or not the way it is to be measured.
        ValueError: The searches do not refuse the same queries, or the index is not what the model makes.
    """
    prepared = prepare(collection, folder)

    def found(engine: Engine | ExactEngine) -> SystemRun:
        return ask(engine, collection.queries, SYSTEMS[system], HITS, prepared.ids)

    def values(asked: SystemRun) -> Values:
        return {query: of_query[MAIN] for query, of_query in measure(collection.queries, asked.run).items()}

    with indexed(prepared.vault, prepared.index_path) as engine:
        with engine.reader() as reader:
            chunk_count = reader.chunk_count
            if not reader.keywords.has_postings:
                raise IndexUnavailable(f"{collection.name}: no postings are in memory; delete the index and try again")
        shipped, exact = found(engine), found(ExactEngine(engine))
    if shipped.refusals != exact.refusals:
        raise ValueError(f"{collection.name}: not refused alike: {shipped.refusals[:3]}, {exact.refusals[:3]}")
    first, second, by_signs = values(shipped), values(exact), None
    if signs and SHARE_BY_SIGNS * chunk_count >= LEAST_BY_SIGNS:
        with signs_propose(round(SHARE_BY_SIGNS * chunk_count)), indexed(prepared.vault, prepared.index_path) as engine:
            by_signs = _mean(values(found(engine)))
    moved = sum(abs(first[query] - second[query]) > _ALIKE for query in first)
    return Outcome(collection.name, len(first), _mean(first), _mean(second), moved, by_signs)


@contextmanager
def signs_propose(shortlist: int) -> Iterator[None]:
    """Have indexes that are opened meanwhile propose *shortlist* rows by their signs, however few there are."""
    before = matrix.DEFAULT_LIMITS
    matrix.DEFAULT_LIMITS = replace(before, exact_rows=0, shortlist=shortlist)
    try:
        yield
    finally:
        matrix.DEFAULT_LIMITS = before


def table(outcomes: Sequence[Outcome]) -> str:
    """A row for each collection; in the last one every collection counts the same."""
    shipped, exact = (sum(getattr(one, name) for one in outcomes) / len(outcomes) for name in ("shipped", "exact"))
    queries, moved = (sum(getattr(one, name) for one in outcomes) for name in ("queries", "moved"))
    rows = [
        [
            one.name,
            f"{one.queries:,}",
            f"{one.shipped:.4f}",
            f"{one.exact:.4f}",
            f"{one.difference:+.4f}",
            str(one.moved),
            within,
            "" if one.by_signs is None else f"{one.by_signs:.4f}",
        ]
        for one, within in (
            *((one, "yes" if one.is_within else "no") for one in outcomes),
            (Outcome("mean", queries, shipped, exact, moved), ""),
        )
    ]
    head = ("nDCG@10", "queries", "shipped", "exact", "difference", "moved", f"within {TOLERANCE}", "by signs")
    return markdown_table(head, rows)


def _mean(values: Values) -> float:
    return sum(values.values()) / max(len(values), 1)


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, metavar="DATA")
    parser.add_argument("--only", metavar="NAME,NAME", help="these collections alone")
    parser.add_argument("--mode", default="default", choices=SYSTEMS, help="which way to search, in either search")
    parser.add_argument("--signs", action="store_true", help="also ask the search that goes by signs")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep vaults and indexes for the next time")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [*TUNING, *HELD_BACK]
    names = [name for name in [*(available(options.data) if options.data else []), SAMPLE] if name in wanted]
    if not names:
        parser.error(f"there is none of {', '.join(wanted)}")
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="quarry-exactness-") as temporary:
        work = Path(temporary)
        collections = [read_named(name, options.data, work / "packed") for name in names]
        weigh_one = partial(weigh, folder=options.keep or work, system=options.mode, signs=options.signs)
        with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:  # not forked: the engine has threads
            for one in pool.map(weigh_one, collections):
                print(f"{one.name}: {one.difference:+.4f}", file=sys.stderr, flush=True)
                outcomes.append(one)
    print(table(outcomes))
    return 0 if all(one.is_within for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
