"""
The postings of one snapshot: documents by ordinal, and the terms that they hold.

`SegmentSnapshot` has them in memory: the living documents of an immutable segment, and those that were added since to a
mutable one. It knows every term. `StoredSnapshot` (`stored_snapshot.py`) reads those of one query from the forward
index.
"""

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from quarry.analysis.analysis import split_alternatives
from quarry.index.keys import ordinals_in
from quarry.index.postings.bm25 import Floats, length_norms
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.segment import NO_POSTINGS, DocOrdinals, Segment, assemble, merged, note_lengths_of

Postings: TypeAlias = tuple[DocOrdinals, DocOrdinals]
"""Documents that hold a term, ascending, and the tf code of each."""

CACHED_POSTINGS = 1 << 19  # of a snapshot, 5 MB: those of a query are asked for several times
ENTRY_POSTINGS = 64  # that an entry counts beside its own, so that there are at most 8,192
CACHED_FREQUENCIES = 4096  # terms

T = TypeVar("T")


class SizedCache(Generic[T]):
    """Values by key up to a total size, the least recently used dropped first; for any number of threads."""

    def __init__(self, limit: int, size_of: Callable[[T], int]) -> None:
        """Cache values of at most *limit* together, by their *size_of*."""
        self._limit = limit
        self._size_of = size_of
        self._size = 0
        self._values: OrderedDict[object, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: object) -> T | None:
        """The value of *key*; None where it is not cached."""
        with self._lock:
            known = self._values.get(key)
            if known is not None:
                self._values.move_to_end(key)
        return known

    def put(self, key: object, value: T) -> T:
        """Cache *value* under *key*, and return it."""
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._size += self._size_of(value)
            while self._size > self._limit:
                self._size -= self._size_of(self._values.popitem(last=False)[1])
        return value


_HIGHEST = chr(0x10FFFF)


class MutableSegment:
    """Documents in the order in which they were added; one thread at a time adds, any thread reads."""

    def __init__(self, fields: int) -> None:
        self._fields = fields
        self._lock = threading.Lock()
        self._ids: list[int] = []
        self._field_lengths: list[list[int]] = []
        self._codes: dict[tuple[int, ...], int] = {}
        self._postings: dict[str, tuple[list[int], list[int]]] = {}  # ordinals, ascending, and tf codes
        self._terms: list[str] = []  # sorted when they are asked for
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, document_id: int, fields: Sequence[str]) -> None:
        """Add a document of these *fields*, each terms joined by spaces."""
        counted: dict[str, list[int]] = {}
        field_lengths = [0] * self._fields
        for at, terms in enumerate(fields):
            for token in filter(None, terms.split(" ")):
                counted.setdefault(token, [0] * self._fields)[at] += 1
                field_lengths[at] += 1
        with self._lock:
            document = len(self._ids)
            for token, counts in counted.items():
                code = self._codes.setdefault(tuple(counts), len(self._codes))
                if token not in self._postings:
                    self._postings[token] = ([], [])
                    self._terms.append(token)
                    self._is_sorted = False
                documents, codes = self._postings[token]
                documents.append(document)
                codes.append(code)
            self._field_lengths.append(field_lengths)
            self._ids.append(document_id)

    def ids(self, limit: int) -> NDArray[np.int64]:
        """The ids of the first *limit* documents, in the order in which they were added."""
        return np.array(self._ids[:limit], np.int64)

    def field_lengths(self, limit: int) -> NDArray[np.uint32]:
        """The tokens of the first *limit* documents by field; shape (limit, fields)."""
        return np.array(self._field_lengths[:limit], np.uint32).reshape(-1, self._fields)

    def tf_table(self) -> NDArray[np.uint32]:
        """Term frequencies by field of each tf code; shape (codes, fields)."""
        with self._lock:
            return np.array(list(self._codes), np.uint32).reshape(-1, self._fields)

    def postings(self, term: str, limit: int) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of *term* in the first *limit* documents: ordinals, ascending, and tf codes."""
        with self._lock:
            found = self._postings.get(term)
            return _joined(limit, [found] if found else [])

    def prefix_postings(self, prefix: str, limit: int) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of each term that begins with *prefix* in the first *limit* documents, term by term."""
        with self._lock:
            return _joined(limit, [self._postings[term] for term in self._terms_with(prefix)])

    def terms(self) -> list[str]:
        """All terms that were ever added, sorted."""
        with self._lock:
            return list(self._sorted_terms())

    def to_segment(self, keep: NDArray[np.bool_]) -> Segment:
        """
        Make an immutable segment of the documents to *keep*, which have distinct ids.

        Args:
            keep: Shape (limit,): documents that were added later are left out.

        Raises:
            OverflowError: There are too many documents for memory.
        """
        ordinal = np.cumsum(keep, dtype=np.int32) - 1
        postings = []
        terms = self.terms()
        for at, term in enumerate(terms):
            documents, codes = self.postings(term, len(keep))
            kept = keep[documents]
            number = np.full(int(kept.sum()), at, np.int32)
            postings.append((number, ordinal[documents[kept]], codes[kept].astype(np.int32)))
        ids, field_lengths = self.ids(len(keep))[keep], self.field_lengths(len(keep))[keep]
        return assemble(ids, field_lengths, self.tf_table(), [term.encode() for term in terms], postings)

    def _terms_with(self, prefix: str) -> list[str]:
        terms = self._sorted_terms()
        first = bisect_left(terms, prefix)
        return terms[first : bisect_left(terms, prefix + _HIGHEST, first)]

    def _sorted_terms(self) -> list[str]:
        if not self._is_sorted:
            self._terms.sort()
            self._is_sorted = True
        return self._terms


