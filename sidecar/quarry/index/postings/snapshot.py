"""
The postings of one snapshot: documents by ordinal, and the terms that they hold.

`SegmentSnapshot` has them in memory: the living documents of an immutable segment, and those that were added since. It
knows every term. `StoredSnapshot` (`stored_snapshot.py`) reads those of one query from the forward index.
"""

from functools import cached_property
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.analysis.alternatives import split_alternatives
from quarry.index.keys import ordinals_in
from quarry.index.postings.bm25 import Floats, length_norms
from quarry.index.postings.codec import PostingsDamaged
from quarry.index.postings.columns import COMPOUNDS, TEXT
from quarry.index.postings.mutable_segment import MutableSegment
from quarry.index.postings.segment import DocOrdinals, Segment, merged

KEPT_RANGES = 4096  # terms whose place in the dictionary is cached
KEPT_POSTINGS = 64  # terms whose postings are cached, 3 MB: a query asks for those of chunks three times
MOST_KEPT = 8192  # documents; of more common terms the scores are cached instead
_NONE = (np.zeros(0, np.intp), np.zeros(0, np.intp))


class PostingsSnapshot(Protocol):
    """
    Chunks, or the names of notes, at one moment of the index.

    A tf code says how often a term stands in each column of a document.
    """

    @property
    def size(self) -> int:
        """The number of documents, dead ones included."""
        ...

    @property
    def total(self) -> int:
        """The number of documents that are alive: the N of BM25."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the documents; shape (size,)."""
        ...

    @property
    def ascending(self) -> int:
        """How many of the first documents have ascending ids."""
        ...

    @property
    def live_docs(self) -> NDArray[np.bool_] | None:
        """Which documents are alive, shape (size,); None: all."""
        ...

    @property
    def lengths(self) -> Floats:
        """The number of terms of each document; shape (size,)."""
        ...

    @property
    def note_lengths(self) -> Floats:
        """The number of terms of each document that count towards its note's length; shape (size,)."""
        ...

    @property
    def length_norms(self) -> Floats:
        """BM25's length norm of each document; shape (size,)."""
        ...

    @property
    def tf_table(self) -> Floats:
        """Term frequencies by column of each tf code; shape (codes, columns)."""
        ...

    def postings(self, term: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of *term*, or of all its alternatives: document ordinals, ascending, and tf codes."""
        ...

    def prefix_postings(self, prefix: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of every term that begins with *prefix*, a document once for each."""
        ...

    def frequency(self, term: str) -> int:
        """The document frequency of *term*."""
        ...

    def ordinals_of(self, ids: NDArray[np.int64]) -> DocOrdinals:
        """The ordinals of the documents of *ids*; shape (len(ids),), -1 for an id that is not alive."""
        ...


class SegmentSnapshot(Struct, frozen=True, dict=True):
    """Documents by ordinal: first those of the segment, then those of the mutable segment in the order of adding."""

    segment: Segment
    mutable_segment: MutableSegment
    added_count: int  # documents of `mutable_segment` that this snapshot sees
    live_docs: NDArray[np.bool_] | None  # shape (size,); None: all are alive

    @cached_property
    def size(self) -> int:
        """The number of documents, dead ones included."""
        return len(self.segment.ids) + self.added_count

    @cached_property
    def total(self) -> int:
        """The number of documents that are alive: the N of BM25."""
        return self.size if self.live_docs is None else int(self.live_docs.sum())

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the documents; shape (size,). Ascending in the part of the segment."""
        return (
            np.concatenate([self.segment.ids, self.mutable_segment.ids(self.added_count)])
            if self.added_count
            else self.segment.ids
        )

    @cached_property
    def field_lengths(self) -> NDArray[np.uint32]:
        """Tokens by field; shape (size, fields)."""
        return (
            np.concatenate([self.segment.field_lengths, self.mutable_segment.field_lengths(self.added_count)])
            if self.added_count
            else self.segment.field_lengths
        )

    @cached_property
    def tf_table(self) -> NDArray[np.float64]:
        """Term frequencies by field of each tf code; shape (codes, fields)."""
        of_segment = self.segment.tf_table
        table = np.concatenate([of_segment, self.mutable_segment.tf_table()]) if self.added_count else of_segment
        return table.astype(np.float64)

    @property
    def ascending(self) -> int:
        """How many of the first documents have ascending ids: those of the segment."""
        return len(self.segment.ids)

    @cached_property
    def lengths(self) -> Floats:
        """The number of terms of each document; shape (size,)."""
        lengths: Floats = self.field_lengths.sum(axis=1, dtype=np.float64)
        return lengths

    @cached_property
    def note_lengths(self) -> Floats:
        """The number of terms of each document that count towards its note's length; shape (size,)."""
        lengths: Floats = self.field_lengths[:, [TEXT, COMPOUNDS]].sum(axis=1, dtype=np.float64)
        return lengths

    @cached_property
    def length_norms(self) -> Floats:
        """BM25's length norm of each document over all columns; shape (size,). The average is of those alive."""
        lengths = self.lengths
        tokens = float(lengths.sum() if self.live_docs is None else lengths[self.live_docs].sum())
        return length_norms(lengths, tokens / self.total if tokens else 1.0)

    def postings(self, term: str) -> tuple[DocOrdinals, DocOrdinals]:
        """
        The postings of *term*, or of all its alternatives: document ordinals, ascending, and tf codes.

        Raises:
            PostingsDamaged: The segment file is not what was written.
        """
        found = self._postings.get(term)
        if found is None:
            found = merged([self._postings_of(each) for each in split_alternatives(term)])
            if len(found[0]) <= MOST_KEPT:
                if len(self._postings) >= KEPT_POSTINGS:
                    self._postings.clear()
                self._postings[term] = found
        return found

    def prefix_postings(self, prefix: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of every term that begins with *prefix*, a document once for each; raises as `postings`."""
        found = self._last_prefix.get(prefix)
        if found is None:
            first, last = self.segment.terms.prefix_range(prefix.encode())
            added = self.mutable_segment.prefix_postings(prefix, self.added_count) if self.added_count else _NONE
            found = self._live_postings(first, last, *added)
            self._last_prefix.clear()
            if len(found[0]) <= MOST_KEPT:
                self._last_prefix[prefix] = found
        return found

    def ordinals_of(self, ids: NDArray[np.int64]) -> NDArray[np.intp]:
        """The ordinals of the documents of *ids*; shape (len(ids),), -1 for an id that is not alive."""
        found = ordinals_in(self.segment.ids, ids)
        if self.live_docs is not None and len(self.segment.ids):
            found[(found >= 0) & ~self.live_docs[found]] = -1
        if self.added_count:
            fresh = (
                self.live_docs[len(self.segment.ids) :].nonzero()[0]
                if self.live_docs is not None
                else np.arange(self.added_count)
            )
            at = len(self.segment.ids) + fresh
            order = self.ids[at].argsort(kind="stable")
            where = ordinals_in(self.ids[at][order], ids)
            is_fresh = where >= 0
            found[is_fresh] = at[order][where[is_fresh]]
        return found

    def frequency(self, term: str) -> int:
        """The document frequency of *term*."""
        found = self._frequencies.get(term)
        if found is None:
            if len(self._frequencies) > KEPT_RANGES:
                self._frequencies.clear()
            if self.live_docs is None and not self.added_count:
                ranges = map(self._range_of, split_alternatives(term))
                found = sum([self.segment.document_frequency(*held) for held in ranges if held[0] < held[1]])
            else:  # the dictionary's is outdated
                found = len(self.postings(term)[0])
            self._frequencies[term] = found
        return found

    @cached_property
    def _frequencies(self) -> dict[str, int]:
        """Document frequencies by term: a query asks several times over, and of changed documents, they are counted."""
        return {}

    @cached_property
    def _postings(self) -> dict[str, tuple[DocOrdinals, DocOrdinals]]:
        return {}

    @cached_property
    def _last_prefix(self) -> dict[str, tuple[DocOrdinals, DocOrdinals]]:
        """The postings of the prefix that was asked for last: a query scores names by it twice."""
        return {}

    @cached_property
    def _ranges(self) -> dict[str, tuple[int, int]]:
        return {}

    def _range_of(self, term: str) -> tuple[int, int]:
        """The place of a term in the segment's dictionary, cached: a query needs it five times."""
        found = self._ranges.get(term)
        if found is None:
            if len(self._ranges) > KEPT_RANGES:
                self._ranges.clear()
            found = self._ranges[term] = self.segment.terms.term_range(term.encode())
        return found

    def _postings_of(self, term: str) -> tuple[DocOrdinals, DocOrdinals]:
        """The postings of *term* alone."""
        first, last = self._range_of(term)
        if first == last and not self.added_count:
            return _NONE
        added = self.mutable_segment.postings(term, self.added_count) if self.added_count else _NONE
        return self._live_postings(first, last, *added)

    def _live_postings(
        self, first: int, last: int, added: DocOrdinals, codes: DocOrdinals
    ) -> tuple[DocOrdinals, DocOrdinals]:
        if first == last and not len(added):
            return _NONE
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
