"""Rows of vectors in the database: writing them, finding those that can be used again, and what waits for one."""

import json
from collections.abc import Iterable, Sequence

import apsw
import numpy as np
from msgspec import Struct

from quarry.index import meta
from quarry.index.database import select
from quarry.index.keys import (
    NoteIds,
    content_hash,
    content_number,
    id_range,
    note_of,
    note_of_sql,
    of_note_sql,
    slot_of,
    title_hash,
    vector_checksum,
)
from quarry.index.note_rows import note_rows
from quarry.index.records import PendingChunk, PendingTitle


class VectorTables(Struct, frozen=True):
    """The names of the tables of one model's vectors, and of the facts about them in `meta`."""

    vectors: str
    titles: str
    pending: str
    dimension_key: str
    dropped_key: str
    model_key: str

    def sql(self, template: str) -> str:
        """The SQL of *template*, a constant with `{vectors}`, `{titles}` and `{pending}` where the names belong."""
        return template.format(vectors=self.vectors, titles=self.titles, pending=self.pending)

    def dimension(self, connection: apsw.Connection) -> int | None:
        """The dimension of every vector in these tables; None while there is none."""
        value = meta.get(connection, self.dimension_key)
        return int(value) if value is not None else None


STATIC = VectorTables("vectors", "title_vectors", "pending", meta.DIMENSION, meta.DROPPED, meta.FINGERPRINT)
CONTEXTUAL = VectorTables(
    vectors="contextual_vectors",
    titles="contextual_title_vectors",
    pending="contextual_pending",
    dimension_key=meta.CONTEXTUAL_DIMENSION,
    dropped_key=meta.CONTEXTUAL_DROPPED,
    model_key=meta.CONTEXTUAL_MODEL,
)

CONTEXTUAL_NAMES = frozenset({CONTEXTUAL.vectors, CONTEXTUAL.titles, CONTEXTUAL.pending})
_WAITING = (
    "SELECT id, chunk_count FROM notes WHERE id IN (SELECT "
    + note_of_sql("chunk_id")
    + " FROM contextual_pending) ORDER BY id"
)
MAX_WAITING_SHARE = 0.1  # of all chunks: what a morning of writing leaves for the next idle minute is far less


def contextual_model(connection: apsw.Connection) -> str | None:
    """The model that the contextual tables are for; None where there are no such tables."""
    return meta.get(connection, meta.CONTEXTUAL_MODEL)


def vector_tables(connection: apsw.Connection) -> tuple[VectorTables, ...]:
    """The tables of vectors that there are."""
    return (STATIC, CONTEXTUAL) if contextual_model(connection) is not None else (STATIC,)


def serving_model(connection: apsw.Connection) -> str | None:
    """
    The contextual model whose vectors answer in the snapshot that *connection* sees; None where the static one's do.

    Contextual vectors answer from the moment when no chunk and no title waited for one, and as long as at most a share
    `MAX_WAITING_SHARE` of all chunks waits: those of notes that were just saved.
    """
    model = contextual_model(connection)
    if model is None or meta.get(connection, meta.CONTEXTUAL_COMPLETE) is None:
        return None
    most = int(MAX_WAITING_SHARE * meta.totals(connection)[1])
    return model if waiting_count(connection, most + 1) <= most else None


class Waiting(Struct, frozen=True):
    """Notes with a chunk that waits for its contextual vector."""

    note_ids: NoteIds
    chunk_count: int  # of these notes, waiting or not

    @classmethod
    def read(cls, connection: apsw.Connection) -> "Waiting":
        """The waiting notes of the snapshot that *connection* sees, which has contextual tables."""
        rows = select(connection, _WAITING)
        return cls(np.array([note_id for note_id, _ in rows], dtype=np.int64), sum(count for _, count in rows))


def waiting_count(connection: apsw.Connection, limit: int = -1, tables: VectorTables = CONTEXTUAL) -> int:
    """How many chunks wait for a vector, counted no further than *limit*; -1: all are counted."""
    sql = tables.sql("SELECT count(*) FROM (SELECT 1 FROM {pending} LIMIT ?)")
    return int(select(connection, sql, (limit,))[0][0])


def notes_without_vectors(connection: apsw.Connection) -> frozenset[int]:
    """The notes with a chunk that waits for a vector, of the static model or of the contextual one if there is one."""
    queries = (f"SELECT DISTINCT {note_of_sql('chunk_id')} FROM {each.pending}" for each in vector_tables(connection))
    return frozenset(note_id for sql in queries for (note_id,) in select(connection, sql))


