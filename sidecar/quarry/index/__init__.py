"""The index: the only folder that knows SQLite. `Index` writes, `Reader` answers; both speak in values."""

from quarry.index.checksums import content_hash, title_hash
from quarry.index.deadline import Deadline
from quarry.index.files import clear_leftovers, discard, install, quarantine, rebuild_path, sync_to_disk
from quarry.index.ids import NoteIds, note_of
from quarry.index.keyword.fts5 import ChunkWeights, NoteWeights
from quarry.index.keyword.match_query import KeywordQuery
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
from quarry.index.tie_breaking import Scored, argsort_by_score_then_path
from quarry.index.vector.quantize import dequantize, quantize
from quarry.index.vector.query import DenseQuery, NearestChunks

__all__ = [
    "SCHEMA_VERSION",
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
    "NoteWeights",
    "PendingChunk",
    "PendingTitle",
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
    "install",
    "note_of",
    "prepare",
    "quantize",
    "quarantine",
    "rebuild_path",
    "sync_to_disk",
    "title_hash",
]
