"""
The tables of the keyword index, and the views that say what they should hold.

    notes_fts     whole notes (external content: stores no text)
    chunks_fts    chunks by text, section and context (external content as well)
    vocabulary    the terms of `chunks_fts`, with the chunks that hold each

All are derived from the tables of `schema.py`. FTS5 is given terms, not text, by the functions of `keywords.py`.
"""

import apsw

from quarry.index.database import select

VIEWS = (
    """CREATE VIEW chunk_terms AS SELECT
        id, words_of(text) AS text, words_of(section) AS section, words_of(context) AS context,
        compounds_of(text) || ' ' || compounds_of(section) || ' ' || compounds_of(context) AS compounds,
        parts_of(text) || ' ' || parts_of(section) || ' ' || parts_of(context) AS parts
    FROM chunks""",
    """CREATE VIEW note_terms AS SELECT
        id, words_of(title) AS title, words_in_list(aliases) AS aliases, words_of(file_name(path)) AS name,
        words_in_list(headings) AS headings, words_in_list(tags) AS tags, body,
        compounds_of(title) || ' ' || compounds_in_list(aliases) || ' ' || compounds_of(file_name(path)) || ' '
        || compounds_in_list(headings) || ' ' || compounds_in_list(tags) || ' ' || body_compounds AS compounds
    FROM (SELECT
        n.id, n.title, n.aliases, n.path,
        (SELECT json_group_array(t.tag ORDER BY t.position) FROM tags t WHERE t.note_id = n.id) AS tags,
        (SELECT heading_list(json_group_array(c.heading_path ORDER BY c.number))
            FROM chunks c WHERE c.note_id = n.id) AS headings,
        (SELECT ifnull(group_concat(words_of(c.text), ' ' ORDER BY c.number), '')
            FROM chunks c WHERE c.note_id = n.id) AS body,
        (SELECT ifnull(group_concat(compounds_of(c.text), ' ' ORDER BY c.number), '')
            FROM chunks c WHERE c.note_id = n.id) AS body_compounds
    FROM notes n)""",
)
# The tokenizer splits at spaces alone: beyond ASCII everything is a letter to it, and so is the punctuation named here.
_KEYWORD_INDEXES = {
    "chunks_fts": """CREATE VIRTUAL TABLE chunks_fts USING fts5(
        text, section, context, compounds, parts, content='chunk_terms', content_rowid='id',
        tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
    )""",
    "notes_fts": """CREATE VIRTUAL TABLE notes_fts USING fts5(
        title, aliases, name, headings, tags, body, compounds, content='note_terms', content_rowid='id',
        tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
    )""",
}
_VOCABULARY = "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('chunks_fts', 'row')"
_SECURE_DELETE = {  # terms of a removed row leave the segments at once, not at some later merge
    "chunks_fts": "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('secure-delete', 1)",
    "notes_fts": "INSERT INTO notes_fts(notes_fts, rank) VALUES ('secure-delete', 1)",
}
_REBUILD = {
    "chunks_fts": "INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild')",
    "notes_fts": "INSERT INTO notes_fts(notes_fts) VALUES ('rebuild')",
}


def create_keyword_index(connection: apsw.Connection) -> None:
    """Make `chunks_fts` and `notes_fts` if need be, and fill them from what is stored."""
    for name, statement in _KEYWORD_INDEXES.items():
        if not table_exists(connection, name):
            connection.execute(statement)
            connection.execute(_SECURE_DELETE[name])
        connection.execute(_REBUILD[name])
    if not table_exists(connection, "vocabulary"):
        connection.execute(_VOCABULARY)


def has_keyword_index(connection: apsw.Connection) -> bool:
    """Whether every table of it is there."""
    return all(table_exists(connection, name) for name in (*_KEYWORD_INDEXES, "vocabulary"))


def table_exists(connection: apsw.Connection, name: str) -> bool:
    """Whether the database holds a table of that *name*."""
    return bool(select(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)))
