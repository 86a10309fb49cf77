"""
BM25 over arrays, and its parts: weights of fields, inverse document frequencies, length norms.

The formula is that of FTS5's bm25(), with its floor of the inverse document frequency (Robertson and Zaragoza, The
Probabilistic Relevance Framework, 2009). Documents that cannot reach the best are passed over as MaxScore does (Turtle
and Flood, Query Evaluation: Strategies and Optimizations, 1995).

Scores are rounded to twelve decimals: documents that are alike score alike, in whichever order the sums were taken.
"""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.segment import DocOrdinals, TfCodes
from quarry.index.top_k import reached_by

K1 = 1.2
B = 0.75
LEAST_IDF = 1e-6  # of a term that more than half of all documents hold
DIGITS = 9  # of weighted frequencies: sums of weights such as .3, which floats do not represent exactly
SCORE_DIGITS = 12  # of scores; with the least idf they begin at the sixth
ROUNDING_MARGIN = 1e-10  # more than adding in another order, and rounding, can move a score
PASSES = 8  # documents that are scanned in the time of adding to the score of one
STRIDE = 8192  # documents at a time: what is worked on stays in the processor's cache
COMMON = 16  # a term in one of so many documents adds little to a score, and takes long to be added up everywhere

Floats = NDArray[np.float64]


class ChunkWeights(Struct, frozen=True):
    """The weight of each field of a chunk; the first three are the published ones."""

    text: float = 1.0
    section: float = 0.5
    context: float = 0.3
    compounds: float = 1.0
    parts: float = 0.3


class NoteWeights(Struct, frozen=True):
    """The weight of each field of a note's names, and of the text of its chunks."""

    title: float = 10.0
    aliases: float = 5.0
    name: float = 10.0
    headings: float = 2.0
    tags: float = 2.0
    body: float = 1.0  # its chunks together
    compounds: float = 1.0
    parts: float = 0.3  # of names such as `getStaleFiles` in its chunks


CHUNK_WEIGHTS = ChunkWeights()
NOTE_WEIGHTS = NoteWeights()


class SparseScores(Struct, frozen=True, eq=False):
    """The scores of one rare term, or of several one after another, for the documents that hold them."""

    ordinals: DocOrdinals  # of those documents; those of several terms may repeat
    values: Floats  # one for each of `ordinals`

    @property
    def count(self) -> int:
        """The number of postings."""
        return len(self.ordinals)

    @property
    def size_bytes(self) -> int:
        """Bytes that the value takes in memory."""
        return self.values.nbytes + self.ordinals.nbytes

    def add_to(self, scores: Floats) -> None:
        """Add the scores to *scores*, which has one entry for each document."""
        np.add.at(scores, self.ordinals, self.values)

    def held(self) -> DocOrdinals:
        """The documents that hold a term; those of several terms may repeat."""
        return self.ordinals

    def each(self) -> tuple[DocOrdinals, Floats] | None:
        """The documents, ascending, and the score of each; None where a document repeats."""
        is_once = (self.ordinals[1:] > self.ordinals[:-1]).all()
        return (self.ordinals, self.values) if is_once else None


class LazyScores(Struct, frozen=True, eq=False):
    """The scores of a common term, computed only for the documents that are asked about."""

    count: int  # documents that hold it
    idf: float
    norms: Floats  # `length_norms` of all documents
    table: Floats  # weighted frequencies: by code where there are `codes`, otherwise by document
    codes: TfCodes | None  # of all documents; 0: the term is not there
    size_bytes: int = 0  # of the arrays that no other value shares

    @property
    def highest(self) -> float:
        """The upper bound of the term's score in any document."""
        return self.idf * (K1 + 1)

    def at(self, ordinals: DocOrdinals) -> Floats:
        """The scores of these documents; shape as *ordinals*."""
        codes = self.codes.take(ordinals) if self.codes is not None else ordinals
        return term_scores(self.table.take(codes), self.norms.take(ordinals), self.idf)

    def add_to(self, scores: Floats) -> None:
        """Add the scores to *scores*, which has one entry for each document."""
        ordinals = self.held()
        for start in range(0, len(ordinals), STRIDE):
            here = ordinals[start : start + STRIDE]
            np.add.at(scores, here, self.at(here))

    def held(self) -> DocOrdinals:
        """The documents that contain the term, ascending."""
        # `nonzero` of booleans takes a third of the time that it takes of integers.
        return (self.codes != 0).nonzero()[0] if self.codes is not None else (self.table > 0).nonzero()[0]

    def each(self) -> tuple[DocOrdinals, Floats] | None:
        """The documents, ascending, and the score of each."""
        ordinals = self.held()
        return ordinals, self.at(ordinals)


TermScores = SparseScores | LazyScores


def length_norms(lengths: Floats, average: float) -> Floats:
    """The part of BM25's denominator that the *lengths* of documents, in terms, decide; shape as *lengths*."""
    norms: Floats = K1 * (1 - B + B * lengths / average)
    return norms


