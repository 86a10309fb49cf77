"""Dense retrieval over vectors in memory."""

from collections.abc import Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import NoteIds
from quarry.index.top_k import ChunkLocation, Scored, chunk_locations, sort_by_score_then_path, top_k
from quarry.index.vector.cache import VectorSnapshot
from quarry.index.vector.matrix import ScoredMatrix
from quarry.index.vector.query import NO_NEAREST_CHUNKS, FloatArray, NearestChunks, QueryVector


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
    note_ids, counts = note_ids[has_vectors], counts[has_vectors]
    begins = counts.cumsum() - counts  # where each note's rows begin
    scores = chunks.scores_at(rows)
    lowest = np.maximum.reduceat(scores, begins) - 2 * query.error_bound
    possible = (scores >= lowest.repeat(counts)).nonzero()[0]
    at = rows[possible]
    note_of_row = begins.searchsorted(possible, side="right") - 1  # a position in `note_ids`
    cosines = matrix.cosines_at(query.floats, at)
    highest = np.maximum.reduceat(cosines, note_of_row.searchsorted(np.arange(len(note_ids))))
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
