"""Analyses a note into the columns of the keyword index, by `analysis/analysis.py`."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # ships no types

from quarry.analysis.analysis import AnalysedText, analyse, unaccented_terms
from quarry.analysis.languages import ENGLISH, UNSTEMMED, declared_language, language_of
from quarry.analysis.normalize import TAGS
from quarry.index.postings.forward import ChunkColumns, NameColumns, NoteTerms
from quarry.kinds import bare_name
from quarry.types import Chunk, Note, Stemming

CHANGES = 8  # raised whenever the same note would give other terms, by a change of ours
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


SAMPLED_CHUNKS = 4  # the first of a note, whose beginnings tell its language
SAMPLED_CHARS = 200  # of each

_TAG = re.compile(f"[{''.join(TAGS.values())}]")


@lru_cache(maxsize=CACHED_TEXTS)
def _terms(text: str, language: str) -> AnalysedText:
    """What *text* is analysed into, as it is `stored`: what repeats within a note is so put in form once."""
    found, unaccented = analyse(text, language), unaccented_terms(text, language)
    return AnalysedText(
        stored(found.words),
        stored(f"{found.compounds} {unaccented}" if unaccented else found.compounds),
        stored(found.parts),
    )


def note_terms(note: Note, stemming: Stemming = "by-language") -> NoteTerms:
    """All terms of *note*: 0.1 ms a chunk, less where the chunk was analysed lately."""
    declared = declared_language(note.properties) if stemming == "by-language" else UNSTEMMED
    language = declared or _language_of_note(note)
    chunks = [chunk_columns(chunk, declared or _language_of_chunk(chunk, language)) for chunk in note.chunks]
    return NoteTerms(name_columns(note, language), tuple(chunks))


def languages_in(terms: NoteTerms) -> str | None:
    """The languages other than English that *terms* are stemmed in, with spaces between; None if there is none."""
    columns = [*terms.names, *[column for columns in terms.chunks for column in columns]]
    tags = {tag for column in columns if not column.isascii() for tag in _TAG.findall(column)}
    return " ".join([language for language, tag in TAGS.items() if tag in tags]) or None


def _language_of_note(note: Note) -> str:
    sample = "\n".join([chunk.text[:SAMPLED_CHARS] for chunk in note.chunks[:SAMPLED_CHUNKS]])
    return language_of(sample) or language_of(f"{note.title}\n{sample}") or ENGLISH


def _language_of_chunk(chunk: Chunk, of_note: str) -> str:
    """The language of *chunk*. In an English note only letters with accents make it worth asking."""
    if of_note == ENGLISH and chunk.text.isascii():
        return ENGLISH
    return language_of(chunk.text) or of_note


def chunk_columns(chunk: Chunk, language: str = ENGLISH) -> ChunkColumns:
    """The terms of *chunk*, which is in *language*."""
    text, section, context = [_terms(each, language) for each in (chunk.text, chunk.section, chunk.context)]
    return (
        text.words,
        section.words,
        context.words,
        _joined(text.compounds, section.compounds, context.compounds),
        _joined(text.parts, section.parts, context.parts),
    )


def name_columns(note: Note, language: str = ENGLISH) -> NameColumns:
    """The terms of what *note*, which is in *language*, is called and filed under."""
    title, name = _terms(note.title, language), _terms(bare_name(note.path), language)
    headings = list(dict.fromkeys(heading for chunk in note.chunks for heading in chunk.heading_path))
    compounds = [
        title.compounds,
        _compounds_in(note.aliases, language),
        name.compounds,
        _compounds_in(headings, language),
        _compounds_in(note.tags, language),
    ]
    return (
        title.words,
        stored(_words_in(note.aliases, language)),
        name.words,
        stored(_words_in(headings, language)),
        stored(_words_in(note.tags, language)),
        _joined(*compounds),
    )


def stored(column: str) -> str:
    """*column*, or a single term, with one space between two terms, each of which FTS5 takes for one token."""
    if not column:
        return column
    if "  " in column or column[:1] == " " or column[-1:] == " ":
        column = " ".join(filter(None, column.split(" ")))
    if _FOREIGN.search(column):
        column = column.translate(_REPLACED)
    if len(column) > MAX_TERM_CHARACTERS:
        column = " ".join([term[:MAX_TERM_CHARACTERS] for term in column.split(" ")])
    return column


def _words_in(items: Sequence[str], language: str) -> str:
    return f" {BETWEEN} ".join([_terms(item, language).words for item in items])


def _compounds_in(items: Iterable[str], language: str) -> str:
    return _joined(*[_terms(item, language).compounds for item in items])


def _joined(*columns: str) -> str:
    """*columns*, each as it is `stored`, as one."""
    return " ".join(filter(None, columns))
