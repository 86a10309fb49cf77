"""
BM25 as FTS5's bm25() reckons it, over arrays (Robertson and Zaragoza, 2009; FTS5's floor of the idf is its own).

Scores are rounded to twelve decimals: documents that are alike score alike, in whichever order the sums were taken.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.segment import DocOrdinals

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6  # of a term that more than half of all documents hold
DIGITS = 9  # of weighted frequencies, which are sums of .3 and the like
SCORE_DIGITS = 12  # of scores; with the least idf they begin at the sixth
ROUNDING_MARGIN = 1e-10  # more than adding in another order, and rounding, can move a score
RUN = 64  # scores of which the highest is looked at first, as in `matrix.py`
PASSES = 8  # documents that are gone through in the time of adding to the score of one
STRIDE = 8192  # documents at a time: what is worked on stays in the processor's cache
COMMON = 16  # a term in one of so many documents adds little to a score, and takes long to be added up everywhere

Floats = NDArray[np.float64]


class SparseScores(Struct, frozen=True, eq=False):
    """What one term, or one after the other, adds to the scores of the documents that hold it."""

    positions: DocOrdinals  # of those documents; those of several terms may repeat
    values: Floats  # one for each of `positions`

    @property
    def count(self) -> int:
        """Postings."""
        return len(self.positions)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.values.nbytes + self.positions.nbytes

    def add_to(self, scores: Floats) -> None:
        """Add it to the scores of all documents that hold a term."""
        np.add.at(scores, self.positions, self.values)

    def held(self) -> DocOrdinals:
        """Where it adds something."""
        return self.positions

    def each(self) -> tuple[DocOrdinals, Floats] | None:
        """The documents, ascending, and what it adds to each; None where they are not each there once."""
        is_once = (self.positions[1:] > self.positions[:-1]).all()
        return (self.positions, self.values) if is_once else None


class LazyScores(Struct, frozen=True, eq=False):
    """The same for a term that a good part of all documents hold: worked out for those alone that are asked about."""

    count: int
    highest: float  # that it may add to any
    idf: float
    frequencies: Callable[[DocOrdinals], Floats]  # of documents, weighted by column
    holding: Callable[[], tuple[DocOrdinals, Floats]]  # the documents, and how often each
    length_norms: Floats
    size_bytes: int

    def at(self, positions: DocOrdinals) -> Floats:
        """What it adds to these documents."""
        return term_scores(self.frequencies(positions), self.length_norms.take(positions), self.idf)

    def add_to(self, scores: Floats) -> None:
        """Add it to the scores of all documents that hold the term."""
        positions, frequencies = self.holding()
        for start in range(0, len(positions), STRIDE):
            here = positions[start : start + STRIDE]
            values = term_scores(frequencies[start : start + STRIDE], self.length_norms.take(here), self.idf)
            np.add.at(scores, here, values)

    def held(self) -> DocOrdinals:
        """Where it adds something."""
        return self.holding()[0]

    def each(self) -> tuple[DocOrdinals, Floats] | None:
        """The documents, ascending, and what it adds to each."""
        positions, frequencies = self.holding()
        return positions, term_scores(frequencies, self.length_norms.take(positions), self.idf)


TermScores = SparseScores | LazyScores


def length_factors(lengths: Floats, average: float) -> Floats:
    """The part of BM25's denominator that a document's length decides."""
    length_norms: Floats = K1 * (1 - B + B * lengths / average)
    return length_norms


def length_factor(length: int, average: float) -> float:
    """The same of one document."""
    return K1 * (1 - B + B * length / average)


def is_common(count: int, size: int) -> bool:
    """Whether a term of so many documents is better looked up than added up."""
    return count * COMMON > size


def rare_scores(
    positions: DocOrdinals, frequencies: Floats, counts: DocOrdinals, length_norms: Floats, total: int
) -> SparseScores:
    """
    The scores of terms.

    Args:
        positions: The documents that hold the first term, then those that hold the next.
        frequencies: How often, weighted by column; shape as *positions*.
        counts: How many documents hold each term.
        length_norms: Of all documents, see `length_factors`.
        total: How many documents there are; `length_norms` has those that are dead as well.
    """
    of_terms = np.array([idf(count, total) for count in counts.tolist()], np.float64)
    return SparseScores(positions, term_scores(frequencies, length_norms.take(positions), np.repeat(of_terms, counts)))


def common_scores(
    count: int,
    frequencies: Callable[[DocOrdinals], Floats],
    holding: Callable[[], tuple[DocOrdinals, Floats]],
    length_norms: Floats,
    total: int,
    size_bytes: int,
) -> LazyScores:
    """The same for a term that *count* documents hold."""
    of_term = idf(count, total)
    return LazyScores(count, of_term * (K1 + 1), of_term, frequencies, holding, length_norms, size_bytes)


def term_scores(frequencies: Floats, length_norms: Floats, idf: float | Floats) -> Floats:
    """What a term that stands so often in documents of these `length_factors` adds to their scores."""
    values = frequencies * (K1 + 1)
    values /= frequencies + length_norms
    values *= idf
    return values


def score(frequency: float, factor: float, idf: float) -> float:
    """The same for one document."""
    return frequency * (K1 + 1) / (frequency + factor) * idf


def idf(count: float, total: int) -> float:
    """Inverse document frequency of a term that *count* of *total* documents hold."""
    found = math.log((total - count + 0.5) / (count + 0.5))
    return found if found > 0 else LEAST_IDF


def scores_at(terms: Sequence[TermScores], size: int, positions: DocOrdinals) -> Floats:
    """The rounded scores of the documents at *positions* among *size*."""
    rare, common = _in_order(terms)
    everywhere = np.zeros(size)
    for few in rare:
        few.add_to(everywhere)
    scores: Floats = everywhere.take(positions)
    for many in common:
        scores += many.at(positions)
    return np.round(scores, SCORE_DIGITS)


def best(
    terms: Sequence[TermScores],
    size: int,
    chosen: NDArray[np.bool_] | None,
    limit: int,
    check: Callable[[], None],
) -> tuple[DocOrdinals, Floats]:
    """
    The *limit* best documents and all that score like the last of them, in no order; none without a score.

    What common terms add is little: it is looked up for those alone whose rarer terms let them come into question.

    Args:
        size: How many documents there are.
        chosen: Those to choose from, shape (size,); None: all.
        check: Called between terms; may raise to give up.
    """
    check()
    rare, common = _in_order(terms)
    if len(rare) + len(common) == 1 and (each := (rare or common)[0].each()):
        positions, values = each if chosen is None else (each[0], each[1] * chosen.take(each[0]))
        at = _from(values, _kth_at_least(values, limit) - ROUNDING_MARGIN)
        return _highest(positions[at], values[at], limit)
    scores = np.zeros(size)
    for few in rare:
        check()
        few.add_to(scores)
    if chosen is not None:
        scores *= chosen
    found = None
    while common and (found := _maxscore_candidates(scores, common, limit)) is None:
        check()
        common.pop(0).add_to(scores)
        if chosen is not None:
            scores *= chosen
    if found is None:
        found = _from(scores, _kth_at_least(scores, limit) - ROUNDING_MARGIN)
    values = scores[found]
    for term in common:
        values += term.at(found)
    return _highest(found, values, limit)


def _highest(found: DocOrdinals, values: Floats, limit: int) -> tuple[DocOrdinals, Floats]:
    """The *limit* highest of *values*, rounded, and all that are as high as the last of them."""
    values = np.round(values, SCORE_DIGITS)
    if len(found) > limit:
        is_best = values >= np.partition(values, -limit)[-limit]
        found, values = found[is_best], values[is_best]
    return found, values


def _in_order(terms: Sequence[TermScores]) -> tuple[list[SparseScores], list[LazyScores]]:
    """Rare terms, and common ones. In one order wherever scores are summed, so that they are the same."""
    ordered = sorted([term for term in terms if term.count], key=lambda term: term.count)
    rare = [term for term in ordered if isinstance(term, SparseScores)]
    return rare, [term for term in ordered if isinstance(term, LazyScores)]


def _maxscore_candidates(scores: Floats, common: Sequence[LazyScores], limit: int) -> DocOrdinals | None:
    """Documents that *common* terms may lift among the *limit* best; None where it is quicker to add up the first."""
    lowest = _kth_at_least(scores, limit) - sum(term.highest for term in common) - ROUNDING_MARGIN
    found = _from(scores, lowest) if lowest > 0 else None
    is_quicker = found is None or len(found) * len(common) > common[0].count + len(scores) // PASSES
    return None if is_quicker else found


def _kth_at_least(scores: Floats, limit: int) -> float:
    """A score that at least *limit* documents reach, and not many more."""
    runs = len(scores) // RUN
    if limit <= runs:
        peaks = scores[: runs * RUN].reshape(RUN, runs).max(axis=0)  # every so many-eth: quicker than neighbours
        return float(np.partition(peaks, -limit)[-limit])
    return float(np.partition(scores, -limit)[-limit]) if limit <= len(scores) else 0.0


def _from(scores: Floats, lowest: float) -> DocOrdinals:
    """Where scores are as high as *lowest*, and above 0."""
    return np.flatnonzero(scores >= lowest if lowest > 0 else scores > 0)
