"""
Every vector of the index in memory, as one snapshot has them.

Reading 80,000 vectors takes a twentieth of a second, so a saved note must not cause it: the vectors that are kept are
brought up to date by the notes that changed since.

A cosine means little by itself: one of .4 is far out in one vault and ordinary in another. Its z-score, over cosines
with passages taken at random, means the same everywhere (`Background`). The passages are chosen by a hash of their
vectors, so that the same notes give the same sample, in whichever order they were indexed.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index import meta
from quarry.index.database import select
from quarry.index.keys import SLOT_BITS, among, id_range
from quarry.index.meta import SnapshotCache
from quarry.index.vectors import matrix
from quarry.index.vectors.matrix import RowBuffer, VectorLimits, VectorMatrix, bytes_per_row, row_norms
from quarry.index.vectors.quantize import int8_dot
from quarry.index.vectors.rows import STATIC, VectorTables

SAMPLE_ROWS = 1_024  # the spread of so many is right to 3 %; comparing them takes 20 us
# What a few passages tell is little: they count beside so many of an ordinary vault (mean of ten collections).
PRIOR_ROWS, PRIOR_MEAN, PRIOR_SPREAD = 16, 0.1, 0.085
BACKGROUND_DIGITS = 6

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiplying by it mixes the high bits
_HASHED_BYTES = 8  # of a vector
_ALL_HASHES = 2.0**64


class Background(Struct, frozen=True):
    """The distribution of a query's cosines with passages taken at random."""

    mean: float = PRIOR_MEAN
    spread: float = PRIOR_SPREAD  # the standard deviation


class BackgroundSample(Struct, frozen=True):
    """Passages that stand for all of a snapshot: their quantized vectors, shape (count, dim), in no order."""

    rows: NDArray[np.int8]
    norms: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.int8]) -> "BackgroundSample":
        """The sample that consists of *rows*."""
        return cls(rows, row_norms(rows))

    def background(self, query: NDArray[np.int8], query_norm: float) -> Background:
        """The background of a quantized *query* of this length, which is not 0."""
        # Sorted, as the order of the rows must not show in the last bit.
        cosines = np.sort(int8_dot(self.rows, query).astype(np.float64) / (self.norms * query_norm))
        count = len(cosines) + PRIOR_ROWS
        mean = (float(cosines.sum()) + PRIOR_ROWS * PRIOR_MEAN) / count
        squares = float(np.square(cosines - mean).sum())
        squares += PRIOR_ROWS * (PRIOR_SPREAD**2 + (PRIOR_MEAN - mean) ** 2)
        return Background(round(mean, BACKGROUND_DIGITS), round(math.sqrt(squares / count), BACKGROUND_DIGITS))


def in_sample(rows: NDArray[np.int8], total: int) -> NDArray[np.intp]:
    """The positions of those *rows*, shape (count, dim), that are in the sample of a matrix of *total* rows."""
    if total <= 2 * SAMPLE_ROWS:
        return np.arange(len(rows))
    hashed = np.zeros((len(rows), _HASHED_BYTES), np.int8)
    hashed[:, : rows.shape[1]] = rows[:, :_HASHED_BYTES]
    return (hashed.view("<u8")[:, 0] * _ODD < np.uint64(_ALL_HASHES * SAMPLE_ROWS / total)).nonzero()[0]


# --- all vectors -------------------------------------------------------------------------------

_IdsAndRows = tuple[NDArray[np.int64], NDArray[np.int8]]
_CHUNKS = "SELECT chunk_id, vector FROM {vectors} WHERE length(vector) > 0 AND chunk_id"
_TITLES = "SELECT note_id, vector FROM {titles} WHERE length(vector) > 0 AND note_id"
_CHUNKS_OF_NOTE = _CHUNKS + " BETWEEN ? AND ? ORDER BY chunk_id"
_TITLE_OF_NOTE = _TITLES + " = ?"
# Many rows as one value, put together by SQLite while other threads go on: one by one they take three times as long.
_AS_ONE_VALUE = " SELECT count(*), max(id), group_concat(id, ' '), CAST(group_concat(vector, '') AS BLOB) FROM part"
_NEXT_CHUNKS = "WITH part(id, vector) AS (" + _CHUNKS + " > ? ORDER BY chunk_id LIMIT ?)" + _AS_ONE_VALUE
_NEXT_TITLES = "WITH part(id, vector) AS (" + _TITLES + " > ? ORDER BY note_id LIMIT ?)" + _AS_ONE_VALUE
_COUNT_CHUNKS = "SELECT count(*) FROM {vectors}"
_COUNT_VECTORS = "SELECT count(*) FROM {vectors} WHERE length(vector) > 0"
_COUNT_TITLES = "SELECT count(*) FROM {titles}"


class VectorSnapshot(Struct, frozen=True, dict=True):
    """All vectors of one snapshot, or those of some notes."""

    chunks: VectorMatrix
    titles: VectorMatrix  # by the ids of notes

    @cached_property
    def sample(self) -> BackgroundSample:
        """Passages that stand for all chunks."""
        rows, deleted = self.chunks.rows, self.chunks.deleted
        chosen = in_sample(rows, len(rows) - len(deleted))
        return BackgroundSample.of(rows[chosen[~among(chosen, deleted)]])


