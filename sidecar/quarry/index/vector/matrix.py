"""
VectorSnapshot in memory, to be searched: exactly where there are few, else by what their signs propose.

A matrix is what one moment has. The next moment shares its arrays: rows of changed notes are written behind all others
and the old ones marked as dead, so that a saved note costs as much as it has chunks. Who still reads the moment before
never sees behind its own end.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index.vector.binary_codes import (
    BinaryCodes,
    closest,
    hadamard_rotate,
    hamming,
    to_binary_codes,
    words_per_code,
)
from quarry.index.vector.int8_dot import BLOCK_ROWS, int8_dot
from quarry.index.vector.quantize import FloatVector

EXACT_ROWS = 200_000  # compared one by one in 3 ms; at 150,000 signs take longer, as what they propose lies scattered
SHORTLIST = 15_000  # rows that signs propose: .98 of the exact top ten or more, see tests/retrieval/recall.py
CHECK_ROWS = 65_536  # scored in 1 ms, between two looks at the deadline
GATHERED = 4  # to copy a row out costs as much as to score so many where they stand
RUN = 64  # scores of which the highest is looked at first; a quarter of the time of sorting out 80,000 at once
SPARE = 16  # a matrix that is made has room for a sixteenth more rows, and for `LEAST_SPARE`
LEAST_SPARE = 1024

RowNumbers = NDArray[np.intp]
"""Where rows stand in a matrix."""


class RowBuffer:
    """Arrays with room for more rows, which are only ever added behind those that are there."""

    def __init__(self, count: int, dim: int) -> None:
        """Room for *count* rows, none of them zero, and for some that come later."""
        room = count + max(LEAST_SPARE, count // SPARE)
        self.count = 0
        self.ids = np.empty(room, dtype=np.int64)
        self.rows = np.empty((room, dim), dtype=np.int8)
        self.norms = np.empty(room, dtype=np.float64)
        self.signs: BinaryCodes | None = (
            np.empty((words_per_code(dim), room), dtype=np.uint64) if room > EXACT_ROWS else None
        )

    def has_room(self, rows: NDArray[np.int8]) -> bool:
        """Whether `add` can take *rows*."""
        return rows.shape[1:] == self.rows.shape[1:] and self.count + len(rows) <= len(self.ids)

    def add(self, ids: NDArray[np.int64], rows: NDArray[np.int8]) -> None:
        """Write rows behind those that are there."""
        start, end = self.count, self.count + len(ids)
        self.ids[start:end], self.rows[start:end] = ids, rows
        for first in range(start, end, BLOCK_ROWS):  # so few stay near the processor
            block = slice(first, min(first + BLOCK_ROWS, end))
            self.norms[block] = row_norms(self.rows[block])
            if self.signs is not None:
                self.signs[:, block] = to_binary_codes(hadamard_rotate(self.rows[block]))
        self.count = end


class VectorMatrix(Struct, frozen=True):
    """
    Stored vectors by their ids, which are of chunks or of notes.

    The first `sorted_count` rows are in ascending order of id. The rows of the owners in `relocated` come after them,
    the rows of one owner together. An owner is a note; its id is a row's id without the lowest `slot_bits` bits.
    """

    stored: RowBuffer
    count: int  # of the stored rows, those of this moment and the dead
    slot_bits: int
    sorted_count: int
    relocated: Mapping[int, range] = field(default_factory=dict)
    dead: NDArray[np.bool_] | None = None  # shape (count,); None: no row is

    @classmethod
    def of(cls, stored: RowBuffer, slot_bits: int = 0) -> "VectorMatrix":
        """A matrix of all that is *stored*, by ascending id."""
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
    def norms(self) -> NDArray[np.float64]:
        """The length of each row, shape (count,)."""
        return self.stored.norms[: self.count]

    @property
    def live_rows(self) -> RowNumbers | None:
        """The rows that are not dead; None: all."""
        return None if self.dead is None else np.flatnonzero(~self.dead)

    @property
    def is_large(self) -> bool:
        """Whether there are more rows than are compared one by one; the dead do not count, as a rebuild has none."""
        dead = 0 if self.dead is None else np.count_nonzero(self.dead)
        return bool(self.count - dead > EXACT_ROWS)

    # --- changes -------------------------------------------------------------------------------

    def with_replaced(
        self, owners: Sequence[int], ids: NDArray[np.int64], rows: NDArray[np.int8]
    ) -> "VectorMatrix | None":
        """
        The matrix of the next moment, where *owners* have these rows alone; None where it has to be read anew.

        Only of the newest moment: another would write where that one has written.

        Args:
            owners: Ids of notes, ascending.
            ids: Of their rows, ascending.
            rows: Shape (len(ids), dim).
        """
        if len(ids) and not self.stored.has_room(rows):
            return None
        dead = np.zeros(self.count + len(ids), dtype=np.bool_)
        if self.dead is not None:
            dead[: self.count] = self.dead
        dead[self.rows_of_owners(np.array(owners, dtype=np.int64))[0]] = True
        if 2 * np.count_nonzero(dead) > len(dead):  # mostly of the past
            return None
        if len(ids):
            self.stored.add(ids, rows)
        relocated = {**self.relocated, **_ranges(owners, ids >> self.slot_bits, self.count)}
        return replace(self, count=self.count + len(ids), relocated=relocated, dead=dead)

    # --- where rows stand ----------------------------------------------------------------------

    def rows_of_owners(self, owners: NDArray[np.int64]) -> tuple[RowNumbers, NDArray[np.intp]]:
        """The rows of *owners*, one owner's after the other's, and how many each has."""
        ordered = self.ids[: self.sorted_count]
        first = np.searchsorted(ordered, owners << self.slot_bits)
        count = np.searchsorted(ordered, (owners + 1) << self.slot_bits) - first
        if self.relocated:
            for at, owner in enumerate(owners.tolist()):
                if owner in self.relocated:
                    first[at], count[at] = self.relocated[owner].start, len(self.relocated[owner])
        begins = np.cumsum(count) - count
        return np.arange(count.sum()) + np.repeat(first - begins, count), count

    def of_ids(self, ids: Sequence[int]) -> RowNumbers:
        """Where the rows of *ids* stand; ids without a row are left out."""
        wanted = np.array(ids, dtype=np.int64)
        if not len(wanted) or not self.count:
            return np.empty(0, dtype=np.intp)
        relocated = [self._moved_row(row_id) for row_id in ids] if self.relocated else []
        at = np.minimum(np.searchsorted(self.ids[: self.sorted_count], wanted), max(self.sorted_count - 1, 0))
        if relocated:
            at = np.where(np.array(relocated) >= -1, relocated, at)
        found: RowNumbers = at[(at >= 0) & (self.ids[at] == wanted)]
        return found if self.dead is None else found[~self.dead[found]]

    def _moved_row(self, row_id: int) -> int:
        """Where a row behind the ordered ones stands; -1: it is gone, -2: it never moved."""
        among = self.relocated.get(row_id >> self.slot_bits)
        if among is None:
            return -2
        return next((at for at in among if self.ids[at] == row_id), -1)

    # --- scores --------------------------------------------------------------------------------

    def scores_at(self, query: NDArray[np.int8], at: RowNumbers) -> NDArray[np.float64]:
        """Product with *query* by the row's length, of the rows *at* these positions; shape (len(at),)."""
        scores = np.empty(len(at))
        copied = np.empty((min(len(at), BLOCK_ROWS), self.rows.shape[1]), dtype=np.int8)
        for start in range(0, len(at), BLOCK_ROWS):
            # All at once, fresh pages for the copies take longer than everything else: 2.9 ms for 15,000 rows, not 1.1.
            here = at[start : start + BLOCK_ROWS]
            block = self.rows.take(here, axis=0, out=copied[: len(here)], mode="clip")
            scores[start : start + BLOCK_ROWS] = int8_dot(block, query)
        scores /= self.norms.take(at)
        return scores

    def cosines_at(self, vector: FloatVector, at: RowNumbers) -> NDArray[np.float64]:
        """What `vectors.matrix_cosines` gives for *vector*, not zero, and the rows *at* these positions."""
        query = vector.astype(np.float64)
        rows = self.rows.take(at, axis=0).astype(np.float64)
        rows *= query
        dots = rows.sum(axis=1)  # each row by itself: see there
        squares = np.rint(np.square(self.norms.take(at)))
        cosines: NDArray[np.float64] = dots / np.sqrt(squares * (query * query).sum())
        return cosines


