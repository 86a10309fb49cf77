"""Rows of vectors in the database: writing them, finding those that can be used again, and what waits for one."""

import json
from collections.abc import Iterable, Sequence

import apsw

from quarry.index import meta
from quarry.index.checksums import content_hash, content_number, title_hash, vector_checksum
from quarry.index.database import select
from quarry.index.ids import id_range, note_of, of_note_sql, slot_of
from quarry.index.note_rows import note_rows
from quarry.index.records import PendingChunk, PendingTitle

HashedChunk = tuple[int, bytes, bytes | None]
"""The id of a chunk, its content_hash, and its vector; None: it is pending."""

_KNOWN = (
    "WITH these(id) AS MATERIALIZED (SELECT id FROM notes WHERE path IN (SELECT value FROM json_each(?)))"
    " SELECT r.content, v.vector, v.checksum FROM these JOIN chunk_rows r ON "
    + of_note_sql("r.id", "these.id")
    + " JOIN vectors v ON v.chunk_id = r.id"
    " UNION ALL SELECT title, vector, checksum FROM these JOIN title_vectors ON note_id = these.id"
)
_CHUNKS = "SELECT chunk_id FROM pending ORDER BY chunk_id LIMIT ?"
_TITLES = (
    "SELECT n.id, n.title FROM notes n LEFT JOIN title_vectors t ON t.note_id = n.id"
    " WHERE t.note_id IS NULL ORDER BY n.id LIMIT ?"
)
_IS_ANY = (  # a title's vector goes with its note, so that counting tells
    "SELECT EXISTS (SELECT 1 FROM pending) OR (SELECT count(*) FROM notes) > (SELECT count(*) FROM title_vectors)"
)


class VectorWriter:
    """Writes vectors over *connection*, for one change."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self.dimension = meta.dimension(connection)  # of every vector here; None while there is none

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
            self._db.executemany("INSERT INTO pending VALUES (?)", pending)
        if embedded:
            self._db.executemany("INSERT INTO vectors VALUES (?,?,?)", embedded)
            self._learn_dimension(vector for _, vector, _ in embedded)

    def keep(self, note_id: int, rows: Sequence[HashedChunk]) -> None:
        """
        Make the stored vectors of a note's unchanged chunks those of *rows*.

        Where a row has no vector, the stored one stays if it is undamaged.
        """
        if not rows:
            return
        sql = "SELECT chunk_id, vector, checksum FROM vectors WHERE chunk_id BETWEEN ? AND ?"
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
            "SELECT 1 FROM pending JOIN chunk_rows ON id = chunk_id WHERE chunk_id = ? AND content = ?",
            (chunk_id, content_number(content_hash)),
        )
        if not waits:
            return False
        self.delete([chunk_id])
        self.add([(chunk_id, content_hash, vector)])
        return True

    def delete(self, chunk_ids: Sequence[int]) -> None:
        """Delete the vectors of these chunks, which are then neither pending nor embedded."""
        if chunk_ids:
            ids = [(chunk_id,) for chunk_id in chunk_ids]
            self._db.executemany("DELETE FROM pending WHERE chunk_id = ?", ids)
            self._db.executemany("DELETE FROM vectors WHERE chunk_id = ?", ids)

    def add_title(self, note_id: int, title: str, vector: bytes | None) -> None:
        """Store the vector of a title that has no row yet; None: it waits for one."""
        if vector is not None:
            key = title_hash(title)
            row = (note_id, content_number(key), vector, vector_checksum(key, vector))
            self._db.execute("INSERT OR REPLACE INTO title_vectors VALUES (?,?,?,?)", row)
            self._learn_dimension((vector,))

    def set_title(self, note_id: int, title: str, vector: bytes | None) -> None:
        """Make *vector* that of a note's title; None: keep the stored one if it is for this very title."""
        key, sql = title_hash(title), "SELECT vector, title, checksum FROM title_vectors WHERE note_id = ?"
        stored = select(self._db, sql, (note_id,))
        is_sound = bool(stored) and stored[0][1:] == (content_number(key), vector_checksum(key, stored[0][0]))
        if is_sound and vector in (None, stored[0][0]):
            return
        if stored:
            self._db.execute("DELETE FROM title_vectors WHERE note_id = ?", (note_id,))
        self.add_title(note_id, title, vector)

    def drop(self) -> None:
        """Delete every vector: all chunks and titles are pending."""
        self._db.execute("DELETE FROM vectors")
        self._db.execute("DELETE FROM title_vectors")
        self._db.execute("INSERT OR IGNORE INTO pending SELECT id FROM chunk_rows")
        meta.delete(self._db, meta.DIMENSION)
        self.dimension = None
        meta.put(self._db, meta.DROPPED, str(meta.next_generation(self._db)))

    def _learn_dimension(self, vectors: Iterable[bytes]) -> None:
        """Record the dimension of the first vector."""
        if self.dimension is None:
            self.dimension = next((len(vector) for vector in vectors if vector), None)
            if self.dimension is not None:
                meta.put(self._db, meta.DIMENSION, str(self.dimension))


def known_vectors(connection: apsw.Connection, paths: Sequence[str], hashes: Sequence[bytes]) -> dict[bytes, bytes]:
    """
    Stored vectors of the notes at *paths*, by `content_hash` or `title_hash`, as far as they are undamaged.

    Args:
        hashes: The texts that vectors are wanted for. Other notes than those at *paths* are not searched for them: an
            index by content takes a megabyte, and a text that moved is soon embedded.
    """
    wanted = {content_number(key): key for key in hashes}
    found = select(connection, _KNOWN, (json.dumps(list(paths)),))
    return {
        key: vector
        for number, vector, checksum in found
        if (key := wanted.get(number)) is not None and checksum == vector_checksum(key, vector)
    }


def pending_chunks(connection: apsw.Connection, limit: int) -> list[PendingChunk]:
    """
    The first *limit* chunks that wait for a vector.

    Raises:
        IndexDamaged: The content of one of their notes is not as it was written.
    """
    ids: list[int] = [chunk_id for (chunk_id,) in select(connection, _CHUNKS, (limit,))]
    contents = {at: row.packed_note() for at, row in note_rows(connection, {note_of(at) for at in ids}).items()}
    found = []
    for chunk_id in ids:
        content = contents.get(note_of(chunk_id))
        number = content.number_of(slot_of(chunk_id)) if content else None
        if content is not None and number is not None:
            chunk = content.chunk(number)
            found.append(PendingChunk(chunk_id, content_hash(chunk), chunk))
    return found


def pending_titles(connection: apsw.Connection, limit: int) -> list[PendingTitle]:
    """The first *limit* notes whose titles wait for a vector."""
    return [PendingTitle(*row) for row in select(connection, _TITLES, (limit,))]


def has_pending(connection: apsw.Connection) -> bool:
    """Whether any chunk or title waits for a vector."""
    return bool(select(connection, _IS_ANY)[0][0])
