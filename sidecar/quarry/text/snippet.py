"""
Which part of a chunk does a person see, and what is marked in it?

The window with the most different query words, phrases first; for a hit found by meaning, the sentence nearest in
meaning. A snippet is an exact slice of the chunk, so that offsets into it lead back to the note; it does not begin or
end inside a word, a link, a redaction's marker or an emoji where that can be avoided.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from quarry.text.graphemes import is_safe_cut
from quarry.text.sentences import split_sentences, telling_sentences
from quarry.text.words import UNSPACED, WORD, folded
from quarry.types import Span

__all__ = ["Mark", "Snippet", "make_snippet", "split_sentences", "telling_sentences"]

BEFORE = 1 / 3  # of the room that is left goes in front of the first mark, the rest behind the last

_SPACED_WORD = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{UNSPACED}]")
# What is not cut through: links, redactions, words with what they are written with (user's, some-word, a_name).
_WHOLE = re.compile(r"!?\[\[[^\[\]\n]{1,200}\]\]|\[REDACTED:[^\[\]\s]{1,80}\]|\w+(?:['’_-]\w+)*")
# What a snippet does not begin with where that can be avoided: rules of fences, the hashes of a heading, blank lines.
_PREAMBLE = re.compile(r"(?:\s++|#{1,6}[ \t]++|(?:`{3,}|~{3,})[^\n`]*(?:\n|\Z))+")
_HEADING_LINES = re.compile(r"(?:\s*+#{1,6}[ \t][^\n]*+(?:\n|\Z))+\s*+")
_NEIGHBOURHOOD = 300  # characters around a cut in which links and words are looked for

_ENDINGS = frozenset(".,;:!?…)]}»”’。、，！？）」")  # what closed the sentence before begins no snippet


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the snippet to mark; a word's mark may lie inside a sentence's."""

    start: int
    end: int
    kind: Literal["word", "sentence"]


@dataclass(frozen=True, slots=True)
class Snippet:
    """`text` is the chunk's `[start, end)`; the marks are offsets into `text`, in order."""

    text: str
    start: int
    end: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """A query word or phrase in the chunk."""

    start: int
    end: int
    word: str  # folded; equal for the same word found twice
    is_phrase: bool


def make_snippet(
    text: str,
    *,
    words: Callable[[str], bool],
    phrases: Sequence[str] = (),
    width: int,
    sentence: Span | None = None,
) -> Snippet:
    """
    Choose and mark the passage of *text* that answers.

    Args:
        text: The chunk's text.
        words: Whether a word of the text, lower case and without accents, is one that was asked for. In scripts
            without spaces it is asked about whole runs, then about pairs of characters and single ones.
        phrases: What must stand there word for word; marked where it does.
        width: How many characters there is room for, at least 1.
        sentence: The sentence nearest in meaning: the snippet is built around it, and it is marked.
    """
    found = _find(text, words, phrases)
    if sentence is not None:
        start, end = _around(text, sentence.start, min(sentence.end, sentence.start + width), width)
    elif found:
        first, last = _best_window(found, width)
        start, end = _around(text, first, min(last, first + width), width)
    else:
        start, end = _opening(text, width)
    marks = [Mark(at.start - start, at.end - start, "word") for at in found if at.start >= start and at.end <= end]
    if sentence is not None and max(sentence.start, start) < min(sentence.end, end):
        marks.append(Mark(max(sentence.start, start) - start, min(sentence.end, end) - start, "sentence"))
    marks.sort(key=lambda mark: (mark.start, -mark.end, mark.kind))
    return Snippet(text[start:end], start, end, tuple(marks))


# --- what to mark ------------------------------------------------------------------------------


def _find(text: str, words: Callable[[str], bool], phrases: Sequence[str]) -> list[_Found]:
    """Phrases and words in order, none overlapping; a word that is part of a phrase is marked with it."""
    found: list[_Found] = []
    if phrases:
        tokens = [(token.start(), token.end(), folded(token[0])) for token in WORD.finditer(text)]
        found += (at for phrase in phrases for at in _find_phrase(tokens, phrase))
    wanted: dict[str, bool] = {}
    for token in _SPACED_WORD.finditer(text):
        start, word = token.start(), folded(token[0])
        if word not in wanted:
            wanted[word] = words(word)
        if wanted[word]:
            found.append(_Found(start, token.end(), word, is_phrase=False))
        elif len(token[0]) > 1 and _IS_UNSPACED.match(token[0]):
            parts = [(at, token[0][at : at + size]) for size in (2, 1) for at in range(len(token[0]) - size + 1)]
            found += [_Found(start + at, start + at + len(part), part, False) for at, part in parts if words(part)]
    found.sort(key=lambda at: (at.start, not at.is_phrase, -at.end))
    return _without_overlaps(found)


