"""
Which stretches of a text does a query mark?

A stretch is marked where its term is one that the query wants, so marks stand where the keyword index matched. The
text is not taken apart as a whole, which would cost more than the ranking: first the beginnings of the wanted terms are
looked for as plain strings, and only what stands around them is analysed.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from quarry.terms.analysis import locate, locate_parts
from quarry.terms.cutting import TOKEN
from quarry.terms.folding import fold, term_of

UNIT = 1024  # weights are added up as whole numbers of 1/1024, so that sums do not depend on their order

# Signs that terms do not keep as they are written, beyond their case; a token that holds one is analysed wherever it
# stands. The others are found as plain strings: ASCII, most of Cyrillic, ideographs, kana, Korean, pictures.
FOLDED = re.compile(
    r"[^\x00-\x7f\xa1-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf\u0410-\u0418\u041a-\u0438\u043a-\u044f"
    r"\u2010\u2012-\u2016\u2018-\u2023\u2027\u2030-\u2032\u2039-\u203b\u2190-\u2199\u219c-\u21ad\u21d0-\u2203\u2300-\u2328\u232b-\u245f"
    r"\u2500-\u29ff\u2b00-\u2bff\u3001-\u3035\u3041-\u3096\u309d\u309e\u30a0-\u30fe\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\U0001f300-\U0001f3fa\U0001f400-\U0001faff]++"
)
_KOREAN_PAIR = re.compile(r"[\uac00-\ud7a3]{2}")
# Words that are also known by what they are together: health-check, U.S.A.
_JOINED = re.compile(
    r"(?<!\w)(?<!\w-)[^\W_]++(?:[-_][^\W_]++){1,5}+(?![-_]?\w)|(?<![\w.])[^\W\d_](?:\.[^\W\d_])++(?!\w)"
)
_JOINTS = str.maketrans("", "", "-_.")
_LOOK_BACK = 64  # characters in which the beginning of a token is looked for at first
_LONGEST_KEPT = 100  # characters; longer tokens are hardly ever met twice
_KEPT_TOKENS = 8_192  # about 6 MB


class Found(NamedTuple):
    """A wanted term, pair or phrase in a text."""

    start: int
    end: int
    key: str  # equal for the same one found twice
    value: int  # how telling it is, in 1 / UNIT


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch to mark; a word's mark may lie inside a sentence's."""

    start: int
    end: int
    kind: Literal["word", "sentence"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What a query wants marked.

    Of a word in a script without spaces the pairs of neighbouring characters are wanted, and a single character only
    where the word is no longer, as `ranking_terms` gives them. A name of several words is marked as one where its
    words are handed in as a phrase as well.
    """

    weights: Mapping[str, float]  # term or compound -> how telling it is
    phrases: tuple[tuple[str, ...], ...] = ()  # terms that stand next to each other
    prefix: str | None = None  # folded beginning of the word being typed
    plan: "_Plan" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plan", _plan(self.weights, self.phrases, self.prefix))


def spans_of(text: str, wanted: Wanted) -> tuple[Mark, ...]:
    """The marks of *text*, a title or a heading, in order; none overlap or touch."""
    return tuple(Mark(start, end, "word") for start, end in merged(find(text, wanted)))


def merged(found: Sequence[Found]) -> list[tuple[int, int]]:
    """
    One `[start, end)` for all that overlap or touch: a phrase's words, a run's pairs, the parts of a name.

    *found* is in the order of `find`.
    """
    spans: list[tuple[int, int]] = []
    for start, end, _, _ in found:
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def find(text: str, wanted: Wanted) -> list[Found]:
    """All that is wanted in *text*, by where it begins; some may overlap."""
    plan = wanted.plan
    shadow = text.lower() if text.isascii() else text.replace("İ", "I").lower()  # else this letter becomes two
    found = [at for literal in plan.literals for at in _find_literal(shadow, literal, plan)]
    end = 0
    for offset in _offsets(text, shadow, plan):
        if offset >= end:
            token = _token_at(text, offset, end)
            end = token.end
            _find_in(text, token, plan, found)
    found.sort()
    return found


# --- what to look for ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Phrase:
    terms: tuple[str, ...]
    anchor: int  # the term to look for first: the longest is met least often
    key: str


@dataclass(frozen=True, slots=True)
class _Plan:
    """What follows from a `Wanted` alone, worked out once for all texts."""

    values: Mapping[str, int]
    probes: tuple[str, ...]  # every wanted term of plain letters begins with one of them, as it is written
    pairs: frozenset[str]  # of characters in scripts without spaces, each a term of its own
    literals: tuple[str, ...]  # compounds that are no terms: what is written with signs, pairs of Korean syllables
    phrases: Mapping[str, tuple[_Phrase, ...]]  # by their anchor
    phrase_value: int  # more than all terms of a window together: who quotes, insists
    prefix: str | None
    prefix_key: str
    prefix_value: int


def _plan(weights: Mapping[str, float], phrases: Sequence[tuple[str, ...]], prefix: str | None) -> _Plan:
    values = {key: max(1, round(weight * UNIT)) for key, weight in weights.items() if key}
    pairs = frozenset(key for key in values if _is_pair(key))
    literals = tuple(key for key in values if key not in pairs and _is_literal(key))
    anchored: dict[str, tuple[_Phrase, ...]] = {}
    for terms in phrases:
        if terms:
            anchor = max(range(len(terms)), key=lambda n: len(terms[n]))
            phrase = _Phrase(terms, anchor, " ".join(("", *terms)))
            anchored[terms[anchor]] = (*anchored.get(terms[anchor], ()), phrase)
    terms_of_prefix = [term.text for term in locate(prefix)] if prefix else []
    prefix_key = next((term for term in terms_of_prefix if term in values), f"{prefix}*")
    probes = {_probe(term) for term in (*(values.keys() - set(literals)), *anchored)} | ({prefix} if prefix else set())
    return _Plan(
        values,
        tuple(sorted(probe for probe in probes if not any(probe.startswith(other) for other in probes - {probe}))),
        pairs,
        literals,
        anchored,
        2 * sum(values.values()) + 1,
        prefix or None,
        prefix_key,
        values.get(prefix_key, max(values.values(), default=UNIT)),
    )


def _is_pair(key: str) -> bool:
    """Whether the key is two characters that are terms by themselves."""
    terms = list(locate(key))
    return len(terms) == 2 and (0, len(key)) == (terms[0].start, terms[1].end) and terms[0].end == terms[1].start


def _is_literal(key: str) -> bool:
    return [(term.start, term.end) for term in locate(key)] != [(0, len(key))] or bool(_KOREAN_PAIR.fullmatch(key))


def _probe(term: str) -> str:
    """What every word of this term begins with: stemming changes no more than the last letter that it leaves."""
    return term[:-1] if len(term) > 1 and term.isascii() and term.isalpha() else term


# --- where it is ---------------------------------------------------------------------------------


class _At(NamedTuple):
    """A term in a token, `[start, end)` counted from the token's start."""

    term: str
    start: int
    end: int


class _Token(NamedTuple):
    """A stretch that no term reaches out of."""

    start: int
    end: int
    words: tuple[_At, ...]  # in order: what phrases are made of
    parts: tuple[_At, ...]  # what stands in words and what several are together


def _offsets(text: str, shadow: str, plan: _Plan) -> list[int]:
    """Where something wanted may begin, ascending: nothing begins between two small letters."""
    offsets: list[int] = []
    squeezed = shadow.replace("-", "").replace("_", "").replace(".", "")
    for probe in plan.probes:
        count = squeezed.count(probe)
        if not count:
            continue
        at = shadow.find(probe)
        while at >= 0:
            offsets.append(at)
            count -= 1
            at = shadow.find(probe, at + 1)
        if count > 0:  # some stand across a hyphen
            offsets += [found.start() for found in re.finditer("[-_.]?".join(map(re.escape, probe)), shadow)]
    offsets = [at for at in offsets if not (at and text[at].islower() and text[at - 1].islower())]
    if plan.probes and not text.isascii():
        offsets += [found.start() for found in FOLDED.finditer(text)]
    offsets.sort()
    return offsets


def _find_in(text: str, token: _Token, plan: _Plan, found: list[Found]) -> None:
    """Add what is wanted of *token*, and the phrases that have their anchor in it."""
    base, _, words, parts = token
    values, prefix = plan.values, plan.prefix
    for term, start, end in words + parts:
        if term in values:
            found.append(Found(base + start, base + end, term, values[term]))
        elif prefix and fold(text[base + start : base + end]).startswith(prefix):
            found.append(Found(base + start, base + end, plan.prefix_key, plan.prefix_value))
    if plan.pairs:
        for one, other in itertools.pairwise(words):
            pair = one.term + other.term
            if one.end == other.start and pair in plan.pairs:
                found.append(Found(base + one.start, base + other.end, pair, values[pair]))
    if plan.phrases:
        for number, word in enumerate(words):
            for phrase in plan.phrases.get(word.term, ()):
                span = _phrase_around(text, token, number, phrase)
                if span:
                    found.append(Found(*span, phrase.key, plan.phrase_value))


def _phrase_around(text: str, token: _Token, number: int, phrase: _Phrase) -> tuple[int, int] | None:
    """From the first to the last word of *phrase*, if they stand around its anchor, whatever stands between them."""
    first, last = token.start + token.words[number].start, token.start + token.words[number].end
    before, after = _words_before(text, token, number), _words_after(text, token, number)
    for wanted in reversed(phrase.terms[: phrase.anchor]):
        term, first, _ = next(before, _NOTHING)
        if term != wanted:
            return None
    for wanted in phrase.terms[phrase.anchor + 1 :]:
        term, _, last = next(after, _NOTHING)
        if term != wanted:
            return None
    return first, last


_NOTHING = _At("", 0, 0)


def _words_after(text: str, token: _Token, number: int) -> Iterator[_At]:
    """The words behind that one of *token*, counted from the start of *text*."""
    behind = range(number + 1, len(token.words))
    while True:
        for at in behind:
            yield _counted_from(token.start, token.words[at])
        following = TOKEN.search(text, token.end)
        if following is None:
            return
        token = _token(text, *following.span())
        behind = range(len(token.words))


def _words_before(text: str, token: _Token, number: int) -> Iterator[_At]:
    """The words before that one of *token*, the nearest first, counted from the start of *text*."""
    ahead = range(number)
    while True:
        for at in reversed(ahead):
            yield _counted_from(token.start, token.words[at])
        at = token.start
        while at > 0 and not TOKEN.match(text, at - 1, at):
            at -= 1
        if at == 0:
            return
        token = _token_at(text, at, 0)
        ahead = range(len(token.words))


def _counted_from(start: int, word: _At) -> _At:
    return _At(word.term, start + word.start, start + word.end)


def _find_literal(shadow: str, literal: str, plan: _Plan) -> Iterator[Found]:
    """Where a compound stands as it is: not inside a longer word, but for pairs of Korean syllables."""
    anywhere = _KOREAN_PAIR.fullmatch(literal) is not None
    at = shadow.find(literal)
    while at >= 0:
        end = at + len(literal)
        if anywhere or not (_joined(shadow, at) or _joined(shadow, end)):
            yield Found(at, end, literal, plan.values[literal])
        at = shadow.find(literal, at + 1)


def _joined(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _token_at(text: str, offset: int, lowest: int) -> _Token:
    """The token that *offset* stands in or at the end of; it does not begin before *lowest*."""
    start, look_back = offset, _LOOK_BACK
    while start > lowest and text[start - 1] not in " \n":
        behind = text[max(lowest, start - look_back) : start][::-1]
        found = TOKEN.match(behind)
        start -= found.end() if found else 0
        if found is None or found.end() < len(behind):
            break
        look_back *= 2
    found = TOKEN.match(text, offset)
    return _token(text, start, found.end() if found else offset)


def _token(text: str, start: int, end: int) -> _Token:
    words, parts = _kept_terms(text[start:end]) if end - start <= _LONGEST_KEPT else _terms(text[start:end])
    return _Token(start, end, words, parts)


def _terms(token: str) -> tuple[tuple[_At, ...], tuple[_At, ...]]:
    """The words of a token, and its compounds that can be placed in it."""
    if token.isascii() and token.isalpha() and token[1:].islower():  # as most are: one word without parts
        return (_At(term_of(token), 0, len(token)),), ()
    words = tuple(_At(term.text, term.start, term.end) for term in locate(token))
    parts = [_At(part.text, part.start, part.end) for part in locate_parts(token)]
    parts += [_At(term_of(joined[0].translate(_JOINTS)), *joined.span()) for joined in _JOINED.finditer(token)]
    return words, tuple(parts)


_kept_terms = lru_cache(maxsize=_KEPT_TOKENS)(_terms)
