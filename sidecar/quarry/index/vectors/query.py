"""
Dense retrieval: a query vector, and what can be asked about the vectors near to it.

Two steps. First int8 is compared with int8, which proposes rows; then the few proposed are scored against the query's
own floats. `MemoryDenseQuery` takes the first step over arrays in memory; `StoredDenseQuery` has sqlite-vec take it
over the stored rows, in a vault too large for memory. Both give the same scores.
"""

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.database import NO_DEADLINE, Deadline, SqlValue, select
from quarry.index.keys import NoteIds, id_list, note_of_sql
from quarry.index.top_k import ChunkLocation, Scored, chunk_locations, fetch_with_ties, sort_by_score_then_path, top_k
from quarry.index.vectors.background import Background
from quarry.index.vectors.cache import VectorCache, VectorSnapshot
from quarry.index.vectors.matrix import ScoredMatrix
from quarry.index.vectors.quantize import PEAK, FloatMatrix, FloatVector, cosines, dequantize
from quarry.index.vectors.rows import STATIC, VectorTables

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

    def background(self) -> Background:
        """How near the query is to passages taken at random."""


# --- vectors in memory --------------------------------------------------------------------------


class MemoryDenseQuery:
    """
    A `DenseQuery` of a snapshot whose vectors are in memory.

    The scores of the rounded query with all rows are kept. With the bound of their error they tell which rows may be
    among the nearest, whichever notes are asked about; those few are scored against the query's floats.
    """

    def __init__(self, connection: apsw.Connection, query: QueryVector, vectors: VectorSnapshot) -> None:
        self._connection = connection
        self._query = query
        self._vectors = vectors
        self._chunks = ScoredMatrix(vectors.chunks, query.quantized)
        self._titles = ScoredMatrix(vectors.titles, query.quantized)

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        if depth < 1:
            return []
        matrix, margin = self._vectors.chunks, 2 * self._query.error_bound
        at = self._chunks.top_rows(self._vectors.chunk_rows_of(admitted), depth, margin, deadline.check)
        cosines = matrix.cosines_at(self._query.floats, at)
        with deadline.over(self._connection):
            return sort_by_score_then_path(matrix.ids[at], cosines, depth, self._locations)

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        return nearest_chunks(self._connection, self._query, self._chunks, note_ids)

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        if depth < 1:
            return []
        matrix, margin = self._vectors.titles, 2 * self._query.error_bound
        at = self._titles.top_rows(self._vectors.title_rows_of(admitted), depth, margin, NO_DEADLINE.check)
        cosines = matrix.cosines_at(self._query.floats, at)
        kept = top_k(cosines, depth)
        ids, cosines = matrix.ids[at[kept]], cosines[kept]
        order = np.lexsort((ids, -cosines))
        return list(zip(ids[order].tolist(), cosines[order].tolist(), strict=True))

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        matrix = self._vectors.titles
        at = matrix.rows_of_owners(note_ids)[0]
        return matrix.ids[at], matrix.cosines_at(self._query.floats, at)

    def background(self) -> Background:
        """See `DenseQuery`."""
        return self._vectors.sample.background(self._query.quantized, self._query.quantized_norm)

    def _locations(self, chunk_ids: Sequence[int]) -> dict[int, ChunkLocation]:
        return chunk_locations(self._connection, chunk_ids)


def nearest_chunks(
    connection: apsw.Connection, query: QueryVector, chunks: ScoredMatrix, note_ids: NoteIds
) -> NearestChunks:
    """The nearest chunk of each of *note_ids* among *chunks*; notes without a vector are left out."""
    matrix = chunks.matrix
    rows, counts = matrix.rows_of_owners(note_ids)
    if not len(rows):
        return NO_NEAREST_CHUNKS
    has_vectors = counts > 0
    if not has_vectors.all():
        note_ids, counts = note_ids[has_vectors], counts[has_vectors]
    begins = counts.cumsum() - counts  # where each note's rows begin
    scores = chunks.scores_at(rows)
    lowest = np.maximum.reduceat(scores, begins) - 2 * query.error_bound
    possible = (scores >= lowest.repeat(counts)).nonzero()[0]
    at = rows[possible]
    note_of_row = begins.searchsorted(possible, side="right") - 1  # a position in `note_ids`
    cosines = matrix.cosines_at(query.floats, at)
    highest = np.maximum.reduceat(cosines, possible.searchsorted(begins))
    is_highest = cosines == highest[note_of_row]
    chunk_ids, note_of_row = matrix.ids[at[is_highest]], note_of_row[is_highest]
    if len(chunk_ids) > len(note_ids):
        chunk_ids = _first_of_each(connection, chunk_ids, note_of_row)
    means = np.add.reduceat(matrix.unrounded(scores, rows), begins) / (counts * query.quantized_norm)
    return NearestChunks(note_ids, chunk_ids, highest, means)


