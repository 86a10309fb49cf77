"""The index: the only folder that knows SQLite. `Index` writes, `Reader` answers; both speak in values."""

from quarry.index.checksums import content_hash
from quarry.index.deadline import Deadline
from quarry.index.files import clear_leftovers, discard, install, rebuild_path, set_aside
from quarry.index.reader import Reader
from quarry.index.records import (
    Counts,
    IncomingLink,
    Newest,
    NoteFilter,
    NotePage,
    NoteSummary,
    PendingChunk,
    Problem,
    ResolvedLink,
    StoredChunk,
    StoredNote,
)
from quarry.index.schema import SCHEMA_VERSION
from quarry.index.store import Index
from quarry.index.vectors import dequantise, quantise

__all__ = [
    "SCHEMA_VERSION",
    "Counts",
    "Deadline",
    "IncomingLink",
    "Index",
    "Newest",
    "NoteFilter",
    "NotePage",
    "NoteSummary",
    "PendingChunk",
    "Problem",
    "Reader",
    "ResolvedLink",
    "StoredChunk",
    "StoredNote",
    "clear_leftovers",
    "content_hash",
    "dequantise",
    "discard",
    "install",
    "quantise",
    "rebuild_path",
    "set_aside",
]
