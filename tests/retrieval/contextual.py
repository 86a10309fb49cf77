"""
What does a contextual model cost, and what does it gain? `python tests/retrieval/contextual.py DATA --model MODEL`.

DATA is a folder with `ir/*.tar.xz`, MODEL a folder or a Hugging Face name, as in `embedding.model`. Each collection is
indexed as ever, and its queries are asked; then the model is chosen in the settings of its vault, its vectors are
made, and they are asked again. Prints a line for each collection:

    nDCG@10 by meaning alone (`semantic`) and by the default ranking, before and after, with the p of each difference
    passages (chunks and titles), the CPU time that the backfill took in minutes, and how many it made in a second of it
    the size of the closed index before and after, in MB

The vectors of all queries are made before they are asked: how long a search waits for one is another question. How
long a query takes is printed under the table.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median

import numpy as np
from collected import unpack
from msgspec import Struct

from quarry.embedding import ContextualEncoder, Fingerprint, FloatMatrix, FloatVector, load_contextual_encoder
from quarry.engine import Engine
from quarry.evaluation.collections import Collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table, randomisation
from quarry.evaluation.runner import DEPTH, MAIN, POLL_EVERY_S, SYSTEMS, Values, ask, measure

COLLECTIONS = ("gold-dendron", "anthropic-docs", "stackfaq", "cranfield", "xquad-zh")
ASKED = ("semantic", "default")
COLUMNS = ("collection", *ASKED, "passages", "minutes", "a second", "MB")

Scores = Mapping[str, Mapping[str, Values]]
"""System -> query id -> its values."""


class Rehearsed:
    """A contextual encoder that has the vectors of some queries ready."""

    def __init__(self, encoder: ContextualEncoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, FloatVector] = {}
        self.query_seconds: list[float] = []  # that each took

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return self._encoder.dim

    @property
    def fingerprint(self) -> Fingerprint:
        """The model's identity."""
        return self._encoder.fingerprint

    @property
    def trouble(self) -> str | None:
        """Why it cannot embed anything at the moment."""
        return self._encoder.trouble

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """See `ContextualEncoder`."""
        return self._encoder.encode_passages(texts, check)

    def encode_query(self, text: str) -> FloatVector:
        """See `ContextualEncoder`; one that was embedded before is not embedded again."""
        if text not in self._vectors:
            begun = time.perf_counter()
            self._vectors[text] = self._encoder.encode_query(text)
            self.query_seconds.append(time.perf_counter() - begun)
        return self._vectors[text]


class Outcome(Struct, frozen=True):
    """What was measured on a collection."""

    name: str
    before: Scores
    after: Scores
    passages: int
    cpu_seconds: float
    bytes_before: int
    bytes_after: int


def main() -> int:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--model", required=True)
    parser.add_argument("--only", default=",".join(COLLECTIONS), metavar="NAME,NAME", help="these collections alone")
    options = parser.parse_args()
    encoder = load_contextual_encoder(options.model)
    if encoder is None:
        parser.error(f"{options.model} is a static model")
    rehearsed, outcomes = Rehearsed(encoder), []
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="quarry-contextual-") as folder:
            collection = unpack(options.data, name, Path(folder, "packed"))
            outcomes.append(compare(collection, options.model, rehearsed, Path(folder, "work")))
        print(" | ".join(row(outcomes[-1])), file=sys.stderr, flush=True)
    print(table(outcomes))
    print(f"\n{options.model}: a query takes {median(rehearsed.query_seconds) * 1000:.0f} ms (median)")
    return 0


def compare(collection: Collection, model: str, encoder: Rehearsed, folder: Path) -> Outcome:
    """Ask the queries of *collection* without and with *model*, which *encoder* is; its files go below *folder*."""
    corpus = prepare(collection, folder)

    def scores(engine: Engine) -> Scores:
        runs = {name: ask(engine, collection.queries, SYSTEMS[name], DEPTH, corpus.ids).run for name in ASKED}
        return {name: measure(collection.queries, run) for name, run in runs.items()}

    with settled(corpus.vault, corpus.index_path, encoder) as engine:
        before = scores(engine)
    bytes_before = size_of(corpus.index_path)
    (corpus.vault / ".quarry.toml").write_text(f"[embedding]\nmodel = '{model}'\n", encoding="utf-8")
    begun = time.process_time()
    with settled(corpus.vault, corpus.index_path, encoder) as engine:
        cpu_seconds = time.process_time() - begun
        status = engine.status()
        if status.backfill is None or status.backfill.state != "complete":
            raise RuntimeError(f"{collection.name} was not backfilled: {status.backfill}")
        for query in collection.queries:
            encoder.encode_query(query.text)
        after = scores(engine)
    return Outcome(
        name=collection.name,
        before=before,
        after=after,
        passages=status.chunks + status.notes,
        cpu_seconds=cpu_seconds,
        bytes_before=bytes_before,
        bytes_after=size_of(corpus.index_path),
    )


def size_of(index_path: Path) -> int:
    """The bytes of an index and of the files beside it, when nothing has it open."""
    return sum(path.stat().st_size for path in index_path.parent.glob(f"{index_path.name}*"))


@contextmanager
def settled(vault: Path, index_path: Path, encoder: ContextualEncoder) -> Iterator[Engine]:
    """An engine on *vault* that has nothing left to do; *encoder* is any contextual model that is chosen."""

    def load_contextual(name: str) -> ContextualEncoder | None:
        return None if name == "bundled" else encoder

    engine = Engine.open(vault, index_path, load_contextual=load_contextual)
    try:
        while engine.is_working or engine.is_backfilling:
            time.sleep(POLL_EVERY_S)
        yield engine
    finally:
        engine.close()


def table(outcomes: Sequence[Outcome]) -> str:
    """One line for each of *outcomes*, and one for the means."""
    rows = [row(outcome) for outcome in outcomes]
    means = [
        f"{mean(means_of(one.before[name]) for one in outcomes):.3f} > "
        f"{mean(means_of(one.after[name]) for one in outcomes):.3f}"
        for name in ASKED
    ]
    return markdown_table(COLUMNS, [*rows, ("mean", *means, "", "", "", "")])


def row(outcome: Outcome) -> tuple[str, ...]:
    """The cells of one line."""
    return (
        outcome.name,
        *(difference(outcome.before[name], outcome.after[name]) for name in ASKED),
        f"{outcome.passages:,}",
        f"{outcome.cpu_seconds / 60:.1f}",
        f"{outcome.passages / outcome.cpu_seconds:.1f}",
        f"{outcome.bytes_before / 1e6:.1f} > {outcome.bytes_after / 1e6:.1f}",
    )


def difference(before: Mapping[str, Values], after: Mapping[str, Values]) -> str:
    """The means before and after, and how probable as large a difference is by chance."""
    p = randomisation(np.array([after[query][MAIN] - values[MAIN] for query, values in before.items()]))
    return f"{means_of(before):.3f} > {means_of(after):.3f} (p {p:.3f})"


def means_of(values: Mapping[str, Values]) -> float:
    """The mean of the main measure over the queries."""
    return mean(of_query[MAIN] for of_query in values.values())


if __name__ == "__main__":
    sys.exit(main())
