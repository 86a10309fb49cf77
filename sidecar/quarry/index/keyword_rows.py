"""
The rows of the keyword index, kept equal to the views that say what they should hold.

FTS5 stores no text, so to take a row out it must be told what stood there. Where a damaged row no longer says so, the
whole keyword index is made anew.
"""

from dataclasses import dataclass, field

import apsw

from quarry.index import meta
from quarry.index.database import Parts, SqlValue, select
from quarry.index.keyword_schema import create_keyword_index
from quarry.index.keywords import NoteColumns, chunk_columns, note_columns
from quarry.types import Note

_ADD_CHUNK = "INSERT INTO chunks_fts(rowid, text, section, context, compounds, parts) VALUES (?,?,?,?,?,?)"
_REMOVE_CHUNK = (
    "INSERT INTO chunks_fts(chunks_fts, rowid, text, section, context, compounds, parts) VALUES ('delete',?,?,?,?,?,?)"
)
_NOTE = "SELECT title, aliases, name, headings, tags, compounds FROM name_terms WHERE id = ?"
_ADD_NOTE = "INSERT INTO names_fts(rowid, title, aliases, name, headings, tags, compounds) VALUES (?,?,?,?,?,?,?)"
_REMOVE_NOTE = (
    "INSERT INTO names_fts(names_fts, rowid, title, aliases, name, headings, tags, compounds)"
    " VALUES ('delete',?,?,?,?,?,?,?)"
)


Statement = tuple[str, tuple[SqlValue, ...]]
"""SQL with its values, of which the first is the row that it changes."""


@dataclass(slots=True)
class KeywordQueue:
    """
    What is to be written to the keyword index when the transaction ends.

    FTS5 writes out what it was given at every savepoint, and each note has one: written at once, the index would be
    merged from one piece a note instead of one a commit, for a tenth more time in all. For the same reason rows are
    written by ascending id, what happened to one row in its order: FTS5 writes a piece whenever ids go down.
    """

    statements: list[Statement] = field(default_factory=list)
    anew: list[int] = field(default_factory=list)  # lengths of `statements` when all was to be made anew

    def rewind(self, length: int) -> None:
        """Forget what was added since there were *length* statements."""
        del self.statements[length:]
        self.anew = [at for at in self.anew if at < length]

    def run(self, connection: apsw.Connection) -> None:
        """Write everything; the queue is empty then."""
        statements, is_anew = self.statements, bool(self.anew)
        self.statements, self.anew = [], []
        if is_anew:
            create_keyword_index(connection)
            return
        for sql, values in sorted(statements, key=_row):
            connection.execute(sql, values)


def _row(statement: Statement) -> int:
    row = statement[1][0]
    assert isinstance(row, int)
    return row


class KeywordRows:
    """Changes `chunks_fts` and `names_fts` by way of a *queue*; without FTS5 remembers that they are stale."""

    def __init__(self, connection: apsw.Connection, parts: Parts, queue: KeywordQueue) -> None:
        self._db = connection
        self._has_fts5 = parts.has_fts5
        self._queue = queue

    def add_chunk(self, chunk_id: int, indexed: tuple[str, str, str]) -> None:
        """Index a new chunk by its text, section and context."""
        if self._keeps():
            self._queue.statements.append((_ADD_CHUNK, (chunk_id, *chunk_columns(*indexed))))

    def remove_chunk(self, chunk_id: int, indexed: tuple[str, str, str]) -> None:
        """Take out a chunk that was indexed by exactly these."""
        if self._keeps():
            self._queue.statements.append((_REMOVE_CHUNK, (chunk_id, *chunk_columns(*indexed))))

    def stored_note(self, note_id: int) -> NoteColumns | None:
        """What `names_fts` holds of a note, asked before its rows change; None without FTS5."""
        rows = select(self._db, _NOTE, (note_id,)) if self._keeps() else []
        return rows[0] if rows else None

    def replace_note(self, note_id: int, old: NoteColumns | None, note: Note | None) -> None:
        """Bring the row of a note from what `stored_note` said of it to what it is now; None: it is gone."""
        new = note_columns(note) if note and self._keeps() else None
        if old == new:
            return
        if old is not None:
            self._queue.statements.append((_REMOVE_NOTE, (note_id, *old)))
        if new is not None:
            self._queue.statements.append((_ADD_NOTE, (note_id, *new)))

    def make_anew(self) -> None:
        """Fill the whole keyword index from what is stored."""
        if self._keeps():
            self._queue.statements.append(("", ()))
            self._queue.anew.append(len(self._queue.statements) - 1)

    def _keeps(self) -> bool:
        if not self._has_fts5:
            meta.put(self._db, meta.LEXICAL_STALE, "1")
        return self._has_fts5
