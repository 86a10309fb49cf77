"""What can be asked of the index: every answer of one `Reader` is from the same moment."""

from collections.abc import Iterable, Sequence
from unicodedata import normalize

import apsw

from quarry.errors import IndexDamaged
from quarry.index import dense, lexical, meta, stemming
from quarry.index.checksums import is_note_sound
from quarry.index.database import Parts, select
from quarry.index.deadline import Deadline
from quarry.index.folding import fold_marks, fold_name
from quarry.index.integrity import is_chunk_sound
from quarry.index.links import resolve
from quarry.index.matrix import MatrixCache
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
from quarry.index.scope import Condition, admit_notes, restrict
from quarry.index.vectors import FloatVector
from quarry.types import LAST_TIME_NS, Candidate, FileStamp, Link, Note, Query, Ranking, Scope

_CHUNK = (
    "SELECT c.note_id, c.checksum, c.number, c.heading_path, c.section, c.text, c.context, c.first, c.last,"
    " c.first_utf16, c.line, c.shifts, c.content_hash"
)
_FIRST_CHUNK = " FROM notes n JOIN chunks c ON c.id = (SELECT k.id FROM chunks k WHERE k.note_id = n.id AND "
_SUMMARY = (
    "SELECT n.id, n.path, n.title, json_extract(n.properties, '$.type'), n.mtime_ns / 1000000, n.size_bytes,"
    " n.chunk_count FROM notes n WHERE "
)
_PROBLEMS = (
    " FROM (SELECT path, reason, skipped FROM problems UNION ALL"
    " SELECT n.path, p.value, 0 FROM notes n, json_each(n.problems) p WHERE n.problems <> '[]')"
)
_NEWEST_FIRST = " ORDER BY n.mtime_ns DESC, n.path"


class Reader:
    """One snapshot of the index, for one thread."""

    def __init__(self, connection: apsw.Connection, parts: Parts, memory: MatrixCache) -> None:
        self._db = connection
        self._parts = parts
        self._memory = memory

    # --- search --------------------------------------------------------------------------------

    def lexical(self, query: Query, depth: int, *, deadline: Deadline) -> Ranking:
        """
        The best *depth* chunks by BM25 over any of the query's words, among those its filters and phrases admit.

        Empty where FTS5 is missing.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            BadQuery: More phrases or excluded words than may be asked.
        """
        if not self._parts.has_fts5:
            return ()
        return lexical.rank(self._db, query, restrict(query, has_fts5=True), depth, deadline)

    def dense(self, vector: FloatVector, query: Query, depth: int, *, deadline: Deadline) -> Ranking:
        """
        The *depth* chunks nearest to *vector*, among those that the filters and phrases of *query* admit.

        Args:
            vector: float32, shape (dim,); its length does not matter. A zero vector is near nothing.

        Raises:
            ValueError: The index holds vectors of another dimension.
            DeadlineExceeded, Cancelled, BadQuery: As for `lexical`.
        """
        dimension = self.dimension
        if dimension is None:
            return ()
        if vector.shape != (dimension,):
            raise ValueError(f"a query vector of shape {vector.shape} for an index of {dimension} dimensions")
        restriction = restrict(query, has_fts5=self._parts.has_fts5)
        return dense.rank(
            self._db, vector, restriction, depth, deadline, has_vec=self._parts.has_vec, memory=self._memory
        )

    def browse(self, scope: Scope, depth: int, *, excluded: Sequence[str] = ()) -> Newest:
        """The *depth* newest notes that *scope* admits, each by its first chunk without an *excluded* word."""
        notes = admit_notes(scope)
        query = Query(text="", terms=(), phrases=(), excluded=tuple(excluded), scope=Scope())
        chunks = restrict(query, has_fts5=self._parts.has_fts5).on("k.id")
        first = chunks.within(_FIRST_CHUNK, " ORDER BY k.number LIMIT 1) WHERE ")
        found = notes.within(first.sql)
        values = (*first.bindings, *found.bindings)
        newest = select(
            self._db,
            "SELECT c.id, n.path, c.number, n.mtime_ns / 1e6" + found.sql + _NEWEST_FIRST + " LIMIT ?",
            (*values, depth),
        )
        total = select(self._db, "SELECT count(*)" + found.sql, values)[0][0]
        return Newest(tuple(Candidate(*row) for row in newest), total)

    def count_matching(self, query: Query, limit: int) -> int:
        """How many chunks match a word or phrase of *query* under its filters, counted no further than *limit*."""
        if not self._parts.has_fts5:
            return 0
        return lexical.count(self._db, query, restrict(query, has_fts5=True), limit)

    def count_in_scope(self, scope: Scope, limit: int) -> int:
        """How many chunks *scope* admits, counted no further than *limit*."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM chunks c JOIN notes n ON n.id = c.note_id WHERE "
        chunks = admit_notes(scope).within(sql, " LIMIT ?)")
        found: list[tuple[int]] = select(self._db, chunks.sql, (*chunks.bindings, limit))
        return found[0][0]

    def stem(self, word: str) -> str:
        """What the keyword index makes of *word*; see `stemming.stem`."""
        return stemming.stem(word)

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
        admitted = _admit(wanted)
        page = admitted.within(_SUMMARY, _NEWEST_FIRST + " LIMIT ? OFFSET ?")
        rows = select(self._db, page.sql, (*page.bindings, limit, offset))
        everything = admitted.within("SELECT count(*) FROM notes n WHERE ")
        total = select(self._db, everything.sql, everything.bindings)[0][0]
        notes = (
            NoteSummary(path, title, None if kind is None else str(kind), self._tags(note_id), *numbers)
            for note_id, path, title, kind, *numbers in rows
        )
        return NotePage(tuple(notes), total)

    def stamps(self) -> dict[str, FileStamp]:
        """What every indexed file looked like when it was read, by path."""
        rows = select(self._db, "SELECT path, size_bytes, mtime_ns, sha256 FROM notes")
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

    @property
    def dimension(self) -> int | None:
        """Of every vector in the index; None while there is none."""
        return meta.dimension(self._db)

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


def _nanoseconds(milliseconds: int) -> int:
    """A time as the index holds it; one beyond all that it can hold is as good as the last."""
    return max(-LAST_TIME_NS, min(milliseconds * 1_000_000, LAST_TIME_NS))


def _admit(wanted: NoteFilter) -> Condition:
    """*wanted* as a condition on the notes `n`."""
    condition = admit_notes(wanted.scope)
    if wanted.type is not None:
        condition = condition.also("fold_marks(json_extract(n.properties, '$.type')) = ?", fold_marks(wanted.type))
    if wanted.modified_from_ms is not None:
        condition = condition.also("n.mtime_ns >= ?", _nanoseconds(wanted.modified_from_ms))
    if wanted.modified_until_ms is not None:
        condition = condition.also("n.mtime_ns < ?", _nanoseconds(wanted.modified_until_ms))
    return condition