def _joined(limit: int, found: Sequence[tuple[list[int], list[int]]]) -> Postings:
    if not found:
        return NO_POSTINGS
    documents = np.concatenate([np.array(documents, np.intp) for documents, _ in found])
    codes = np.concatenate([np.array(codes, np.intp) for _, codes in found])
    is_visible = documents < limit
    return documents[is_visible], codes[is_visible]


class PostingsSnapshot(Struct, frozen=True, dict=True):
    """
    Chunks, or the names of notes, at one moment of the index.

    A document's ordinal is its place in `ids`. A tf code is a row of `tf_table`: how often a term is in each field of a
    document. The N of BM25 is `total`.
    """

    ids: NDArray[np.int64]  # of the documents, dead ones included; shape (size,)
    ascending: int  # how many of the first documents have ascending ids
    live_docs: NDArray[np.bool_] | None  # which documents are alive, shape (size,); None: all
    lengths: Floats  # terms of each document; shape (size,)
    note_lengths: Floats  # terms of each document that count towards its note's length; shape (size,)
    tf_table: Floats  # term frequencies by field of each tf code; shape (codes, fields)

    @property
    def size(self) -> int:
        """The number of documents, dead ones included."""
        return len(self.ids)

    @cached_property
    def total(self) -> int:
        """The number of documents that are alive."""
        return self.size if self.live_docs is None else int(self.live_docs.sum())

    @cached_property
    def length_norms(self) -> Floats:
        """BM25's length norm of each document over all fields; shape (size,). The average is of those alive."""
        tokens = float(self.lengths.sum() if self.live_docs is None else self.lengths[self.live_docs].sum())
        return length_norms(self.lengths, tokens / self.total if tokens else 1.0)

    def postings(self, term: str) -> Postings:
        """
        The postings of *term*, or of all its alternatives: document ordinals, ascending, and tf codes.

        Raises:
            PostingsDamaged: The segment file is not what was written.
        """
        raise NotImplementedError

    def prefix_postings(self, prefix: str) -> Postings:
        """The postings of every term that begins with *prefix*, a document once for each; raises as `postings`."""
        raise NotImplementedError

    def frequency(self, term: str) -> int:
        """The document frequency of *term*."""
        raise NotImplementedError

    def ordinals_of(self, ids: NDArray[np.int64]) -> DocOrdinals:
        """The ordinals of the documents of *ids*; shape (len(ids),), -1 for an id that is not alive."""
        found = ordinals_in(self.ids[: self.ascending], ids)
        if self.live_docs is not None and self.ascending:
            found[(found >= 0) & ~self.live_docs[found]] = -1
        if self.size > self.ascending:
            added = np.arange(self.ascending, self.size)
            if self.live_docs is not None:
                added = added[self.live_docs[self.ascending :]]
            order = added[self.ids[added].argsort(kind="stable")]
            where = ordinals_in(self.ids[order], ids)
            is_added = where >= 0
            found[is_added] = order[where[is_added]]
        return found


