"""
The tables of the keyword index, and the views that say what they should hold.

    chunks_fts    chunks by text, section and context (external content: stores no text)
    names_fts     notes by what they are called and filed under (external content as well)
    vocabulary    the terms of `chunks_fts`, with the chunks that hold each

All are derived from the tables of `schema.py`. FTS5 is given terms, not text, by the functions of `keywords.py`.

FTS5 writes a segment a commit, and merges segments when it has many of a size. No merge is to happen while someone
saves: it is put off to idle time (`merge`), when also the terms of removed rows leave the file for good. FTS5 could
remove them at once (`secure-delete`), for 2.5 ms a saved chunk instead of .15 (p99 16 instead of 1).
"""

from collections.abc import Mapping

import apsw

from quarry.index.database import select
from quarry.index.ids import of_note_sql

VIEWS = (
    """CREATE VIEW chunk_terms AS SELECT
        id, words_of(text) AS text, words_of(section) AS section, words_of(context) AS context,
        compounds_of(text) || ' ' || compounds_of(section) || ' ' || compounds_of(context) AS compounds,
        parts_of(text) || ' ' || parts_of(section) || ' ' || parts_of(context) AS parts
    FROM chunks""",
    """CREATE VIEW name_terms AS SELECT
        id, words_of(title) AS title, words_in_list(aliases) AS aliases, words_of(file_name(path)) AS name,
        words_in_list(headings) AS headings, words_in_list(tags) AS tags,
        compounds_of(title) || ' ' || compounds_in_list(aliases) || ' ' || compounds_of(file_name(path)) || ' '
        || compounds_in_list(headings) || ' ' || compounds_in_list(tags) AS compounds
    FROM (SELECT
        n.id, n.title, n.aliases, n.path,
        (SELECT json_group_array(tag) FROM (
            SELECT t.tag FROM tags t WHERE t.note_id = n.id ORDER BY t.position
        )) AS tags,
        (SELECT heading_list(json_group_array(heading_path)) FROM (
            SELECT c.heading_path FROM chunks c WHERE """
    + of_note_sql("c.id", "n.id")
    + """ ORDER BY c.number
        )) AS headings
    FROM notes n)""",
)
# The tokenizer splits at spaces alone: beyond ASCII everything is a letter to it, and so is the punctuation named here.
_KEYWORD_INDEXES = {
    "chunks_fts": """CREATE VIRTUAL TABLE chunks_fts USING fts5(
        text, section, context, compounds, parts, content='chunk_terms', content_rowid='id',
        tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
    )""",
    "names_fts": """CREATE VIRTUAL TABLE names_fts USING fts5(
        title, aliases, name, headings, tags, compounds, content='name_terms', content_rowid='id',
        tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
    )""",
}
_VOCABULARY = "CREATE VIRTUAL TABLE vocabulary USING fts5vocab('chunks_fts', 'row')"
_SET = {
    "chunks_fts": "INSERT INTO chunks_fts(chunks_fts, rank) VALUES (?, ?)",
    "names_fts": "INSERT INTO names_fts(names_fts, rank) VALUES (?, ?)",
}
_MERGE = {
    "chunks_fts": "INSERT INTO chunks_fts(chunks_fts) VALUES ('optimize')",
    "names_fts": "INSERT INTO names_fts(names_fts) VALUES ('optimize')",
}
_REBUILD = {
    "chunks_fts": "INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild')",
    "names_fts": "INSERT INTO names_fts(names_fts) VALUES ('rebuild')",
}


_ALWAYS = {
    "pgsz": 8140,  # bytes of a leaf, which so fills a page of ours; at the head of each, a term is written out in full
    "automerge": 0,  # merges nothing of its own accord
    "secure-delete": 0,
}
_EVERYDAY = {
    **_ALWAYS,
    "crisismerge": 64,  # segments of a size are merged after all: 4,096 saves until that takes all, half a second
    "hashsize": 1 << 20,
}
_BULK = {
    **_ALWAYS,
    "crisismerge": 500,  # FTS5 fails at 2,000 segments
    "hashsize": 16 << 20,  # bytes of terms in memory before a segment is written, commit or not
}


def create_keyword_index(connection: apsw.Connection) -> None:
    """Make `chunks_fts` and `names_fts` if need be, and fill them from what is stored."""
    for name, statement in _KEYWORD_INDEXES.items():
        if not table_exists(connection, name):
            connection.execute(statement)
    if not table_exists(connection, "vocabulary"):
        connection.execute(_VOCABULARY)
    begin_bulk(connection)
    for statement in _REBUILD.values():
        connection.execute(statement)
    merge(connection)


def begin_bulk(connection: apsw.Connection) -> None:
    """
    Set the keyword index up for very many rows, until `merge` ends that: 80,000 take half the time.

    It answers right all the while, more slowly.
    """
    _set_up(connection, _BULK)


def merge(connection: apsw.Connection) -> None:
    """
    What idle time is for: each keyword index becomes one segment, in which no term of a removed row is left.

    Those of 80,000 chunks take .5 s, or nothing where nothing changed. Then single saves are to come, not bulk.
    """
    for statement in _MERGE.values():
        connection.execute(statement)
    _set_up(connection, _EVERYDAY)


def _set_up(connection: apsw.Connection, options: Mapping[str, int]) -> None:
    for statement in _SET.values():
        connection.executemany(statement, options.items())


def has_keyword_index(connection: apsw.Connection) -> bool:
    """Whether every table of it is there."""
    return all(table_exists(connection, name) for name in (*_KEYWORD_INDEXES, "vocabulary"))


def table_exists(connection: apsw.Connection, name: str) -> bool:
    """Whether the database holds a table of that *name*."""
    return bool(select(connection, "SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)))
