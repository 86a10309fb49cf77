"""
The terms of a query prepared for highlighting, and their matches in a single token.

What depends on the query alone is worked out once for all texts: the prefixes to search for, the literals, the phrases.
A token is analysed only if a prefix occurs where a word or a part of one may begin, or if it has a letter such as é,
which plain search cannot compare. The terms of a token, and its matches for one query, are cached.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.analysis.analysis import (
    Languages,
    LocatedTerm,
    locate_part_terms,
    locate_terms,
    phrase_alternatives,
    split_alternatives,
)
from quarry.analysis.british import shared_beginning
from quarry.analysis.compounds import camel_case_parts
from quarry.analysis.languages import ENGLISH, UNSTEMMED
from quarry.analysis.normalize import fold, language_of_term, plain_stem, stem
from quarry.analysis.tokenizer import ascii_word_spans
from quarry.lazy_pattern import lazy_pattern

WEIGHT_UNIT = 1024  # weights are added up as whole numbers of 1/1024, so that sums do not depend on their order
_CYRILLIC_STEM = lazy_pattern("[\u0400-\u04ff]+[кц]")
CHANGED_LETTERS = 2  # at the end of a stem
_UMLAUT = lazy_pattern("[aou]")
KOREAN_PAIR = lazy_pattern(r"[\uac00-\ud7a3]{2}")

# Words that are also indexed joined: health-check, U.S.A.
_JOINED = lazy_pattern(
    r"(?<!\w)(?<!\w-)[^\W_]++(?:[-_][^\W_]++){1,5}+(?![-_]?\w)|(?<![\w.])[^\W\d_](?:\.[^\W\d_])++(?!\w)"
)
_JOINTS = ("-", "_", ".")
_JOINT = lazy_pattern("[-_.]")
_LETTERS_AND_DIGITS = lazy_pattern("[A-Za-z0-9]++")
_MAX_CACHED_TOKEN_CHARS = 100  # characters; longer tokens are hardly ever met twice
_MAX_CACHED_TOKENS = 8_192  # about 6 MB
_SIGNS = r"[#&'+\-./:@\\_~]*+"  # ASCII punctuation that a token may contain and a word may not
_PLAIN_WORD = lazy_pattern(rf"{_SIGNS}([A-Za-z][a-z]++){_SIGNS}")  # without parts, as most tokens are


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
    cache: dict[str, tuple[TermMatch, ...]] = field(default_factory=dict)  # token -> its matches, of those met so far


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
    (`заметк` of `заметок`). British spellings differ before the end (`colo` of `colour`). A contraction has an
    apostrophe before its `t`.
    """
    if (language := language_of_term(term)) != ENGLISH:
        return _common_beginnings(term[:-1], language)
    if len(term) < 2 or not (term.isascii() and term.isalpha()):
        return (term[:-1],) if _CYRILLIC_STEM.fullmatch(term) else (term,)
    if (beginning := shared_beginning(term)) != term:
        return (beginning,)
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


# --- one token -----------------------------------------------------------------------------------


def token_matches(token: str, places: Sequence[int], matcher: Matcher) -> tuple[TermMatch, ...]:
    """
    Find the query's terms in *token*; offsets count from its start.

    Args:
        places: Offsets at which a prefix of *matcher* occurs, ascending.
    """
    if len(matcher.languages) > 1:
        return _matches_in_languages(token, matcher)
    plain = _PLAIN_WORD.fullmatch(token)
    if plain:
        word = plain[1]
        if not word.lower().startswith(matcher.prefixes):
            return ()
        hit = _match_term(token, stem(word), *plain.span(1), matcher)
        return (hit,) if hit else ()
    if not token.isascii():
        every = itertools.chain(*token_terms(token))
        found = [hit for at in every if (hit := _match_term(token, at.text, at.start, at.end, matcher))]
        return (*found, *_pair_matches(token, matcher)) if matcher.pairs else tuple(found)
    terms = _ascii_terms(token, places, matcher.prefixes)
    return tuple([hit for at in terms if (hit := _match_term(token, *at, matcher))])


