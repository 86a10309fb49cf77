"""
The vectors of one snapshot in memory: all compared where they are few, else only the candidates of their binary codes.

The next snapshot shares the arrays of the one before: rows of changed notes are appended and the old ones are listed as
deleted, so that a saved note costs as much as it has chunks. A reader of the earlier snapshot never looks past its own
row count.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index.top_k import Scores, top_k
from quarry.index.vectors.quantize import (
    BLOCK_ROWS,
    NEVER_CLOSE,
    PEAK,
    WORD_BITS,
    BinaryCodes,
    FloatVector,
    closest,
    hadamard_rotate,
    hamming,
    int8_dot,
    matrix_cosines,
    to_binary_codes,
    words_per_code,
)

GATHER_COST = 4  # to copy a row out costs as much as to compare so many where they stand
SPARE_SHARE = 16  # a buffer has room for a sixteenth more rows than it is made for; pages never written take no memory

RowNumbers: TypeAlias = NDArray[np.intp]
"""Positions of rows in a matrix."""


class VectorLimits(Struct, frozen=True):
    """The limits of one index's vector search; each default carries the measurement that it comes from."""

    # All of 1.3 million chunks. Beyond it SQLite compares the stored rows, which takes ten times as long.
    memory_bytes: int = 384 * 1024 * 1024
    # 200,000 rows are compared one by one in 3 ms. At 150,000 binary codes take longer: what they propose is scattered.
    exact_rows: int = 200_000
    # Candidates that binary codes propose: .98 of the exact top ten or more, see tests/retrieval/recall.py.
    shortlist: int = 15_000
    # Rows compared between two looks at the deadline, in 1 ms.
    rows_per_check: int = 65_536
    # A matrix is made with room for a sixteenth more rows, and for at least so many.
    min_spare_rows: int = 1024
    # Changed notes that are read one by one. For more of them, reading everything is quicker.
    refreshed_notes: int = 500
    # Rows read at a time: 1 MB, and no second copy of everything. With 16,384 it takes a sixth longer.
    rows_per_read: int = 4_096


DEFAULT_LIMITS = VectorLimits()


