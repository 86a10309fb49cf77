"""
The spans of a text that a query highlights: those whose terms are in the query, as in the keyword index.

Analysing the whole text would cost more than ranking. Instead the beginnings of the terms are searched for as plain
strings, and only the tokens around them are analysed. For the query `health checks` and the text

    "Unhealthy? Run getHealth, then a health-check."

    matcher.prefixes      ("check", "health")     every word whose term is in the query begins with one of them
    candidate_offsets     [18, 33, 40]            where a prefix occurs and a word, or a part of one, may begin: not in
                                                  `Unhealthy`, as none begins between two lower-case letters
    token_matches         getHealth,              `Health` at 18
                          health-check.           `health` at 33, `check` at 40
    highlight             the marks [18, 24), [33, 39), [40, 45); matches that touch or overlap become one mark

A prefix may be interrupted by a joint: `healthcheck` also finds `health-check`. So occurrences are counted in the text
without joints (`-`, `_`, `.`), and searched for with optional joints where the plain search found fewer.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from quarry.analysis.analysis import LocatedTerm
from quarry.analysis.patterns import find_pattern
from quarry.analysis.tokenizer import spaced_tokens
from quarry.lazy_pattern import lazy_pattern
from quarry.search.snippet.matcher import (
    KOREAN_PAIR,
    HighlightTerms,
    Matcher,
    TermMatch,
    token_matches,
    token_terms,
)

# Characters that normalisation changes beyond their case, such as é, ß and ﬁ: a token with one is always analysed, as
# its term may be spelled with other characters. The class lists the others, which plain search finds: ASCII, Latin-1
# signs, most of Cyrillic, punctuation, arrows, ideographs, kana, Korean, pictures.
FOLDED_CHARACTERS = lazy_pattern(
    r"[^\x00-\x7f\xa1-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf\u0410-\u0418\u041a-\u0438\u043a-\u044f"
    r"\u2010\u2012-\u2016\u2018-\u2023\u2027\u2030-\u2032\u2039-\u203b\u2190-\u2199\u219c-\u21ad\u21d0-\u2203\u2300-\u2328\u232b-\u245f"
    r"\u2500-\u29ff\u2b00-\u2bff\u3001-\u3035\u3041-\u3096\u309d\u309e\u30a0-\u30fe\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\U0001f300-\U0001f3fa\U0001f400-\U0001faff]++"
)
MAX_PATTERN_MATCHES = 100  # of a regular expression in one text; `.` matches at every character
_MAX_CACHED_PREFIXES = 512


class Mark(Struct, frozen=True):
    """A span to highlight; a word's mark may be inside a sentence's."""

    start: int
    end: int
    kind: Literal["word", "sentence"]


def highlight(text: str, wanted: HighlightTerms) -> tuple[Mark, ...]:
    """The marks of *text*, a title or a heading, in order; they neither overlap nor touch."""
    return tuple([Mark(start, end, "word") for start, end in merge_spans(find_matches(text, wanted))])


def merge_spans(found: Sequence[TermMatch]) -> list[tuple[int, int]]:
    """
    Merge matches that overlap or touch: a phrase's words, a run's pairs, the parts of a name.

    Args:
        found: Matches in the order of `find_matches`.

    Returns:
        Spans `[start, end)`, ascending.
    """
    spans: list[tuple[int, int]] = []
    first = last = -1
    for start, end, _, _ in found:
        if start > last:
            if first >= 0:
                spans.append((first, last))
            first, last = start, end
        elif end > last:
            last = end
    if first >= 0:
        spans.append((first, last))
    return spans


def find_matches(text: str, wanted: HighlightTerms) -> list[TermMatch]:
    """All matches of the query in *text*, ordered by start; they may overlap."""
    matcher = wanted.matcher
    found = [
        (start, end, f"/{pattern}/", matcher.phrase_value)
        for pattern in wanted.patterns
        for start, end in find_pattern(pattern, text, MAX_PATTERN_MATCHES)
    ]
    for literal in matcher.literals:
        found += _find_literal(_lowered(text), literal, matcher)
    spaced, cache, end = spaced_tokens(text), matcher.cache, 0
    offsets = candidate_offsets(spaced, matcher)
    for offset in offsets:
        if offset < end:
            continue
        start = spaced.rfind(" ", end, offset) + 1
        end = spaced.find(" ", offset)
        if end < 0:
            end = len(spaced)
        token = spaced[start:end]
        matches = cache.get(token)
        if matches is None:
            places = [at - start for at in offsets[bisect_left(offsets, offset) : bisect_left(offsets, end)]]
            matches = cache[token] = token_matches(token, places, matcher)
        for first, last, key, value in matches:
            found.append((start + first, start + last, key, value))
        if matcher.phrases:
            _find_phrases(spaced, start, end, matcher, found)
    found.sort()
    return found


# --- steps ---------------------------------------------------------------------------------------


def candidate_offsets(text: str, matcher: Matcher) -> list[int]:
    """Offsets at which a match may begin, ascending; none begins between two lower case letters."""
    offsets: list[int] = []
    lowered = _lowered(text)
    squeezed = lowered.replace("-", "").replace("_", "").replace(".", "")
    for prefix in matcher.prefixes:
        length, at = len(prefix), -len(prefix)
        for _ in range(squeezed.count(prefix)):
            at = lowered.find(prefix, at + length)
            if at < 0:  # some are interrupted by a hyphen
                begins = [found.start() for found in _with_joints(prefix).finditer(lowered)]
                offsets += [at for at in begins if not (text[at - 1 : at].islower() and text[at].islower())]
                break
            if not (text[at - 1 : at].islower() and text[at].islower()):
                offsets.append(at)
    if matcher.prefixes and not text.isascii():
        offsets += [found.start() for found in FOLDED_CHARACTERS.finditer(text)]
    offsets.sort()
    return offsets


def _lowered(text: str) -> str:
    """*text* in lower case, as long as it is."""
    return text.lower() if text.isascii() else text.replace("İ", "I").lower()  # whose lower case is two characters


@lru_cache(maxsize=_MAX_CACHED_PREFIXES)
def _with_joints(prefix: str) -> re.Pattern[str]:
    return re.compile("[-_.]?".join(map(re.escape, prefix)))


def _find_phrases(spaced: str, start: int, end: int, matcher: Matcher, found: list[TermMatch]) -> None:
    """Add the phrases that have their anchor in the token `[start, end)` of a text with spaces between its tokens."""
    for language in matcher.languages:
        words = _words(spaced, start, end, language)
        for number, word in enumerate(words):
            for phrase in matcher.phrases.get(word.text, ()):
                if phrase.language != language:
                    continue
                first = number - phrase.anchor
                last = first + len(phrase.terms)
                matched = words[max(0, first) : last]
                if first < 0:
                    matched = [*_words_before(spaced, start, -first, language)[first:], *matched]
                if last > len(words):
                    matched += _words_after(spaced, end, last - len(words), language)[: last - len(words)]
                if tuple([each.text for each in matched]) == phrase.terms:
                    found.append((matched[0].start, matched[-1].end, phrase.key, matcher.phrase_value))


def _words(spaced: str, start: int, end: int, language: str) -> list[LocatedTerm]:
    """The words of the token `[start, end)`, with their places in the text."""
    words = token_terms(spaced[start:end], language)[0]
    return [LocatedTerm(word.text, start + word.start, start + word.end) for word in words]


def _words_before(spaced: str, at: int, count: int, language: str) -> list[LocatedTerm]:
    """The words of the tokens that end before *at*, at least *count* if there are as many."""
    words: list[LocatedTerm] = []
    while len(words) < count and (end := len(spaced[:at].rstrip(" "))):
        at = spaced.rfind(" ", 0, end) + 1
        words = [*_words(spaced, at, end, language), *words]
    return words


def _words_after(spaced: str, at: int, count: int, language: str) -> list[LocatedTerm]:
    """The words of the tokens that begin after *at*, at least *count* if there are as many."""
    words: list[LocatedTerm] = []
    while len(words) < count and (rest := spaced[at:].lstrip(" ")):
        start = len(spaced) - len(rest)
        at = start + len(rest.partition(" ")[0])
        words += _words(spaced, start, at, language)
    return words


def _find_literal(lowered: str, literal: str, matcher: Matcher) -> Iterator[TermMatch]:
    """Yield the occurrences of a compound as it is written: whole words, except for pairs of Korean syllables."""
    anywhere = KOREAN_PAIR.fullmatch(literal) is not None
    at = lowered.find(literal)
    while at >= 0:
        end = at + len(literal)
        if anywhere or not (_joined(lowered, at) or _joined(lowered, end)):
            yield at, end, literal, matcher.values[literal]
        at = lowered.find(literal, at + 1)


def _joined(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