def _first_of_each(
    connection: apsw.Connection, chunk_ids: NDArray[np.int64], note_of_chunk: NDArray[np.intp]
) -> NDArray[np.int64]:
    """The chunk that stands first in each note, among *chunk_ids*, which are equally near; notes ascend."""
    is_tied = np.bincount(note_of_chunk)[note_of_chunk] > 1
    locations = chunk_locations(connection, chunk_ids[is_tied].tolist())
    numbers = np.array([locations.get(chunk_id, ("", 0))[1] for chunk_id in chunk_ids.tolist()])
    order = np.lexsort((numbers, note_of_chunk))
    _, first = np.unique(note_of_chunk[order], return_index=True)
    return chunk_ids[order][first]


# --- vectors that memory may not hold -----------------------------------------------------------

OVERFETCH = 2  # proposed for each one wanted: rounding the query to int8 moves neighbours by a few ranks
OVERFETCH_EXTRA = 20

_SCORED = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(:query)) AS score FROM {vectors}"
    " WHERE length(vector) > 0"
)
_BEST = " ORDER BY score DESC LIMIT :limit"
_AMONG = " AND (" + note_of_sql("+chunk_id") + ") IN (SELECT value FROM json_each(:ids))"
_NEAREST = _SCORED + _BEST
_NEAREST_AMONG = _SCORED + _AMONG + _BEST
_OF_CHUNKS = (
    "SELECT chunk_id, vector FROM {vectors} WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
    " ORDER BY chunk_id"
)
_OF_TITLES = (
    "SELECT note_id, vector FROM {titles} WHERE length(vector) > 0 AND note_id IN (SELECT value FROM json_each(?))"
    " ORDER BY note_id"
)


class StoredDenseQuery(Struct, frozen=True):
    """A `DenseQuery` of a snapshot whose vectors are read as they are asked about; sqlite-vec proposes chunks."""

    connection: apsw.Connection
    query: QueryVector
    cache: VectorCache

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        if depth < 1:
            return []
        with deadline.over(self.connection):
            proposed = self._propose(admitted, depth * OVERFETCH + OVERFETCH_EXTRA)
            ids, found = self._cosines(self.cache.tables.sql(_OF_CHUNKS), [chunk_id for chunk_id, _ in proposed])
            return sort_by_score_then_path(ids, found, depth, lambda tied: chunk_locations(self.connection, tied))

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        chunks = self.cache.of_notes(self.connection, note_ids.tolist()).chunks
        return nearest_chunks(self.connection, self.query, ScoredMatrix(chunks, self.query.quantized), note_ids)

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:  # noqa: ARG002 - as in `DenseQuery`
        """No titles: comparing all of them takes too long in a vault of that size."""
        return []

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        return self._cosines(self.cache.tables.sql(_OF_TITLES), note_ids)

    def background(self) -> Background:
        """See `DenseQuery`."""
        return self.cache.sample(self.connection).background(self.query.quantized, self.query.quantized_norm)

    def _propose(self, admitted: NoteIds | None, wanted: int) -> Sequence[Scored]:
        values: dict[str, SqlValue] = {"query": self.query.quantized.tobytes()}
        if admitted is not None:
            values["ids"] = id_list(admitted)
        sql = self.cache.tables.sql(_NEAREST if admitted is None else _NEAREST_AMONG)
        return fetch_with_ties(lambda limit: select(self.connection, sql, {**values, "limit": limit}), wanted)

    def _cosines(self, sql: str, ids: NoteIds | Sequence[int]) -> tuple[NoteIds, FloatArray]:
        """The *ids* that *sql* finds a vector for, ascending, and the cosine of each."""
        rows = select(self.connection, sql, (id_list(ids),))
        scores = cosines([vector for _, vector in rows], self.query.floats)
        return np.array([row_id for row_id, _ in rows], dtype=np.int64), np.array(scores, dtype=np.float64)


def unit_vectors_of(
    connection: apsw.Connection, chunk_ids: Sequence[int], tables: VectorTables = STATIC
) -> FloatMatrix:
    """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
    rows = select(connection, tables.sql(_OF_CHUNKS), (id_list(chunk_ids),))
    return dequantize([vector for _, vector in rows], tables.dimension(connection) or 0)
