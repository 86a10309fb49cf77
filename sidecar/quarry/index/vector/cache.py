"""
Every vector of the index in memory, as one moment has them.

Reading 80,000 vectors takes a twentieth of a second, so a saved note must not cause it: what is kept is brought up to
date by the notes that changed since.
"""

import threading
from collections.abc import Iterable, Sequence

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index import meta
from quarry.index.database import select
from quarry.index.ids import SLOT_BITS, NoteIds, id_range
from quarry.index.vector.matrix import RowBuffer, RowNumbers, VectorMatrix

MEMORY_BYTES = 384 * 1024 * 1024  # of vectors kept: of 1.3 million chunks; SQLite takes ten times as long to answer
BYTES_BESIDE = 48  # a chunk's id, length and signs
FEW_NOTES = 500  # are read one by one; for more it is quicker to read everything
READ_ROWS = 4_096  # at a time: 1 MB, and no second copy of everything; with 16,384 it takes a sixth longer

_Read = tuple[NDArray[np.int64], NDArray[np.int8]]
_CHUNKS = "SELECT chunk_id, vector FROM vectors WHERE length(vector) > 0 AND chunk_id"
_TITLES = "SELECT note_id, vector FROM title_vectors WHERE length(vector) > 0 AND note_id"
_CHUNKS_OF_NOTE = _CHUNKS + " BETWEEN ? AND ? ORDER BY chunk_id"
_TITLE_OF_NOTE = _TITLES + " = ?"
# Many rows as one value, put together by SQLite while other threads go on: one by one they take three times as long.
_TOGETHER = (
    " SELECT count(*), max(id), CAST(group_concat(unhex(printf('%016x', id)), '') AS BLOB),"
    " CAST(group_concat(vector, '') AS BLOB) FROM part"
)
_CHUNKS_BEHIND = "WITH part(id, vector) AS (" + _CHUNKS + " > ? ORDER BY chunk_id LIMIT ?)" + _TOGETHER
_TITLES_BEHIND = "WITH part(id, vector) AS (" + _TITLES + " > ? ORDER BY note_id LIMIT ?)" + _TOGETHER
_COUNT_CHUNKS = "SELECT count(*) FROM vectors"
_COUNT_TITLES = "SELECT count(*) FROM title_vectors"


class VectorSnapshot(Struct, frozen=True):
    """All vectors of one moment, or those of some notes."""

    generation: int
    chunks: VectorMatrix
    titles: VectorMatrix  # by the ids of notes

    def chunk_rows_of(self, admitted: NoteIds | None) -> RowNumbers | None:
        """The rows of `chunks` that are of the *admitted* notes; None: all."""
        return None if admitted is None else self.chunks.rows_of_owners(admitted)[0]

    def title_rows_of(self, admitted: NoteIds | None) -> RowNumbers | None:
        """The rows of `titles` that are of the *admitted* notes; None: all."""
        return None if admitted is None else self.titles.rows_of_owners(admitted)[0]


class VectorCache:
    """The vectors of the newest moment that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: VectorSnapshot | None = None

    def fits(self, connection: apsw.Connection) -> bool:
        """Whether all vectors may be kept in memory."""
        kept = self._kept
        if kept is not None:
            count, dim = kept.chunks.count, kept.chunks.rows.shape[1]
        else:
            (_, count), dim = meta.totals(connection), meta.dimension(connection) or 0
        return bool(count * (dim + BYTES_BESIDE) < MEMORY_BYTES)

    def snapshot(self, connection: apsw.Connection) -> VectorSnapshot:
        """The vectors as *connection*'s snapshot has them."""
        generation = meta.generation(connection)
        kept = self._kept
        if kept is not None and kept.generation == generation:
            return kept
        with self._lock:
            kept = self._kept
            if kept is not None and kept.generation == generation:
                return kept
            if kept is not None and kept.generation > generation:  # an older moment; the newest is kept all the same
                return _load(connection, generation)
            brought_up = _brought_up(connection, kept, generation) if kept else None
            kept = self._kept = None  # frees the old rows before as many new ones are read
            self._kept = brought_up or _load(connection, generation)
            return self._kept


