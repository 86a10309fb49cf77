"""
Writes, renames and removes the rows of a note, so that every table agrees.

The functions run inside a transaction that `writer.py` opens; together with it each is all or nothing. A chunk whose
text, section and context stand unchanged keeps its row and its vector, wherever it moved in the note.
"""

from collections.abc import Iterable, Sequence

import apsw
from msgspec import Struct

from quarry.faults import fault_point
from quarry.index import listing, meta
from quarry.index.database import SqlValue, select
from quarry.index.keys import (
    content_number,
    free_ids,
    id_range,
    note_checksum,
    passage_hash,
    target_key,
    target_number,
)
from quarry.index.note_codec import PackedNote, with_slots
from quarry.index.note_rows import NoteRow, note_row
from quarry.index.postings.fts5 import KeywordChange, KeywordQueue
from quarry.index.prepared import PreparedNote
from quarry.index.vectors.rows import CONTEXTUAL, VectorWriter
from quarry.types import FileStamp

_OF_PATH = 4  # the first of `PreparedNote.values`, which follow from the path
_COLUMNS = (
    "title, aliases, properties, redactions, problems, size_bytes, mtime_ns, ctime_ns, sha256, chunk_count,"
    " checksum, name_length, languages, is_map"
)
_VALUES = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
ALL_COLUMNS = f"path, composed, folded, name, {_COLUMNS}"
ALL_VALUES = f"?1, nullif(?2, ?1), nullif(?3, ?1), ?, {_VALUES}"
_INSERT_NOTE = f"INSERT INTO notes ({ALL_COLUMNS}) VALUES ({ALL_VALUES})"
_UPDATE_NOTE = f"UPDATE notes SET ({ALL_COLUMNS}) = ({ALL_VALUES}) WHERE id = ?"
# Without what follows from the path: rewriting it dirties a page of each index that holds it.
_UPDATE_UNMOVED = f"UPDATE notes SET ({_COLUMNS}) = ({_VALUES}) WHERE id = ?"
_NOTE_CHANGE = (
    "INSERT INTO changes VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET generation = ?2, worded = max(worded, ?3)"
)
_INSERT_CHUNK = "INSERT INTO chunk_rows (id, number, content, length, note_length) VALUES (?,?,?,?,?)"


class _OldNote(Struct, frozen=True):
    """A note as the tables have it, as far as they can be trusted."""

    row: NoteRow
    chunk_ids: tuple[int, ...]
    content: PackedNote | None  # None: something is not as it was written
    hashes: tuple[bytes, ...]  # of the content's chunks


