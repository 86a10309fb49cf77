"""
Which terms of the query does one token hold?

An ASCII word that begins with none of the matcher's prefixes is not analysed. The terms of other tokens are cached.
"""

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quarry.analysis.analysis import locate_part_terms, locate_terms
from quarry.analysis.compounds import camel_case_parts
from quarry.analysis.languages import ENGLISH
from quarry.analysis.normalize import fold, plain_stem, stem
from quarry.analysis.tokenizer import ascii_word_spans
from quarry.lazy_pattern import lazy_pattern
from quarry.search.snippet.matcher import Matcher, TermMatch

# Words that are also indexed joined: health-check, U.S.A.
_JOINED = lazy_pattern(
    r"(?<!\w)(?<!\w-)[^\W_]++(?:[-_][^\W_]++){1,5}+(?![-_]?\w)|(?<![\w.])[^\W\d_](?:\.[^\W\d_])++(?!\w)"
)
_JOINTS = ("-", "_", ".")
_JOINT = lazy_pattern("[-_.]")
_LETTERS_AND_DIGITS = lazy_pattern("[A-Za-z0-9]++")
_MAX_CACHED_TOKEN_CHARS = 100  # characters; longer tokens are hardly ever met twice
_MAX_CACHED_TOKENS = 8_192  # about 6 MB
_SIGNS = r"[#&'+\-./:@\\_~]*+"  # ASCII punctuation that a token may hold and a word may not
_PLAIN_WORD = lazy_pattern(rf"{_SIGNS}([A-Za-z][a-z]++){_SIGNS}")  # without parts, as most tokens are


class TokenTerm(NamedTuple):
    """A term in a token, `[start, end)` counted from the token's start."""

    term: str
    start: int
    end: int


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
        found = [hit for at in itertools.chain(*token_terms(token)) if (hit := _match_term(token, *at, matcher))]
        return (*found, *_pair_matches(token, matcher)) if matcher.pairs else tuple(found)
    terms = _ascii_terms(token, places, matcher.prefixes)
    return tuple([hit for at in terms if (hit := _match_term(token, *at, matcher))])


def _matches_in_languages(token: str, matcher: Matcher) -> tuple[TermMatch, ...]:
    """The query's terms in *token*, whichever of the matcher's languages it is in."""
    every = (at for language in matcher.languages for at in itertools.chain(*token_terms(token, language)))
    found = [hit for at in every if (hit := _match_term(token, *at, matcher))]
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
        pair = one.term + other.term
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


def token_terms(token: str, language: str = ENGLISH) -> tuple[tuple[TokenTerm, ...], tuple[TokenTerm, ...]]:
    """
    The terms of *token* in *language*, each where it stands: those of its words; those of its parts and joined forms.
    """
    if len(token) <= _MAX_CACHED_TOKEN_CHARS:
        return _cached_token_terms(token, language)
    return _token_terms(token, language)


def _token_terms(token: str, language: str) -> tuple[tuple[TokenTerm, ...], tuple[TokenTerm, ...]]:
    if token.isascii() and token.isalpha() and token[1:].islower():  # as most are: one word without parts
        return (TokenTerm(stem(token, language), 0, len(token)),), ()
    words = tuple(TokenTerm(term.text, term.start, term.end) for term in locate_terms(token, language))
    parts = [TokenTerm(part.text, part.start, part.end) for part in locate_part_terms(token, language)]
    parts += [TokenTerm(stem(_JOINT.sub("", each[0]), language), *each.span()) for each in _JOINED.finditer(token)]
    if language != ENGLISH and not token.isascii():  # as it is found if it was typed without accents
        parts += [TokenTerm(plain_stem(token[at.start : at.end], language), at.start, at.end) for at in words]
    return words, tuple(parts)


_cached_token_terms = lru_cache(maxsize=_MAX_CACHED_TOKENS)(_token_terms)
