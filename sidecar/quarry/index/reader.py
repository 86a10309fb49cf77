"""Reads the index: every answer of one `Reader` is from the same snapshot."""

from collections.abc import Iterable, Iterator
from unicodedata import normalize

from quarry.conditions import MATCH_ALL, Condition
from quarry.index import listing, meta, problems
from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.filters.filter import first_failing_condition, matching_notes
from quarry.index.filters.phrases import IndexedPhrases, WrittenPhrases
from quarry.index.ids import NoteIds, id_range, note_of, slot_of
from quarry.index.links import resolve, target_key, target_number
from quarry.index.note_codec import PackedNote
from quarry.index.note_rows import NoteRow, note_row, note_rows
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
from quarry.index.row_codec import note_from
from quarry.index.search_reader import SearchReader
from quarry.types import FileStamp

LISTING_TIMEOUT_S = 60.0  # filters of a list are cheap; this only bounds a disk that hangs


_Opened = tuple[PackedNote, tuple[str, str, tuple[str, ...], tuple[str, ...], int]]
"""A note's content, and the facts that each of its chunks carries: path, title, aliases, tags, milliseconds."""


class Reader(SearchReader):
    """One snapshot of the index, for one thread."""

    # --- conditions ----------------------------------------------------------------------------

    def matching_notes(self, condition: Condition, *, deadline: Deadline) -> NoteIds | None:
        """
        The notes that *condition* admits; None: every note, whichever there are.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            BadQuery: A regular expression cannot be used on this machine.
        """
        return matching_notes(self._db, condition, self._phrases(deadline), deadline)

    def first_failing_condition(self, condition: Condition, note_id: int, *, deadline: Deadline) -> Condition | None:
        """
        The first part of *condition* that does not admit the note *note_id*; None when all of it does.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        return first_failing_condition(self._db, condition, note_id, self._phrases(deadline), deadline)

    def browse(self, condition: Condition, depth: int, *, deadline: Deadline) -> Newest:
        """
        The *depth* newest notes that *condition* admits, each by the first passage that shows why, else its first.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        admitted = self.matching_notes(condition, deadline=deadline)

        def read() -> Newest:
            with deadline.over(self._db):
                return listing.newest(self._db, admitted, condition, self._phrases(deadline), depth)

        return self._snapshot_data.newest(depth, read) if condition == MATCH_ALL else read()

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """The number of chunks of the *admitted* notes, counted no further than *limit*."""
        return listing.count_chunks(self._db, admitted, limit)

    # --- chunks and notes ----------------------------------------------------------------------

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, StoredChunk]:
        """
        The chunks of these ids; ids that are not there are left out.

        Raises:
            IndexDamaged: A row is not as it was written. Better no answer than a wrong text.
        """
        return {chunk.chunk_id: chunk for chunk in self.each_chunk(chunk_ids)}

    def each_chunk(self, chunk_ids: Iterable[int]) -> Iterator[StoredChunk]:
        """The chunks in the order of *chunk_ids*, each decoded only when it is asked for; see `chunks`."""
        wanted = {chunk_id: note_of(chunk_id) for chunk_id in chunk_ids}
        rows = note_rows(self._db, dict.fromkeys(wanted.values()))
        read: dict[int, _Opened] = {}
        for chunk_id, note_id in wanted.items():
            if note_id not in rows:
                continue
            if note_id not in read:
                read[note_id] = _open(rows[note_id])
            content, about = read[note_id]
            number = content.number_of(slot_of(chunk_id))
            if number is not None:
                yield StoredChunk(chunk_id, *about, content.chunk(number))

    def note(self, path: str) -> StoredNote | None:
        """
        The note at *path*, spelled as on disk or in any other composition of its letters.

        Raises:
            IndexDamaged: As for `chunks`.
        """
        found = select(
            self._db,
            "SELECT id FROM notes WHERE path = ?1 OR composed = ?1 ORDER BY path <> ?2, path LIMIT 1",
            (normalize("NFC", path), path),
        )
        if not found:
            return None
        row = note_row(self._db, found[0][0])
        first, _ = id_range(row.note_id)
        content = row.content()
        return StoredNote(note_from(row.values, content), row.stamp, tuple(first + slot for slot in content.slots))

    def notes(self, wanted: NoteFilter, limit: int, offset: int = 0) -> NotePage:
        """The notes that pass a filter, newest first, *limit* of them from *offset* on."""
        admitted = self.matching_notes(wanted.condition, deadline=Deadline.after(LISTING_TIMEOUT_S))
        rows, total = listing.summaries(self._db, admitted, limit, offset)
        notes = (
            NoteSummary(path, title, None if kind is None else str(kind), self._tags(note_id), *numbers)
            for note_id, path, title, kind, *numbers in rows
        )
        return NotePage(tuple(notes), total)

    def stamps(self) -> dict[str, FileStamp]:
        """The stamp of every indexed file when it was read, by path."""
        rows = select(self._db, "SELECT path, size_bytes, mtime_ns, sha256, ctime_ns FROM notes")
        return {path: FileStamp(*stamp) for path, *stamp in rows}

    def stamps_at(self, places: Iterable[str]) -> dict[str, FileStamp]:
        """The `stamps` of notes at or below one of *places*, which are in NFC."""
        sql = (  # "0" is what follows "/"
            "SELECT path, size_bytes, mtime_ns, sha256, ctime_ns FROM notes WHERE path = ?1 OR composed = ?1"
            " OR path > ?1 || '/' AND path < ?1 || '0' OR composed > ?1 || '/' AND composed < ?1 || '0'"
        )
        rows = [row for place in places for row in select(self._db, sql, (place,))]
        return {path: FileStamp(*stamp) for path, *stamp in rows}

    # --- links ---------------------------------------------------------------------------------

    def links_from(self, path: str) -> list[ResolvedLink]:
        """The links in the note at *path* in order, each with the note it leads to."""
        rows = note_rows(self._db, [row[0] for row in select(self._db, "SELECT id FROM notes WHERE path = ?", (path,))])
        return [
            ResolvedLink(link, resolve(link.target, path, self._named(link.target)))
            for row in rows.values()
            for link in row.packed_note().links()
        ]

    def links_to(self, path: str) -> list[IncomingLink]:
        """The links that lead to the note at *path*, but its own, by the path of the note they stand in."""
        key, candidates = target_key(path), self._named(path)
        found = select(self._db, "SELECT note_id FROM links WHERE target = ?", (target_number(key),))
        sources = {
            row.path: row.packed_note().links() for row in note_rows(self._db, [row[0] for row in found]).values()
        }
        return [
            IncomingLink(source, link)
            for source in sorted(sources.keys() - {path})
            for link in sources[source]
            if target_key(link.target) == key and resolve(link.target, source, candidates) == path
        ]

    # --- about the index -----------------------------------------------------------------------

    def counts(self) -> Counts:
        """The numbers of notes, chunks, and chunks without a vector."""
        notes, chunks = meta.totals(self._db)
        return Counts(notes, chunks, select(self._db, "SELECT count(*) FROM pending")[0][0])

    def problems(self, limit: int) -> list[Problem]:
        """The first *limit* problems, by path and reason: those recorded and those of indexed notes."""
        return problems.first_problems(self._db, limit)

    def problems_of(self, path: str) -> list[Problem]:
        """The problems of the file at *path*, spelled as on disk."""
        return problems.problems_of(self._db, path)

    def problem_count(self) -> int:
        """The number of all problems."""
        return problems.problem_count(self._db)

    def meta_get(self, key: str) -> str | None:
        """The value that `Index.meta_set` stored under *key*; None if there is none."""
        return meta.get(self._db, key)

    @property
    def generation(self) -> int:
        """A number that differs whenever an answer may: what is kept from this snapshot can be keyed by it."""
        return meta.generation(self._db)

    def _phrases(self, deadline: Deadline) -> WrittenPhrases:
        return IndexedPhrases(self.keywords, deadline) if self._parts.has_fts5 else WrittenPhrases()

    # --- rows ----------------------------------------------------------------------------------

    def _tags(self, note_id: int) -> tuple[str, ...]:
        rows = select(self._db, "SELECT tag FROM tags WHERE note_id = ? ORDER BY position", (note_id,))
        return tuple(tag for (tag,) in rows)

    def _named(self, target: str) -> list[str]:
        """Paths of the notes whose name is the last part of *target*."""
        key = target_key(target)
        rows = select(self._db, "SELECT path FROM notes WHERE name = ? ORDER BY path", (target_number(key),))
        return [path for (path,) in rows if target_key(path) == key]


def _open(row: NoteRow) -> _Opened:
    content = row.packed_note()
    return content, (row.path, row.title, row.aliases, tuple(content.tags), row.stamp.mtime_ns // 1_000_000)
