"""
What the keyword index sees of a row: SQL functions over `terms/`, which the views of the schema are made of.

The views say what FTS5 should hold, so that it can fill itself anew and be compared with what is stored.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

import apsw
import Stemmer  # type: ignore[import-not-found]  # ships no types

from quarry.index.database import SqlValue
from quarry.terms.analysis import AnalysedText, analyse
from quarry.types import Note

CHANGES = 3  # raised whenever the same note would give other terms, by a change of ours
# What FTS5 holds is right for this only: another Python brings another Unicode, another stemmer other stems.
VERSION = f"{CHANGES}/{unicodedata.unidata_version}/{Stemmer.version()}"

BETWEEN = "\ue000"  # a term that no text has: a phrase does not reach from one alias into the next
CACHED_TEXTS = 256  # the views ask a text three times; section and context repeat in a note

_terms = lru_cache(maxsize=CACHED_TEXTS)(analyse)


def terms(text: str) -> AnalysedText:
    """`analyse`, which remembers the last few texts."""
    return _terms(text)


ChunkColumns = tuple[str, str, str, str, str]
"""What `chunks_fts` holds of a chunk: text, section, context, compounds, parts."""


def chunk_columns(text: str, section: str, context: str) -> ChunkColumns:
    """The columns of a chunk in `chunks_fts`, as the view `chunk_terms` has them."""
    a, b, c = terms(text), terms(section), terms(context)
    compounds, parts = f"{a.compounds} {b.compounds} {c.compounds}", f"{a.parts} {b.parts} {c.parts}"
    return a.words, b.words, c.words, compounds, parts


NoteColumns = tuple[SqlValue, ...]
"""What `names_fts` holds of a note: title, aliases, name, headings, tags, compounds."""


def note_columns(note: Note) -> NoteColumns:
    """The columns of a note in `names_fts`, as the view `name_terms` has them once it is stored."""
    title, name = terms(note.title), terms(_file_name(note.path))
    headings = list(dict.fromkeys(heading for chunk in note.chunks for heading in chunk.heading_path))
    lists = (note.aliases, headings, note.tags)
    compounds = [
        title.compounds,
        _compounds_in(note.aliases),
        name.compounds,
        _compounds_in(headings),
        _compounds_in(note.tags),
    ]
    aliases, headed, tags = map(_words_in, lists)
    return title.words, aliases, name.words, headed, tags, " ".join(compounds)


def register(connection: apsw.Connection) -> None:
    """Make the functions of the views known to *connection*; innocuous: they only compute."""
    functions: tuple[tuple[str, Callable[..., SqlValue], int], ...] = (
        ("words_of", _words_of, 1),
        ("compounds_of", _compounds_of, 1),
        ("parts_of", _parts_of, 1),
        ("words_in_list", _words_in_list, 1),
        ("compounds_in_list", _compounds_in_list, 1),
        ("heading_list", _heading_list, 1),
        ("file_name", _file_name, 1),
    )
    for name, function, count in functions:
        connection.create_scalar_function(name, function, count, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)


def _words_of(text: SqlValue) -> str:
    return terms(str(text)).words


def _compounds_of(text: SqlValue) -> str:
    return terms(str(text)).compounds


def _parts_of(text: SqlValue) -> str:
    return terms(str(text)).parts


def _words_in_list(column: SqlValue) -> str:
    return _words_in(_items(column))


def _compounds_in_list(column: SqlValue) -> str:
    return _compounds_in(_items(column))


def _words_in(items: Iterable[str]) -> str:
    return f" {BETWEEN} ".join(terms(item).words for item in items)


def _compounds_in(items: Iterable[str]) -> str:
    return " ".join(terms(item).compounds for item in items)


def _heading_list(column: SqlValue) -> str:
    """JSON array of the heading paths of a note's chunks -> JSON array of its headings, each once."""
    headings = dict.fromkeys(heading for path in _items(column) for heading in _items(path))
    return json.dumps(list(headings), ensure_ascii=False)


def _file_name(path: SqlValue) -> str:
    return str(path).rpartition("/")[2].removesuffix(".md")


def _items(column: SqlValue) -> list[str]:
    """What a JSON column lists; nothing where it is damaged, which the row's checksum will tell."""
    try:
        found = json.loads(str(column))
    except ValueError:
        return []
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []
