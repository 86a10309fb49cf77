"""
The terms of a note, by field and in text order: the forward index.

A note is analysed by `analysis/analysis.py`; its terms are stored in its body.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeAlias

import Stemmer  # type: ignore[import-not-found]  # ships no types
from msgspec import Struct

from quarry.analysis.analysis import AnalysedText, Languages, analyse, phrase_terms, ranking_terms, unaccented_terms
from quarry.analysis.languages import ENGLISH, UNSTEMMED, declared_language, language_of
from quarry.analysis.normalize import TAGS, fold
from quarry.kinds import bare_name
from quarry.options import Stemming
from quarry.types import Chunk, Note

ChunkFields: TypeAlias = tuple[str, str, str, str, str]
"""The terms of a chunk, each field with one space between two: text, section, context, compounds, parts."""
NameFields: TypeAlias = tuple[str, str, str, str, str, str]
"""The terms of a note's names, likewise: title, aliases, file name, headings, tags, compounds."""

CHUNK_FIELDS = 5
NAME_FIELDS = 6
TEXT, SECTION, COMPOUNDS, PARTS = 0, 1, 3, 4  # fields of a chunk
TITLE, ALIASES, FILE_NAME = 0, 1, 2  # fields of the names
IN_ORDER = 3  # the first fields of a chunk, in which terms follow each other as in the text: text, section, context
NAMES_IN_ORDER = 5  # of the names, likewise

_SEPARATOR = "\x1f"  # between fields; no term contains a control character, see `stored`
_SEPARATOR_BYTE = _SEPARATOR.encode()


class NoteTerms(NamedTuple):
    """The terms of a note."""

    names: NameFields
    chunks: tuple[ChunkFields, ...]

    def distinct(self) -> str:
        """Each term once, in no particular order, with one space between two."""
        found = {term for fields in (self.names, *self.chunks) for field in fields for term in field.split(" ")}
        found.discard("")
        return " ".join(found)


def field_length(field: str) -> int:
    """The number of terms in a field."""
    return field.count(" ") + 1 if field else 0


def chunk_lengths(fields: ChunkFields) -> tuple[int, int]:
    """The number of terms in all fields of a chunk, and in those that count for its note: text, compounds and parts."""
    each = [field_length(field) for field in fields]
    return sum(each), each[TEXT] + each[COMPOUNDS] + each[PARTS]


def name_length(fields: NameFields) -> int:
    """The number of terms in a note's names."""
    return sum([field_length(field) for field in fields])


def encode_terms(terms: NoteTerms) -> str:
    """*terms* as one line of text."""
    return _SEPARATOR.join([*terms.names, *[field for fields in terms.chunks for field in fields]])


def chunks_in_order(line: bytes, numbers: Sequence[int]) -> list[bytes]:
    """
    The fields of each of these chunks that have the order of the text, `spaced`.

    Args:
        line: What `encode_terms` wrote; a long one is not split further than is needed.
        numbers: Of chunks of this note, at least one.
    """
    begins = [NAME_FIELDS + number * CHUNK_FIELDS for number in numbers]
    fields = line.split(_SEPARATOR_BYTE, max(begins) + IN_ORDER)
    return [spaced(_SEPARATOR_BYTE.join(fields[begin : begin + IN_ORDER])) for begin in begins]


def decode_terms(line: str) -> NoteTerms:
    """
    The terms that `encode_terms` wrote.

    Raises:
        ValueError: *line* has another number of fields than any note.
    """
    fields = line.split(_SEPARATOR)
    if len(fields) < NAME_FIELDS or (len(fields) - NAME_FIELDS) % CHUNK_FIELDS:
        raise ValueError(f"{len(fields)} fields of terms are those of no note")
    starts = range(NAME_FIELDS, len(fields), CHUNK_FIELDS)
    chunks = tuple([tuple(fields[at : at + CHUNK_FIELDS]) for at in starts])
    return NoteTerms(tuple(fields[:NAME_FIELDS]), chunks)  # type: ignore[arg-type]  # tuples of these lengths


def spaced(line: bytes) -> bytes:
    """An encoded line with a space before and after every term, so that terms can be searched for as text."""
    return b" " + line.replace(_SEPARATOR_BYTE, b" " + _SEPARATOR_BYTE + b" ") + b" "


