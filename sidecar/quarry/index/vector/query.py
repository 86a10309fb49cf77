"""
The dense retriever: nearest vectors by cosine.

Two steps. A matrix in memory (or, for a vault too large for that, sqlite-vec) proposes rows by comparing int8 with
int8; then the few proposed are scored against the query's own floats. So both ways to propose give the same scores, and
rounding can cost a candidate but never show a wrong score.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.database import SqlValue, select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds, id_list
from quarry.index.tie_breaking import Scored, chunk_locations, fetch_with_ties, sort_by_score_then_path
from quarry.index.vector.cache import VectorCache, VectorSnapshot, read_note_vectors
from quarry.index.vector.matrix import ScoredMatrix, top_k
from quarry.index.vector.quantize import PEAK, FloatMatrix, FloatVector, cosines, dequantize

OVERFETCH = 2  # proposed for each one wanted: rounding the query to int8 moves neighbours by a few ranks
OVERFETCH_EXTRA = 20

Numbers = NDArray[np.float64]


class Nearest(NamedTuple):
    """How near a note is: its nearest chunk, that one's cosine, and the mean cosine of all, to about three digits."""

    chunk_id: int
    cosine: float
    mean: float


class NearestChunks(Struct, frozen=True):
    """The same of several notes; arrays of one length, by ascending note."""

    note_ids: NoteIds
    chunk_ids: NDArray[np.int64]
    cosines: Numbers
    means: Numbers

    def __len__(self) -> int:
        """Notes."""
        return len(self.note_ids)


NO_NEAREST_CHUNKS = NearestChunks(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))

_NEAREST = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(:query)) AS score FROM vectors"
    " WHERE length(vector) > 0 ORDER BY score DESC LIMIT :limit"
)
_NEAREST_AMONG = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(:query)) AS score FROM vectors"
    " WHERE length(vector) > 0 AND (+chunk_id >> 11) IN (SELECT value FROM json_each(:ids))"
    " ORDER BY score DESC LIMIT :limit"
)


class DenseQuery(Struct, frozen=True, dict=True):
    """
    A vector to be near to, rounded once, as stored vectors are, for all that is asked of one snapshot.

    What the rounded one scores with all rows is kept: it tells of most rows that they cannot be the nearest, whichever
    are asked about. Only floats can tell which of the few others is.
    """

    connection: apsw.Connection
    vector: FloatVector
    quantized: NDArray[np.int8]
    vectors: VectorSnapshot | None  # None: memory does not hold them, SQLite is asked

    # --- chunks --------------------------------------------------------------------------------

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """The *depth* nearest chunks of the *admitted* notes, best first, equally near ones by path and number."""
        if depth < 1:
            return []
        wanted = depth * OVERFETCH + OVERFETCH_EXTRA
        with deadline.over(self.connection):
            if self.vectors is None:
                proposed = [chunk_id for chunk_id, _ in self._ask_sqlite(admitted, wanted)]
                scores = stored_cosines(self.connection, self.vector, proposed)
                ids, found = np.array([*scores], dtype=np.int64), np.array([*scores.values()], dtype=np.float64)
            else:
                matrix = self.vectors.chunks
                at = self._chunks.best(self.vectors.chunk_rows_of(admitted), wanted, deadline.check)
                ids, found = matrix.ids[at], matrix.cosines_at(self.vector, at)
            return sort_by_score_then_path(ids, found, depth, lambda tied: chunk_locations(self.connection, tied))

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """The chunk of each of *note_ids*, ascending, that is nearest; notes without a vector are left out."""
        scan = self._chunks if self.vectors is not None else self._read(note_ids)
        matrix = scan.matrix
        at, count = matrix.rows_of_owners(note_ids)
        note_ids, count = note_ids[count > 0], count[count > 0]
        if not len(at):
            return NO_NEAREST_CHUNKS
        begins = np.cumsum(count) - count  # where each note's rows begin among all that are looked at
        quantized = scan.scores_at(at)
        least = np.maximum.reduceat(quantized, begins) - 2 * self._error_bound
        possible = np.flatnonzero(quantized >= np.repeat(least, count))
        found = matrix.cosines_at(self.vector, at[possible])
        note_of_found = np.repeat(np.arange(len(count)), count)[possible]
        begins_found = np.searchsorted(note_of_found, np.arange(len(count)))
        highest_found = np.maximum.reduceat(found, begins_found)
        is_best = found == highest_found[note_of_found]
        best, of_note = at[possible][is_best], note_of_found[is_best]
        chunk_ids = matrix.ids[best]
        if len(best) > len(note_ids):  # chunks of one note that are equally near: the one that stands first
            is_tied = np.bincount(of_note)[of_note] > 1
            places = chunk_locations(self.connection, chunk_ids[is_tied].tolist())
            order = sorted(range(len(best)), key=lambda n: (of_note[n], places.get(int(chunk_ids[n]), ("", 0))))
            chunk_ids, of_note = chunk_ids[order], of_note[order]
            chunk_ids = chunk_ids[np.searchsorted(of_note, np.arange(len(note_ids)))]
        length = float(np.sqrt(np.square(self.quantized, dtype=np.int64).sum()))
        return NearestChunks(note_ids, chunk_ids, highest_found, np.add.reduceat(quantized, begins) / (count * length))

    # --- titles --------------------------------------------------------------------------------

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """
        The *depth* notes with the nearest titles and all that are as near as the last, nearest first, then by id.

        None in a vault too large for memory.
        """
        if depth < 1 or self.vectors is None:
            return []
        matrix = self.vectors.titles
        at = self._titles.best(self.vectors.title_rows_of(admitted), depth * OVERFETCH, lambda: None)
        ids, found = matrix.ids[at], matrix.cosines_at(self.vector, at)
        kept = top_k(found, depth) if len(found) else at
        return sorted(
            zip(ids[kept].tolist(), found[kept].tolist(), strict=True), key=lambda title: (-title[1], title[0])
        )

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, Numbers]:
        """Of *note_ids* those whose title has a vector, and the cosine of each."""
        if self.vectors is None:
            sql = (
                "SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0"
                " AND note_id IN (SELECT value FROM json_each(?)) ORDER BY note_id"
            )
            rows = select(self.connection, sql, (id_list(note_ids),))
            scores = cosines([vector for _, vector in rows], self.vector)
            return np.array([note_id for note_id, _ in rows], dtype=np.int64), np.array(scores, dtype=np.float64)
        matrix = self.vectors.titles
        at = matrix.rows_of_owners(note_ids)[0]
        return matrix.ids[at], matrix.cosines_at(self.vector, at)

    # --- steps ---------------------------------------------------------------------------------

    @cached_property
    def _chunks(self) -> ScoredMatrix:
        assert self.vectors is not None
        return ScoredMatrix(self.vectors.chunks, self.quantized)

    @cached_property
    def _titles(self) -> ScoredMatrix:
        assert self.vectors is not None
        return ScoredMatrix(self.vectors.titles, self.quantized)

    def _read(self, note_ids: NoteIds) -> ScoredMatrix:
        """The chunks of these notes alone, where memory does not hold all."""
        return ScoredMatrix(read_note_vectors(self.connection, note_ids.tolist()).chunks, self.quantized)

    @property
    def _error_bound(self) -> float:
        """By how much a score may be off at most: the length of what rounding took off the vector."""
        exact = self.vector.astype(np.float64)
        left = exact / np.abs(exact).max() * PEAK - self.quantized
        return float(np.sqrt(np.square(left).sum())) + 1e-9

    def _ask_sqlite(self, admitted: NoteIds | None, wanted: int) -> Sequence[Scored]:
        """What sqlite-vec proposes of the stored rows."""
        values: dict[str, SqlValue] = {"query": self.quantized.tobytes()}
        if admitted is not None:
            values["ids"] = id_list(admitted)
        sql = _NEAREST if admitted is None else _NEAREST_AMONG
        return fetch_with_ties(lambda limit: select(self.connection, sql, {**values, "limit": limit}), wanted)


