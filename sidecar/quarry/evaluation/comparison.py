"""Is one system better than another, or is the difference chance? Paired over the same queries."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

FLIPS = 10_000  # resolves p to about .001 where it matters, at .05
SEED = 20_260_101  # the same two runs give the same p
_BLOCK = 2_000_000  # random numbers at a time: 16 MB
_EPSILON = 1e-12  # sums in another order differ in their last bits

FloatVector = NDArray[np.float64]
Scores = Mapping[str, Mapping[str, float]]
"""Collection -> query id -> score."""


class Difference(Struct, frozen=True):
    """The difference between two systems over the queries of one collection."""

    name: str
    queries: int
    first: float  # mean
    second: float
    p: float  # two-sided: of a difference at least as large, were the systems the same

    @property
    def gain(self) -> float:
        """Second minus first: positive where the second is better."""
        return self.second - self.first


class QueryDifference(Struct, frozen=True):
    """The scores of one query by both systems."""

    collection: str
    query: str
    first: float
    second: float

    @property
    def gain(self) -> float:
        """Second minus first: positive where the second is better."""
        return self.second - self.first


class Comparison(Struct, frozen=True):
    """The differences between two sets of scores."""

    collections: tuple[Difference, ...]
    overall: Difference  # the mean over collections, each of which counts the same
    won: tuple[QueryDifference, ...]  # largest gain first
    lost: tuple[QueryDifference, ...]  # largest loss first
    unpaired: int  # queries that only one of the two has


def compare(first: Scores, second: Scores) -> Comparison:
    """Compare the scores of the queries that both have."""
    differences: list[Difference] = []
    changes: list[QueryDifference] = []
    gains: list[FloatVector] = []
    paired = 0
    for name in sorted(first.keys() & second.keys()):
        shared = sorted(first[name].keys() & second[name].keys())
        if not shared:
            continue
        a, b = (np.array([scores[name][query] for query in shared]) for scores in (first, second))
        differences.append(Difference(name, len(shared), float(a.mean()), float(b.mean()), randomisation(b - a)))
        gains.append((b - a) / len(shared))
        changes += [QueryDifference(name, query, first[name][query], second[name][query]) for query in shared]
        paired += len(shared)
    asked = sum(len(scores) for both in (first, second) for scores in both.values())
    won = sorted((c for c in changes if c.gain > _EPSILON), key=lambda c: (-c.gain, c.collection, c.query))
    lost = sorted((c for c in changes if c.gain < -_EPSILON), key=lambda c: (c.gain, c.collection, c.query))
    return Comparison(tuple(differences), _overall(differences, gains), tuple(won), tuple(lost), asked - 2 * paired)


def randomisation(gains: FloatVector, flips: int = FLIPS, seed: int = SEED) -> float:
    """
    The two-sided p of a paired randomisation test on the sum of *gains* (Smucker, Allan and Carterette, CIKM 2007).

    Under the null hypothesis the sign of each query's difference is random. *p* is the share of random choices of signs
    whose sum is at least as far from 0 as the observed one, which is counted as one of them.
    """
    nonzero = gains[np.abs(gains) > _EPSILON]  # a sign changes nothing about 0
    if not nonzero.size:
        return 1.0
    observed = abs(float(nonzero.sum())) - _EPSILON * nonzero.size
    random = np.random.default_rng(seed)
    as_extreme = 0
    block = max(1, _BLOCK // nonzero.size)
    for start in range(0, flips, block):
        signs = random.integers(0, 2, size=(min(block, flips - start), nonzero.size)) * 2 - 1
        as_extreme += int((np.abs(signs @ nonzero) >= observed).sum())
    return (as_extreme + 1) / (flips + 1)


def _overall(differences: Sequence[Difference], gains: Sequence[FloatVector]) -> Difference:
    count = max(len(differences), 1)
    pooled = np.concatenate(gains) / count if gains else np.zeros(0)
    return Difference(
        "mean",
        sum(difference.queries for difference in differences),
        sum(difference.first for difference in differences) / count,
        sum(difference.second for difference in differences) / count,
        randomisation(pooled),
    )
