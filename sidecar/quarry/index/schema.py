"""
What the database looks like: tables and versions.

    notes ──┬─ tags, links
            ├─ title_vectors        the embedding of each title
            ├─ names_fts            keyword index over what notes are called (external content: stores no text)
            └─ chunks ──┬─ vectors    the truth of each embedding (int8, with a checksum)
                        ├─ pending    chunks that wait for one
                        ├─ chunks_fts keyword index over text, section, context (external content as well)
                        └─ chunks_vec vec0 over `vectors`; made when the dimension is known
    changes, problems, meta

The keyword index (`keyword_schema.py`) and `chunks_vec` are derived. When a part of SQLite was missing while rows
changed, a mark (`meta.py`) says so, and the part is refilled as soon as it is back.
"""

import apsw

from quarry.index import meta
from quarry.index.keyword_schema import VIEWS

APPLICATION_ID = int.from_bytes(b"QRRY")  # in the file's header: tells our files from others
SCHEMA_VERSION = 3  # an older file is replaced by an empty one: the vault is the truth, reading it again is safe
PAGE_SIZE = 4096

_TABLES = (
    """CREATE TABLE notes (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,     -- spelled as on disk
        path_nfc TEXT NOT NULL,        -- what look-ups compare
        path_key TEXT NOT NULL,        -- case and accents folded: what filters compare
        name_key TEXT NOT NULL,        -- last part without .md, case folded: what links compare
        title TEXT NOT NULL,
        aliases TEXT NOT NULL,         -- JSON array
        properties TEXT NOT NULL,      -- JSON object
        redactions TEXT NOT NULL,      -- JSON object
        problems TEXT NOT NULL,        -- JSON array
        size_bytes INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        sha256 BLOB NOT NULL,
        chunk_count INTEGER NOT NULL,
        checksum BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX notes_by_nfc ON notes(path_nfc)",
    "CREATE INDEX notes_by_key ON notes(path_key)",
    "CREATE INDEX notes_by_name ON notes(name_key)",
    "CREATE INDEX notes_by_time ON notes(mtime_ns DESC, path)",
    "CREATE INDEX notes_with_problems ON notes(path) WHERE problems <> '[]'",
    """CREATE TABLE tags (
        note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        tag TEXT NOT NULL,
        tag_key TEXT NOT NULL,
        PRIMARY KEY (note_id, position)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX tags_by_key ON tags(tag_key)",
    """CREATE TABLE links (
        note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        target_key TEXT NOT NULL,      -- compares with notes.name_key
        heading TEXT,
        label TEXT,
        PRIMARY KEY (note_id, position)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX links_by_target ON links(target_key)",
    """CREATE TABLE title_vectors (
        note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
        title_hash BLOB NOT NULL,      -- over the title
        vector BLOB NOT NULL,          -- as in `vectors`
        checksum BLOB NOT NULL         -- over the title_hash and the vector
    ) STRICT""",
    "CREATE INDEX title_vectors_by_title ON title_vectors(title_hash)",
    """CREATE TABLE chunks (
        id INTEGER PRIMARY KEY,        -- of the note, shifted, and a slot: see ids.py
        note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        heading_path TEXT NOT NULL,    -- JSON array
        section TEXT NOT NULL,
        text TEXT NOT NULL,
        context TEXT NOT NULL,
        first INTEGER NOT NULL,        -- [first, last) in the note: Chunk.start and Chunk.end
        last INTEGER NOT NULL,
        first_utf16 INTEGER NOT NULL,
        line INTEGER NOT NULL,
        shifts TEXT NOT NULL,          -- JSON array of [offset, utf16]
        content_hash BLOB NOT NULL,    -- over what is embedded
        checksum BLOB NOT NULL         -- over the whole row
    ) STRICT""",
    "CREATE INDEX chunks_by_note ON chunks(note_id, number)",  # not unique: numbers move row by row in an update
    "CREATE INDEX chunks_by_content ON chunks(content_hash)",
    """CREATE TABLE vectors (
        chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE,
        vector BLOB NOT NULL,          -- int8, one byte a dimension; empty: nothing in the text to embed
        checksum BLOB NOT NULL         -- over the chunk's content_hash and the vector
    ) STRICT""",
    "CREATE TABLE pending (chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE) STRICT",
    """CREATE TABLE changes (
        note_id INTEGER PRIMARY KEY,   -- of a note that may be gone
        generation INTEGER NOT NULL    -- in which its vectors last changed: what is kept in memory is brought up to it
    ) STRICT""",
    "CREATE INDEX changes_by_generation ON changes(generation)",
    """CREATE TABLE problems (
        path TEXT PRIMARY KEY,
        reason TEXT NOT NULL,
        skipped INTEGER NOT NULL       -- 1: the file is not in the index at all
    ) STRICT, WITHOUT ROWID""",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
)
TABLE_NAMES = frozenset(
    {"notes", "tags", "links", "title_vectors", "chunks", "vectors", "pending", "changes", "problems", "meta"}
)

_VECTOR_INDEX = "CREATE VIRTUAL TABLE chunks_vec USING vec0(embedding int8[{dimension}] distance_metric=cosine)"
MAX_DIMENSION = 8192  # sqlite-vec refuses more


def create_tables(connection: apsw.Connection) -> None:
    """Make an empty index of this version in an empty file, in one transaction, without the derived parts."""
    connection.pragma("page_size", PAGE_SIZE)
    connection.pragma("journal_mode", "wal")
    connection.execute("BEGIN IMMEDIATE")
    for statement in (*_TABLES, *VIEWS):
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES (?, '0')", (meta.GENERATION,))
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", SCHEMA_VERSION)
    connection.execute("COMMIT")


def create_vector_index(connection: apsw.Connection, dimension: int) -> None:
    """Make `chunks_vec` anew for vectors of *dimension* and fill it from `vectors`."""
    assert 0 < dimension <= MAX_DIMENSION, dimension
    connection.execute("DROP TABLE IF EXISTS chunks_vec")
    connection.execute(_VECTOR_INDEX.replace("{dimension}", str(dimension)))
    connection.execute(
        "INSERT INTO chunks_vec(rowid, embedding)"
        " SELECT chunk_id, vec_int8(vector) FROM vectors WHERE length(vector) > 0 ORDER BY chunk_id"
    )