def read_note_vectors(connection: apsw.Connection, note_ids: Sequence[int]) -> VectorSnapshot:
    """The vectors of some notes alone, for where memory does not hold all."""
    chunks, titles = _of_notes(connection, sorted(note_ids))
    return VectorSnapshot(meta.generation(connection), _matrix([chunks], SLOT_BITS), _matrix([titles]))


def _load(connection: apsw.Connection, generation: int) -> VectorSnapshot:
    """Read all vectors: 80,000 of 256 dimensions take 50 ms, in most of which other threads go on."""
    return VectorSnapshot(
        generation,
        _all(connection, _COUNT_CHUNKS, _CHUNKS_BEHIND, SLOT_BITS),
        _all(connection, _COUNT_TITLES, _TITLES_BEHIND),
    )


def _all(connection: apsw.Connection, count: str, rows_behind: str, slot_bits: int = 0) -> VectorMatrix:
    dim = meta.dimension(connection) or 0
    stored = RowBuffer(select(connection, count)[0][0], dim)
    last = -1
    while True:
        [(row_count, highest, ids, rows)] = select(connection, rows_behind, (last, READ_ROWS))
        if not row_count:
            break
        if len(rows) != row_count * dim:
            raise apsw.CorruptError(f"{row_count} vectors of {dim} dimensions have {len(rows)} bytes")
        stored.add(np.frombuffer(ids, dtype=">i8"), np.frombuffer(rows, dtype=np.int8).reshape(row_count, dim))
        last = highest
    return VectorMatrix.of(stored, slot_bits)


def _matrix(parts: Sequence[_Read], slot_bits: int = 0) -> VectorMatrix:
    stored = RowBuffer(sum(len(ids) for ids, _ in parts), parts[0][1].shape[1])
    for ids, rows in parts:
        stored.add(ids, rows)
    return VectorMatrix.of(stored, slot_bits)


def _brought_up(connection: apsw.Connection, kept: VectorSnapshot, generation: int) -> VectorSnapshot | None:
    """*kept* with the notes read anew that changed since; None where everything has to be."""
    changed = [
        note_id
        for (note_id,) in select(
            connection,
            "SELECT note_id FROM changes WHERE generation > ? ORDER BY note_id LIMIT ?",
            (kept.generation, FEW_NOTES + 1),
        )
    ]
    was_dropped = int(meta.get(connection, meta.DROPPED) or 0) > kept.generation
    was_empty = kept.chunks.rows.shape[1] != (meta.dimension(connection) or 0)  # read before the first vector came
    if was_dropped or was_empty or len(changed) > FEW_NOTES:
        return None
    if not changed:
        return VectorSnapshot(generation, kept.chunks, kept.titles)
    fresh_chunks, fresh_titles = _of_notes(connection, changed)
    chunks, titles = (
        kept.chunks.with_replaced(changed, *fresh_chunks),
        kept.titles.with_replaced(changed, *fresh_titles),
    )
    return VectorSnapshot(generation, chunks, titles) if chunks is not None and titles is not None else None


def _of_notes(connection: apsw.Connection, note_ids: Iterable[int]) -> tuple[_Read, _Read]:
    """The rows of chunks and of titles, in the order of *note_ids*."""
    chunks, titles = [], []
    for note_id in note_ids:
        chunks += select(connection, _CHUNKS_OF_NOTE, id_range(note_id))
        titles += select(connection, _TITLE_OF_NOTE, (note_id,))
    return _arrays(chunks), _arrays(titles)


def _arrays(rows: Sequence[tuple[int, bytes]]) -> _Read:
    """Ids, and the vectors as rows of one array."""
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int8)
    ids, vectors = zip(*rows, strict=True)
    return np.array(ids, dtype=np.int64), np.frombuffer(b"".join(vectors), dtype=np.int8).reshape(len(ids), -1)