class VectorCache:
    """The vectors in *tables*, of the newest snapshot that was asked for."""

    def __init__(self, limits: VectorLimits | None = None, tables: VectorTables = STATIC) -> None:
        self.tables = tables
        self._limits = limits or matrix.DEFAULT_LIMITS
        self.clear()

    def clear(self) -> None:
        """Forget all vectors, which are read anew when they are asked for."""
        self._cache = SnapshotCache(self._load, self._update)
        self._samples = SnapshotCache(self._read_sample)

    def fits(self, connection: apsw.Connection) -> bool:
        """Whether all vectors may be kept in memory."""
        kept = self._cache.newest
        if kept is not None:
            count, dim = kept.chunks.count, kept.chunks.rows.shape[1]
        else:
            (_, count), dim = meta.totals(connection), self.tables.dimension(connection) or 0
        return count * bytes_per_row(dim) < self._limits.memory_bytes

    def snapshot(self, connection: apsw.Connection) -> VectorSnapshot:
        """The vectors as *connection*'s snapshot has them."""
        return self._cache.at(connection)

    def of_notes(self, connection: apsw.Connection, note_ids: Sequence[int]) -> VectorSnapshot:
        """The vectors of some notes alone, for where memory does not hold all."""
        chunks, titles = _read_notes(connection, sorted(note_ids), self.tables)
        return VectorSnapshot(self._matrix(chunks, SLOT_BITS), self._matrix(titles))

    def sample(self, connection: apsw.Connection) -> BackgroundSample:
        """Passages that stand for all chunks, for where memory does not hold all; read once a snapshot."""
        return self._samples.at(connection)

    def _read_sample(self, connection: apsw.Connection) -> BackgroundSample:
        dim = self.tables.dimension(connection) or 0
        [(total,)] = select(connection, self.tables.sql(_COUNT_VECTORS))
        chosen, last = [np.empty((0, dim), np.int8)], -1
        while True:
            [(count, highest, _, data)] = select(
                connection, self.tables.sql(_NEXT_CHUNKS), (last, self._limits.rows_per_read)
            )
            if not count:
                return BackgroundSample.of(np.concatenate(chosen))
            rows = np.frombuffer(data, dtype=np.int8).reshape(count, dim)
            chosen.append(rows[in_sample(rows, total)])
            last = highest

    def _load(self, connection: apsw.Connection) -> VectorSnapshot:
        """Read all vectors: 80,000 of 256 dimensions take 50 ms, in most of which other threads go on."""
        return VectorSnapshot(
            self._read_all(connection, self.tables.sql(_COUNT_CHUNKS), self.tables.sql(_NEXT_CHUNKS), SLOT_BITS),
            self._read_all(connection, self.tables.sql(_COUNT_TITLES), self.tables.sql(_NEXT_TITLES)),
        )

    def _read_all(self, connection: apsw.Connection, count: str, next_rows: str, slot_bits: int = 0) -> VectorMatrix:
        """
        Read a whole table of vectors.

        Args:
            count: SQL that counts its rows.
            next_rows: SQL that gives the rows after an id, at most so many, as one value.
            slot_bits: See `VectorMatrix`.
        """
        dim = self.tables.dimension(connection) or 0
        stored = RowBuffer(select(connection, count)[0][0], dim, self._limits)
        last = -1
        while True:
            [(row_count, highest, ids, rows)] = select(connection, next_rows, (last, self._limits.rows_per_read))
            if not row_count:
                break
            if len(rows) != row_count * dim:
                raise apsw.CorruptError(f"{row_count} vectors of {dim} dimensions have {len(rows)} bytes")
            numbers = np.fromstring(ids, dtype=np.int64, sep=" ")  # text: blobs of numbers cost SQLite a third more
            stored.append(numbers, np.frombuffer(rows, dtype=np.int8).reshape(row_count, dim))
            last = highest
        return VectorMatrix.of(stored, slot_bits)

    def _matrix(self, read: _IdsAndRows, slot_bits: int = 0) -> VectorMatrix:
        ids, rows = read
        stored = RowBuffer(len(ids), rows.shape[1], self._limits)
        stored.append(ids, rows)
        return VectorMatrix.of(stored, slot_bits)

    def _update(self, connection: apsw.Connection, kept: VectorSnapshot, generation: int) -> VectorSnapshot | None:
        """*kept*, of an earlier *generation*, with the notes read anew that changed since; None: read everything."""
        limit = self._limits.refreshed_notes
        changed = [
            note_id
            for (note_id,) in select(
                connection,
                "SELECT note_id FROM changes WHERE generation > ? ORDER BY note_id LIMIT ?",
                (generation, limit + 1),
            )
        ]
        was_dropped = int(meta.get(connection, self.tables.dropped_key) or 0) > generation
        was_empty = kept.chunks.rows.shape[1] != (
            self.tables.dimension(connection) or 0
        )  # read before the first vector came
        if was_dropped or was_empty or len(changed) > limit:
            return None
        if not changed:
            return kept
        new_chunks, new_titles = _read_notes(connection, changed, self.tables)
        chunks, titles = (
            kept.chunks.with_replaced(changed, *new_chunks),
            kept.titles.with_replaced(changed, *new_titles),
        )
        return VectorSnapshot(chunks, titles) if chunks is not None and titles is not None else None


def _read_notes(
    connection: apsw.Connection, note_ids: Iterable[int], tables: VectorTables
) -> tuple[_IdsAndRows, _IdsAndRows]:
    """The vectors of chunks and of titles, in the order of *note_ids*."""
    of_note, of_title = tables.sql(_CHUNKS_OF_NOTE), tables.sql(_TITLE_OF_NOTE)
    chunks, titles = [], []
    for note_id in note_ids:
        chunks += select(connection, of_note, id_range(note_id))
        titles += select(connection, of_title, (note_id,))
    return _arrays(chunks), _arrays(titles)


def _arrays(rows: Sequence[tuple[int, bytes]]) -> _IdsAndRows:
    """Ids, and the vectors as rows of one array."""
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int8)
    ids, vectors = zip(*rows, strict=True)
    return np.array(ids, dtype=np.int64), np.frombuffer(b"".join(vectors), dtype=np.int8).reshape(len(ids), -1)
