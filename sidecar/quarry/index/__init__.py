"""
The index: the only folder that knows SQLite. `Index` writes, `Reader` answers; both speak in values.

    store, reader                 the two facades; `records` are the values that they give, `memory` what they keep
    contextual                    writes the vectors of a contextual model, beside those of the static one
    keyword/, vector/, filters/   finding by words, by meaning, by conditions
    top_k, snapshot_cache         the best of many scores, ties by path; what is kept for the newest snapshot
    listing, problems             lists of notes, newest first; faults of files that their owner is told of

    schema, meta, ids             the tables; facts about the whole index; ids of notes and chunks
    note_rows, note_codec         what of a note stands in columns, and what in its packed body
    prepared, notes, writer       a note made ready, written, and committed with others
    folding, links                keys that names are compared by; where a link leads

    files, opening, pool          the index as files; opening it; the connections of readers
    database, sql, deadline       SQLite: settings and errors, fragments of constant SQL, time limits
    integrity, checksums, zstd    what is checked, and how damage is noticed
"""

from quarry.index.checksums import content_hash, title_hash
from quarry.index.deadline import Deadline
from quarry.index.files import clear_leftovers, discard, install, quarantine, rebuild_path, sync_to_disk
from quarry.index.ids import NoteIds, note_of
from quarry.index.note_rows import read_properties
from quarry.index.postings.bm25 import CHUNK_WEIGHTS, ChunkWeights, idf, max_score
from quarry.index.postings.codec import PostingsDamaged
from quarry.index.postings.columns import TERMS_VERSION
from quarry.index.postings.query import KeywordQuery, QueryTerm, query_term
from quarry.index.prepared import PreparedNote, counted, prepare
from quarry.index.reader import Reader
from quarry.index.records import (
    IncomingLink,
    IndexedFile,
    IndexSize,
    MapOfContent,
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
from quarry.index.vectors.background import Background
from quarry.index.vectors.quantize import dequantize, quantize
from quarry.index.vectors.query import DenseQuery, NearestChunks

__all__ = [
    "CHUNK_WEIGHTS",
    "SCHEMA_VERSION",
    "TERMS_VERSION",
    "Background",
    "ChunkWeights",
    "Deadline",
    "DenseQuery",
    "IncomingLink",
    "Index",
    "IndexSize",
    "IndexedFile",
    "KeywordQuery",
    "MapOfContent",
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
    "QueryTerm",
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
    "query_term",
    "read_properties",
    "rebuild_path",
    "sync_to_disk",
    "title_hash",
]