def occurrences_by_field(phrase: bytes, line: bytes) -> list[tuple[int, int]]:
    """
    Where a term, or terms side by side, stand in a `spaced` line.

    Args:
        phrase: The terms, with one space between two.

    Returns:
        Fields, ascending, and how often the phrase stands in each: the names' from 0 on, then those of each chunk.
    """
    wanted = b" " + phrase + b" "
    found: list[tuple[int, int]] = []
    field, counted, at = 0, 0, line.find(wanted)
    while at >= 0:
        field += line.count(_SEPARATOR_BYTE, counted, at)
        counted = at
        if found and found[-1][0] == field:
            found[-1] = (field, found[-1][1] + 1)
        else:
            found.append((field, 1))
        at = line.find(wanted, at + 1)  # they may overlap: `a a` stands twice in `a a a`
    return found


def occurrences_with_prefix(prefix: bytes, line: bytes) -> dict[bytes, list[tuple[int, int]]]:
    """The `occurrences_by_field` of every term of a `spaced` line that begins with *prefix*, found in one pass."""
    wanted = b" " + prefix
    found: dict[bytes, list[tuple[int, int]]] = {}
    field, counted, at = 0, 0, line.find(wanted)
    while at >= 0:
        field += line.count(_SEPARATOR_BYTE, counted, at)
        counted, end = at, line.index(b" ", at + len(wanted))
        fields = found.setdefault(line[at + 1 : end], [])
        if fields and fields[-1][0] == field:
            fields[-1] = (field, fields[-1][1] + 1)
        else:
            fields.append((field, 1))
        at = line.find(wanted, end)
    return found


def stands_in_text(phrase: bytes, line: bytes) -> bool:
    """Whether *phrase*, of two or more terms, stands in the text of a note, over a border of chunks or not."""
    if phrase not in line and not _may_cross_fields(phrase, line):  # nearly every note ends here
        return False
    texts = line.split(_SEPARATOR_BYTE)[NAME_FIELDS + TEXT :: CHUNK_FIELDS]
    return b" " + phrase + b" " in b" " + b" ".join(filter(None, texts)) + b" "


def _may_cross_fields(phrase: bytes, line: bytes) -> bool:
    """Whether some field of *line* ends as *phrase* begins, and one begins as it ends."""
    words = phrase.split(b" ")
    borders = range(1, len(words))
    return any(b" ".join(words[:border]) + _SEPARATOR_BYTE in line for border in borders) and any(
        _SEPARATOR_BYTE + b" ".join(words[border:]) in line for border in borders
    )


CHANGES = 8  # raised whenever the same note would give other terms, by a change of ours
# Stored terms are right for this only: another Python brings another Unicode, another stemmer other stems.
TERMS_VERSION = f"{CHANGES}/{unicodedata.unidata_version}/{Stemmer.version()}"

BETWEEN = "\ue000"  # a term that no text has: a phrase does not reach from one alias into the next
CACHED_TEXTS = 512  # a saved note is mostly what it was, and section and context repeat in a note
MAX_TERM_CHARACTERS = 8192  # of up to four bytes each: FTS5 would cut a token of more than 32,768 bytes

# What FTS5's tokenizer would split at or fold, and what separates fields; no analysis gives a term with any of it.
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
    chunks = [chunk_fields(chunk, declared or _language_of_chunk(chunk, language)) for chunk in note.chunks]
    return NoteTerms(name_fields(note, language), tuple(chunks))


def languages_in(terms: NoteTerms) -> str | None:
    """The languages other than English that *terms* are stemmed in, with spaces between; None if there is none."""
    fields = [*terms.names, *[field for fields in terms.chunks for field in fields]]
    tags = {tag for field in fields if not field.isascii() for tag in _TAG.findall(field)}
    return " ".join([language for language, tag in TAGS.items() if tag in tags]) or None


def _language_of_note(note: Note) -> str:
    sample = "\n".join([chunk.text[:SAMPLED_CHARS] for chunk in note.chunks[:SAMPLED_CHUNKS]])
    return language_of(sample) or language_of(f"{note.title}\n{sample}") or ENGLISH


def _language_of_chunk(chunk: Chunk, of_note: str) -> str:
    """The language of *chunk*. In an English note only letters with accents make it worth asking."""
    if of_note == ENGLISH and chunk.text.isascii():
        return ENGLISH
    return language_of(chunk.text) or of_note


def chunk_fields(chunk: Chunk, language: str = ENGLISH) -> ChunkFields:
    """The terms of *chunk*, which is in *language*."""
    text, section = _terms(chunk.text, language), _terms(chunk.section, language)
    context = _terms(chunk.context, language)
    return (
        text.words,
        section.words,
        context.words,
        _joined(text.compounds, section.compounds, context.compounds),
        _joined(text.parts, section.parts, context.parts),
    )