class SegmentSnapshot(PostingsSnapshot, frozen=True, dict=True):
    """Documents by ordinal: first those of the segment, then those of the mutable segment in the order of adding."""

    segment: Segment
    mutable_segment: MutableSegment
    added_count: int  # documents of `mutable_segment` that this snapshot sees
    _cached: SizedCache[Postings] = field(
        default_factory=lambda: SizedCache[Postings](
            CACHED_POSTINGS, lambda postings: ENTRY_POSTINGS + len(postings[0])
        )
    )
    _frequencies: dict[str, int] = field(default_factory=dict)  # of changed documents, they are counted

    @classmethod
    def of(
        cls, segment: Segment, added: MutableSegment, added_count: int, live_docs: NDArray[np.bool_] | None
    ) -> "SegmentSnapshot":
        """The documents of *segment* and the first *added_count* of *added*; *live_docs*: see `PostingsSnapshot`."""
        ids, lengths, note_lengths, table = segment.ids, segment.lengths, segment.note_lengths, segment.tf_table
        if added_count:
            of_added = added.field_lengths(added_count)
            ids = np.concatenate([ids, added.ids(added_count)])
            lengths = np.concatenate([lengths, of_added.sum(axis=1, dtype=np.float64)])
            note_lengths = np.concatenate([note_lengths, note_lengths_of(of_added)])
            table = np.concatenate([table, added.tf_table()])
        of_segment = len(segment.ids)
        return cls(
            ids, of_segment, live_docs, lengths, note_lengths, table.astype(np.float64), segment, added, added_count
        )

    def postings(self, term: str) -> Postings:
        """See `PostingsSnapshot`."""
        found = self._cached.get(term)
        if found is None:
            alternatives = []
            for each in split_alternatives(term):
                added = self.mutable_segment.postings(each, self.added_count) if self.added_count else NO_POSTINGS
                alternatives.append(self._live_postings(*self.segment.terms.term_range(each.encode()), *added))
            found = self._cached.put(term, merged(alternatives))
        return found

    def prefix_postings(self, prefix: str) -> Postings:
        """See `PostingsSnapshot`."""
        found = self._cached.get((prefix,))
        if found is None:
            added = self.mutable_segment.prefix_postings(prefix, self.added_count) if self.added_count else NO_POSTINGS
            found = self._live_postings(*self.segment.terms.prefix_range(prefix.encode()), *added)
            self._cached.put((prefix,), found)
        return found

    def frequency(self, term: str) -> int:
        """The document frequency of *term*."""
        found = self._frequencies.get(term)
        if found is None:
            if len(self._frequencies) > CACHED_FREQUENCIES:
                self._frequencies.clear()
            if self.live_docs is None and not self.added_count:
                terms = self.segment.terms
                ranges = [terms.term_range(each.encode()) for each in split_alternatives(term)]
                found = sum([self.segment.document_frequency(*held) for held in ranges])
            else:  # the dictionary's is outdated
                found = len(self.postings(term)[0])
            self._frequencies[term] = found
        return found

    def _live_postings(self, first: int, last: int, added: DocOrdinals, codes: DocOrdinals) -> Postings:
        if first == last and not len(added):
            return NO_POSTINGS
        documents, of_segment = self.segment.postings(first, last)
        is_ascending = last - first == 1  # as the postings of one term are
        if len(documents) and int(documents[-1] if is_ascending else documents.max()) >= len(self.segment.ids):
            raise PostingsDamaged("a posting is of a document that does not exist")
        if len(of_segment) and int(of_segment.max()) >= len(self.segment.tf_table):
            raise PostingsDamaged("a posting has a code that does not exist")
        if len(added):
            documents = np.concatenate([documents, added + len(self.segment.ids)])
            every = np.concatenate([of_segment.astype(np.intp), codes + len(self.segment.tf_table)])
        else:
            every = of_segment
        if self.live_docs is None:
            return documents, every
        stand = self.live_docs[documents]
        return (documents, every) if stand.all() else (documents[stand], every[stand])
