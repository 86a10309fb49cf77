"""
A segment in memory for the documents that changed since an immutable segment was built: append-only.

A note that changes again is added again, and its earlier documents are dead. A reader passes the number of documents
that it may see (`limit`), so a snapshot taken earlier does not see documents that are added later.
"""

import threading
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quarry.index.postings.builder import assemble
from quarry.index.postings.segment import DocOrdinals, Segment

_HIGHEST = chr(0x10FFFF)


class MutableSegment:
    """Documents in the order in which they were added; one thread at a time adds, any thread reads."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._lock = threading.Lock()
        self._ids: list[int] = []
        self._field_lengths: list[list[int]] = []
        self._codes: dict[tuple[int, ...], int] = {}
        self._postings: dict[str, tuple[list[int], list[int]]] = {}  # ordinals, ascending, and tf codes
        self._terms: list[str] = []  # sorted when they are asked for
        self._is_sorted = True

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, document_id: int, columns: Sequence[str]) -> None:
        """Add a document of these *columns*, each terms joined by spaces."""
        counted: dict[str, list[int]] = {}
        field_lengths = [0] * self._columns
        for at, column in enumerate(columns):
            for token in filter(None, column.split(" ")):
                counted.setdefault(token, [0] * self._columns)[at] += 1
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
        """The tokens of the first *limit* documents by field; shape (limit, columns)."""
        return np.array(self._field_lengths[:limit], np.uint32).reshape(-1, self._columns)

    def tf_table(self) -> NDArray[np.uint32]:
        """Term frequencies by field of each tf code; shape (codes, columns)."""
        with self._lock:
            return np.array(list(self._codes), np.uint32).reshape(-1, self._columns)

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


def _joined(limit: int, found: Sequence[tuple[list[int], list[int]]]) -> tuple[DocOrdinals, DocOrdinals]:
    if not found:
        return _NONE, _NONE
    documents = np.concatenate([np.array(documents, np.intp) for documents, _ in found])
    codes = np.concatenate([np.array(codes, np.intp) for _, codes in found])
    is_visible = documents < limit
    return documents[is_visible], codes[is_visible]


_NONE = np.zeros(0, np.intp)
