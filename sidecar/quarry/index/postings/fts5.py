"""
The keyword index that SQLite keeps: it proposes notes, and scores none.

    notes_fts     the distinct terms of each note (contentless, `detail=none`: no text, no positions, no frequencies)
    vocabulary    the terms of `notes_fts`, with the number of notes that hold each

Both are derived from the forward index (`fields.py`), by which whatever they propose is read and scored.

FTS5 writes a segment a commit, and merges segments when it has many of a size. No merge is to happen while someone
saves: it is put off to idle time (`merge`), when also the terms of removed rows leave the file for good.

FTS5 also writes out what it was given at every savepoint, and each note has one. Written at once, the index would be
merged from one piece a note instead of one a commit, for a tenth more time in all; so rows wait in `KeywordQueue` until
the transaction ends. For the same reason they are written by ascending id: FTS5 writes a piece whenever ids go down.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw
from msgspec import Struct, field

from quarry.errors import IndexDamaged
from quarry.index import meta
from quarry.index.database import select
from quarry.index.note_codec import open_packed
from quarry.index.note_rows import every_body
from quarry.index.postings.builder import BulkCollector
from quarry.index.prepared import PreparedNote

# The tokenizer splits at spaces alone: beyond ASCII everything is a letter to it, and so is the punctuation named here.
_CREATE_INDEX = """CREATE VIRTUAL TABLE notes_fts USING fts5(
    terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
)"""
_CREATE_VOCABULARY = "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('notes_fts', 'row')"
_PUT_TERMS = "INSERT OR REPLACE INTO notes_fts(rowid, terms) VALUES (?, ?)"
_REMOVE_TERMS = "DELETE FROM notes_fts WHERE rowid = ?"

_ALWAYS = {
    "pgsz": 8140,  # bytes of a leaf, which so fills a page of ours; at the head of each, a term is written out in full
    "automerge": 0,  # merges nothing of its own accord
    "deletemerge": 0,
}
_EVERYDAY = {
    **_ALWAYS,
    "crisismerge": 64,  # segments of a size are merged after all: 4,096 saves until that takes all, half a second
    "hashsize": 1 << 20,
}
_BULK = {
    **_ALWAYS,
    "crisismerge": 500,  # FTS5 fails at 2,000 segments
    "hashsize": 16 << 20,  # bytes of terms in memory before a segment is written, commit or not
}


def create_keyword_index(connection: apsw.Connection) -> None:
    """Make `notes_fts` if need be, and fill it from the forward index; a note that is damaged is left out."""
    if not table_exists(connection, "notes_fts"):
        connection.execute(_CREATE_INDEX)
    if not table_exists(connection, "vocabulary"):
        connection.execute(_CREATE_VOCABULARY)
    begin_bulk(connection)
    connection.execute("INSERT INTO notes_fts(notes_fts) VALUES ('delete-all')")
    connection.executemany(_PUT_TERMS, _distinct_terms(connection))
    merge(connection)


def begin_bulk(connection: apsw.Connection) -> None:
    """
    Set the keyword index up for very many rows, until `merge` ends that: 17,000 notes take half the time.

    It answers right all the while, more slowly.
    """
    _set_up(connection, _BULK)


def merge(connection: apsw.Connection) -> None:
    """
    Merge the keyword index into one segment, in which no term of a removed row is left. For idle time.

    That of 17,000 notes takes .3 s, or nothing where nothing changed. Then single saves are to come, not bulk.
    """
    connection.execute("INSERT INTO notes_fts(notes_fts) VALUES ('optimize')")
    _set_up(connection, _EVERYDAY)


def check_keyword_index(connection: apsw.Connection) -> None:
    """
    Check that `notes_fts` is whole, and holds the terms of the forward index for every note: 5 s for 17,000 notes.

    Raises:
        IndexDamaged: One of these fails.
        apsw.CorruptError: What FTS5 stores does not hang together.
    """
    connection.execute("INSERT INTO notes_fts(notes_fts) VALUES ('integrity-check')")
    connection.execute("CREATE VIRTUAL TABLE temp.stored_terms USING fts5vocab('main', 'notes_fts', 'instance')")
    try:
        stored: Counter[int] = Counter()
        for term, note_id in connection.execute("SELECT term, doc FROM temp.stored_terms"):
            stored[note_id] += _term_checksum(term)
    finally:
        connection.execute("DROP TABLE temp.stored_terms")
    for note_id, terms in _distinct_terms(connection):
        if stored.pop(note_id, 0) != sum(map(_term_checksum, terms.split(" ") if terms else ())):
            raise IndexDamaged(
                f"the keyword index has other terms of note {note_id} than it holds; it has to be rebuilt"
            )
    if stored:
        raise IndexDamaged(f"the keyword index has terms of note {min(stored)}, which is gone; it has to be rebuilt")


def has_keyword_index(connection: apsw.Connection) -> bool:
    """Whether every table of it is there."""
    return table_exists(connection, "notes_fts") and table_exists(connection, "vocabulary")


def table_exists(connection: apsw.Connection, name: str) -> bool:
    """Whether the database holds a table of that *name*."""
    return bool(select(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)))


def _set_up(connection: apsw.Connection, options: Mapping[str, int]) -> None:
    connection.executemany("INSERT INTO notes_fts(notes_fts, rank) VALUES (?, ?)", options.items())


def _term_checksum(term: str) -> int:
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def _distinct_terms(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    for note_id, body in every_body(connection):
        try:
            yield note_id, open_packed(body).terms().distinct()
        except IndexDamaged:  # `verify` finds it, and the note is read anew
            continue


# --- writing, a transaction at a time -----------------------------------------------------------


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
            meta.put(connection, meta.KEYWORDS_STALE, "1")

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
                connection.execute(_REMOVE_TERMS, (note_id,))
            else:
                connection.execute(_PUT_TERMS, (note_id, note.vocabulary))
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
            for chunk_id, fields in zip(chunk_ids, terms.chunks, strict=True):
                collector.add_chunk(chunk_id, fields)
            collector.add_names(note_id, terms.names)
