"""What a search asks of the index: rankings by word and by meaning, scores of what others propose, and words."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

import apsw
from msgspec import Struct, field

from quarry.index import meta
from quarry.index.database import Parts, select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import NoteIds
from quarry.index.keyword.fts5 import CHUNK_WEIGHTS, ChunkWeights
from quarry.index.keyword.match_query import KeywordQuery
from quarry.index.keyword.postings_cache import PostingsCache
from quarry.index.keyword.searcher import KeywordSearcher
from quarry.index.keyword.spelling import SpellingIndex
from quarry.index.records import NoteName
from quarry.index.snapshot_cache import SnapshotCache
from quarry.index.snapshot_data import SnapshotData
from quarry.index.tie_breaking import Scored, chunk_locations
from quarry.index.vector.cache import VectorCache
from quarry.index.vector.limits import VectorLimits
from quarry.index.vector.memory import MemoryDenseQuery
from quarry.index.vector.quantize import FloatMatrix, FloatVector
from quarry.index.vector.query import DenseQuery, QueryVector
from quarry.index.vector.stored import StoredDenseQuery, unit_vectors_of
from quarry.terms.normalize import fold
from quarry.types import Candidate, Ranking

Pairs = Sequence[Sequence[str]]
"""Terms side by side, two or more each."""


class Memory(Struct, frozen=True):
    """What is kept of an index from one reader to the next."""

    vectors: VectorCache = field(default_factory=VectorCache)
    words: SpellingIndex = field(default_factory=SpellingIndex)
    snapshot_data: SnapshotCache[SnapshotData] = field(default_factory=lambda: SnapshotCache(lambda _: SnapshotData()))
    postings: PostingsCache = field(default_factory=PostingsCache)

    @classmethod
    def of(cls, database: Path, limits: VectorLimits | None = None) -> "Memory":
        """Empty caches for the index at *database*, which has a segment file."""
        return cls(vectors=VectorCache(limits), postings=PostingsCache(database))


class SearchReader:
    """
    The searching half of a `Reader`.

    Whatever takes a deadline raises `DeadlineExceeded` or `Cancelled` when it says so. Where FTS5 is missing, nothing
    is found by word. `admitted` are the notes that come into question; None: all.
    """

    def __init__(self, connection: apsw.Connection, parts: Parts, memory: Memory) -> None:
        self._db = connection
        self._parts = parts
        self._memory = memory
        self._keywords = KeywordSearcher(connection, memory.postings, memory.words)

    def warm_up(self) -> None:
        """Read what every search needs in memory: a fifth of a second that nobody is to wait for."""
        if self._parts.has_fts5:
            self._memory.postings.scorer(self._db)
        self.read_ahead()

    def read_ahead(self) -> None:
        """Have in memory what the first question by meaning would wait for, where memory may hold it."""
        if self._memory.vectors.fits(self._db):
            self._memory.vectors.snapshot(self._db)

    # --- by word -------------------------------------------------------------------------------

    def lexical(
        self,
        query: KeywordQuery,
        admitted: NoteIds | None,
        depth: int,
        *,
        deadline: Deadline,
        weights: ChunkWeights = CHUNK_WEIGHTS,
    ) -> Ranking:
        """The best *depth* chunks by BM25 over any term of *query*; the weights are the published ones by default."""
        return self._keywords.lexical(query, admitted, depth, deadline, weights) if self._parts.has_fts5 else ()

    def proposed(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, *, deadline: Deadline, weights: ChunkWeights
    ) -> Sequence[Scored]:
        """What `lexical` gives, as ids and scores: to name a hundred chunks takes as long as to rank them."""
        return self._keywords.proposed(query, admitted, depth, deadline, weights) if self._parts.has_fts5 else []

    def best_chunks(
        self, query: KeywordQuery, note_id: int, depth: int, *, deadline: Deadline, weights: ChunkWeights
    ) -> Ranking:
        """The best *depth* chunks of one note."""
        if not self._parts.has_fts5:
            return ()
        return self._keywords.best_chunks(query, note_id, depth, deadline, weights)

    def lexical_notes(
        self,
        query: KeywordQuery,
        admitted: NoteIds | None,
        depth: int,
        *,
        deadline: Deadline,
        by_name: bool = False,
    ) -> list[tuple[int, str, float]]:
        """`(note_id, path, score)` of the best *depth* notes by BM25 over all that they hold, or *by_name* alone."""
        if not self._parts.has_fts5:
            return []
        return self._keywords.lexical_notes(query, admitted, depth, deadline, by_name=by_name)

    def proposed_notes(
        self, query: KeywordQuery, admitted: NoteIds | None, depth: int, *, deadline: Deadline, by_name: bool = False
    ) -> set[int]:
        """The notes that `lexical_notes` gives, as ids in no order."""
        if not self._parts.has_fts5:
            return set()
        return self._keywords.proposed_notes(query, admitted, depth, deadline, by_name=by_name)

    def lexical_scores(
        self,
        query: KeywordQuery,
        chunk_ids: Iterable[int],
        *,
        deadline: Deadline = NO_DEADLINE,
        weights: ChunkWeights = CHUNK_WEIGHTS,
    ) -> dict[int, float]:
        """The scores that `lexical` gives to these chunks; those without any term of *query* are left out."""
        return self._keywords.lexical_scores(query, chunk_ids, deadline, weights) if self._parts.has_fts5 else {}

    def note_scores(
        self, query: KeywordQuery, note_ids: Iterable[int], *, deadline: Deadline = NO_DEADLINE
    ) -> dict[int, float]:
        """The scores that `lexical_notes` gives to these notes; those without any term of *query* are left out."""
        return self._keywords.note_scores(query, note_ids, deadline) if self._parts.has_fts5 else {}

    def phrase_scores(
        self, pairs: Pairs, chunk_ids: Iterable[int], *, deadline: Deadline = NO_DEADLINE
    ) -> dict[int, float]:
        """BM25 of these chunks where each of *pairs* counts as one term; those without any of them are left out."""
        return self._keywords.phrase_scores(pairs, chunk_ids, deadline) if self._parts.has_fts5 else {}

    def count_matching(self, query: KeywordQuery, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks hold a term of *query*, counted no further than *limit*."""
        return self._keywords.count_matching(query, admitted, limit) if self._parts.has_fts5 else 0

    def count_notes(self, query: KeywordQuery, admitted: NoteIds | None) -> int:
        """How many notes hold a term of *query*."""
        return self._keywords.count_notes(query, admitted) if self._parts.has_fts5 else 0

    # --- by meaning ----------------------------------------------------------------------------

    def dense_query(self, vector: FloatVector) -> DenseQuery | None:
        """
        A query that can be asked about this snapshot again and again; None where *vector* is near nothing.

        Args:
            vector: float32, shape (dim,); its length does not matter. A zero vector is near nothing.

        Raises:
            ValueError: The index holds vectors of another dimension.
        """
        if not self._fits(vector):
            return None
        query = QueryVector.of(vector)
        if query is None:
            return None
        cache = self._memory.vectors
        if cache.fits(self._db) or not self._parts.has_vec:
            return MemoryDenseQuery(self._db, query, cache.snapshot(self._db))
        return StoredDenseQuery(self._db, query, cache)

    def dense(self, vector: FloatVector, admitted: NoteIds | None, depth: int, *, deadline: Deadline) -> Ranking:
        """The *depth* chunks nearest to *vector*, nearest first; raises as `dense_query`."""
        dense_query = self.dense_query(vector)
        found = dense_query.top_chunks(admitted, depth, deadline) if dense_query else []
        places = chunk_locations(self._db, [chunk_id for chunk_id, _ in found])
        return tuple(Candidate(chunk_id, *places[chunk_id], score) for chunk_id, score in found if chunk_id in places)

    def vectors_of(self, chunk_ids: Sequence[int]) -> FloatMatrix:
        """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
        return unit_vectors_of(self._db, chunk_ids, self.dimension or 0)

    @cached_property
    def dimension(self) -> int | None:
        """Of every vector in the index; None while there is none."""
        return meta.dimension(self._db)

    # --- words ---------------------------------------------------------------------------------

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many chunks each term stands; 0: in none."""
        if not self._parts.has_fts5:
            return dict.fromkeys(terms, 0)
        return self._keywords.document_frequency(terms)

    def nearest_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        """
        The terms that a mistyped *word* may stand for, with the number of chunks that hold each; likeliest first.

        Terms are stems: `holding` leads to a chunk that tells how the word is written.
        """
        return self._keywords.nearest_terms(fold(word), limit) if self._parts.has_fts5 else []

    def holding(self, term: str, limit: int) -> list[int]:
        """The first *limit* chunks that hold *term*, by path: ids are handed out anew by a rebuild."""
        return self._keywords.holding(term, limit) if self._parts.has_fts5 else []

    # --- names ---------------------------------------------------------------------------------

    def note_names(self, note_ids: Sequence[int]) -> list[NoteName]:
        """What these notes are called, in the same order; ids that are not there are left out."""
        return self._snapshot_data.names.of(self._db, note_ids)

    @cached_property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        return meta.totals(self._db)[1]

    def note_named(self, path: str) -> NoteName | None:
        """What the note at *path* is called; the path may be spelled in any composition of its letters."""
        sql = "SELECT id FROM notes WHERE path = ?1 OR composed = ?1 ORDER BY path <> ?2, path LIMIT 1"
        found = select(self._db, sql, (normalize("NFC", path), path))
        return self.note_names([found[0][0]])[0] if found else None

    @cached_property
    def _snapshot_data(self) -> SnapshotData:
        return self._memory.snapshot_data.at(self._db)

    def _fits(self, vector: FloatVector) -> bool:
        """
        Whether there is anything to compare *vector* with.

        Raises:
            ValueError: The index holds vectors of another dimension.
        """
        dimension = self.dimension
        if dimension is None:
            return False
        if vector.shape != (dimension,):
            raise ValueError(f"a query vector of shape {vector.shape} for an index of {dimension} dimensions")
        return bool(vector.any())