class NoteWriter:
    """
    Changes the rows of notes over one writing *connection*.

    Args:
        has_contextual: Whether there are tables of contextual vectors: then new and changed texts wait for one.
    """

    def __init__(self, connection: apsw.Connection, queue: KeywordQueue, *, has_contextual: bool = False) -> None:
        self._db = connection
        self._keywords = queue
        self._vectors = VectorWriter(connection)
        self._contextual = VectorWriter(connection, CONTEXTUAL) if has_contextual else None
        self._changed: set[int] = set()  # notes that are in `changes` by now

    def upsert(self, note: PreparedNote, old_path: str | None = None) -> None:
        """
        Make the rows of *note* what it is now.

        Args:
            old_path: The note's path until now, when it was renamed.

        Raises:
            ValueError: Its vectors are of another model than those stored; nothing was written.
        """
        self._vectors.check_dimensions([*note.vectors, note.title_vector])
        note_id = self._find(old_path or note.path)
        if note_id is None:
            note_id = self._find(note.path) if old_path else None
        elif old_path not in (None, note.path):
            self.remove(note.path)  # what the renamed file replaced
        listing.clear_problem(self._db, note.path)
        if note_id is None:
            self._insert(note)
        else:
            self._update(note_id, note)
        fault_point("insert")

    def restamp(self, path: str, stamp: FileStamp) -> None:
        """Store another stamp for the note at *path*, whose content is the same; an unknown path is no error."""
        note_id = self._find(path)
        if note_id is None:
            return
        row = note_row(self._db, note_id)
        checksum = row.checksum
        if row.packed is not None and row.is_sound:  # a new checksum over damage would hide it
            fresh = (
                *row.values[:9],
                stamp.size_bytes,
                stamp.mtime_ns,
                stamp.ctime_ns,
                stamp.sha256,
                row.values[13],
            )
            checksum = note_checksum(fresh, row.packed)
        self._db.execute(
            "UPDATE notes SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, sha256 = ?, checksum = ? WHERE id = ?",
            (stamp.size_bytes, stamp.mtime_ns, stamp.ctime_ns, stamp.sha256, checksum, note_id),
        )

    def remove(self, path: str) -> None:
        """Delete every row of the note at *path*, and its problem; an unknown path is no error."""
        listing.clear_problem(self._db, path)
        note_id = self._find(path)
        if note_id is None:
            return
        old = self._old(note_id)
        self._drop_chunks(old.chunk_ids)
        self._drop_links(old)
        self._note_change(note_id)
        self._db.execute("DELETE FROM notes WHERE id = ?", (note_id,))  # the rest follows by its foreign keys
        meta.add_to_totals(self._db, -1, -len(old.chunk_ids))
        self._keywords.put(self._db, KeywordChange(note_id, None, (), old.chunk_ids))

    # --- notes ---------------------------------------------------------------------------------

    def _find(self, path: str) -> int | None:
        rows: list[tuple[int]] = select(self._db, "SELECT id FROM notes WHERE path = ?", (path,))
        return rows[0][0] if rows else None

    def _insert(self, note: PreparedNote) -> None:
        self._db.execute(_INSERT_NOTE, (*note.values, note.checksum, note.name_length, note.languages, note.is_map))
        note_id = self._db.last_insert_rowid()
        self._db.execute("INSERT INTO bodies VALUES (?,?)", (note_id, note.body))
        self._add_tags(note_id, note)
        self._add_links(note_id, note)
        first, _ = id_range(note_id)
        self._add_chunks(note, [(number, first + number) for number in range(len(note.hashes))])
        self._vectors.add_title(note_id, note.title, note.title_vector)
        self._keywords.put(self._db, KeywordChange(note_id, note, range(first, first + len(note.hashes)), ()))
        self._note_change(note_id)
        meta.add_to_totals(self._db, 1, len(note.hashes))

    def _update(self, note_id: int, note: PreparedNote) -> None:
        old = self._old(note_id)
        kept = _kept(old, note.hashes)
        still_used = set(kept.values())
        self._drop_chunks([chunk_id for chunk_id in old.chunk_ids if chunk_id not in still_used])
        fresh = free_ids(note_id, still_used)
        ids = [kept[number] if number in kept else next(fresh) for number in range(len(note.hashes))]
        self._rewrite(old, note, ids)
        self._replace_tags(note_id, note)
        self._drop_links(old, note.links)
        self._add_links(note_id, note)
        moved = [(number, chunk_id) for number, chunk_id in kept.items() if old.chunk_ids.index(chunk_id) != number]
        if moved:
            self._db.executemany("UPDATE chunk_rows SET number = ? WHERE id = ?", moved)
        self._vectors.keep(note_id, [(kept[number], note.hashes[number], note.vectors[number]) for number in kept])
        if self._contextual:
            self._contextual.keep(note_id, [(kept[number], note.hashes[number], None) for number in kept])
            self._contextual.set_title(note_id, note.title, None)
        added = [(number, chunk_id) for number, chunk_id in enumerate(ids) if number not in kept]
        self._add_chunks(note, added)
        self._vectors.set_title(note_id, note.title, note.title_vector)
        self._note_change(note_id)
        meta.add_to_totals(self._db, 0, len(ids) - len(old.chunk_ids))
        self._keywords.put(self._db, KeywordChange(note_id, note, ids, [i for i in old.chunk_ids if i not in {*ids}]))

    def _rewrite(self, old: _OldNote, note: PreparedNote, ids: Sequence[int]) -> None:
        """Write the row and the content of a note whose chunks have these *ids*."""
        body, checksum, note_id = note.body, note.checksum, old.row.note_id
        first, _ = id_range(note_id)
        slots = tuple(chunk_id - first for chunk_id in ids)
        if slots != tuple(range(len(slots))):
            body = with_slots(body, slots)
            checksum = note_checksum(note.values, body)
        rest = (checksum, note.name_length, note.languages, note.is_map, note_id)
        if old.content and old.row.values[:_OF_PATH] == note.values[:_OF_PATH]:
            self._db.execute(_UPDATE_UNMOVED, (*note.values[_OF_PATH:], *rest))
        else:
            self._db.execute(_UPDATE_NOTE, (*note.values, *rest))
        self._db.execute("INSERT OR REPLACE INTO bodies VALUES (?,?)", (note_id, body))

    def _old(self, note_id: int) -> _OldNote:
        sql = "SELECT id, content FROM chunk_rows WHERE id BETWEEN ? AND ? ORDER BY number"
        rows: list[tuple[int, int]] = select(self._db, sql, id_range(note_id))
        row = note_row(self._db, note_id)
        ids, stored = tuple(chunk_id for chunk_id, _ in rows), tuple(number for _, number in rows)
        if not row.is_sound:
            return _OldNote(row, ids, None, ())
        content, (first, _) = row.packed_note(), id_range(note_id)
        # From its parts: a `Chunk` of each would be made for its hash alone, and its offsets add up those before it.
        hashes = tuple(
            [
                passage_hash(content.section(number), content.context(number), content.text(number))
                for number in range(len(content.slots))
            ]
        )
        is_sound = tuple(map(content_number, hashes)) == stored and ids == tuple(first + slot for slot in content.slots)
        return _OldNote(row, ids, content if is_sound else None, hashes)

    def _note_change(self, note_id: int) -> None:
        """Record that the note's words changed, so that caches read it anew."""
        if note_id not in self._changed:
            self._changed.add(note_id)
            note_change(self._db, note_id)

    # --- tags and links ------------------------------------------------------------------------

    def _add_tags(self, note_id: int, note: PreparedNote) -> None:
        if note.tags:
            self._db.executemany("INSERT INTO tags VALUES (?,?,?,?)", [(note_id, *row) for row in note.tags])

    def _replace_tags(self, note_id: int, note: PreparedNote) -> None:
        """Make the rows of a note's tags those of *note*; where they are, nothing is written."""
        sql = "SELECT position, tag, tag_key FROM tags WHERE note_id = ? ORDER BY position"
        if tuple(select(self._db, sql, (note_id,))) != note.tags:
            self._db.execute("DELETE FROM tags WHERE note_id = ?", (note_id,))
            self._add_tags(note_id, note)

    def _add_links(self, note_id: int, note: PreparedNote) -> None:
        if note.links:
            rows: list[tuple[SqlValue, ...]] = [(target_number(key), note_id) for key in note.links]
            self._db.executemany("INSERT OR IGNORE INTO links VALUES (?,?)", rows)

    def _drop_links(self, old: _OldNote, kept: Iterable[str] = ()) -> None:
        """
        Delete the links of a note, but those with *kept* keys.

        They lie scattered over the table: to delete and write again what stays would dirty a page for each.
        """
        note_id = old.row.note_id
        if old.content is None:  # which they are is not known, and there is no index by note
            self._db.execute("DELETE FROM links WHERE note_id = ?", (note_id,))
            return
        stored = {target_number(target_key(target)) for target in old.content.link_targets()}
        if gone := stored - {*map(target_number, kept)}:
            rows = [(number, note_id) for number in gone]
            self._db.executemany("DELETE FROM links WHERE target = ? AND note_id = ?", rows)

    # --- chunks --------------------------------------------------------------------------------

    def _add_chunks(self, note: PreparedNote, added: Sequence[tuple[int, int]]) -> None:
        """Write the chunks of *added*, `(number, id)`."""
        if not added:
            return
        rows = [(chunk_id, at, content_number(note.hashes[at]), *note.lengths[at]) for at, chunk_id in added]
        self._db.executemany(_INSERT_CHUNK, rows)
        self._vectors.add([(chunk_id, note.hashes[number], note.vectors[number]) for number, chunk_id in added])
        if self._contextual:
            self._contextual.add([(chunk_id, note.hashes[number], None) for number, chunk_id in added])

    def _drop_chunks(self, chunk_ids: Sequence[int]) -> None:
        """Delete chunks and what is derived from them."""
        self._vectors.delete(chunk_ids)
        if chunk_ids:
            self._db.executemany("DELETE FROM chunk_rows WHERE id = ?", [(chunk_id,) for chunk_id in chunk_ids])


def note_change(connection: apsw.Connection, note_id: int, *, of_words: bool = True) -> None:
    """Record that a note changed, so that caches read it anew; without *of_words*, only a vector of it did."""
    generation = meta.next_generation(connection)
    connection.execute(_NOTE_CHANGE, (note_id, generation, generation if of_words else 0))


def _kept(old: _OldNote, hashes: Sequence[bytes]) -> dict[int, int]:
    """The chunks that stay as they are: their number in the new note -> their id."""
    if old.content is None:
        return {}
    reusable: dict[bytes, list[int]] = {}
    for chunk_id, key in zip(old.chunk_ids, old.hashes, strict=True):
        reusable.setdefault(key, []).append(chunk_id)
    return {number: reusable[key].pop(0) for number, key in enumerate(hashes) if reusable.get(key)}
