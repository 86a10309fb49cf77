"""
A reader of some notes of a collection, which ranks them, and trusts them, as a reader of the whole collection would.

Candidates come from elsewhere, such as a team's database, in their stored form: nothing is analysed or embedded anew.
They are put into an index in memory that lives as long as one answer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import apsw

from quarry.analysis.analysis import Languages
from quarry.index import meta, note_codec
from quarry.index.database import NO_DEADLINE, Deadline, Parts, translate_sqlite_errors
from quarry.index.filters.filter import register_functions
from quarry.index.keys import id_range
from quarry.index.memory import Memory
from quarry.index.notes import ALL_COLUMNS, ALL_VALUES
from quarry.index.postings.collection_statistics import CollectionStatistics
from quarry.index.postings.query import KeywordSearcher
from quarry.index.postings.spelling import TermsByLength
from quarry.index.postings.stored_snapshot import Documents, TermReader
from quarry.index.prepared import PreparedNote
from quarry.index.reader import Reader
from quarry.index.schema import create_tables

_PARTS = Parts(None, "a few notes are compared in memory")
_IN_MEMORY = Path(":memory:")
_NOTE = f"INSERT INTO notes ({ALL_COLUMNS}, id) VALUES ({ALL_VALUES}, ?)"


class PartialReader(Reader):
    """A `Reader` of some notes of a collection."""

    def __init__(
        self, connection: apsw.Connection, whole: CollectionStatistics, vocabulary: Callable[[], TermsByLength]
    ) -> None:
        """Read *connection*; a mistyped word is corrected by the *vocabulary* of the whole collection."""
        super().__init__(connection, _PARTS, Memory(_IN_MEMORY))
        self._whole = whole
        self._vocabulary = vocabulary

    @cached_property
    def keywords(self) -> KeywordSearcher:
        """See `Reader`; terms are weighed by the whole collection."""
        documents = Documents.read(self._db).part_of(self._whole)
        spelling, data = self._memory.spelling, self._snapshot_data
        found = _PartialSearcher(self._db, TermReader(self._db, lambda _: documents), spelling, data, self._notes)
        found.whole, found.vocabulary, found.languages = self._whole, self._vocabulary, self._whole.languages
        return found

    @property
    def languages(self) -> Languages:
        """See `Reader`; those of the whole collection."""
        return self._whole.languages


class _PartialSearcher(KeywordSearcher):
    whole: CollectionStatistics
    vocabulary: Callable[[], TermsByLength]

    def is_named(self, terms: Sequence[str], *, deadline: Deadline = NO_DEADLINE) -> bool:  # noqa: ARG002
        """See `KeywordSearcher`."""
        return any(self.whole.frequency(term, "name") for term in terms)

    def _vocabulary(self) -> TermsByLength:
        return self.vocabulary()


@contextmanager
def partial_reader(
    notes: Iterable[tuple[int, PreparedNote]], whole: CollectionStatistics, vocabulary: Callable[[], TermsByLength]
) -> Iterator[PartialReader]:
    """
    Open a reader of *notes*, each with its id, for the time of one answer; see `PartialReader`.

    Raises:
        IndexDamaged: A note is not as it was written; also out of any question.
    """
    with translate_sqlite_errors(_IN_MEMORY):
        connection = apsw.Connection(str(_IN_MEMORY))
        try:
            register_functions(connection)
            note_codec.register(connection)
            create_tables(connection)
            _fill(connection, list(notes))
            for key, count in ((meta.NOTES, whole.note_count), (meta.CHUNKS, whole.chunk_count)):
                meta.put(connection, key, str(count))
            yield PartialReader(connection, whole, vocabulary)
        finally:
            connection.close()


def _fill(connection: apsw.Connection, notes: Sequence[tuple[int, PreparedNote]]) -> None:
    rows = [(*note.values, note.checksum, note.name_length, note.languages, note.is_map, i) for i, note in notes]
    chunks = [(id_range(i)[0] + at, at, 0, *lengths) for i, note in notes for at, lengths in enumerate(note.lengths)]
    vectors = [(id_range(i)[0] + at, vector) for i, note in notes for at, vector in enumerate(note.vectors) if vector]
    titles = [(i, note.title_vector) for i, note in notes if note.title_vector]
    with connection:
        connection.executemany(_NOTE, rows)
        connection.executemany("INSERT INTO bodies VALUES (?, ?)", [(i, note.body) for i, note in notes])
        connection.executemany(
            "INSERT INTO tags VALUES (?, ?, ?, ?)", [(i, *tag) for i, note in notes for tag in note.tags]
        )
        connection.executemany("INSERT INTO chunk_rows VALUES (?, ?, ?, ?, ?)", chunks)
        connection.executemany("INSERT INTO vectors VALUES (?, ?, x'')", vectors)
        connection.executemany("INSERT INTO title_vectors VALUES (?, 0, ?, x'')", titles)
    if vectors:
        meta.put(connection, meta.DIMENSION, str(len(vectors[0][1])))
