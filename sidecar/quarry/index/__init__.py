"""
The index: the only folder that uses SQLite. `Index` writes, `Reader` answers; both take and return values.

    store, reader                 the two facades; `records` are their values, `memory` what they cache
    postings/, vectors/, filters/ search by words, by meaning, by conditions
    top_k                         the best of many scores, ties by path
    listing                       lists of notes and of problems
    links                         where links lead; maps of content

    schema, meta, keys            the tables; facts about the whole index; ids, folded names and hashes
    note_codec, note_rows         the compressed body of a note, and its columns
    prepared, notes, writer       a prepared note, written, and committed with others

    files, pool, database         the index as files; connections, opened and lent; SQLite
    integrity                     detection of damage
"""

from quarry.index.database import DatabaseError, Deadline
from quarry.index.files import clear_leftovers, discard, quarantine, rebuild_path, sync_to_disk
from quarry.index.keys import NoteIds, content_hash, note_of, title_hash
from quarry.index.meta import FINGERPRINT
from quarry.index.note_rows import read_properties
from quarry.index.postings.bm25 import CHUNK_WEIGHTS, ChunkWeights, idf, max_score
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.fields import MAX_TERMS, TERMS_VERSION, KeywordQuery, QueryTerm, query_term
from quarry.index.prepared import PreparedNote, counted, prepare
from quarry.index.reader import Reader
from quarry.index.records import (
    IndexedFile,
    IndexSize,
    MapOfContent,
    NoteFilter,
    NoteName,
    NotePage,
    NoteSummary,
    PendingChunk,
    PendingTitle,
    Problem,
    StoredChunk,
    StoredNote,
)
from quarry.index.store import Index
from quarry.index.top_k import Scored, argsort_by_score_then_path
from quarry.index.vectors.kept_vectors import StoredModel
from quarry.index.vectors.quantize import dequantize, quantize
from quarry.index.vectors.vector_cache import Background
from quarry.index.vectors.vector_query import DenseQuery, NearestChunks

__all__ = [
    "CHUNK_WEIGHTS",
    "FINGERPRINT",
    "MAX_TERMS",
    "TERMS_VERSION",
    "Background",
    "ChunkWeights",
    "DatabaseError",
    "Deadline",
    "DenseQuery",
    "Index",
    "IndexSize",
    "IndexedFile",
    "KeywordQuery",
    "MapOfContent",
    "NearestChunks",
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
    "Scored",
    "StoredChunk",
    "StoredModel",
    "StoredNote",
    "argsort_by_score_then_path",
    "clear_leftovers",
    "content_hash",
    "counted",
    "dequantize",
    "discard",
    "idf",
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
