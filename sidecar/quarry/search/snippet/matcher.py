"""
Which terms and phrases of a query are highlighted, and how are they looked for in a text?

What depends on the query alone is worked out once for all texts: the prefixes to search for, the literals, the phrases.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.analysis.alternatives import Languages, phrase_alternatives, split_alternatives
from quarry.analysis.analysis import locate_terms
from quarry.analysis.languages import ENGLISH, UNSTEMMED
from quarry.analysis.normalize import language_of_term
from quarry.lazy_pattern import lazy_pattern

WEIGHT_UNIT = 1024  # weights are added up as whole numbers of 1/1024, so that sums do not depend on their order
_CYRILLIC_STEM = lazy_pattern("[\u0400-\u04ff]+[кц]")
CHANGED_LETTERS = 2  # at the end of a stem
_UMLAUT = lazy_pattern("[aou]")
KOREAN_PAIR = lazy_pattern(r"[\uac00-\ud7a3]{2}")


TermMatch: TypeAlias = tuple[int, int, str, int]
"""
A term, pair or phrase of the query found in a text: start and end, its key, which is equal for two occurrences of one
term, and its weight in 1 / WEIGHT_UNIT. A plain tuple, as hundreds are made for one answer.
"""


class HighlightTerms(Struct, frozen=True, dict=True):
    """
    The terms of a query to highlight.

    A word in a script without spaces is given as its pairs of neighbouring characters, and as a single character only
    where it has just one, as `ranking_terms` gives them. A name of several words is marked as one where its words are
    given as a phrase as well.
    """

    weights: Mapping[str, float]  # term or compound -> its weight
    phrases: tuple[tuple[str, ...], ...] = ()  # each: neighbouring terms
    prefix: str | None = None  # folded beginning of the word being typed
    languages: Languages = ()  # of the texts, besides English; a term of several has its alternatives
    patterns: tuple[str, ...] = ()  # regular expressions

    @cached_property
    def matcher(self) -> "Matcher":
        """The matcher that finds these terms in a text, built once."""
        return _build_matcher(self)

    @cached_property
    def _narrowed(self) -> "dict[Languages, HighlightTerms]":
        return {self.languages: self}

    def in_languages(self, languages: Languages) -> "HighlightTerms":
        """These terms, to be highlighted in texts in English and *languages* alone: most notes are in one language."""
        if languages not in self._narrowed:
            self._narrowed[languages] = replace(self, languages=languages)
        return self._narrowed[languages]


class HighlightPhrase(Struct, frozen=True):
    """A sequence of neighbouring terms."""

    terms: tuple[str, ...]
    anchor: int  # index of the term to look for first: the longest is the rarest
    key: str
    language: str


class Matcher(Struct, frozen=True):
    """A `HighlightTerms` prepared for searching texts."""

    values: Mapping[str, int]  # by term, each of several alternatives by itself
    keys: Mapping[str, str]  # the key of the matches of a term, where it is one of several alternatives
    languages: Languages  # that a text may be in: English, and those of the vault
    prefixes: tuple[str, ...]  # a word whose term is wanted and all letters begins with one
    pairs: frozenset[str]  # of characters in scripts without spaces, each a term of its own
    literals: tuple[str, ...]  # compounds that no token has as its term: names with signs, pairs of Korean
    phrases: Mapping[str, tuple[HighlightPhrase, ...]]  # by the term of their anchor
    phrase_value: int  # more than all terms of a window together: a quoted phrase comes first
    prefix: str | None
    prefix_key: str
    prefix_value: int
    known: dict[str, tuple[TermMatch, ...]] = field(default_factory=dict)  # by token; filled by `find_matches`


def _build_matcher(wanted: HighlightTerms) -> Matcher:
    values: dict[str, int] = {}
    keys: dict[str, str] = {}
    languages = frozenset((ENGLISH, *wanted.languages))
    for key, weight in wanted.weights.items():
        each = [term for term in split_alternatives(key) if language_of_term(term) in languages]
        values.update(dict.fromkeys(filter(None, each), max(1, round(weight * WEIGHT_UNIT))))
        keys.update(dict.fromkeys(each, key) if len(each) > 1 else {})
    pairs = frozenset(key for key in values if _is_pair(key))
    literals = tuple(key for key in values if key not in pairs and _is_literal(key))
    anchored: dict[str, tuple[HighlightPhrase, ...]] = {}
    for phrase in wanted.phrases:
        for terms in phrase_alternatives(phrase):
            anchor = max(range(len(terms)), key=lambda n: len(terms[n]))
            language = next(filter(ENGLISH.__ne__, map(language_of_term, terms)), ENGLISH)
            if language not in languages:
                continue
            found = HighlightPhrase(terms, anchor, " ".join(("", *phrase)), language)
            anchored[terms[anchor]] = (*anchored.get(terms[anchor], ()), found)
    prefix = wanted.prefix
    terms_of_prefix = [term.text for term in locate_terms(prefix)] if prefix else []
    prefix_term = next((term for term in terms_of_prefix if term in values), f"{prefix}*")
    prefixes = {start for term in (*(values.keys() - set(literals)), *anchored) for start in _prefixes_of(term)}
    if prefix:
        prefixes.add(prefix)
    return Matcher(
        values,
        keys,
        (ENGLISH, *wanted.languages),
        tuple(_shortest_prefixes(prefixes)),
        pairs,
        literals,
        anchored,
        2 * sum(values.values()) + 1,
        prefix or None,
        keys.get(prefix_term, prefix_term),
        values.get(prefix_term, max(values.values(), default=WEIGHT_UNIT)),
    )


def _shortest_prefixes(prefixes: Iterable[str]) -> Iterator[str]:
    """*prefixes* in order, without those that begin with another of them."""
    last = None
    for prefix in sorted(prefixes):
        if last is None or not prefix.startswith(last):
            last = prefix
            yield prefix


def _is_word(key: str) -> bool:
    """Whether *key* is a single term for certain, as nearly all are."""
    return (key.isascii() and key.isalnum()) or language_of_term(key) != ENGLISH


def _is_pair(key: str) -> bool:
    """Whether *key* is two characters that are each a term."""
    if _is_word(key):
        return False
    terms = list(locate_terms(key))
    return len(terms) == 2 and (0, len(key)) == (terms[0].start, terms[1].end) and terms[0].end == terms[1].start


def _is_literal(key: str) -> bool:
    if _is_word(key):
        return False
    return [(term.start, term.end) for term in locate_terms(key)] != [(0, len(key))] or bool(KOREAN_PAIR.fullmatch(key))


def _prefixes_of(term: str) -> tuple[str, ...]:
    """
    Prefixes such that every word whose term is *term* begins with one of them.

    The whole term, except for a last letter that stemming changed: an `i` for a `y` (`happi`), an `e` that `-ing` had
    replaced (`file` of `filing`), the `l` of `-bl` (`sensibl` of `sensibility`), a consonant that a vowel may precede
    (`заметк` of `заметок`). A contraction has an apostrophe before its `t`.
    """
    if (language := language_of_term(term)) != ENGLISH:
        return _common_beginnings(term[:-1], language)
    if len(term) < 2 or not (term.isascii() and term.isalpha()):
        return (term[:-1],) if _CYRILLIC_STEM.fullmatch(term) else (term,)
    if term[-1] in "ei" or term.endswith("bl"):
        return (term[:-1],)
    return (term, f"{term[:-1]}'", f"{term[:-1]}’") if term[-1] == "t" else (term,)


def _common_beginnings(stem: str, language: str) -> tuple[str, ...]:
    """
    Prefixes such that every word that has this *stem* in *language*, and no accent, begins with one of them.

    Endings change up to two letters before them (`journaux`, `journal`). In German an umlaut may be written as two
    letters, `haeuser`, where the stem has one, `haus`, and participles begin with `ge`.
    """
    if language == UNSTEMMED:
        return (stem,)
    beginning = stem[: max(1, len(stem) - CHANGED_LETTERS)]
    if language != "de":
        return (beginning,)
    if vowel := _UMLAUT.search(stem):
        beginning = stem[: vowel.end()]
    return beginning, f"ge{beginning}"
