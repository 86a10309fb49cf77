"""Analyses a note into the columns of the keyword index, by `terms/analysis.py`."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # ships no types

from quarry.index.keyword.forward import ChunkColumns, NameColumns, NoteTerms
from quarry.terms.analysis import AnalysedText, analyse
from quarry.types import Chunk, Note

CHANGES = 5  # raised whenever the same note would give other terms, by a change of ours
# Stored terms are right for this only: another Python brings another Unicode, another stemmer other stems.
TERMS_VERSION = f"{CHANGES}/{unicodedata.unidata_version}/{Stemmer.version()}"

BETWEEN = "\ue000"  # a term that no text has: a phrase does not reach from one alias into the next
CACHED_TEXTS = 512  # a saved note is mostly what it was, and section and context repeat in a note
MAX_TERM_CHARACTERS = 8192  # of up to four bytes each: FTS5 would cut a token of more than 32,768 bytes

# What FTS5's tokenizer would split at or fold, and what separates columns; no analysis gives a term with any of it.
_FOREIGN = re.compile("[\\x00-\\x1f\"'\\x7fA-Z]")
_REPLACED: dict[int, str | int] = {
    **dict.fromkeys((*range(32), ord('"'), ord("'"), 127), "_"),
    **{c: c + 32 for c in range(65, 91)},
}


@lru_cache(maxsize=CACHED_TEXTS)
def _terms(text: str) -> AnalysedText:
    return analyse(text)


def note_terms(note: Note) -> NoteTerms:
    """All terms of *note*: 0.1 ms a chunk, less where the chunk was analysed lately."""
    return NoteTerms(name_columns(note), tuple([chunk_columns(chunk) for chunk in note.chunks]))


def chunk_columns(chunk: Chunk) -> ChunkColumns:
    """The terms of *chunk*."""
    text, section, context = _terms(chunk.text), _terms(chunk.section), _terms(chunk.context)
    return (
        stored(text.words),
        stored(section.words),
        stored(context.words),
        stored(f"{text.compounds} {section.compounds} {context.compounds}"),
        stored(f"{text.parts} {section.parts} {context.parts}"),
    )


def name_columns(note: Note) -> NameColumns:
    """The terms of what *note* is called and filed under."""
    title, name = _terms(note.title), _terms(_file_name(note.path))
    headings = list(dict.fromkeys(heading for chunk in note.chunks for heading in chunk.heading_path))
    compounds = [
        title.compounds,
        _compounds_in(note.aliases),
        name.compounds,
        _compounds_in(headings),
        _compounds_in(note.tags),
    ]
    return (
        stored(title.words),
        stored(_words_in(note.aliases)),
        stored(name.words),
        stored(_words_in(headings)),
        stored(_words_in(note.tags)),
        stored(" ".join(compounds)),
    )


def stored(column: str) -> str:
    """*column*, or a single term, with one space between two terms, each of which FTS5 takes for one token."""
    if "  " in column or column[:1] == " " or column[-1:] == " ":
        column = " ".join(filter(None, column.split(" ")))
    if _FOREIGN.search(column):
        column = column.translate(_REPLACED)
    if len(column) > MAX_TERM_CHARACTERS:
        column = " ".join([term[:MAX_TERM_CHARACTERS] for term in column.split(" ")])
    return column


def _words_in(items: Sequence[str]) -> str:
    return f" {BETWEEN} ".join([_terms(item).words for item in items])


def _compounds_in(items: Iterable[str]) -> str:
    return " ".join([_terms(item).compounds for item in items])


def _file_name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
