"""
Dense retrieval: a query vector, and what can be asked about the vectors near to it.

Two steps. First int8 is compared with int8, which proposes rows; then the few proposed are scored against the query's
own floats. `memory.py` takes the first step over arrays in memory; `stored.py` has sqlite-vec take it over the stored
rows, in a vault too large for memory. Both give the same scores.
"""

import math
from typing import Protocol, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds
from quarry.index.top_k import Scored
from quarry.index.vector.quantize import PEAK, FloatVector

FloatArray: TypeAlias = NDArray[np.float64]


class QueryVector(Struct, frozen=True):
    """A query vector, quantized to int8 once, for all that is asked of one snapshot."""

    floats: FloatVector  # shape (dim,), of whatever length
    quantized: NDArray[np.int8]  # rounded as stored vectors are
    error_bound: float  # the most by which rounding may have moved a score: a product divided by the row's length
    quantized_norm: float  # the length of `quantized`

    @classmethod
    def of(cls, vector: FloatVector) -> "QueryVector | None":
        """
        The query for *vector*, shape (dim,), of whatever length; None where it is near nothing.

        By the inequality of Cauchy and Schwarz the error of a score is at most the length of what rounding took off,
        ||127 q / max|q| - round(127 q / max|q|)||. A thousandth is added for scores that are float32: they reach
        127 sqrt(dim), of which 3 in 10^7 may be lost.
        """
        peak = np.abs(vector).max(initial=0)
        if not 0 < peak < np.inf:  # NaN is neither
            return None
        quantized = np.rint(vector / peak * PEAK).astype(np.int8)
        exact = vector.astype(np.float64)
        lost = exact / np.abs(exact).max() * PEAK - quantized
        error_bound = math.sqrt(np.square(lost).sum()) + 1e-3
        return cls(vector, quantized, error_bound, math.sqrt(np.square(quantized, dtype=np.int64).sum()))


class NearestChunks(Struct, frozen=True):
    """For each of several notes its chunk nearest to a query; arrays of one length, by ascending note."""

    note_ids: NoteIds
    chunk_ids: NDArray[np.int64]
    cosines: FloatArray  # of those chunks
    means: FloatArray  # the mean cosine of all chunks of a note with the rounded query: right to about three digits


NO_NEAREST_CHUNKS = NearestChunks(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))


class DenseQuery(Protocol):
    """A query vector, bound to one snapshot."""

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """
        The *depth* nearest chunks of the *admitted* notes, nearest first; equally near ones by path and number.

        Raises:
            DeadlineExceeded, Cancelled: *deadline* says so.
        """

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """The nearest chunk of each of *note_ids*; notes without a vector are left out."""

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """The *depth* notes with the nearest titles, and all as near as the last; nearest first, then by id."""

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """The notes among *note_ids* whose title has a vector, ascending, and the cosine of each title."""