def _matches_in_languages(token: str, matcher: Matcher) -> tuple[TermMatch, ...]:
    """The query's terms in *token*, whichever of the matcher's languages it is in."""
    every = (at for language in matcher.languages for at in itertools.chain(*token_terms(token, language)))
    found = [hit for at in every if (hit := _match_term(token, at.text, at.start, at.end, matcher))]
    return tuple(dict.fromkeys([*found, *_pair_matches(token, matcher)]))


def _match_term(token: str, term: str, start: int, end: int, matcher: Matcher) -> TermMatch | None:
    if term in matcher.values:
        return (start, end, matcher.keys.get(term, term), matcher.values[term])
    if matcher.prefix and fold(token[start:end]).startswith(matcher.prefix):
        return (start, end, matcher.prefix_key, matcher.prefix_value)
    return None


def _pair_matches(token: str, matcher: Matcher) -> Iterator[TermMatch]:
    """The matcher's pairs of neighbouring characters in *token*."""
    for one, other in itertools.pairwise(token_terms(token)[0]):
        pair = one.text + other.text
        if one.end == other.start and pair in matcher.pairs:
            yield one.start, other.end, pair, matcher.values[pair]


def _ascii_terms(token: str, places: Sequence[int], prefixes: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """
    The terms of an ASCII token's words and parts that begin with one of *prefixes*; one occurs at each of *places*.

    The other words are not analysed: in an address or a path, that is nearly all of them.
    """
    found: list[tuple[str, int, int]] = []
    may_join = False
    for word, start, end in _words_at_offsets(token, places):
        lower = word.lower()
        if lower.startswith(prefixes):
            found.append((next(locate_terms(word)).text if "'" in word else stem(word), start, end))
        if lower != word or not word.isalpha():
            for first, last in camel_case_parts(word):
                if lower[first:last].startswith(prefixes):
                    found.append((stem(word[first:last]), start + first, start + last))
        may_join = may_join or token[end : end + 1] in _JOINTS
    if may_join:
        for joined in _JOINED.finditer(token):
            whole = _JOINT.sub("", joined[0])
            if whole.lower().startswith(prefixes):
                found.append((stem(whole), *joined.span()))
    return found


def _words_at_offsets(token: str, places: Sequence[int]) -> list[tuple[str, int, int]]:
    """The words of an ASCII token around *places*, which ascend, each with its span; it may give further words."""
    if "'" in token.strip("'"):  # which may be a part of a word
        return ascii_word_spans(token)
    words = []
    end = 0
    for at in places:
        if at >= end and (word := _LETTERS_AND_DIGITS.match(token, at)):
            start, end = at, word.end()
            while start and token[start - 1].isalnum():
                start -= 1
            words.append((token[start:end], start, end))
    return words


def token_terms(token: str, language: str = ENGLISH) -> tuple[tuple[LocatedTerm, ...], tuple[LocatedTerm, ...]]:
    """
    The terms of *token* in *language*, with their places: those of its words; those of its parts and joined forms.
    """
    if len(token) <= _MAX_CACHED_TOKEN_CHARS:
        return _cached_token_terms(token, language)
    return _token_terms(token, language)


def _token_terms(token: str, language: str) -> tuple[tuple[LocatedTerm, ...], tuple[LocatedTerm, ...]]:
    if token.isascii() and token.isalpha() and token[1:].islower():  # as most are: one word without parts
        return (LocatedTerm(stem(token, language), 0, len(token)),), ()
    words = tuple(locate_terms(token, language))
    parts = list(locate_part_terms(token, language))
    parts += [LocatedTerm(stem(_JOINT.sub("", each[0]), language), *each.span()) for each in _JOINED.finditer(token)]
    if language != ENGLISH and not token.isascii():  # as it is found if it was typed without accents
        parts += [LocatedTerm(plain_stem(token[at.start : at.end], language), at.start, at.end) for at in words]
    return words, tuple(parts)


_cached_token_terms = lru_cache(maxsize=_MAX_CACHED_TOKENS)(_token_terms)
