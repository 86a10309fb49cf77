"""Dense retrieval over the stored rows, for a vault whose vectors memory may not hold."""

from collections.abc import Sequence

import apsw
import numpy as np
from msgspec import Struct

from quarry.index.database import SqlValue, select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds, id_list, note_of_sql
from quarry.index.top_k import Scored, chunk_locations, fetch_with_ties, sort_by_score_then_path
from quarry.index.vector.cache import VectorCache
from quarry.index.vector.matrix import ScoredMatrix
from quarry.index.vector.memory import nearest_chunks
from quarry.index.vector.quantize import FloatMatrix, cosines, dequantize
from quarry.index.vector.query import FloatArray, NearestChunks, QueryVector

OVERFETCH = 2  # proposed for each one wanted: rounding the query to int8 moves neighbours by a few ranks
OVERFETCH_EXTRA = 20

_SCORED = (
    "SELECT chunk_id, -vec_distance_cosine(vec_int8(vector), vec_int8(:query)) AS score FROM vectors"
    " WHERE length(vector) > 0"
)
_BEST = " ORDER BY score DESC LIMIT :limit"
_AMONG = " AND (" + note_of_sql("+chunk_id") + ") IN (SELECT value FROM json_each(:ids))"
_NEAREST = _SCORED + _BEST
_NEAREST_AMONG = _SCORED + _AMONG + _BEST
_OF_CHUNKS = (
    "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 AND chunk_id IN (SELECT value FROM json_each(?))"
    " ORDER BY chunk_id"
)
_OF_TITLES = (
    "SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0 AND note_id IN (SELECT value FROM json_each(?))"
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
            ids, found = self._cosines(_OF_CHUNKS, [chunk_id for chunk_id, _ in proposed])
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
        return self._cosines(_OF_TITLES, note_ids)

    def _propose(self, admitted: NoteIds | None, wanted: int) -> Sequence[Scored]:
        values: dict[str, SqlValue] = {"query": self.query.quantized.tobytes()}
        if admitted is not None:
            values["ids"] = id_list(admitted)
        sql = _NEAREST if admitted is None else _NEAREST_AMONG
        return fetch_with_ties(lambda limit: select(self.connection, sql, {**values, "limit": limit}), wanted)

    def _cosines(self, sql: str, ids: NoteIds | Sequence[int]) -> tuple[NoteIds, FloatArray]:
        """The *ids* that *sql* finds a vector for, ascending, and the cosine of each."""
        rows = select(self.connection, sql, (id_list(ids),))
        scores = cosines([vector for _, vector in rows], self.query.floats)
        return np.array([row_id for row_id, _ in rows], dtype=np.int64), np.array(scores, dtype=np.float64)


def unit_vectors_of(connection: apsw.Connection, chunk_ids: Sequence[int], dim: int) -> FloatMatrix:
    """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
    return dequantize([vector for _, vector in select(connection, _OF_CHUNKS, (id_list(chunk_ids),))], dim)