def _find_phrase(tokens: Sequence[tuple[int, int, str]], phrase: str) -> list[_Found]:
    """Where the words of *phrase* follow each other, whatever stands between them."""
    wanted = [folded(word) for word in WORD.findall(phrase)]
    size = len(wanted)
    name = " ".join(wanted)
    return [
        _Found(tokens[at][0], tokens[at + size - 1][1], name, is_phrase=True)
        for at in range(len(tokens) - size + 1 if size else 0)
        if tokens[at][2] == wanted[0] and [token[2] for token in tokens[at : at + size]] == wanted
    ]


def _without_overlaps(found: Sequence[_Found]) -> list[_Found]:
    kept: list[_Found] = []
    for at in found:
        if kept and at.start < kept[-1].end:
            before = kept[-1]
            if at.end > before.end and not at.is_phrase and not before.is_phrase:  # pairs of one run: one mark
                kept[-1] = _Found(before.start, at.end, before.word + at.word[-1], is_phrase=False)
        else:
            kept.append(at)
    return kept


# --- what to show ------------------------------------------------------------------------------


def _best_window(found: Sequence[_Found], width: int) -> tuple[int, int]:
    """From the first to the last mark of the best window: phrases, different words, words in all, density, earliest."""
    best: tuple[int, int, int, int] | None = None
    chosen = (found[0].start, found[0].end)
    last = 0
    counts: dict[str, int] = {}
    phrase_count = 0
    for first, at in enumerate(found):
        while last < len(found) and (last == first or found[last].end <= at.start + width):
            counts[found[last].word] = counts.get(found[last].word, 0) + 1
            phrase_count += found[last].is_phrase
            last += 1
        end = found[last - 1].end
        rank = (min(phrase_count, 1), len(counts), last - first, at.start - end)
        if best is None or rank > best:
            best, chosen = rank, (at.start, end)
        counts[at.word] -= 1
        if not counts[at.word]:
            del counts[at.word]
        phrase_count -= at.is_phrase
    return chosen


def _opening(text: str, width: int) -> tuple[int, int]:
    """The beginning of the text behind its headings, which are shown above it anyway."""
    headings = _HEADING_LINES.match(text)
    start = headings.end() if headings and headings.end() < len(text) else 0
    start = _good_start(text, start, len(text)) if start == 0 else start
    start = start if start < len(text) else 0
    return start, _good_end(text, start, min(len(text), start + width), start)


def _around(text: str, first: int, last: int, width: int) -> tuple[int, int]:
    """A window of at most *width* that holds `[first, last)`, a third of the room left in front, cut at good places."""
    wide_first = min((whole.start for whole in _whole_at(text, first)), default=first)
    wide_last = max((whole.end for whole in _whole_at(text, last)), default=last)
    if wide_last - wide_first <= width:  # the whole link that a mark stands in
        first, last = wide_first, wide_last
    start = max(0, first - int((width - (last - first)) * BEFORE))
    if start + width > len(text):
        start = max(0, min(first, len(text) - width))
    start = _good_start(text, start, first)
    return start, _good_end(text, start, min(len(text), start + width), last)


def _good_start(text: str, start: int, latest: int) -> int:
    """The first place from *start* to *latest* that is not inside something and is worth beginning with."""
    for whole in _whole_at(text, start):
        start = min(whole.end, latest)
    while start < latest and not is_safe_cut(text, start):
        start += 1
    if start == 0 or text[start - 1] == "\n":
        preamble = _PREAMBLE.match(text, start)
        if preamble and preamble.end() <= latest:
            start = preamble.end()
    while start < latest and (text[start].isspace() or text[start] in _ENDINGS):
        start += 1
    return start


def _good_end(text: str, start: int, end: int, earliest: int) -> int:
    """The last place from *earliest* to *end* that is not inside something; never *start* itself."""
    good = end
    for whole in _whole_at(text, end):
        good = max(whole.start, earliest)
    while good > earliest and not is_safe_cut(text, good):
        good -= 1
    while good > earliest and text[good - 1].isspace():
        good -= 1
    return good if good > start else end


def _whole_at(text: str, cut: int) -> Iterator[Span]:
    """The link, marker or word that a cut at *cut* would go through, if there is one."""
    low = max(0, cut - _NEIGHBOURHOOD)
    for found in _WHOLE.finditer(text, low, min(len(text), cut + _NEIGHBOURHOOD)):
        if found.start() < cut < found.end():
            yield Span(*found.span())
