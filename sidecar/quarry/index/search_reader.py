"""The searching half of a reader: retrieval by word and by meaning, and the names of notes."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

import apsw
from msgspec import Struct, field

from quarry.index import meta
from quarry.index.database import Parts, select
from quarry.index.deadline import Deadline
from quarry.index.ids import NoteIds
from quarry.index.keyword.postings_cache import PostingsCache
from quarry.index.keyword.retrievers import Fts5Retriever, KeywordRetriever, MemoryRetriever, NoRetriever
from quarry.index.keyword.searcher import KeywordSearcher
from quarry.index.keyword.spelling import SpellingIndex
from quarry.index.keyword.stored_snapshot import Documents
from quarry.index.records import NoteName
from quarry.index.snapshot_cache import SnapshotCache
from quarry.index.snapshot_data import SnapshotData
from quarry.index.tie_breaking import Scored
from quarry.index.vector.cache import VectorCache
from quarry.index.vector.limits import VectorLimits
from quarry.index.vector.memory import MemoryDenseQuery
from quarry.index.vector.quantize import FloatMatrix, FloatVector
from quarry.index.vector.query import DenseQuery, QueryVector
from quarry.index.vector.stored import StoredDenseQuery, unit_vectors_of
from quarry.types import Candidate, Ranking


class Memory(Struct, frozen=True):
    """The caches of an index, which outlive its readers."""

    vectors: VectorCache = field(default_factory=VectorCache)
    spelling: SpellingIndex = field(default_factory=SpellingIndex)
    documents: SnapshotCache[Documents] = field(default_factory=lambda: SnapshotCache(Documents.read))
    snapshot_data: SnapshotCache[SnapshotData] = field(default_factory=lambda: SnapshotCache(lambda _: SnapshotData()))
    postings: PostingsCache = field(default_factory=PostingsCache)

    @classmethod
    def of(cls, database: Path, limits: VectorLimits | None = None) -> "Memory":
        """Empty caches for the index at *database*, which has a segment file."""
        return cls(vectors=VectorCache(limits), postings=PostingsCache(database))


class SearchReader:
    """
    The searching half of a `Reader`.

    Methods that take a deadline raise `DeadlineExceeded` or `Cancelled` when it says so. Where FTS5 is missing, nothing
    is found by word. `admitted` are the notes that may be found; None: all.
    """

    def __init__(self, connection: apsw.Connection, parts: Parts, memory: Memory) -> None:
        self._db = connection
        self._parts = parts
        self._memory = memory

    def warm_up(self) -> None:
        """Fill the caches that every search needs: a fifth of a second that no search should wait for."""
        if self._parts.has_fts5:
            self._memory.postings.scorer(self._db)
        self.read_ahead()

    def read_ahead(self) -> None:
        """Read the vectors that the first query by meaning would wait for, where they fit in memory."""
        if self._memory.vectors.fits(self._db):
            self._memory.vectors.snapshot(self._db)

    # --- by word -------------------------------------------------------------------------------

    @cached_property
    def keywords(self) -> KeywordSearcher:
        """The keyword index of this snapshot; its source of postings is chosen once, by `_retriever`."""
        return KeywordSearcher(self._db, self._retriever(), self._snapshot_data.locations)

    def candidates(self, scored: Sequence[Scored]) -> Ranking:
        """Chunks and their scores with the places where they stand, in the same order; ids that are gone left out."""
        places = self._snapshot_data.locations.of_chunks(self._db, [chunk_id for chunk_id, _ in scored])
        return tuple(Candidate(i, *places[i], score) for i, score in scored if i in places)

    def invalidate_postings(self, why: str) -> None:
        """Have the postings made anew, as they turned out to be damaged; this reader goes on without them."""
        self._memory.postings.invalidate(why)
        self.__dict__.pop("keywords", None)

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
        return self.candidates(dense_query.top_chunks(admitted, depth, deadline)) if dense_query else ()

    def vectors_of(self, chunk_ids: Sequence[int]) -> FloatMatrix:
        """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
        return unit_vectors_of(self._db, chunk_ids, self.dimension or 0)

    @cached_property
    def dimension(self) -> int | None:
        """The dimension of every vector in the index; None while there is none."""
        return meta.dimension(self._db)

    # --- names ---------------------------------------------------------------------------------

    def note_names(self, note_ids: Sequence[int]) -> list[NoteName]:
        """The names of these notes, in the same order; unknown ids are left out."""
        return self._snapshot_data.names.of(self._db, note_ids)

    @cached_property
    def chunk_count(self) -> int:
        """The number of chunks in the index."""
        return meta.totals(self._db)[1]

    def note_named(self, path: str) -> NoteName | None:
        """The names of the note at *path*, which may be spelled in any Unicode composition; None if there is none."""
        sql = "SELECT id FROM notes WHERE path = ?1 OR composed = ?1 ORDER BY path <> ?2, path LIMIT 1"
        found = select(self._db, sql, (normalize("NFC", path), path))
        return self.note_names([found[0][0]])[0] if found else None

    @cached_property
    def _snapshot_data(self) -> SnapshotData:
        return self._memory.snapshot_data.at(self._db)

    def _retriever(self) -> KeywordRetriever:
        """The source of postings: memory if it has this snapshot, otherwise the forward index by way of FTS5."""
        if not self._parts.has_fts5:
            return NoRetriever(self._db)
        scorer = self._memory.postings.scorer(self._db)
        if scorer is not None:
            return MemoryRetriever(scorer, self._memory.spelling)
        return Fts5Retriever(self._db, self._memory.documents, self._memory.spelling)

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
