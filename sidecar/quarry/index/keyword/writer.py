"""
Writes the rows of the keyword index, a transaction at a time.

FTS5 writes out what it was given at every savepoint, and each note has one: written at once, the index would be merged
from one piece a note instead of one a commit, for a tenth more time in all. For the same reason rows are written by
ascending id: FTS5 writes a piece whenever ids go down.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw
from msgspec import Struct, field

from quarry.index import meta
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.schema import PUT_TERMS, REMOVE_TERMS
from quarry.index.note_codec import open_packed
from quarry.index.prepared import PreparedNote


class KeywordChange(NamedTuple):
    """An insert, update or removal of one note that is not in the keyword index yet."""

    note_id: int
    note: PreparedNote | None  # None: it was removed
    chunk_ids: Sequence[int]  # of its chunks, in their order
    dropped: Sequence[int]  # ids of chunks that it had before and has no more


class KeywordQueue(Struct):
    """The changes to be written to the keyword index when the transaction ends."""

    has_fts5: bool
    changes: list[KeywordChange] = field(default_factory=list)

    def put(self, connection: apsw.Connection, change: KeywordChange) -> None:
        """Add a change; without FTS5 it is only remembered that the keyword index is stale."""
        if self.has_fts5:
            self.changes.append(change)
        else:
            meta.put(connection, meta.LEXICAL_STALE, "1")

    def rewind(self, length: int) -> None:
        """Drop all changes after the first *length*."""
        del self.changes[length:]

    def run(self, connection: apsw.Connection) -> list[KeywordChange]:
        """Write all changes, empty the queue, and return the changes."""
        changes, self.changes = self.changes, []
        last = {change.note_id: change.note for change in changes}
        for note_id in sorted(last):
            note = last[note_id]
            if note is None:
                connection.execute(REMOVE_TERMS, (note_id,))
            else:
                connection.execute(PUT_TERMS, (note_id, note.vocabulary))
        return changes


def collect(changes: Iterable[KeywordChange], collector: BulkCollector) -> None:
    """Pass *changes* on to *collector*."""
    for note_id, note, chunk_ids, dropped in changes:
        for chunk_id in dropped:
            collector.remove_chunk(chunk_id)
        if note is None:
            collector.remove_names(note_id)
        elif note.counted is not None:
            for number, chunk_id in enumerate(chunk_ids):
                collector.add_chunk(chunk_id, (), note.counted.chunk(number))
            collector.add_names(note_id, (), note.counted.names)
        else:
            terms = note.terms or open_packed(note.body).terms()
            for chunk_id, columns in zip(chunk_ids, terms.chunks, strict=True):
                collector.add_chunk(chunk_id, columns)
            collector.add_names(note_id, terms.names)