class ScoredMatrix:
    """What one query scores with the rows of a matrix: all of them are compared once, however often it is asked."""

    def __init__(self, matrix: VectorMatrix, query: NDArray[np.int8]) -> None:
        self.matrix = matrix
        self._query = query
        self._everywhere: NDArray[np.float64] | None = None

    def best(self, chosen: RowNumbers | None, limit: int, check: Callable[[], None]) -> RowNumbers:
        """
        The *limit* rows nearest to the query by cosine, and all that score like the last of them; in no order.

        Args:
            chosen: The rows to choose from; None: all.
            check: Called now and then; may raise to give up.
        """
        check()
        matrix = self.matrix
        chosen = matrix.live_rows if chosen is None else chosen
        if matrix.is_large and (chosen is None or len(chosen) > SHORTLIST):
            assert matrix.stored.signs is not None
            apart = hamming(matrix.stored.signs[:, : matrix.count], hadamard_rotate(self._query[np.newaxis])[0])
            check()
            at = closest(apart if chosen is None else apart[chosen], SHORTLIST)
            chosen = at if chosen is None else chosen[at]
        if chosen is None or GATHERED * len(chosen) >= matrix.count:
            self._compare_all(check)
        check()
        if chosen is None:
            assert self._everywhere is not None
            return top_k(self._everywhere, limit)
        return chosen[top_k(self.scores_at(chosen), limit)]

    def scores_at(self, at: RowNumbers) -> NDArray[np.float64]:
        """See `VectorMatrix.scores_at`."""
        if self._everywhere is not None:
            return self._everywhere.take(at)
        return self.matrix.scores_at(self._query, at)

    def _compare_all(self, check: Callable[[], None]) -> None:
        if self._everywhere is not None:
            return
        matrix = self.matrix
        scores = np.empty(matrix.count, dtype=np.float64)
        for start in range(0, matrix.count, CHECK_ROWS):
            check()
            end = start + CHECK_ROWS
            np.divide(int8_dot(matrix.rows[start:end], self._query), matrix.norms[start:end], out=scores[start:end])
        self._everywhere = scores


