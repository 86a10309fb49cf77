"""
Dense retrieval: a query vector, and what can be asked about the vectors near to it.

Two steps. First int8 is compared with int8, which proposes rows; then the few proposed are scored against the query's
own floats. `MemoryDenseQuery` takes the first step over arrays in memory; `StoredDenseQuery` has sqlite-vec take it
over the stored rows, in a vault too large for memory. Both give the same scores.

Where contextual vectors answer, notes that wait for theirs are compared by the static ones under them. Cosines of
different models cannot be compared: one model has most passages at .1, another at .7. What can is how far a cosine is
from those of passages at random, in standard deviations. So both layers give standardised cosines: of a passage at
random .1 with a deviation of .085, as an ordinary vault has them with the static model. What holds for static cosines
(a least one, what a title may count) then holds for these as well.
"""

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import apsw
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index.database import NO_DEADLINE, Deadline, SqlValue, select
from quarry.index.keys import NoteIds, among, id_list, note_of_sql, notes_of
from quarry.index.top_k import Scored, chunk_locations, fetch_with_ties, sort_by_score_then_path, top_k
from quarry.index.vectors.matrix import ScoredMatrix
from quarry.index.vectors.quantize import PEAK, FloatMatrix, FloatVector, cosines, dequantize
from quarry.index.vectors.rows import STATIC, VectorTables, Waiting
from quarry.index.vectors.vector_cache import PRIOR_MEAN, PRIOR_SPREAD, Background, VectorCache, VectorSnapshot

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
        ids, cosines = self._nearest(self._chunks, admitted, depth, deadline)
        with deadline.over(self._connection):
            return sort_by_score_then_path(ids, cosines, depth, lambda tied: chunk_locations(self._connection, tied))

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        return nearest_chunks(self._connection, self._query, self._chunks, note_ids)

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        if depth < 1:
            return []
        ids, cosines = self._nearest(self._titles, admitted, depth, NO_DEADLINE)
        kept = top_k(cosines, depth)
        ids, cosines = ids[kept], cosines[kept]
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

    def _nearest(
        self, rows: ScoredMatrix, admitted: NoteIds | None, depth: int, deadline: Deadline
    ) -> tuple[NDArray[np.int64], FloatArray]:
        """The ids and cosines of the *depth* nearest *rows* of the *admitted* notes, and of some more; in no order."""
        matrix = rows.matrix
        chosen = None if admitted is None else matrix.rows_of_owners(admitted)[0]
        at = rows.top_rows(chosen, depth, 2 * self._query.error_bound, deadline.check)
        return matrix.ids[at], matrix.cosines_at(self._query.floats, at)


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


STANDARD = Background(PRIOR_MEAN, PRIOR_SPREAD)
DIGITS = 9  # of a standardised cosine; beyond that, the order of operations decides


class StandardizedQuery:
    """A `DenseQuery` whose cosines are those of *query*, standardised."""

    def __init__(self, query: DenseQuery) -> None:
        self._query = query
        background = query.background()
        self._scale = STANDARD.spread / background.spread
        self._offset = STANDARD.mean - background.mean * self._scale

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        return self._standardized(self._query.top_chunks(admitted, depth, deadline))

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        nearest = self._query.nearest_chunks(note_ids)
        return replace(nearest, cosines=self._column(nearest.cosines), means=self._column(nearest.means))

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        return self._standardized(self._query.top_titles(admitted, depth))

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        titled, cosines = self._query.title_cosines(note_ids)
        return titled, self._column(cosines)

    def background(self) -> Background:
        """`STANDARD`, whatever the query."""
        return STANDARD

    def _standardized(self, scored: Sequence[Scored]) -> list[Scored]:
        return [(row_id, round(score * self._scale + self._offset, DIGITS)) for row_id, score in scored]

    def _column(self, cosines: FloatArray) -> FloatArray:
        return (cosines * self._scale + self._offset).round(DIGITS)


class LayeredDenseQuery:
    """
    A `DenseQuery` that compares *waiting* notes by *static* vectors, and all others by *contextual* ones.

    Args:
        contextual, static: The query by either, with comparable cosines.
    """

    def __init__(self, contextual: DenseQuery, static: DenseQuery, waiting: Waiting) -> None:
        self._contextual = contextual
        self._static = static
        self._waiting = waiting

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        above = self._contextual.top_chunks(admitted, depth + self._waiting.chunk_count, deadline)
        kept = ~among(notes_of(np.array([chunk_id for chunk_id, _ in above], np.int64)), self._waiting.note_ids)
        below = self._static.top_chunks(self._admitted(admitted), depth, deadline)
        return _merged([one for one, is_kept in zip(above, kept.tolist(), strict=True) if is_kept], below)[:depth]

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        is_waiting = among(note_ids, self._waiting.note_ids)
        above = self._contextual.nearest_chunks(note_ids[~is_waiting])
        if not is_waiting.any():
            return above
        below = self._static.nearest_chunks(note_ids[is_waiting])
        found = np.concatenate((above.note_ids, below.note_ids))
        order = found.argsort()
        return NearestChunks(
            found[order],
            np.concatenate((above.chunk_ids, below.chunk_ids))[order],
            np.concatenate((above.cosines, below.cosines))[order],
            np.concatenate((above.means, below.means))[order],
        )

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        above = self._contextual.top_titles(admitted, depth + len(self._waiting.note_ids))
        kept = ~among(np.array([note_id for note_id, _ in above], np.int64), self._waiting.note_ids)
        below = self._static.top_titles(self._admitted(admitted), depth)
        return _merged([one for one, is_kept in zip(above, kept.tolist(), strict=True) if is_kept], below)[:depth]

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        is_waiting = among(note_ids, self._waiting.note_ids)
        above, cosines = self._contextual.title_cosines(note_ids[~is_waiting])
        below, static_cosines = self._static.title_cosines(note_ids[is_waiting])
        titled = np.concatenate((above, below))
        order = titled.argsort()
        return titled[order], np.concatenate((cosines, static_cosines))[order]

    def background(self) -> Background:
        """See `DenseQuery`."""
        return self._contextual.background()

    def _admitted(self, admitted: NoteIds | None) -> NoteIds:
        """The waiting notes among the *admitted* ones."""
        waiting = self._waiting.note_ids
        return waiting if admitted is None else waiting[among(waiting, admitted)]


def layered_query(contextual: DenseQuery, static: DenseQuery | None, waiting: Waiting) -> DenseQuery:
    """The query by *contextual* vectors, standardised; notes that wait are compared by *static* ones, if there are."""
    standardized = StandardizedQuery(contextual)
    if static is None or not len(waiting.note_ids):
        return standardized
    return LayeredDenseQuery(standardized, StandardizedQuery(static), waiting)


def _merged(above: Sequence[Scored], below: Sequence[Scored]) -> list[Scored]:
    """Both rankings, best first, as one."""
    return sorted([*above, *below], key=lambda scored: -scored[1])
