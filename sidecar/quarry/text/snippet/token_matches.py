"""
What of one token is wanted?

A word of ASCII that does not begin like anything wanted is not analysed; of all others is known what they are.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from quarry.terms.analysis import locate, locate_parts
from quarry.terms.compounds import humps
from quarry.terms.normalize import fold, term_of
from quarry.terms.tokenizer import ascii_spans
from quarry.text.snippet.matcher import Found, Plan

# Words that are also known by what they are together: health-check, U.S.A.
_JOINED = re.compile(
    r"(?<!\w)(?<!\w-)[^\W_]++(?:[-_][^\W_]++){1,5}+(?![-_]?\w)|(?<![\w.])[^\W\d_](?:\.[^\W\d_])++(?!\w)"
)
_JOINTS = ("-", "_", ".")
_JOINT = re.compile("[-_.]")
_LETTERS_AND_DIGITS = re.compile("[A-Za-z0-9]++")
_LONGEST_KEPT = 100  # characters; longer tokens are hardly ever met twice
_KEPT_TOKENS = 8_192  # about 6 MB
_SIGNS = "#&'+-./:@\\_~"  # what is left of ASCII: a token may hold these, a word by itself does not


class At(NamedTuple):
    """A term in a token, `[start, end)` counted from the token's start."""

    term: str
    start: int
    end: int


def hits_in(token: str, places: Sequence[int], plan: Plan) -> tuple[Found, ...]:
    """What is wanted of *token* by itself, counted from its start: something wanted may begin at *places*."""
    if not token.isascii():
        found = [hit for at in itertools.chain(*terms_of(token)) if (hit := _hit(token, *at, plan))]
        return (*found, *_pairs(token, plan)) if plan.pairs else tuple(found)
    bare = token.strip(_SIGNS)
    if not (bare.isalpha() and bare[1:].islower()):
        terms = _ascii_terms(token, places, plan.probes)
        return tuple([hit for at in terms if (hit := _hit(token, *at, plan))])
    if not bare.lower().startswith(plan.probes):
        return ()
    start = token.index(bare)
    hit = _hit(token, term_of(bare), start, start + len(bare), plan)
    return (hit,) if hit else ()


def _hit(token: str, term: str, start: int, end: int, plan: Plan) -> Found | None:
    value = plan.values.get(term)
    if value is not None:
        return (start, end, term, value)
    if plan.prefix and fold(token[start:end]).startswith(plan.prefix):
        return (start, end, plan.prefix_key, plan.prefix_value)
    return None


def _pairs(token: str, plan: Plan) -> Iterator[Found]:
    """The wanted pairs of neighbouring characters."""
    for one, other in itertools.pairwise(terms_of(token)[0]):
        pair = one.term + other.term
        if one.end == other.start and pair in plan.pairs:
            yield one.start, other.end, pair, plan.values[pair]


def _ascii_terms(token: str, places: Sequence[int], probes: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """
    The words and parts of an ASCII token that begin with one of *probes*, as something at *places* does.

    The others are not analysed, and of an address, or a path, these are nearly all.
    """
    found: list[tuple[str, int, int]] = []
    may_join = False
    for word, start, end in _words_at(token, places):
        lower = word.lower()
        if lower.startswith(probes):
            found.append((next(locate(word)).text if "'" in word else term_of(word), start, end))
        if lower != word or not word.isalpha():
            for first, last in humps(word):
                if lower[first:last].startswith(probes):
                    found.append((term_of(word[first:last]), start + first, start + last))
        may_join = may_join or token[end : end + 1] in _JOINTS
    if may_join:
        for joined in _JOINED.finditer(token):
            whole = _JOINT.sub("", joined[0])
            if whole.lower().startswith(probes):
                found.append((term_of(whole), *joined.span()))
    return found


def _words_at(token: str, places: Sequence[int]) -> list[tuple[str, int, int]]:
    """The words of an ASCII token that *places*, which ascend, stand in, with where they stand; perhaps others, too."""
    if "'" in token.strip("'"):  # which may be a part of a word
        return ascii_spans(token)
    words = []
    end = 0
    for at in places:
        if at >= end and (word := _LETTERS_AND_DIGITS.match(token, at)):
            start, end = at, word.end()
            while start and token[start - 1].isalnum():
                start -= 1
            words.append((token[start:end], start, end))
    return words


def terms_of(token: str) -> tuple[tuple[At, ...], tuple[At, ...]]:
    """The words of *token*, and what else stands in it: the parts of words, and what several are together."""
    return _kept_terms(token) if len(token) <= _LONGEST_KEPT else _terms(token)


def _terms(token: str) -> tuple[tuple[At, ...], tuple[At, ...]]:
    """The words of a token, and its compounds that can be placed in it."""
    if token.isascii() and token.isalpha() and token[1:].islower():  # as most are: one word without parts
        return (At(term_of(token), 0, len(token)),), ()
    words = tuple(At(term.text, term.start, term.end) for term in locate(token))
    parts = [At(part.text, part.start, part.end) for part in locate_parts(token)]
    parts += [At(term_of(joined[0].translate(_JOINTS)), *joined.span()) for joined in _JOINED.finditer(token)]
    return words, tuple(parts)


_kept_terms = lru_cache(maxsize=_KEPT_TOKENS)(_terms)