def top_k(scores: NDArray[np.float64], limit: int) -> RowNumbers:
    """
    Where the *limit* highest of *scores* stand, and all that are as high as the last of them; in no order.

    The highest of each 64 are looked at first, of every so many-eth as that is quicker than of neighbours: at least
    *limit* scores are as high as the last of the *limit* highest of those, so nothing lower needs to be sorted.
    """
    runs = len(scores) // RUN
    if limit >= runs:
        threshold = np.partition(scores, -limit)[-limit] if limit < len(scores) else -np.inf
        return np.flatnonzero(scores >= threshold)
    peaks = scores[: runs * RUN].reshape(RUN, runs).max(axis=0)
    found = np.flatnonzero(scores >= np.partition(peaks, -limit)[-limit])
    lowest = np.partition(scores[found], -limit)[-limit]
    chosen: RowNumbers = found[scores[found] >= lowest]
    return chosen


def row_norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    """The length of each row."""
    whole = rows.astype(np.int32)  # half the room of floats, and as exact: no order of adding shows
    found: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", whole, whole))
    return found


def _ranges(owners: Sequence[int], owner_of_row: NDArray[np.int64], start: int) -> dict[int, range]:
    """Where the rows of each of *owners*, ascending, will stand when the first of all stands at *start*."""
    first = (np.searchsorted(owner_of_row, owners) + start).tolist()
    behind = (np.searchsorted(owner_of_row, owners, side="right") + start).tolist()
    return dict(zip(owners, map(range, first, behind), strict=True))