class RowBuffer:
    """Arrays with room for more rows, which are only ever appended."""

    def __init__(self, count: int, dim: int, limits: VectorLimits = DEFAULT_LIMITS) -> None:
        """Room for *count* rows, none of them zero, and for some more."""
        room = count + max(limits.min_spare_rows, count // SPARE_SHARE)
        self.count = 0
        self.limits = limits
        self.ids = np.empty(room, dtype=np.int64)
        self.rows = np.empty((room, dim), dtype=np.int8)
        self.norms = np.empty(room, dtype=norm_type(dim))  # the length of each row
        has_codes = room > limits.exact_rows
        self.codes: BinaryCodes | None = np.empty((words_per_code(dim), room), dtype=np.uint64) if has_codes else None

    def has_room(self, rows: NDArray[np.int8]) -> bool:
        """Whether `append` can take *rows*."""
        return rows.shape[1:] == self.rows.shape[1:] and self.count + len(rows) <= len(self.ids)

    def append(self, ids: NDArray[np.int64], rows: NDArray[np.int8]) -> None:
        """Add *rows*, shape (len(ids), dim)."""
        start, end = self.count, self.count + len(ids)
        self.ids[start:end], self.rows[start:end] = ids, rows
        for first in range(start, end, BLOCK_ROWS):  # so few stay in the processor's cache
            block = slice(first, min(first + BLOCK_ROWS, end))
            self.norms[block] = row_norms(self.rows[block])
            if self.codes is not None:
                self.codes[:, block] = to_binary_codes(hadamard_rotate(self.rows[block]))
        self.count = end


class VectorMatrix(Struct, frozen=True):
    """
    Stored vectors by id, which is that of a chunk or of a note.

    The first `sorted_count` rows are in ascending order of id. The rows of the owners in `relocated` come after them,
    the rows of one owner together. An owner is a note; its id is a row's id without the lowest `slot_bits` bits.
    """

    stored: RowBuffer
    count: int  # stored rows of this snapshot, deleted ones included
    slot_bits: int
    sorted_count: int
    relocated: Mapping[int, range] = field(default_factory=dict)
    deleted: RowNumbers = field(default_factory=lambda: np.empty(0, dtype=np.intp))  # ascending, each once

    @classmethod
    def of(cls, stored: RowBuffer, slot_bits: int = 0) -> "VectorMatrix":
        """A matrix of all that is *stored*, in ascending order of id."""
        return cls(stored, stored.count, slot_bits, stored.count)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Shape (count,)."""
        return self.stored.ids[: self.count]

    @property
    def rows(self) -> NDArray[np.int8]:
        """Shape (count, dim)."""
        return self.stored.rows[: self.count]

    @property
    def norms(self) -> Scores:
        """The length of each row, shape (count,)."""
        return self.stored.norms[: self.count]

    @property
    def is_large(self) -> bool:
        """Whether there are more live rows than are all compared; deleted ones do not count, as a rebuild has none."""
        return self.count - len(self.deleted) > self.stored.limits.exact_rows

    # --- changes -------------------------------------------------------------------------------

    def with_replaced(
        self, owners: Sequence[int], ids: NDArray[np.int64], rows: NDArray[np.int8]
    ) -> "VectorMatrix | None":
        """
        The matrix of the next snapshot, in which *owners* have these rows alone; None where it has to be read anew.

        Only to be asked of the newest matrix: another would write where the newest has written.

        Args:
            owners: Ids of notes, ascending.
            ids: Ids of their rows, ascending.
            rows: Shape (len(ids), dim).
        """
        if len(ids) and not self.stored.has_room(rows):
            return None
        gone, _ = self.rows_of_owners(np.array(owners, dtype=np.int64))
        count, deleted = self.count + len(ids), np.union1d(self.deleted, gone)
        if 2 * len(deleted) > count:  # mostly of the past
            return None
        if len(ids):
            self.stored.append(ids, rows)
        relocated = {**self.relocated, **_ranges(owners, ids >> self.slot_bits, self.count)}
        return replace(self, count=count, relocated=relocated, deleted=deleted)

    # --- where rows stand ----------------------------------------------------------------------

    def rows_of_owners(self, owners: NDArray[np.int64]) -> tuple[RowNumbers, NDArray[np.intp]]:
        """The rows of *owners*, one owner's after the other's, and how many each has."""
        ordered = self.ids[: self.sorted_count]
        first = ordered.searchsorted(owners << self.slot_bits)
        count = ordered.searchsorted((owners + 1) << self.slot_bits) - first
        if self.relocated:
            for at, owner in enumerate(owners.tolist()):
                if owner in self.relocated:
                    first[at], count[at] = self.relocated[owner].start, len(self.relocated[owner])
        ends = count.cumsum()
        return np.arange(ends[-1] if len(ends) else 0) + (first - ends + count).repeat(count), count

    # --- scores --------------------------------------------------------------------------------

    def scores_at(self, query: NDArray[np.int8], at: RowNumbers) -> Scores:
        """Products of *query* and the rows *at* these positions, each divided by the row's length; shape (len(at),)."""
        scores = np.empty(len(at), dtype=self.norms.dtype)
        copied = np.empty((min(len(at), BLOCK_ROWS), self.rows.shape[1]), dtype=np.int8)
        for start in range(0, len(at), BLOCK_ROWS):
            # All at once, fresh pages for the copies take longer than everything else: 2.9 ms for 15,000 rows, not 1.1.
            here = at[start : start + BLOCK_ROWS]
            block = self.rows.take(here, axis=0, out=copied[: len(here)], mode="clip")
            scores[start : start + BLOCK_ROWS] = int8_dot(block, query)
        scores /= self.norms.take(at)
        return scores

    def unrounded(self, scores: Scores, at: RowNumbers) -> NDArray[np.float64]:
        """
        *scores* of the rows *at* these positions in float64, as if no float32 had stood between; shape (len(at),).

        A score is a whole number divided by a row's length. A float32 score times a float32 length is that number
        again, to less than a half where `norm_type` is float32.
        """
        if scores.dtype == np.float64:
            return scores.astype(np.float64, copy=False)
        norms = self.norms.take(at).astype(np.float64)
        products: NDArray[np.float64] = np.rint(scores * norms)
        return products / np.sqrt(np.rint(np.square(norms)))

    def cosines_at(self, vector: FloatVector, at: RowNumbers) -> NDArray[np.float64]:
        """Cosines of *vector*, not zero, with the rows *at* these positions; see `quantize.matrix_cosines`."""
        squares = np.rint(np.square(self.norms.take(at), dtype=np.float64))
        return matrix_cosines(self.rows.take(at, axis=0), vector, squares)


class ScoredMatrix:
    """The rows of a matrix, scored against one query; all rows are compared at most once, however often it is asked."""

    def __init__(self, matrix: VectorMatrix, query: NDArray[np.int8]) -> None:
        self.matrix = matrix
        self._query = query
        self._scores: Scores | None = None  # of all rows; minus infinity for deleted ones

    def top_rows(self, chosen: RowNumbers | None, limit: int, margin: float, check: Callable[[], None]) -> RowNumbers:
        """
        The *limit* rows that score highest, and all that score lower than the last by at most *margin*; in no order.

        Args:
            chosen: The rows to choose from, none of them deleted; None: all.
            check: Called now and then; may raise to give up.
        """
        check()
        matrix = self.matrix
        if matrix.is_large and (chosen is None or len(chosen) > matrix.stored.limits.shortlist):
            chosen = self._shortlist(chosen, check)
        if chosen is None or GATHER_COST * len(chosen) >= matrix.count:
            self._compare_all(check)
        check()
        if chosen is None:
            assert self._scores is not None
            return top_k(self._scores, limit, margin)
        return chosen[top_k(self.scores_at(chosen), limit, margin)]

    def scores_at(self, at: RowNumbers) -> Scores:
        """See `VectorMatrix.scores_at`."""
        if self._scores is not None:
            return self._scores.take(at)
        return self.matrix.scores_at(self._query, at)

    def _shortlist(self, chosen: RowNumbers | None, check: Callable[[], None]) -> RowNumbers:
        """The rows that binary codes propose."""
        matrix = self.matrix
        assert matrix.stored.codes is not None
        apart = hamming(matrix.stored.codes[:, : matrix.count], hadamard_rotate(self._query[np.newaxis])[0])
        apart[matrix.deleted] = NEVER_CLOSE
        check()
        at = closest(apart if chosen is None else apart[chosen], matrix.stored.limits.shortlist)
        return at if chosen is None else chosen[at]

    def _compare_all(self, check: Callable[[], None]) -> None:
        if self._scores is not None:
            return
        matrix, step = self.matrix, self.matrix.stored.limits.rows_per_check
        scores = np.empty(matrix.count, dtype=matrix.norms.dtype)
        for start in range(0, matrix.count, step):
            check()
            end = start + step
            np.divide(int8_dot(matrix.rows[start:end], self._query), matrix.norms[start:end], out=scores[start:end])
        scores[matrix.deleted] = -np.inf
        self._scores = scores


def norm_type(dim: int) -> type[np.float32 | np.float64]:
    """The smaller type whose square, rounded, is the exact whole number that a row's length is the root of."""
    return np.float32 if dim * PEAK**2 * 2**-23 < 0.5 else np.float64


def bytes_per_row(dim: int) -> int:
    """Memory that a row of a large matrix takes: its components, id, norm and binary code."""
    return dim + np.dtype(np.int64).itemsize + np.dtype(norm_type(dim)).itemsize + words_per_code(dim) * WORD_BITS // 8


def row_norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """The length of each row."""
    whole = rows.astype(np.int32)  # half the room of floats, and as exact: the order of adding does not show
    norms: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", whole, whole))
    return norms


def _ranges(owners: Sequence[int], owner_of_row: NDArray[np.int64], start: int) -> dict[int, range]:
    """Where the rows of each of *owners*, ascending, will stand when the first of all stands at *start*."""
    first = (np.searchsorted(owner_of_row, owners) + start).tolist()
    behind = (np.searchsorted(owner_of_row, owners, side="right") + start).tolist()
    return dict(zip(owners, map(range, first, behind), strict=True))