def dense_query(
    connection: apsw.Connection, vector: FloatVector, memory: VectorCache, *, has_vec: bool
) -> DenseQuery | None:
    """
    *vector* as what is asked of this snapshot; None where it is near nothing.

    Args:
        memory: What proposes wherever it may.
        has_vec: Whether sqlite-vec is there to propose where it may not.
    """
    if not np.isfinite(vector).all() or not vector.any():
        return None
    quantized = np.rint(vector / np.abs(vector).max() * PEAK).astype(np.int8)
    vectors = memory.snapshot(connection) if memory.fits(connection) or not has_vec else None
    return DenseQuery(connection, vector, quantized, vectors)


def cosines_of(
    connection: apsw.Connection, vector: FloatVector, chunk_ids: Sequence[int], memory: VectorCache
) -> dict[int, float]:
    """The cosine of *vector* with each of these chunks; those without a vector are left out."""
    if not vector.any() or not memory.fits(connection):
        return stored_cosines(connection, vector, chunk_ids)
    matrix = memory.snapshot(connection).chunks
    at = matrix.of_ids(chunk_ids)
    return dict(zip(matrix.ids[at].tolist(), matrix.cosines_at(vector, at).tolist(), strict=True))


def unit_vectors_of(connection: apsw.Connection, chunk_ids: Sequence[int], dim: int) -> FloatMatrix:
    """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
    sql = (
        "SELECT vector FROM vectors WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
        " ORDER BY chunk_id"
    )
    return dequantize([vector for (vector,) in select(connection, sql, (id_list(chunk_ids),))], dim)


def stored_cosines(connection: apsw.Connection, vector: FloatVector, chunk_ids: Sequence[int]) -> dict[int, float]:
    """The same as `cosines_of` from the stored rows."""
    if not vector.any():
        return {}
    sql = (
        "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
    )
    rows = select(connection, sql, (id_list(chunk_ids),))
    return dict(zip((row[0] for row in rows), cosines([row[1] for row in rows], vector), strict=True))
