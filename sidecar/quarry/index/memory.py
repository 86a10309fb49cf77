"""What is kept in memory of an index, whichever reader asks."""

from pathlib import Path

from msgspec import Struct, field

from quarry.index.postings.postings_cache import FEW_NOTES, PostingsCache
from quarry.index.postings.spelling import SpellingIndex
from quarry.index.postings.stored_snapshot import Documents
from quarry.index.snapshot_cache import SnapshotCache, SnapshotData
from quarry.index.vectors.cache import VectorCache
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL


class Memory(Struct, frozen=True):
    """The caches of an index, which outlive its readers."""

    vectors: VectorCache = field(default_factory=VectorCache)
    contextual: VectorCache = field(default_factory=lambda: VectorCache(tables=CONTEXTUAL))
    spelling: SpellingIndex = field(default_factory=SpellingIndex)
    documents: SnapshotCache[Documents] = field(default_factory=lambda: SnapshotCache(Documents.read))
    snapshot_data: SnapshotCache[SnapshotData] = field(default_factory=lambda: SnapshotCache(lambda _: SnapshotData()))
    postings: PostingsCache = field(default_factory=PostingsCache)

    @classmethod
    def of(cls, database: Path, limits: VectorLimits | None = None, few_notes: int = FEW_NOTES) -> "Memory":
        """Empty caches for the index at *database*, which has a segment file."""
        return cls(
            vectors=VectorCache(limits),
            contextual=VectorCache(limits, CONTEXTUAL),
            postings=PostingsCache(database, few_notes=few_notes),
        )
