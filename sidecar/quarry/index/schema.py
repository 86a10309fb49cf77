"""
The schema of the database: tables and versions.

    notes ──┬─ bodies               what the note says: chunks, links, tags and terms, compressed (`note_codec.py`)
            ├─ tags, links          by what a look-up asks for them; what they say stands in the body
            ├─ title_vectors        the embedding of each title
            ├─ notes_fts            keyword index: proposes the notes that hold a term (`postings/fts5.py`)
            └─ chunk_rows ──┬─ vectors    the embedding of each chunk (int8, with a checksum)
                            └─ pending    chunks that wait for one
    changes, problems, meta

The tables and views are written in the SQL of SQLite 3.34, so that the `sqlite3` that comes with a system of some years
can open an index: hence no STRICT tables, which the checksums of the rows do not need.

The view `chunks` shows the rows of `chunk_rows` with what the bodies say of them. The keyword index is derived. When
FTS5 was missing while rows changed, a mark (`meta.py`) says so, and the index is refilled as soon as it is back.
"""

import apsw

from quarry.index import meta
from quarry.index.keys import note_of_sql

APPLICATION_ID = int.from_bytes(b"QRRY")  # in the file's header: tells our files from others
SCHEMA_VERSION = 13  # an older file is replaced by an empty one: the vault is the truth, reading it again is safe
PAGE_SIZE = 8192

