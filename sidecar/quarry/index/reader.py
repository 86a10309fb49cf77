"""What can be asked of the index: every answer of one `Reader` is from the same moment."""

from collections.abc import Iterable
from unicodedata import normalize

from quarry.conditions import Condition
from quarry.errors import IndexDamaged
from quarry.index import admission, listing, meta
from quarry.index.checksums import is_note_sound
from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.folding import fold_name
from quarry.index.ids import NoteIds
from quarry.index.integrity import is_chunk_sound
from quarry.index.links import resolve
from quarry.index.records import (
    Counts,
    IncomingLink,
    Newest,
    NoteFilter,
    NotePage,
    NoteSummary,
    Problem,
    ResolvedLink,
    StoredChunk,
    StoredNote,
)
from quarry.index.rows import ChunkRow, read_counts, read_list, read_properties
from quarry.index.search_reader import SearchReader
from quarry.types import FileStamp, Link, Note

_CHUNK = (
    "SELECT c.note_id, c.checksum, c.number, c.heading_path, c.section, c.text, c.context, c.first, c.last,"
    " c.first_utf16, c.line, c.shifts, c.content_hash"
)
_PROBLEMS = (
    " FROM (SELECT path, reason, skipped FROM problems UNION ALL"
    " SELECT n.path, p.value, 0 FROM notes n, json_each(n.problems) p WHERE n.problems <> '[]')"
)
LISTING_TIMEOUT_S = 60.0  # filters of a list are cheap; this only bounds a disk that hangs