def is_common(count: int, total: int) -> bool:
    """Whether a term that *count* of *total* documents hold is better looked up than added up."""
    return count * COMMON > total


def sparse_scores(
    ordinals: DocOrdinals,
    frequencies: Floats,
    counts: DocOrdinals,
    norms: Floats,
    total: int,
    document_frequencies: Sequence[int] | None = None,
) -> SparseScores:
    """
    The scores of terms, given their postings one after the other.

    Args:
        ordinals: The documents that hold the first term, then those that hold the next.
        frequencies: Weighted term frequencies; shape as *ordinals*.
        counts: How many documents hold each term; shape (terms,).
        norms: The `length_norms` of all documents.
        total: How many documents are alive; *norms* has the others as well.
        document_frequencies: Of each term, where these postings are not all of it; None: *counts*.
    """
    weighed_by = counts.tolist() if document_frequencies is None else document_frequencies
    idfs = np.array([idf(count, total) for count in weighed_by], np.float64)
    return SparseScores(ordinals, term_scores(frequencies, norms.take(ordinals), idfs.repeat(counts)))


def term_scores(frequencies: Floats, norms: Floats, idf: float | Floats) -> Floats:
    """BM25 of one term in documents with these weighted *frequencies* and `length_norms`; shape as *frequencies*."""
    values = frequencies * (K1 + 1)
    values /= frequencies + norms
    values *= idf
    return values


def idf(count: float, total: int) -> float:
    """Inverse document frequency of a term that *count* of *total* documents hold."""
    found = math.log((total - count + 0.5) / (count + 0.5))
    return found if found > 0 else LEAST_IDF


def max_score(idfs: Iterable[float]) -> float:
    """The upper bound of the score of a document for terms of these inverse document frequencies."""
    return (K1 + 1) * sum(idfs)


def scores_of(terms: Sequence[TermScores], size: int, ordinals: DocOrdinals) -> Floats:
    """The rounded scores of the documents at *ordinals* among *size*."""
    rare, common = _in_order(terms)
    everywhere = np.zeros(size)
    for few in rare:
        few.add_to(everywhere)
    scores: Floats = everywhere.take(ordinals)
    for many in common:
        scores += many.at(ordinals)
    return scores.round(SCORE_DIGITS)


def top_documents(
    terms: Sequence[TermScores],
    size: int,
    chosen: NDArray[np.bool_] | None,
    limit: int,
    check: Callable[[], None],
) -> tuple[DocOrdinals, Floats]:
    """
    The *limit* best documents and all that score like the last of them, in no order; none without a score.

    MaxScore: rare terms are added up for all documents. Common terms are looked up only for documents that can still
    reach the best, except that the rarest of them is added up as well where that is quicker.

    Args:
        size: How many documents there are.
        chosen: Those to choose from, shape (size,); None: all.
        check: Called between terms; may raise to give up.
    """
    check()
    rare, common = _in_order(terms)
    if len(rare) + len(common) == 1 and (each := (rare or common)[0].each()):
        ordinals, values = each if chosen is None else (each[0], each[1] * chosen.take(each[0]))
        at = _from(values, reached_by(values, limit) - ROUNDING_MARGIN)
        return _highest(ordinals[at], values[at], limit)
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
        found = _from(scores, reached_by(scores, limit) - ROUNDING_MARGIN)
    values = scores[found]
    for term in common:
        values += term.at(found)
    return _highest(found, values, limit)


def _highest(found: DocOrdinals, values: Floats, limit: int) -> tuple[DocOrdinals, Floats]:
    """The *limit* highest of *values*, rounded, and all that are as high as the last of them."""
    values = values.round(SCORE_DIGITS)
    if len(found) > limit:
        is_best = values >= np.partition(values, -limit)[-limit]
        found, values = found[is_best], values[is_best]
    return found, values


def _in_order(terms: Sequence[TermScores]) -> tuple[list[SparseScores], list[LazyScores]]:
    """*terms* as rare and common ones, by ascending count: sums in one order round in the same way."""
    ordered = sorted([term for term in terms if term.count], key=lambda term: term.count)
    rare = [term for term in ordered if isinstance(term, SparseScores)]
    return rare, [term for term in ordered if isinstance(term, LazyScores)]


def _maxscore_candidates(scores: Floats, common: Sequence[LazyScores], limit: int) -> DocOrdinals | None:
    """Documents that *common* terms may lift among the *limit* best; None where it is quicker to add up the first."""
    lowest = reached_by(scores, limit) - sum(term.highest for term in common) - ROUNDING_MARGIN
    if lowest <= 0:
        return None
    is_candidate = scores >= lowest
    looked_up = int(np.count_nonzero(is_candidate)) * len(common)  # counting takes a tenth of listing them
    return None if looked_up > common[0].count + len(scores) // PASSES else is_candidate.nonzero()[0]


def _from(scores: Floats, lowest: float) -> DocOrdinals:
    """The ordinals of *scores* that are at least *lowest*, and above 0."""
    return (scores >= lowest if lowest > 0 else scores > 0).nonzero()[0]
