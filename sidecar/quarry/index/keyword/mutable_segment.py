"""
The notes that changed since a segment was made: added to in memory, never taken from.

A note that changes again is added again, and what stood for it before is dead. Whoever looked at the additions before
goes on seeing what was there: it knows how many documents there were, and leaves out what came later.
"""

import threading
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from quarry.index.keyword.fts5_tokens import as_fts5_tokenizes, encoded, needs_fts5_tokenizer, tokens_of
from quarry.index.keyword.segment import DocOrdinals, Segment, assemble

_HIGHEST = chr(0x10FFFF)


class MutableSegment:
    """Documents in the order in which they came; one thread at a time adds, any thread reads."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._lock = threading.Lock()
        self._ids: list[int] = []
        self._sizes: list[list[int]] = []
        self._codes: dict[tuple[int, ...], int] = {}
        self._postings: dict[str, tuple[list[int], list[int]]] = {}  # documents and codes, in the order they came
        self._terms: list[str] = []  # sorted

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, document_id: int, columns: Sequence[str]) -> None:
        """Add a document of these columns."""
        counted: dict[str, list[int]] = {}
        field_lengths = [0] * self._columns
        for at, column in enumerate(columns):
            for token in _tokens(column):
                counted.setdefault(token, [0] * self._columns)[at] += 1
                field_lengths[at] += 1
        with self._lock:
            document = len(self._ids)
            for token, counts in counted.items():
                code = self._codes.setdefault(tuple(counts), len(self._codes))
                if token not in self._postings:
                    self._postings[token] = ([], [])
                    insort(self._terms, token)
                documents, codes = self._postings[token]
                documents.append(document)
                codes.append(code)
            self._sizes.append(field_lengths)
            self._ids.append(document_id)

    def ids(self, limit: int) -> NDArray[np.int64]:
        """The ids of the first *limit* documents."""
        return np.array(self._ids[:limit], np.int64)

    def field_lengths(self, limit: int) -> NDArray[np.uint32]:
        """Their tokens; shape (limit, columns)."""
        return np.array(self._sizes[:limit], np.uint32).reshape(-1, self._columns)

    def counts(self) -> NDArray[np.uint32]:
        """What each code stands for; shape (codes, columns)."""
        with self._lock:
            return np.array(list(self._codes), np.uint32).reshape(-1, self._columns)

    def holding(self, term: str, limit: int) -> tuple[DocOrdinals, DocOrdinals]:
        """Which of the first *limit* documents hold a term, ascending, and their codes."""
        with self._lock:
            found = self._postings.get(term)
            return _before(limit, [found] if found else [])

    def holding_any(self, prefix: str, limit: int) -> tuple[DocOrdinals, DocOrdinals]:
        """The same for each term that begins with *prefix*, one after the other."""
        with self._lock:
            return _before(limit, [self._postings[term] for term in self._beginning(prefix)])

    def terms(self) -> list[str]:
        """All terms that were ever added, in order."""
        with self._lock:
            return list(self._terms)

    def frozen(self, keep: NDArray[np.bool_]) -> Segment:
        """
        The documents to *keep* as a segment; their ids differ.

        Args:
            keep: Shape (limit,): what came later is left out.
        """
        place = np.cumsum(keep, dtype=np.int32) - 1
        postings = []
        terms = self.terms()
        for at, term in enumerate(terms):
            documents, codes = self.holding(term, len(keep))
            kept = keep[documents]
            word = np.full(int(kept.sum()), at, np.int32)
            postings.append((word, place[documents[kept]], codes[kept].astype(np.int32)))
        ids, field_lengths = self.ids(len(keep))[keep], self.field_lengths(len(keep))[keep]
        return assemble(ids, field_lengths, self.counts(), [encoded(term) for term in terms], postings)

    def _beginning(self, prefix: str) -> list[str]:
        first = bisect_left(self._terms, prefix)
        return self._terms[first : bisect_left(self._terms, prefix + _HIGHEST, first)]


def _tokens(column: str) -> Iterable[str]:
    tokens = tokens_of(column)
    if any(map(needs_fts5_tokenizer, tokens)):
        tokens = [encoded(token).decode(errors="ignore") for token in tokens_of(as_fts5_tokenizes(column))]
    return filter(None, tokens)


def _before(limit: int, found: Sequence[tuple[list[int], list[int]]]) -> tuple[DocOrdinals, DocOrdinals]:
    if not found:
        return _NONE, _NONE
    documents = np.concatenate([np.array(documents, np.intp) for documents, _ in found])
    codes = np.concatenate([np.array(codes, np.intp) for _, codes in found])
    is_there = documents < limit
    return documents[is_there], codes[is_there]


_NONE = np.zeros(0, np.intp)
