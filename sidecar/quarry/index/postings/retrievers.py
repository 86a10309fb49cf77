"""
The two sources of postings: memory, or the forward index of the notes that FTS5 proposes.

A reader chooses one when it first needs words, and keeps it (`Reader._retriever` in `reader.py`). Both give
the same notes, scores and order. Where SQLite lacks FTS5, `NoRetriever` finds nothing.
"""

from collections.abc import Iterable
from typing import Protocol

import apsw

from quarry.index.deadline import Deadline
from quarry.index.postings.query import QueryTerm
from quarry.index.postings.snapshot_scorer import SnapshotScorer
from quarry.index.postings.spelling import SpellingIndex, TermsByLength
from quarry.index.postings.stored_snapshot import NO_DOCUMENTS, Documents, TermReader
from quarry.index.snapshot_cache import SnapshotCache


class KeywordRetriever(Protocol):
    """A source of the postings of one snapshot."""

    def scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> SnapshotScorer:
        """
        A scorer that knows at least *terms*.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        ...

    def vocabulary(self) -> TermsByLength:
        """The terms of the snapshot, for spelling; some may be in no document any more."""
        ...


class MemoryRetriever:
    """Scores by the postings in memory, which know every term."""

    def __init__(self, scorer: SnapshotScorer, spelling: SpellingIndex) -> None:
        self._scorer = scorer
        self._spelling = spelling

    def scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> SnapshotScorer:  # noqa: ARG002 - as declared
        """The scorer of all terms."""
        return self._scorer

    def vocabulary(self) -> TermsByLength:
        """The terms of the postings."""
        return self._spelling.of_postings(self._scorer)


class Fts5Retriever:
    """Has FTS5 propose the notes that hold a term of the query, and scores by their forward index."""

    def __init__(
        self, connection: apsw.Connection, documents: SnapshotCache[Documents], spelling: SpellingIndex
    ) -> None:
        self._db = connection
        self._documents = documents
        self._spelling = spelling
        self._terms: TermReader | None = None  # made when words are asked for

    def scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> SnapshotScorer:
        """A scorer of *terms*."""
        if self._terms is None:
            self._terms = TermReader(self._db, self._documents.at(self._db))
        return self._terms.scorer(terms, deadline)

    def vocabulary(self) -> TermsByLength:
        """The terms that FTS5 has."""
        return self._spelling.of_database(self._db)


class NoRetriever:
    """Finds nothing, where FTS5 is missing."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._nothing = TermReader(connection, NO_DOCUMENTS)

    def scorer(self, terms: Iterable[QueryTerm], deadline: Deadline) -> SnapshotScorer:  # noqa: ARG002 - as declared
        """A scorer of no document."""
        return self._nothing.scorer((), deadline)

    def vocabulary(self) -> TermsByLength:
        """No terms."""
        return {}
