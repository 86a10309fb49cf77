"""
The rows of vectors: those of chunks with their copy in sqlite-vec, those of titles, and what waits for one.

Every change is noted under its note in `changes`, so that what is kept in memory need not be read anew.
"""

import apsw

from quarry.index import meta
from quarry.index.checksums import title_hash, vector_checksum
from quarry.index.database import Parts, select
from quarry.index.ids import note_of
from quarry.index.schema import create_vector_index


class VectorRows:
    """Writes vectors over one writing *connection*, for one change."""

    def __init__(self, connection: apsw.Connection, parts: Parts) -> None:
        self._db = connection
        self._has_vec = parts.has_vec
        self._changed: set[int] = set()  # notes that are in `changes` by now
        self.dimension = meta.dimension(connection)  # of every vector here; None while there is none

    def check_dimension(self, vector: bytes) -> None:
        """
        Refuse a vector of another model.

        Raises:
            ValueError: It has another length than those stored.
        """
        if self.dimension is not None and vector and len(vector) != self.dimension:
            raise ValueError(f"a vector of {len(vector)} dimensions among those of {self.dimension}; drop them first")

    def add(self, chunk_id: int, content_hash: bytes, vector: bytes | None) -> None:
        """Store the vector of a chunk that has none; None: it waits for one."""
        self._note_change(note_of(chunk_id))
        if vector is None:
            self._db.execute("INSERT OR IGNORE INTO pending VALUES (?)", (chunk_id,))
            return
        checksum = vector_checksum(content_hash, vector)
        self._db.execute("INSERT INTO vectors VALUES (?,?,?)", (chunk_id, vector, checksum))
        if not vector:
            return
        if not self._has_vec:
            self._learn_dimension(vector)
            meta.put(self._db, meta.DENSE_STALE, "1")
        elif not self._learn_dimension(vector):  # otherwise chunks_vec was made just now, with this vector in it
            self._db.execute("INSERT INTO chunks_vec(rowid, embedding) VALUES (?, vec_int8(?))", (chunk_id, vector))

    def keep(self, chunk_id: int, content_hash: bytes, vector: bytes | None) -> None:
        """Bring the stored vector of an unchanged chunk up to *vector*; without one, only see that it is whole."""
        stored = select(self._db, "SELECT vector, checksum FROM vectors WHERE chunk_id = ?", (chunk_id,))
        is_sound = bool(stored) and stored[0][1] == vector_checksum(content_hash, stored[0][0])
        if is_sound and vector in (None, stored[0][0]):
            return
        self.forget(chunk_id)
        self.add(chunk_id, content_hash, vector)

    def fill_in(self, chunk_id: int, content_hash: bytes, vector: bytes) -> None:
        """Store the vector of a pending chunk; one whose text is another by now is left pending."""
        self.check_dimension(vector)
        waits = select(
            self._db,
            "SELECT 1 FROM pending JOIN chunks ON id = chunk_id WHERE chunk_id = ? AND content_hash = ?",
            (chunk_id, content_hash),
        )
        if waits:
            self.forget(chunk_id)
            self.add(chunk_id, content_hash, vector)

    def forget(self, chunk_id: int) -> None:
        """Take the vector out wherever it is; the chunk is then neither pending nor embedded."""
        self._note_change(note_of(chunk_id))
        self._db.execute("DELETE FROM pending WHERE chunk_id = ?", (chunk_id,))
        self._db.execute("DELETE FROM vectors WHERE chunk_id = ?", (chunk_id,))
        was_embedded = bool(self._db.changes())
        if self._has_vec and self.dimension is not None:  # asked even of one that lost its vector: its id is used again
            self._db.execute("DELETE FROM chunks_vec WHERE rowid = ?", (chunk_id,))
        elif was_embedded:
            meta.put(self._db, meta.DENSE_STALE, "1")

    def set_title(self, note_id: int, title: str, vector: bytes | None) -> None:
        """Make *vector* that of a note's title; None: keep what is there for this very title, or let it wait."""
        key = title_hash(title)
        sql = "SELECT title_hash, vector, checksum FROM title_vectors WHERE note_id = ?"
        stored = select(self._db, sql, (note_id,))
        is_sound = bool(stored) and stored[0][0] == key and stored[0][2] == vector_checksum(key, stored[0][1])
        if is_sound and vector in (None, stored[0][1]):
            return
        self.forget_title(note_id)
        if vector is None:
            return
        row = (note_id, key, vector, vector_checksum(key, vector))
        self._db.execute("INSERT INTO title_vectors VALUES (?,?,?,?)", row)
        if vector:
            self._learn_dimension(vector)

    def forget_title(self, note_id: int) -> None:
        """Take out the vector of a note's title, if it has one."""
        self._note_change(note_id)
        self._db.execute("DELETE FROM title_vectors WHERE note_id = ?", (note_id,))

    def drop(self) -> None:
        """Forget every vector: all chunks and titles wait for one."""
        self._db.execute("DELETE FROM vectors")
        self._db.execute("DELETE FROM title_vectors")
        self._db.execute("INSERT OR IGNORE INTO pending SELECT id FROM chunks")
        meta.delete(self._db, meta.DIMENSION)
        self.dimension = None
        meta.put(self._db, meta.DROPPED, str(meta.next_generation(self._db)))
        if self._has_vec:
            self._db.execute("DROP TABLE IF EXISTS chunks_vec")
        else:
            meta.put(self._db, meta.DENSE_STALE, "1")

    def _learn_dimension(self, vector: bytes) -> bool:
        """Remember the dimension of the first vector; whether it was the first."""
        if self.dimension is not None:
            return False
        self.dimension = len(vector)
        meta.put(self._db, meta.DIMENSION, str(self.dimension))
        if self._has_vec:
            create_vector_index(self._db, len(vector))
        else:
            meta.put(self._db, meta.DENSE_STALE, "1")
        return True

    def _note_change(self, note_id: int) -> None:
        if note_id in self._changed:
            return
        self._changed.add(note_id)
        self._db.execute(
            "INSERT INTO changes VALUES (?1, ?2) ON CONFLICT DO UPDATE SET generation = ?2",
            (note_id, meta.next_generation(self._db)),
        )
