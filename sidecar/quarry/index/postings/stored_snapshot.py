"""
The postings of a few terms, read from the forward index of the notes that FTS5 proposes for them.

This is how a query is scored where no postings are at hand: while many notes change at once, or for a reader of an
older snapshot. It gives what postings in memory give, at the cost of reading every note that holds a term of the query.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import apsw
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.analysis.analysis import split_alternatives
from quarry.index import meta
from quarry.index.database import Deadline, select
from quarry.index.keys import id_range, look_up, notes_of
from quarry.index.note_codec import StoredTerms
from quarry.index.note_rows import ContentReader
from quarry.index.postings.bm25 import Floats, length_norms
from quarry.index.postings.collection_statistics import CollectionStatistics
from quarry.index.postings.fields import (
    CHUNK_FIELDS,
    NAME_FIELDS,
    QueryTerm,
    occurrences_by_field,
    occurrences_with_prefix,
    spaced,
)
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.segment import NO_POSTINGS, DocOrdinals, merged
from quarry.index.postings.snapshot import Postings, PostingsSnapshot

_NOTES = "SELECT id, name_length FROM notes ORDER BY id"
_CHUNKS = "SELECT id, length, note_length FROM chunk_rows ORDER BY id"
_MATCHING = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rowid"


class StoredSnapshot(PostingsSnapshot, frozen=True, dict=True):
    """A `PostingsSnapshot` of some terms: of others it does not know that they are there."""

    found: dict[str, Postings]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, ...]]) -> "StoredSnapshot":
        """The documents of *rows*, without terms: id, length, and the length that counts for the note; ascending."""
        table = np.array(rows or np.zeros((0, 3)), np.int64)
        lengths, note_lengths = table[:, 1].astype(np.float64), table[:, -1].astype(np.float64)
        return cls(table[:, 0], len(table), None, lengths, note_lengths, np.zeros((0, 0)), {})

    def postings(self, term: str) -> Postings:
        """See `PostingsSnapshot`."""
        return merged([self.found.get(each, NO_POSTINGS) for each in split_alternatives(term)])

    def prefix_postings(self, prefix: str) -> Postings:
        """See `PostingsSnapshot`."""
        found = [postings for term, postings in self.found.items() if term.startswith(prefix)]
        if not found:
            return NO_POSTINGS
        ordinals, codes = zip(*found, strict=True)
        return np.concatenate(ordinals), np.concatenate(codes)

    def frequency(self, term: str) -> int:
        """See `PostingsSnapshot`."""
        return sum([len(self.found.get(each, NO_POSTINGS)[0]) for each in split_alternatives(term)])


class PartialSnapshot(StoredSnapshot, frozen=True, dict=True):
    """A `StoredSnapshot` of some documents of a collection."""

    whole_total: int  # documents of the collection
    average_length: float  # of them
    whole: CollectionStatistics

    @property
    def total(self) -> int:
        """See `PostingsSnapshot`."""
        return self.whole_total

    @cached_property
    def length_norms(self) -> Floats:
        """See `PostingsSnapshot`."""
        return length_norms(self.lengths, self.average_length)

    def frequency(self, term: str) -> int:
        """See `PostingsSnapshot`; of names, that in chunks: for both it only matters whether there are any."""
        return max(super().frequency(term), self.whole.frequency(term, "chunk"))


class Documents(Struct, frozen=True, eq=False):
    """All documents of a snapshot, and the note of each chunk: a tenth of a second to read for 80,000 chunks."""

    generation: int
    chunks: StoredSnapshot
    names: StoredSnapshot
    note_of_chunk: NDArray[np.int32]
    whole: CollectionStatistics | None = None  # of the collection that these are a part of

    def part_of(self, whole: CollectionStatistics) -> "Documents":
        """These documents as a part of a collection."""

        def partial(stored: StoredSnapshot, count: int, length: float) -> PartialSnapshot:
            lengths = stored.lengths, stored.note_lengths
            return PartialSnapshot(
                stored.ids, stored.ascending, None, *lengths, stored.tf_table, {}, count, length, whole
            )

        chunks = partial(self.chunks, whole.chunk_count, whole.chunk_length)
        return replace(self, chunks=chunks, names=partial(self.names, whole.note_count, whole.note_length), whole=whole)

    @classmethod
    def read(cls, connection: apsw.Connection) -> "Documents":
        """The documents that *connection* sees."""
        chunks = StoredSnapshot.of(select(connection, _CHUNKS))
        names = StoredSnapshot.of(select(connection, _NOTES))
        note_of_chunk = look_up(names.ids, notes_of(chunks.ids))[0].astype(np.int32)
        return cls(meta.generation(connection), chunks, names, note_of_chunk)


class TermReader:
    """Reads the postings of the terms that are asked for, those of each term once."""

    def __init__(
        self,
        connection: apsw.Connection,
        read_documents: Callable[[apsw.Connection], Documents] = Documents.read,
    ) -> None:
        """Begin without terms; *read_documents* gives the documents that *connection* sees, when they are needed."""
        self._db = connection
        self._notes = ContentReader(connection)
        self._read_documents = read_documents
        self._known: set[tuple[str, bool]] = set()  # a word or a prefix, and whether it is a prefix
        self._in_chunks, self._in_names = _Postings(CHUNK_FIELDS), _Postings(NAME_FIELDS)
        self._scorer: TermScorer | None = None

    def scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> TermScorer:
        """
        A scorer that knows *terms*, and all that were asked for before.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            IndexDamaged: The stored form of a note does not match its checksum.
        """
        wanted = {
            (word, term.is_prefix)
            for term in terms
            for joined in term.text.split(" ")
            for word in split_alternatives(joined)
        }
        unknown = sorted(wanted - self._known)
        if unknown:
            self._read(unknown, deadline)
            self._known.update(unknown)
        if unknown or self._scorer is None:
            documents = self._read_documents(self._db)
            chunks, names = self._in_chunks.snapshot(documents.chunks), self._in_names.snapshot(documents.names)
            self._scorer = TermScorer(documents.generation, chunks, names, documents.note_of_chunk, documents.whole)
        return self._scorer

    def _read(self, unknown: Sequence[tuple[str, bool]], deadline: Deadline) -> None:
        documents = self._read_documents(self._db)
        if documents.whole is not None:
            documents.whole.load(unknown)
            note_ids = documents.names.ids.tolist()
        else:
            with deadline.over(self._db):
                note_ids = _matching(self._db, unknown)
        words = [word.encode() for word, is_prefix in unknown if not is_prefix]
        prefixes = [word.encode() for word, is_prefix in unknown if is_prefix]
        for note_id, stored in self._notes.terms(note_ids, deadline):
            line = spaced(stored.line)
            found = {word: occurrences_by_field(word, line) for word in words}
            for prefix in prefixes:
                found |= occurrences_with_prefix(prefix, line)
            for term, occurrences in found.items():
                self._add(term, note_id, stored, occurrences)

    def _add(self, term: bytes, note_id: int, stored: StoredTerms, occurrences: Sequence[tuple[int, int]]) -> None:
        first, _ = id_range(note_id)
        for field, count in occurrences:
            if field < NAME_FIELDS:
                self._in_names.add(term, note_id, field, count)
            else:
                number, of_chunk = divmod(field - NAME_FIELDS, CHUNK_FIELDS)
                self._in_chunks.add(term, first + stored.slot(number), of_chunk, count)


def _matching(connection: apsw.Connection, wanted: Sequence[tuple[str, bool]]) -> list[int]:
    """The notes that hold any of these words, or a term that begins with one of these prefixes; ascending."""
    asked = " OR ".join([_quoted(word) + (" *" if is_prefix else "") for word, is_prefix in wanted])
    return [note_id for (note_id,) in select(connection, _MATCHING, (asked,))]


def _quoted(term: str) -> str:
    """A term as FTS5 reads it, no character of which is syntax."""
    return '"' + term.replace('"', '""') + '"'


class _Postings:
    """Term frequencies, gathered document by document and field by field."""

    def __init__(self, fields: int) -> None:
        self._fields = fields
        self._found: dict[bytes, dict[int, list[int]]] = {}  # term -> document id -> frequency by field

    def add(self, term: bytes, document_id: int, field: int, count: int) -> None:
        """Add the frequency of *term* in one *field* of a document."""
        documents = self._found.setdefault(term, {})
        documents.setdefault(document_id, [0] * self._fields)[field] = count

    def snapshot(self, documents: StoredSnapshot) -> StoredSnapshot:
        """The postings among *documents*."""
        codes: dict[tuple[int, ...], int] = {}
        found = {}
        for term, by_document in self._found.items():
            of_term = np.array([codes.setdefault(tuple(row), len(codes)) for row in by_document.values()], np.intp)
            found[term.decode()] = _ordered(documents, np.array([*by_document], np.int64), of_term)
        return replace(documents, tf_table=np.array([*codes], np.float64).reshape(-1, self._fields), found=found)


def _ordered(documents: StoredSnapshot, ids: NDArray[np.int64], codes: DocOrdinals) -> Postings:
    """Postings by ordinal, ascending: the chunks of a note were found in the order of its text."""
    ordinals = look_up(documents.ids, ids)[0]
    order = np.argsort(ordinals, kind="stable")
    return ordinals[order], codes[order]
