"""The index: the only folder that knows SQLite. `Index` writes, `Reader` answers; both speak in values."""

from quarry.index.checksums import content_hash, title_hash
from quarry.index.deadline import Deadline
from quarry.index.files import clear_leftovers, discard, install, quarantine, rebuild_path, sync_to_disk
from quarry.index.ids import NoteIds, note_of
from quarry.index.keyword.bm25 import CHUNK_WEIGHTS, ChunkWeights, idf, max_score
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.columns import TERMS_VERSION
from quarry.index.keyword.query import KeywordQuery
from quarry.index.prepared import PreparedNote, counted, prepare
from quarry.index.reader import Reader
from quarry.index.records import (
    Counts,
    IncomingLink,
    Newest,
    NoteFilter,
    NoteName,
    NotePage,
    NoteSummary,
    PendingChunk,
    PendingTitle,
    Problem,
    ResolvedLink,
    StoredChunk,
    StoredNote,
)
from quarry.index.schema import SCHEMA_VERSION
from quarry.index.store import Index
from quarry.index.top_k import Scored, argsort_by_score_then_path
from quarry.index.vector.quantize import dequantize, quantize
from quarry.index.vector.query import DenseQuery, NearestChunks

__all__ = [
    "CHUNK_WEIGHTS",
    "SCHEMA_VERSION",
    "TERMS_VERSION",
    "ChunkWeights",
    "Counts",
    "Deadline",
    "DenseQuery",
    "IncomingLink",
    "Index",
    "KeywordQuery",
    "NearestChunks",
    "Newest",
    "NoteFilter",
    "NoteIds",
    "NoteName",
    "NotePage",
    "NoteSummary",
    "PendingChunk",
    "PendingTitle",
    "PostingsDamaged",
    "PreparedNote",
    "Problem",
    "Reader",
    "ResolvedLink",
    "Scored",
    "StoredChunk",
    "StoredNote",
    "argsort_by_score_then_path",
    "clear_leftovers",
    "content_hash",
    "counted",
    "dequantize",
    "discard",
    "idf",
    "install",
    "max_score",
    "note_of",
    "prepare",
    "quantize",
    "quarantine",
    "rebuild_path",
    "sync_to_disk",
    "title_hash",
]