HashedChunk = tuple[int, bytes, bytes | None]
"""The id of a chunk, its content_hash, and its vector; None: it is pending."""

_KNOWN = (
    "WITH these(id) AS MATERIALIZED (SELECT id FROM notes WHERE path IN (SELECT value FROM json_each(?)))"
    " SELECT r.content, v.vector, v.checksum FROM these JOIN chunk_rows r ON "
    + of_note_sql("r.id", "these.id")
    + " JOIN {vectors} v ON v.chunk_id = r.id"
    " UNION ALL SELECT title, vector, checksum FROM these JOIN {titles} ON note_id = these.id"
)
_CHUNKS = "SELECT chunk_id FROM {pending} ORDER BY chunk_id LIMIT ?"
_NEWEST_CHUNKS = (  # CROSS: the notes are gone through by time, not all that is pending sorted for every batch
    "SELECT p.chunk_id FROM notes n CROSS JOIN {pending} p ON "
    + of_note_sql("p.chunk_id", "n.id")
    + " ORDER BY n.mtime_ns DESC, p.chunk_id LIMIT ?"
)
_TITLES = "SELECT n.id, n.title FROM notes n LEFT JOIN {titles} t ON t.note_id = n.id WHERE t.note_id IS NULL"
_IS_ANY = (  # a title's vector goes with its note, so that counting tells
    "SELECT EXISTS (SELECT 1 FROM {pending}) OR (SELECT count(*) FROM notes) > (SELECT count(*) FROM {titles})"
)


class VectorWriter:
    """Writes vectors into *tables* over *connection*, for one change."""

    def __init__(self, connection: apsw.Connection, tables: VectorTables = STATIC) -> None:
        self._db = connection
        self._tables = tables
        self.dimension = tables.dimension(connection)  # of every vector here; None while there is none

    def check_dimensions(self, vectors: Iterable[bytes | None]) -> None:
        """
        Refuse vectors of another model.

        Raises:
            ValueError: A vector has another length than the others, or than the stored ones.
        """
        lengths = {len(vector) for vector in vectors if vector} | ({self.dimension} if self.dimension else set())
        if len(lengths) > 1:
            raise ValueError(f"vectors of {sorted(lengths)} dimensions would stand side by side; drop them first")

    def add(self, rows: Sequence[HashedChunk]) -> None:
        """Store the vectors of chunks that have no row yet; without a vector, the chunk is pending."""
        pending = [(chunk_id,) for chunk_id, _, vector in rows if vector is None]
        embedded = [
            (chunk_id, vector, vector_checksum(key, vector)) for chunk_id, key, vector in rows if vector is not None
        ]
        if pending:
            self._db.executemany(self._tables.sql("INSERT INTO {pending} VALUES (?)"), pending)
        if embedded:
            self._db.executemany(self._tables.sql("INSERT INTO {vectors} VALUES (?,?,?)"), embedded)
            self._learn_dimension(vector for _, vector, _ in embedded)

    def keep(self, note_id: int, rows: Sequence[HashedChunk]) -> None:
        """
        Make the stored vectors of a note's unchanged chunks those of *rows*.

        Where a row has no vector, the stored one stays if it is undamaged.
        """
        if not rows:
            return
        sql = self._tables.sql("SELECT chunk_id, vector, checksum FROM {vectors} WHERE chunk_id BETWEEN ? AND ?")
        stored = {
            chunk_id: (vector, checksum) for chunk_id, vector, checksum in select(self._db, sql, id_range(note_id))
        }
        fresh = []
        for chunk_id, key, vector in rows:
            old, checksum = stored.get(chunk_id, (None, None))
            is_sound = old is not None and checksum == vector_checksum(key, old)
            if not is_sound or vector not in (None, old):
                fresh.append((chunk_id, key, vector))
        self.delete([chunk_id for chunk_id, _, _ in fresh])
        self.add(fresh)

    def fill_in(self, chunk_id: int, content_hash: bytes, vector: bytes) -> bool:
        """Store the vector of a pending chunk and return True; where its text has changed since, it stays pending."""
        self.check_dimensions([vector])
        waits = select(
            self._db,
            self._tables.sql(
                "SELECT 1 FROM {pending} JOIN chunk_rows ON id = chunk_id WHERE chunk_id = ? AND content = ?"
            ),
            (chunk_id, content_number(content_hash)),
        )
        if not waits:
            return False
        self.delete([chunk_id])
        self.add([(chunk_id, content_hash, vector)])
        return True

    def fill_in_title(self, note_id: int, title: str, vector: bytes) -> bool:
        """Store the vector of a note's title and return True; where the title has changed since, it goes on waiting."""
        self.check_dimensions([vector])
        if not select(self._db, "SELECT 1 FROM notes WHERE id = ? AND title = ?", (note_id, title)):
            return False
        self.set_title(note_id, title, vector)
        return True

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Delete the vectors of these chunks, which are then neither pending nor embedded."""
        if chunk_ids:
            ids = [(chunk_id,) for chunk_id in chunk_ids]
            self._db.executemany(self._tables.sql("DELETE FROM {pending} WHERE chunk_id = ?"), ids)
            self._db.executemany(self._tables.sql("DELETE FROM {vectors} WHERE chunk_id = ?"), ids)

    def add_title(self, note_id: int, title: str, vector: bytes | None) -> None:
        """Store the vector of a title that has no row yet; None: it waits for one."""
        if vector is not None:
            key = title_hash(title)
            row = (note_id, content_number(key), vector, vector_checksum(key, vector))
            self._db.execute(self._tables.sql("INSERT OR REPLACE INTO {titles} VALUES (?,?,?,?)"), row)
            self._learn_dimension((vector,))

    def set_title(self, note_id: int, title: str, vector: bytes | None) -> None:
        """Make *vector* that of a note's title; None: keep the stored one if it is for this very title."""
        key, sql = title_hash(title), self._tables.sql("SELECT vector, title, checksum FROM {titles} WHERE note_id = ?")
        stored = select(self._db, sql, (note_id,))
        is_sound = bool(stored) and stored[0][1:] == (content_number(key), vector_checksum(key, stored[0][0]))
        if is_sound and vector in (None, stored[0][0]):
            return
        if stored:
            self._db.execute(self._tables.sql("DELETE FROM {titles} WHERE note_id = ?"), (note_id,))
        self.add_title(note_id, title, vector)

    def _learn_dimension(self, vectors: Iterable[bytes]) -> None:
        """Record the dimension of the first vector."""
        if self.dimension is None:
            self.dimension = next((len(vector) for vector in vectors if vector), None)
            if self.dimension is not None:
                meta.put(self._db, self._tables.dimension_key, str(self.dimension))