_TABLES = (
    """CREATE TABLE notes (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,     -- spelled as on disk
        composed TEXT,                 -- its path in NFC; NULL: that is how it is spelled
        folded TEXT,                   -- its path without case and accents; NULL: it has none
        name INTEGER NOT NULL,         -- `keys.target_number` of its last part: by which links find it
        title TEXT NOT NULL,
        aliases TEXT NOT NULL,         -- JSON array
        properties TEXT NOT NULL,      -- JSON object
        redactions TEXT NOT NULL,      -- JSON object
        problems TEXT NOT NULL,        -- JSON array of messages
        size_bytes INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        ctime_ns INTEGER NOT NULL,
        sha256 BLOB NOT NULL,
        chunk_count INTEGER NOT NULL,
        checksum BLOB NOT NULL,        -- over what `note_rows.note_values` gives, and the body
        name_length INTEGER NOT NULL,  -- terms of its names, see `postings/fields.py`
        languages TEXT,                -- see `postings/fields.py`: `languages_in`
        is_map INTEGER NOT NULL,       -- 1: see `links.py`
        path_nfc TEXT NOT NULL GENERATED ALWAYS AS (ifnull(composed, path)) VIRTUAL,  -- what look-ups compare
        path_key TEXT NOT NULL GENERATED ALWAYS AS (ifnull(folded, path)) VIRTUAL     -- what filters compare
    )""",
    "CREATE INDEX notes_composed ON notes(composed) WHERE composed IS NOT NULL",
    "CREATE INDEX notes_folded ON notes(folded) WHERE folded IS NOT NULL",
    "CREATE INDEX notes_by_language ON notes(languages) WHERE languages IS NOT NULL",
    "CREATE INDEX maps_of_content ON notes(id) WHERE is_map",
    "CREATE INDEX notes_by_name ON notes(name)",
    "CREATE INDEX notes_by_time ON notes(mtime_ns DESC)",
    "CREATE INDEX notes_with_problems ON notes(path) WHERE problems <> '[]'",
    """CREATE TABLE tags (
        note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        tag TEXT NOT NULL,
        tag_key TEXT NOT NULL,
        PRIMARY KEY (note_id, position)
    ) WITHOUT ROWID""",
    "CREATE INDEX tags_by_key ON tags(tag_key)",
    """CREATE TABLE bodies (
        note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
        body BLOB NOT NULL             -- see note_codec.py; a table of its own, as lists read many notes and no body
    )""",
    """CREATE TABLE links (
        target INTEGER NOT NULL,       -- what compares with notes.name
        note_id INTEGER NOT NULL,      -- that holds such a link; by the body it is known which rows go with a note
        PRIMARY KEY (target, note_id)
    ) WITHOUT ROWID""",
    """CREATE TABLE chunk_rows (
        id INTEGER PRIMARY KEY,        -- of the note, shifted, and a slot: see keys.py
        number INTEGER NOT NULL,
        content INTEGER NOT NULL,      -- `keys.content_number` of what is embedded
        length INTEGER NOT NULL,       -- terms of the chunk, see `postings/fields.py`
        note_length INTEGER NOT NULL,  -- those that count for its note
        note_id INTEGER NOT NULL GENERATED ALWAYS AS ("""
    + note_of_sql("id")
    + """) VIRTUAL  -- no index: ask by `of_note_sql`
    )""",
    """CREATE TABLE changes (
        note_id INTEGER PRIMARY KEY,   -- of a note that may be gone
        generation INTEGER NOT NULL,   -- in which more of it than its stamp last changed: memory is brought up to it
        worded INTEGER NOT NULL        -- in which its words did, or 0: never later than the other
    )""",
    "CREATE INDEX changes_by_generation ON changes(generation)",
    """CREATE TABLE problems (
        path TEXT PRIMARY KEY,
        reason TEXT NOT NULL,
        skipped INTEGER NOT NULL       -- 1: the file is not in the index at all
    ) WITHOUT ROWID""",
    """CREATE VIEW chunks AS SELECT
        r.id, r.note_id, r.number,
        body_text(b.body, r.id) AS text, body_section(b.body, r.id) AS section,
        body_context(b.body, r.id) AS context, body_headings(b.body, r.id) AS heading_path
    FROM chunk_rows r LEFT JOIN bodies b ON b.note_id = r.note_id""",  # LEFT: not read where only rows are asked for
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
# Of one model's vectors; the names are those of `vectors/rows.py`.
VECTOR_TABLES = (
    """CREATE TABLE {vectors} (
        chunk_id INTEGER PRIMARY KEY REFERENCES chunk_rows(id) ON DELETE CASCADE,
        vector BLOB NOT NULL,          -- int8, one byte a dimension; empty: nothing in the text to embed
        checksum BLOB NOT NULL         -- over the hash of what was embedded and the vector
    )""",
    """CREATE TABLE {titles} (
        note_id INTEGER PRIMARY KEY REFERENCES notes(id) ON DELETE CASCADE,
        title INTEGER NOT NULL,        -- `keys.content_number` of the title's hash
        vector BLOB NOT NULL,          -- as in `vectors`
        checksum BLOB NOT NULL         -- over the hash and the vector
    )""",
)
PENDING_TABLE = "CREATE TABLE {pending} (chunk_id INTEGER PRIMARY KEY REFERENCES chunk_rows(id) ON DELETE CASCADE)"
TABLE_NAMES = frozenset(
    {"notes", "bodies", "tags", "links", "title_vectors", "chunk_rows", "vectors", "pending", "changes", "problems"}
    | {"meta"}
)


def create_tables(connection: apsw.Connection) -> None:
    """Make an empty index of this version in an empty file, in one transaction, without the derived parts."""
    connection.pragma("page_size", PAGE_SIZE)
    connection.pragma("auto_vacuum", "incremental")  # see `give_back_pages`
    connection.pragma("journal_mode", "wal")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    for template in (*VECTOR_TABLES, PENDING_TABLE):
        connection.execute(template.format(vectors="vectors", titles="title_vectors", pending="pending"))
    for key in (meta.GENERATION, meta.NOTES, meta.CHUNKS):
        connection.execute("INSERT INTO meta VALUES (?, '0')", (key,))
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", SCHEMA_VERSION)
    connection.execute("COMMIT")


def give_back_pages(connection: apsw.Connection) -> None:
    """Have the file end where what it holds ends: merging the keyword index leaves pages free, 5 MB of 120."""
    connection.execute("PRAGMA incremental_vacuum").fetchall()  # a page a row