class Reader(SearchReader):
    """One snapshot of the index, for one thread."""

    # --- conditions ----------------------------------------------------------------------------

    def admitted(self, condition: Condition, *, deadline: Deadline) -> NoteIds | None:
        """
        The notes that *condition* admits; None: every note, whichever there are.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            BadQuery: A regular expression cannot be used on this machine.
        """
        return admission.admitted(self._db, condition, deadline, has_fts5=self._parts.has_fts5)

    def first_refusal(self, condition: Condition, note_id: int, *, deadline: Deadline) -> Condition | None:
        """
        The first part of *condition* that does not admit the note *note_id*; None when all of it does.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        return admission.first_refusal(self._db, condition, note_id, deadline, has_fts5=self._parts.has_fts5)

    def browse(self, condition: Condition, depth: int, *, deadline: Deadline) -> Newest:
        """
        The *depth* newest notes that *condition* admits, each by the first passage that shows why, else its first.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        admitted = self.admitted(condition, deadline=deadline)
        with deadline.over(self._db):
            return listing.newest(self._db, admitted, condition, depth, has_fts5=self._parts.has_fts5)

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks the *admitted* notes have, counted no further than *limit*."""
        return listing.count_chunks(self._db, admitted, limit)

    # --- chunks and notes ----------------------------------------------------------------------

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, StoredChunk]:
        """
        The chunks of these ids; ids that are not there are left out.

        Raises:
            IndexDamaged: A row is not as it was written. Better no answer than a wrong text.
        """
        found = {chunk_id: self._chunk(chunk_id) for chunk_id in chunk_ids}
        return {chunk_id: chunk for chunk_id, chunk in found.items() if chunk is not None}

    def note(self, path: str) -> StoredNote | None:
        """
        The note at *path*, spelled as on disk or in any other composition of its letters.

        Raises:
            IndexDamaged: As for `chunks`.
        """
        rows = select(
            self._db,
            "SELECT id, path, title, aliases, properties, redactions, problems, size_bytes, mtime_ns, sha256"
            " FROM notes WHERE path_nfc = ? ORDER BY path <> ?, path LIMIT 1",
            (normalize("NFC", path), path),
        )
        if not rows:
            return None
        note_id, on_disk, title, aliases, properties, redactions, problems, size_bytes, mtime_ns, sha256 = rows[0]
        self._insist(is_note_sound(self._db, note_id), path)
        ids = [
            row[0] for row in select(self._db, "SELECT id FROM chunks WHERE note_id = ? ORDER BY number", (note_id,))
        ]
        chunks = self.chunks(ids)
        note = Note(
            path=on_disk,
            title=title,
            aliases=read_list(aliases),
            tags=self._tags(note_id),
            properties=read_properties(properties),
            links=tuple(self._links(note_id)),
            chunks=tuple(chunks[chunk_id].chunk for chunk_id in ids),
            redactions=read_counts(redactions),
            problems=read_list(problems),
        )
        return StoredNote(note, FileStamp(size_bytes, mtime_ns, sha256), tuple(ids))

    def notes(self, wanted: NoteFilter, limit: int, offset: int = 0) -> NotePage:
        """The notes that pass a filter, newest first, *limit* of them from *offset* on."""
        admitted = self.admitted(wanted.condition, deadline=Deadline.after(LISTING_TIMEOUT_S))
        rows, total = listing.summaries(self._db, admitted, limit, offset)
        notes = (
            NoteSummary(path, title, None if kind is None else str(kind), self._tags(note_id), *numbers)
            for note_id, path, title, kind, *numbers in rows
        )
        return NotePage(tuple(notes), total)

    def stamps(self) -> dict[str, FileStamp]:
        """What every indexed file looked like when it was read, by path."""
        rows = select(self._db, "SELECT path, size_bytes, mtime_ns, sha256 FROM notes")
        return {path: FileStamp(size_bytes, mtime_ns, sha256) for path, size_bytes, mtime_ns, sha256 in rows}

    def stamps_at(self, places: Iterable[str]) -> dict[str, FileStamp]:
        """As `stamps`, of the notes that are, or lie below, one of *places*, which are NFC."""
        sql = (  # "0" is what follows "/"
            "SELECT path, size_bytes, mtime_ns, sha256 FROM notes WHERE path_nfc = ?1"
            " UNION ALL SELECT path, size_bytes, mtime_ns, sha256 FROM notes WHERE path_nfc > ?1 || '/'"
            " AND path_nfc < ?1 || '0'"
        )
        rows = [row for place in places for row in select(self._db, sql, (place,))]
        return {path: FileStamp(size_bytes, mtime_ns, sha256) for path, size_bytes, mtime_ns, sha256 in rows}

    # --- links ---------------------------------------------------------------------------------

    def links_from(self, path: str) -> list[ResolvedLink]:
        """The links in the note at *path* in order, each with the note it leads to."""
        return [
            ResolvedLink(link, resolve(link.target, path, self._named(link.target)))
            for (note_id,) in select(self._db, "SELECT id FROM notes WHERE path = ?", (path,))
            for link in self._links(note_id)
        ]

    def links_to(self, path: str) -> list[IncomingLink]:
        """The links that lead to the note at *path*, but its own, by the path of the note they stand in."""
        rows = select(
            self._db,
            "SELECT n.path, l.kind, l.target, l.heading, l.label FROM links l JOIN notes n ON n.id = l.note_id"
            " WHERE l.target_key = ? AND n.path <> ? ORDER BY n.path, l.position",
            (fold_name(path), path),
        )
        candidates = self._named(path)
        return [
            IncomingLink(source, Link(*link)) for source, *link in rows if resolve(link[1], source, candidates) == path
        ]

    # --- about the index -----------------------------------------------------------------------

    def counts(self) -> Counts:
        """How many notes, chunks, and chunks without a vector there are."""
        sql = "SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM chunks), (SELECT count(*) FROM pending)"
        return Counts(*select(self._db, sql)[0])

    def problems(self, limit: int) -> list[Problem]:
        """The first *limit* problems, by path: what is on record, and what indexed notes say of themselves."""
        rows = select(self._db, "SELECT path, reason, skipped" + _PROBLEMS + " ORDER BY path, reason LIMIT ?", (limit,))
        return [Problem(path, reason, bool(skipped)) for path, reason, skipped in rows]

    def problems_of(self, path: str) -> list[Problem]:
        """The problems on record for *path*, spelled as on disk."""
        rows = select(self._db, "SELECT path, reason, skipped" + _PROBLEMS + " WHERE path = ?", (path,))
        return [Problem(path, reason, bool(skipped)) for path, reason, skipped in rows]

    def problem_count(self) -> int:
        """How many problems there are in all."""
        found: list[tuple[int]] = select(self._db, "SELECT count(*)" + _PROBLEMS)
        return found[0][0]

    def meta_get(self, key: str) -> str | None:
        """What `Index.meta_set` stored under *key*."""
        return meta.get(self._db, key)

    @property
    def generation(self) -> int:
        """A number that differs whenever an answer may: what is kept from this snapshot can be keyed by it."""
        return meta.generation(self._db)

    # --- rows ----------------------------------------------------------------------------------

    def _chunk(self, chunk_id: int) -> StoredChunk | None:
        sql = _CHUNK + ", n.path, n.title, n.aliases, n.mtime_ns FROM chunks c JOIN notes n ON n.id = c.note_id"
        rows = select(self._db, sql + " WHERE c.id = ?", (chunk_id,))
        if not rows:
            return None
        note_id, checksum, *values, path, title, aliases, mtime_ns = rows[0]
        row = ChunkRow(*values)
        self._insist(is_chunk_sound(row, note_id, checksum) and is_note_sound(self._db, note_id), path)
        modified_ms = mtime_ns // 1_000_000
        return StoredChunk(chunk_id, path, title, read_list(aliases), self._tags(note_id), modified_ms, row.as_chunk())

    def _insist(self, is_sound: bool, path: str) -> None:
        if not is_sound:
            raise IndexDamaged(f"what the index holds of {path} is not as it was written; it has to be rebuilt")

    def _tags(self, note_id: int) -> tuple[str, ...]:
        rows = select(self._db, "SELECT tag FROM tags WHERE note_id = ? ORDER BY position", (note_id,))
        return tuple(tag for (tag,) in rows)

    def _links(self, note_id: int) -> list[Link]:
        sql = "SELECT kind, target, heading, label FROM links WHERE note_id = ? ORDER BY position"
        return [Link(*row) for row in select(self._db, sql, (note_id,))]

    def _named(self, target: str) -> list[str]:
        """Paths of the notes whose name is the last part of *target*."""
        rows = select(self._db, "SELECT path FROM notes WHERE name_key = ? ORDER BY path", (fold_name(target),))
        return [path for (path,) in rows]
