"""
BM25 as FTS5's bm25() reckons it, over arrays (Robertson and Zaragoza, 2009; FTS5's floor of the idf is its own).

Scores are rounded to twelve decimals: documents that are alike score alike, in whichever order the sums were taken.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quarry.index.postings.segment import Positions

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6  # of a term that more than half of all documents hold
DIGITS = 9  # of weighted frequencies, which are sums of .3 and the like
SCORE_DIGITS = 12  # of scores; with the least idf they begin at the sixth
SLACK = 1e-10  # more than adding in another order, and rounding, can move a score
RUN = 64  # scores of which the highest is looked at first, as in `matrix.py`
PROMISING = 16  # documents in one of so many are looked up; more are quicker added up
STRIDE = 8192  # documents at a time: what is worked on stays in the processor's cache
COMMON = 16  # a term in one of so many documents adds little to a score, and takes long to be added up everywhere

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RareScores:
    """What a term adds to the score of each document that holds it."""

    count: int  # documents that hold it
    highest: float
    positions: Positions  # of those documents, ascending
    values: Floats  # one for each of `positions`

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.values.nbytes + self.positions.nbytes

    def at(self, positions: Positions) -> Floats:
        """What it adds to these documents."""
        if not len(self.positions):
            return np.zeros(len(positions))
        found = np.minimum(np.searchsorted(self.positions, positions), len(self.positions) - 1)
        values: Floats = np.where(self.positions[found] == positions, self.values[found], 0.0)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class CommonScores:
    """The same for a term that a good part of all documents hold: worked out for those alone that are asked about."""

    count: int
    highest: float  # that it may add to any
    idf: float
    frequencies: Callable[[Positions], Floats]  # of documents, weighted by column
    holding: Callable[[], tuple[Positions, Floats]]  # the documents, and how often each
    factors: Floats
    size_bytes: int

    def at(self, positions: Positions) -> Floats:
        """What it adds to these documents."""
        return _saturated(self.frequencies(positions), self.factors.take(positions), self.idf)

    def add_to(self, scores: Floats) -> None:
        """Add it to the scores of all documents that hold the term."""
        positions, frequencies = self.holding()
        for start in range(0, len(positions), STRIDE):
            here = positions[start : start + STRIDE]
            values = _saturated(frequencies[start : start + STRIDE], self.factors.take(here), self.idf)
            np.add.at(scores, here, values)


TermScores = RareScores | CommonScores


def length_factors(lengths: Floats, average: float) -> Floats:
    """The part of BM25's denominator that a document's length decides."""
    factors: Floats = K1 * (1 - B + B * lengths / average)
    return factors


def is_common(count: int, size: int) -> bool:
    """Whether a term of so many documents is better looked up than added up."""
    return count * COMMON > size


def rare_scores(positions: Positions, frequencies: Floats, factors: Floats, total: int) -> RareScores:
    """
    The scores of a term.

    Args:
        positions: The documents that hold it, ascending.
        frequencies: How often, weighted by column; shape as *positions*.
        factors: Of all documents, see `length_factors`.
        total: How many documents there are; `factors` has those that are dead as well.
    """
    count = len(positions)
    if not count:
        return _NOWHERE
    values = _saturated(frequencies, factors.take(positions), _idf(count, total))
    return RareScores(count, float(values.max()), positions, values)


def common_scores(
    count: int,
    frequencies: Callable[[Positions], Floats],
    holding: Callable[[], tuple[Positions, Floats]],
    factors: Floats,
    total: int,
    size_bytes: int,
) -> CommonScores:
    """The same for a term that *count* documents hold."""
    idf = _idf(count, total)
    return CommonScores(count, idf * (K1 + 1), idf, frequencies, holding, factors, size_bytes)


def _saturated(frequencies: Floats, factors: Floats, idf: float) -> Floats:
    values = frequencies * (K1 + 1)
    values /= frequencies + factors
    values *= idf
    return values


def _idf(count: int, total: int) -> float:
    idf = math.log((total - count + 0.5) / (count + 0.5))
    return idf if idf > 0 else LEAST_IDF


def scores_at(terms: Sequence[TermScores], positions: Positions) -> Floats:
    """The rounded scores of these documents."""
    scores = np.zeros(len(positions))
    for term in _in_order(terms):
        scores += term.at(positions)
    return np.round(scores, SCORE_DIGITS)


def best(
    terms: Sequence[TermScores],
    size: int,
    chosen: NDArray[np.bool_] | None,
    limit: int,
    check: Callable[[], None],
) -> tuple[Positions, Floats]:
    """
    The *limit* best documents and all that score like the last of them, in no order; none without a score.

    What common terms add is little: it is looked up for those alone whose rarer terms let them come into question.

    Args:
        size: How many documents there are.
        chosen: Those to choose from, shape (size,); None: all.
        check: Called between terms; may raise to give up.
    """
    scores = np.zeros(size)
    common = []
    for term in _in_order(terms):
        check()
        if isinstance(term, CommonScores):
            common.append(term)
        else:
            np.add.at(scores, term.positions, term.values)
    if chosen is not None:
        scores *= chosen
    found = None
    while common and (found := _promising(scores, sum(term.highest for term in common), limit)) is None:
        check()
        common.pop(0).add_to(scores)
        if chosen is not None:
            scores *= chosen
    if found is None:
        found = _from(scores, _kth_at_least(scores, limit) - SLACK)
    values = scores[found]
    for term in common:
        values += term.at(found)
    values = np.round(values, SCORE_DIGITS)
    if len(found) > limit:
        is_best = values >= np.partition(values, -limit)[-limit]
        found, values = found[is_best], values[is_best]
    return found, values


def _in_order(terms: Sequence[TermScores]) -> list[TermScores]:
    """Rare terms first. In one order wherever scores are summed, so that they are the same to the last bit."""
    return sorted(terms, key=lambda term: (isinstance(term, CommonScores), term.count, term.highest))


def _promising(scores: Floats, more: float, limit: int) -> Positions | None:
    """Documents that *more* may lift among the *limit* best; None where that is any, or a good part of all."""
    lowest = _kth_at_least(scores, limit) - more - SLACK
    found = _from(scores, lowest) if lowest > 0 else None
    return None if found is None or len(found) * PROMISING > len(scores) else found


def _kth_at_least(scores: Floats, limit: int) -> float:
    """A score that at least *limit* documents reach, and not many more."""
    runs = len(scores) // RUN
    if limit <= runs:
        peaks = scores[: runs * RUN].reshape(RUN, runs).max(axis=0)  # every so many-eth: quicker than neighbours
        return float(np.partition(peaks, -limit)[-limit])
    return float(np.partition(scores, -limit)[-limit]) if limit <= len(scores) else 0.0


def _from(scores: Floats, lowest: float) -> Positions:
    """Where scores are as high as *lowest*, and above 0."""
    return np.flatnonzero(scores >= lowest if lowest > 0 else scores > 0)


_NOWHERE = RareScores(0, 0.0, np.zeros(0, np.intp), np.zeros(0))
