"""
Would weights that are learned rank better than those that ship? `python tests/retrieval/learned_ranker.py DATA`.

A factor for each signal of the default ranking, and a weight for three numbers that are not relative to the other
candidates, fitted to all judged collections but one, and measured on that one: by how much is nDCG@10 higher there?
Fitted by gradient descent on the cross-entropy of the grades (ListNet: Cao et al., "Learning to Rank: From Pairwise
Approach to Listwise Approach", ICML 2007), from the weights that ship on. Prints a line a collection.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import collected
import numpy as np
from numpy.typing import NDArray
from recording import session

from quarry.evaluation.collections import Collection, JudgedQuery
from quarry.evaluation.measures import MAIN, measure
from quarry.evaluation.tables import markdown_table
from quarry.index import Background, Reader
from quarry.index.keys import look_up
from quarry.search.ranking import SignalRanking
from quarry.search.signals import SCORE_DIGITS, SIGNAL_NAMES

Floats: TypeAlias = NDArray[np.float64]

FURTHER = ("z-score of the cosine", "share of the possible BM25", "similarity word by word")
NAMES = (*SIGNAL_NAMES, *FURTHER)
SCALE = 0.1  # of the further numbers, so that a weight of 1 is as much as a signal's
FIRST = 60  # candidates of each query that are ranked again
QUERIES = 400  # of each collection at most
STEPS, RATE, SHARPNESS, PULL = 300, 0.02, 12.0, 0.02  # of the descent; `PULL` is towards the weights that ship
SHARED = frozenset({collected.SAMPLE, "more"})  # ask the same notes, so that neither is fitted for the other


class Example(NamedTuple):
    """The candidates of one query."""

    query: JudgedQuery
    notes: tuple[str, ...]
    inputs: Floats  # shape (candidates, NAMES)
    grades: Floats  # shape (candidates,)


def shipped() -> Floats:
    """The factors that change nothing."""
    return np.array([1.0] * len(SIGNAL_NAMES) + [0.0] * len(FURTHER))


def inputs_of(ranking: SignalRanking, at: NDArray[np.intp], reader: Reader) -> Floats:
    """What the candidates *at* these places are ranked by; the first columns add up to their scores."""
    features = ranking.features
    weighted = [getattr(features.signals, name)[at] * ranking.weights[name] for name in SIGNAL_NAMES]
    cosines = np.maximum(features.max_cosine[at], -1.0)
    vector = ranking.prepared.vector
    background = reader.dense_query(vector).background() if vector is not None else Background()
    z_scores = (cosines - background.mean) / background.spread
    similarities = np.zeros(len(at))
    if ranking.wording:
        place, is_compared = look_up(ranking.wording.note_ids, features.note_ids[at])
        similarities[is_compared] = ranking.wording.similarities[place[is_compared]]
    attainable = ranking.prepared.attainable_bm25
    share = features.bm25[at] / attainable if attainable > 0 else np.zeros(len(at))
    return np.column_stack(
        [*weighted, SCALE * np.clip(z_scores, -3, 8) / 8, SCALE * np.minimum(share, 1), SCALE * similarities]
    )


def examples(collection: Collection, folder: Path) -> list[Example]:
    """Ask the judged queries of *collection*."""
    found = []
    with session(collected.some_queries(collection, QUERIES), folder) as asked:
        for query, ranking, _, every in asked.ranked():
            notes = every[:FIRST]
            grades = np.array([float(query.grades.get(note, 0)) for note in notes])
            if query.grades and len(notes) > 1:
                found.append(
                    Example(query, notes, inputs_of(ranking, ranking.order[: len(notes)], asked.reader), grades)
                )
    return found


def fit(collections: Sequence[Sequence[Example]]) -> Floats:
    """The factors that give the grades of *collections*, each of which counts as much as any other, best."""
    used = [(one, 1 / len(every)) for every in collections for one in every if one.grades.any()]
    size = (len(used), max(len(one.notes) for one, _ in used))
    inputs, wanted, absent = np.zeros((*size, len(NAMES))), np.zeros(size), np.full(size, -np.inf)
    for at, (one, _) in enumerate(used):
        count = len(one.notes)
        inputs[at, :count], wanted[at, :count], absent[at, :count] = one.inputs, one.grades / one.grades.sum(), 0
    share = np.array([weight for _, weight in used]) / sum(weight for _, weight in used)
    factors, mean, square = shipped(), np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, STEPS + 1):  # Adam
        logits = SHARPNESS * (inputs @ factors) + absent
        guessed = np.exp(logits - logits.max(axis=1, keepdims=True))
        guessed /= guessed.sum(axis=1, keepdims=True)
        gradient = SHARPNESS * np.einsum("i,ij,ijk->k", share, guessed - wanted, inputs) + PULL * (factors - shipped())
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        factors = factors - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return factors


def ndcg(every: Sequence[Example], factors: Floats) -> float:
    """The mean nDCG@10 if candidates are ranked by *factors*."""
    order = {
        one.query.id: [one.notes[at] for at in np.argsort(-(one.inputs @ factors).round(SCORE_DIGITS), kind="stable")]
        for one in every
    }
    values = measure([one.query for one in every], {query: tuple(notes) for query, notes in order.items()})
    return float(np.mean([values[one.query.id][MAIN] for one in every]))


def main() -> int:
    """Fit with each collection left out in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory(prefix="quarry-learned-") as temporary:
        folder = Path(temporary)
        collections = {name: collected.unpack(data, name, folder) for name in collected.available(data)}
        collections |= {collected.SAMPLE: collected.sample(), "more": collected.further()["more"]}
        collections |= collected.languages()
        every = {name: examples(collection, folder / "indexes") for name, collection in collections.items()}
    rows, gains = [], []
    for left_out in every:
        kin = SHARED if left_out in SHARED else {left_out}
        factors = fit([found for name, found in every.items() if name not in kin])
        before, after = ndcg(every[left_out], shipped()), ndcg(every[left_out], factors)
        gains.append(after - before)
        rows.append(
            [left_out, f"{before:.4f}", f"{after - before:+.4f}", " ".join(f"{factor:.2f}" for factor in factors)]
        )
    print(markdown_table(["left out", MAIN, "learned", ", ".join(NAMES)], rows))
    print(f"\nmean gain on the collection left out: {np.mean(gains):+.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
