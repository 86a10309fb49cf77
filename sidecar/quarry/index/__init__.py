"""The index: the only folder that knows SQLite. `Index` writes, `Reader` answers; both speak in values."""

from quarry.index.checksums import content_hash, title_hash
from quarry.index.deadline import Deadline
from quarry.index.dense import NearestChunks, Needle
from quarry.index.files import clear_leftovers, discard, install, rebuild_path, set_aside, settle
from quarry.index.ids import NoteIds, note_of
from quarry.index.lexical import ChunkWeights, NoteWeights
from quarry.index.matching import LexicalQuery
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
from quarry.index.ties import Scored, best_first
from quarry.index.vectors import dequantise, quantise

__all__ = [
    "SCHEMA_VERSION",
    "ChunkWeights",
    "Counts",
    "Deadline",
    "IncomingLink",
    "Index",
    "LexicalQuery",
    "NearestChunks",
    "Needle",
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
    "best_first",
    "clear_leftovers",
    "content_hash",
    "counted",
    "dequantise",
    "discard",
    "install",
    "note_of",
    "prepare",
    "quantise",
    "rebuild_path",
    "set_aside",
    "settle",
    "title_hash",
]
