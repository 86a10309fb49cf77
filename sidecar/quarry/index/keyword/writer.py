"""
The rows of the keyword index, kept equal to the views that say what they should hold.

FTS5 stores no text, so to take a row out it must be told what stood there. Where a damaged row no longer says so, the
whole keyword index is made anew.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apsw
from msgspec import Struct, field

from quarry.index import meta
from quarry.index.database import Parts, SqlValue
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.columns import ChunkColumns, NoteColumns
from quarry.index.keyword.schema import create_keyword_index
from quarry.index.keyword.term_counts import CountedDocument

_ADD_CHUNK = "INSERT INTO chunks_fts(rowid, text, section, context, compounds, parts) VALUES (?,?,?,?,?,?)"
_REMOVE_CHUNK = (
    "INSERT INTO chunks_fts(chunks_fts, rowid, text, section, context, compounds, parts) VALUES ('delete',?,?,?,?,?,?)"
)
_ADD_NOTE = "INSERT INTO names_fts(rowid, title, aliases, name, headings, tags, compounds) VALUES (?,?,?,?,?,?,?)"
_REMOVE_NOTE = (
    "INSERT INTO names_fts(names_fts, rowid, title, aliases, name, headings, tags, compounds)"
    " VALUES ('delete',?,?,?,?,?,?,?)"
)


class Statement(NamedTuple):
    """SQL with its values, of which the first is the row that it changes."""

    sql: str
    values: tuple[SqlValue, ...]
    counted: CountedDocument | None = None  # what it adds, where somebody counted it before


class KeywordQueue(Struct):
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

    def run(self, connection: apsw.Connection) -> list[Statement] | None:
        """Write everything, and say what that was; None: all was made anew. The queue is empty then."""
        statements, is_anew = self.statements, bool(self.anew)
        self.statements, self.anew = [], []
        if is_anew:
            create_keyword_index(connection)
            return None
        statements.sort(key=_row)
        execute = connection.execute
        for sql, values, _ in statements:
            execute(sql, values)
        return statements


def _row(statement: Statement) -> int:
    row = statement.values[0]
    assert isinstance(row, int)
    return row


def gather(statements: Iterable[Statement], collector: BulkCollector) -> None:
    """Have *collector* know of the rows that *statements* wrote."""
    for sql, (row, *columns), counted in statements:
        assert isinstance(row, int)
        if sql is _ADD_CHUNK:
            collector.add_chunk(row, columns, counted)  # type: ignore[arg-type]  # all of them are text
        elif sql is _REMOVE_CHUNK:
            collector.remove_chunk(row)
        elif sql is _ADD_NOTE:
            collector.add_names(row, columns, counted)  # type: ignore[arg-type]
        else:
            collector.remove_names(row)


class KeywordRows:
    """Changes `chunks_fts` and `names_fts` by way of a *queue*; without FTS5 remembers that they are stale."""

    def __init__(self, connection: apsw.Connection, parts: Parts, queue: KeywordQueue) -> None:
        self._db = connection
        self._has_fts5 = parts.has_fts5
        self._queue = queue

    def add_chunks(self, chunks: Iterable[tuple[int, ChunkColumns, CountedDocument | None]]) -> None:
        """Index new chunks, `(id, columns)`, and what somebody counted in them before."""
        if self._keeps():
            self._queue.statements += [
                Statement(_ADD_CHUNK, (chunk_id, *columns), counted) for chunk_id, columns, counted in chunks
            ]

    def remove_chunk(self, chunk_id: int, columns: ChunkColumns) -> None:
        """Take out a chunk that was indexed by exactly these."""
        if self._keeps():
            self._queue.statements.append(Statement(_REMOVE_CHUNK, (chunk_id, *columns)))

    def replace_note(
        self, note_id: int, old: NoteColumns | None, new: NoteColumns | None, counted: CountedDocument | None = None
    ) -> None:
        """
        Bring the row of a note from what it was to what it is now; None: it was not there, or is gone.

        Args:
            counted: What somebody counted in *new* before.
        """
        if old == new or not self._keeps():
            return
        if old is not None:
            self._queue.statements.append(Statement(_REMOVE_NOTE, (note_id, *old)))
        if new is not None:
            self._queue.statements.append(Statement(_ADD_NOTE, (note_id, *new), counted))

    def make_anew(self) -> None:
        """Fill the whole keyword index from what is stored."""
        if self._keeps():
            self._queue.statements.append(Statement("", ()))
            self._queue.anew.append(len(self._queue.statements) - 1)

    def _keeps(self) -> bool:
        if not self._has_fts5:
            meta.put(self._db, meta.LEXICAL_STALE, "1")
        return self._has_fts5