def known_vectors(
    connection: apsw.Connection, paths: Sequence[str], hashes: Sequence[bytes], tables: VectorTables = STATIC
) -> dict[bytes, bytes]:
    """
    Stored vectors of the notes at *paths*, by `content_hash` or `title_hash`, as far as they are undamaged.

    Args:
        hashes: The texts that vectors are wanted for. Other notes than those at *paths* are not searched for them: an
            index by content takes a megabyte, and a text that moved is soon embedded.
    """
    wanted = {content_number(key): key for key in hashes}
    found = select(connection, tables.sql(_KNOWN), (json.dumps(list(paths)),))
    return {
        key: vector
        for number, vector, checksum in found
        if (key := wanted.get(number)) is not None and checksum == vector_checksum(key, vector)
    }


def pending_chunks(connection: apsw.Connection, limit: int, tables: VectorTables = STATIC) -> list[PendingChunk]:
    """
    The first *limit* chunks that wait for a vector, by id; those that wait for a contextual one, newest notes first.

    Raises:
        IndexDamaged: The content of one of their notes is not as it was written.
    """
    sql = tables.sql(_NEWEST_CHUNKS if tables is CONTEXTUAL else _CHUNKS)
    ids: list[int] = [chunk_id for (chunk_id,) in select(connection, sql, (limit,))]
    contents = {at: row.packed_note() for at, row in note_rows(connection, {note_of(at) for at in ids}).items()}
    found = []
    for chunk_id in ids:
        content = contents.get(note_of(chunk_id))
        number = content.number_of(slot_of(chunk_id)) if content else None
        if content is not None and number is not None:
            chunk = content.chunk(number)
            found.append(PendingChunk(chunk_id, content_hash(chunk), chunk))
    return found


def pending_titles(connection: apsw.Connection, limit: int, tables: VectorTables = STATIC) -> list[PendingTitle]:
    """The first *limit* notes whose titles wait for a vector, in the order of `pending_chunks`."""
    order = " ORDER BY n.mtime_ns DESC, n.id LIMIT ?" if tables is CONTEXTUAL else " ORDER BY n.id LIMIT ?"
    return [PendingTitle(*row) for row in select(connection, tables.sql(_TITLES) + order, (limit,))]


def has_pending(connection: apsw.Connection, tables: VectorTables = STATIC) -> bool:
    """Whether any chunk or title waits for a vector."""
    return bool(select(connection, tables.sql(_IS_ANY))[0][0])
