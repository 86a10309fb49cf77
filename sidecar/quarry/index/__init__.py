"""
The index: the only folder that uses SQLite. `Index` writes, `Reader` answers; both take and return values.

    store, reader                 the two facades; `records` are their values, `memory` what they cache
    contextual                    writes the vectors of a contextual model, beside those of the static one
    postings/, vectors/, filters/ search by words, by meaning, by conditions
    top_k, snapshot_cache         the best of many scores, ties by path; derived data of the newest snapshot
    listing, problems             lists of notes, newest first; files that could not be indexed

    schema, meta, ids             the tables; facts about the whole index; ids of notes and chunks
    note_rows, note_codec         the columns of a note, and its compressed body
    chunk_reading                 notes and chunks by id
    prepared, notes, writer       a prepared note, written, and committed with others
    links                         keys that names are compared by; where a link leads

    files, opening, pool          the index as files; opening it; the connections of readers
    database                      SQLite: settings, errors, constant SQL, time limits
    integrity, checksums, zstd    detection of damage
"""

from quarry.index.checksums import content_hash, title_hash
from quarry.index.database import DatabaseError, Deadline
from quarry.index.files import clear_leftovers, discard, install, quarantine, rebuild_path, sync_to_disk
from quarry.index.ids import NoteIds, note_of
from quarry.index.note_rows import read_properties
from quarry.index.postings.bm25 import CHUNK_WEIGHTS, ChunkWeights, idf, max_score
from quarry.index.postings.columns import TERMS_VERSION
from quarry.index.postings.query import MAX_TERMS, KeywordQuery, QueryTerm, query_term
from quarry.index.postings.term_dictionary import PostingsDamaged
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
    "MAX_TERMS",
    "SCHEMA_VERSION",
    "TERMS_VERSION",
    "Background",
    "ChunkWeights",
    "DatabaseError",
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
