"""
The rows of one note: written, moved and removed so that every table agrees.

The functions run inside a transaction that `writer.py` opens; together with it each is all or nothing. A chunk whose
text, section and context stand unchanged keeps its row, its postings and its vector, wherever it moved in the note.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from quarry.faults import fault_point
from quarry.index.checksums import is_note_sound, note_checksum
from quarry.index.database import Parts, select
from quarry.index.ids import free_ids
from quarry.index.keyword_rows import KeywordQueue, KeywordRows
from quarry.index.rows import ChunkRow, check_storable, chunk_row, link_values, note_values, tag_values
from quarry.index.vector_rows import VectorRows
from quarry.types import FileStamp, Note


@dataclass(frozen=True, slots=True)
class _OldChunk:
    """A chunk's row as it is."""

    chunk_id: int
    row: ChunkRow
    is_sound: bool  # its checksum holds


class NoteRows:
    """Changes the rows of notes over one writing *connection*."""

    def __init__(self, connection: apsw.Connection, parts: Parts, queue: KeywordQueue) -> None:
        self._db = connection
        self._keywords = KeywordRows(connection, parts, queue)
        self._vectors = VectorRows(connection, parts)

    def upsert(
        self,
        note: Note,
        stamp: FileStamp,
        vectors: Sequence[bytes | None],
        *,
        title_vector: bytes | None = None,
        old_path: str | None = None,
    ) -> None:
        """
        Make the rows of *note* what it is now.

        Args:
            vectors: The stored form of each chunk's vector; None where there is no model yet.
            title_vector: That of the title.
            old_path: The note's path until now, when it was renamed.

        Raises:
            ValueError: The note cannot be stored; nothing was written.
        """
        if len(vectors) != len(note.chunks):
            raise ValueError(f"note {note.path!r} has {len(note.chunks)} chunks but {len(vectors)} vectors")
        check_storable(note, [*vectors, title_vector], self._vectors.dimension)
        note_id = self._find(old_path or note.path)
        if note_id is None:
            note_id = self._find(note.path)
        elif old_path not in (None, note.path):
            self.remove(note.path)  # what the renamed file replaced
        if note_id is None:
            note_id = self._insert_note(note, stamp)
            old_chunks: list[_OldChunk] = []
            indexed, is_sound = None, True
        else:
            old_chunks = self._old_chunks(note_id)
            indexed, is_sound = self._keywords.stored_note(note_id), self._is_sound(note_id, old_chunks)
            self._update_note(note_id, note, stamp)
        self._db.execute("DELETE FROM problems WHERE path = ?", (note.path,))
        self._write_tags_and_links(note_id, note)
        self._write_chunks(note_id, [chunk_row(chunk) for chunk in note.chunks], vectors, old_chunks, is_sound)
        self._vectors.set_title(note_id, note.title, title_vector)
        self._seal(note_id)
        if is_sound:
            self._keywords.replace_note(note_id, indexed, note)
        else:
            self._keywords.make_anew()

    def restamp(self, path: str, stamp: FileStamp) -> None:
        """Store another stamp for the note at *path*, whose content is the same; an unknown path is left alone."""
        note_id = self._find(path)
        if note_id is None:
            return
        is_sound = is_note_sound(self._db, note_id)
        self._db.execute(
            "UPDATE notes SET size_bytes = ?, mtime_ns = ?, sha256 = ? WHERE id = ?",
            (stamp.size_bytes, stamp.mtime_ns, stamp.sha256, note_id),
        )
        if is_sound:  # a new checksum over damage would hide it
            self._seal(note_id)

    def remove(self, path: str) -> None:
        """Delete every row of the note at *path*, and its problem; an unknown path is no error."""
        self._db.execute("DELETE FROM problems WHERE path = ?", (path,))
        note_id = self._find(path)
        if note_id is None:
            return
        old_chunks = self._old_chunks(note_id)
        indexed, is_sound = self._keywords.stored_note(note_id), self._is_sound(note_id, old_chunks)
        self._drop_chunks(old_chunks, is_sound)
        self._vectors.forget_title(note_id)
        self._db.execute("DELETE FROM notes WHERE id = ?", (note_id,))  # the rest follows by its foreign keys
        if is_sound:
            self._keywords.replace_note(note_id, indexed, None)
        else:
            self._keywords.make_anew()

    def set_vector(self, chunk_id: int, content_hash: bytes, vector: bytes) -> None:
        """Store the vector of a pending chunk; one whose text is another by now is left pending."""
        self._vectors.fill_in(chunk_id, content_hash, vector)

    def set_title_vector(self, note_id: int, title: str, vector: bytes) -> None:
        """Store the vector of a note's title; where the note has another by now, it goes on waiting."""
        self._vectors.check_dimension(vector)
        if select(self._db, "SELECT 1 FROM notes WHERE id = ? AND title = ?", (note_id, title)):
            self._vectors.set_title(note_id, title, vector)

    def drop_vectors(self) -> None:
        """Forget every vector: all chunks and titles are pending."""
        self._vectors.drop()

    # --- notes, tags, links --------------------------------------------------------------------

    def _find(self, path: str) -> int | None:
        rows: list[tuple[int]] = select(self._db, "SELECT id FROM notes WHERE path = ?", (path,))
        return rows[0][0] if rows else None

    def _insert_note(self, note: Note, stamp: FileStamp) -> int:
        self._db.execute(
            "INSERT INTO notes (path, path_nfc, path_key, name_key, title, aliases, properties, redactions, problems,"
            " size_bytes, mtime_ns, sha256, chunk_count, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,x'')",
            note_values(note, stamp),
        )
        return self._db.last_insert_rowid()

    def _update_note(self, note_id: int, note: Note, stamp: FileStamp) -> None:
        self._db.execute(
            "UPDATE notes SET path = ?, path_nfc = ?, path_key = ?, name_key = ?, title = ?, aliases = ?,"
            " properties = ?, redactions = ?, problems = ?, size_bytes = ?, mtime_ns = ?, sha256 = ?, chunk_count = ?"
            " WHERE id = ?",
            (*note_values(note, stamp), note_id),
        )
        self._db.execute("DELETE FROM tags WHERE note_id = ?", (note_id,))
        self._db.execute("DELETE FROM links WHERE note_id = ?", (note_id,))

    def _write_tags_and_links(self, note_id: int, note: Note) -> None:
        self._db.executemany("INSERT INTO tags VALUES (?,?,?,?)", [(note_id, *row) for row in tag_values(note)])
        self._db.executemany("INSERT INTO links VALUES (?,?,?,?,?,?,?)", [(note_id, *row) for row in link_values(note)])

    def _is_sound(self, note_id: int, chunks: Sequence[_OldChunk]) -> bool:
        """Whether the note's rows still say what the keyword index holds of them."""
        return is_note_sound(self._db, note_id) and all(chunk.is_sound for chunk in chunks)

    def _seal(self, note_id: int) -> None:
        """Write the checksum over what the note's rows are now."""
        checksum = note_checksum(self._db, note_id)
        self._db.execute("UPDATE notes SET checksum = ? WHERE id = ?", (checksum, note_id))

    # --- chunks --------------------------------------------------------------------------------

    def _old_chunks(self, note_id: int) -> list[_OldChunk]:
        rows = select(
            self._db,
            "SELECT id, checksum, number, heading_path, section, text, context, first, last, first_utf16, line,"
            " shifts, content_hash FROM chunks WHERE note_id = ? ORDER BY number",
            (note_id,),
        )
        chunks = []
        for chunk_id, checksum, *values in rows:
            row = ChunkRow(*values)
            chunks.append(_OldChunk(chunk_id, row, row.checksum(note_id) == checksum))
        return chunks

    def _write_chunks(
        self,
        note_id: int,
        rows: Sequence[ChunkRow],
        vectors: Sequence[bytes | None],
        old_chunks: Sequence[_OldChunk],
        is_sound: bool,
    ) -> None:
        reusable: dict[tuple[str, str, str], list[_OldChunk]] = {}
        for old in old_chunks if is_sound else ():
            reusable.setdefault(old.row.indexed, []).append(old)
        kept: dict[int, _OldChunk] = {}  # by the number that the chunk has now
        for row in rows:
            if matches := reusable.get(row.indexed):
                kept[row.number] = matches.pop(0)
        still_used = {old.chunk_id for old in kept.values()}
        self._drop_chunks([old for old in old_chunks if old.chunk_id not in still_used], is_sound)
        fresh = free_ids(note_id, still_used)
        for row, vector in zip(rows, vectors, strict=True):
            if row.number in kept:
                self._keep_chunk(note_id, kept[row.number], row, vector)
            else:
                self._add_chunk(note_id, next(fresh), row, vector, is_sound)
        fault_point("insert")

    def _keep_chunk(self, note_id: int, old: _OldChunk, row: ChunkRow, vector: bytes | None) -> None:
        if row != old.row:
            self._db.execute(
                "UPDATE chunks SET number = ?, heading_path = ?, first = ?, last = ?, first_utf16 = ?, line = ?,"
                " shifts = ?, checksum = ? WHERE id = ?",
                (
                    row.number,
                    row.heading_path,
                    row.first,
                    row.last,
                    row.first_utf16,
                    row.line,
                    row.shifts,
                    row.checksum(note_id),
                    old.chunk_id,
                ),
            )
        self._vectors.keep(old.chunk_id, row.content_hash, vector)

    def _add_chunk(self, note_id: int, chunk_id: int, row: ChunkRow, vector: bytes | None, is_sound: bool) -> None:
        self._db.execute(
            "INSERT INTO chunks (id, note_id, number, heading_path, section, text, context, first, last, first_utf16,"
            " line, shifts, content_hash, checksum) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (chunk_id, note_id, *row.values, row.checksum(note_id)),
        )
        if is_sound:
            self._keywords.add_chunk(chunk_id, row.indexed)
        self._vectors.add(chunk_id, row.content_hash, vector)

    def _drop_chunks(self, chunks: Sequence[_OldChunk], is_sound: bool) -> None:
        """Delete rows from the chunks and from what is derived from them; of a damaged note all but its keywords."""
        for old in chunks:
            if is_sound:
                self._keywords.remove_chunk(old.chunk_id, old.row.indexed)
            self._vectors.forget(old.chunk_id)
            self._db.execute("DELETE FROM chunks WHERE id = ?", (old.chunk_id,))