def name_fields(note: Note, language: str = ENGLISH) -> NameFields:
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


def stored(field: str) -> str:
    """*field*, or a single term, with one space between two terms, each of which FTS5 takes for one token."""
    if not field:
        return field
    if "  " in field or field[:1] == " " or field[-1:] == " ":
        field = " ".join(filter(None, field.split(" ")))
    if _FOREIGN.search(field):
        field = field.translate(_REPLACED)
    if len(field) > MAX_TERM_CHARACTERS:
        field = " ".join([term[:MAX_TERM_CHARACTERS] for term in field.split(" ")])
    return field


def _words_in(items: Sequence[str], language: str) -> str:
    return f" {BETWEEN} ".join([_terms(item, language).words for item in items])


def _compounds_in(items: Iterable[str], language: str) -> str:
    return _joined(*[_terms(item, language).compounds for item in items])


def _joined(*fields: str) -> str:
    """*fields*, each as it is `stored`, as one."""
    return " ".join(filter(None, fields))


MAX_TERMS = 32  # phrases and terms of a query that rank; what is beyond is dropped


# Letters that a word in the text must begin with: "s" alone begins so many that ranking them takes 71 ms. With fewer,
# only names are searched for words that begin so.
MIN_PREFIX = 3


class QueryTerm(NamedTuple):
    """A unit that is scored as one term: a term, a phrase or a prefix, spelled as the index spells terms."""

    text: str  # of a phrase: its terms, with one space between two
    kind: Literal["term", "prefix", "name-prefix", "phrase"] = "term"

    @property
    def is_prefix(self) -> bool:
        """Whether it stands for every term that begins with it; a `name-prefix` only for those of names."""
        return self.kind in ("prefix", "name-prefix")


def query_term(term: str) -> QueryTerm:
    """The unit for *term* as a text or a query has it."""
    return QueryTerm(stored(term))


class KeywordQuery(Struct, frozen=True, dict=True):
    """Terms, phrases and a prefix to rank by; a document needs one of them, and more are better."""

    terms: tuple[str, ...] = ()  # of words and compounds, the most telling first
    phrases: tuple[tuple[str, ...], ...] = ()  # terms side by side, two or more
    prefix: str | None = None  # folded; what some term begins with
    name_prefix: str | None = None  # folded; what some term of a name begins with; too short for texts

    @classmethod
    def of(
        cls,
        words: Iterable[str],
        phrases: Iterable[str] = (),
        prefix: str | None = None,
        languages: Languages = (),
    ) -> "KeywordQuery":
        """
        The query for what was typed.

        Args:
            prefix: The word that is still being typed; it is one of *words*, too.
            languages: Of the vault, besides English.
        """
        wanted = [phrase_terms(phrase, languages) for phrase in phrases]
        terms = [term for word in words for term in ranking_terms(word, languages)]
        terms += [term for phrase in wanted if len(phrase) == 1 for term in phrase]
        together = tuple(dict.fromkeys(phrase for phrase in wanted if len(phrase) > 1))
        begun = _prefix(prefix)
        is_short = begun is not None and is_short_prefix(begun)
        return cls(tuple(dict.fromkeys(terms)), together, *((None, begun) if is_short else (begun, None)))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to rank by."""
        return not (self.terms or self.phrases or self.prefix or self.name_prefix)

    @cached_property
    def scored(self) -> tuple[QueryTerm, ...]:
        """Everything that adds to a score; phrases and terms beyond the first `MAX_TERMS` are left out."""
        phrases = [QueryTerm(stored(" ".join(phrase)), "phrase") for phrase in self.phrases]
        terms = [query_term(term) for term in self.terms if term]
        prefix = [QueryTerm(stored(self.prefix), "prefix")] if self.prefix else []
        if self.name_prefix:
            prefix.append(QueryTerm(stored(self.name_prefix), "name-prefix"))
        return (*phrases[:MAX_TERMS], *terms[: max(0, MAX_TERMS - len(phrases))], *prefix)


def is_short_prefix(word: str) -> bool:
    """Whether *word*, which is being typed, has too few letters to say what will become of it."""
    return word.isascii() and len(word) < MIN_PREFIX


def _prefix(word: str | None) -> str | None:
    """The prefix of the terms that *word* may become; None where it is no single word."""
    if word is None or " " in word or len(phrase_terms(word)) != 1:
        return None
    return fold(word) or None
