"""
Which part of a chunk is shown for a query, and what is marked in it?

The window with the heaviest matches of the query, phrases first; for a hit of the dense retriever, the sentence nearest
in meaning. A snippet is an exact slice of the chunk, so that offsets into it can be converted to the note.
"""

from collections.abc import Sequence

from msgspec import Struct

from quarry.documents.sentences import first_informative_sentence
from quarry.lazy_pattern import lazy_pattern
from quarry.search.snippet.boundaries import fit_window, skip_preamble
from quarry.search.snippet.highlighting import Mark, merge_spans
from quarry.search.snippet.matcher import TermMatch
from quarry.search.snippet.window import best_window
from quarry.types import Span

MARGIN = 5  # a fifth of the width is left for the rest of the sentence, link or word around the marks
_HEADINGS = lazy_pattern(r"(?:\s*+#{1,6}[ \t][^\n]*+(?:\n|\Z))+\s*+")


class Snippet(Struct, frozen=True):
    """`text` is the chunk's `[start, end)`; the marks are offsets into `text`, in order."""

    text: str
    start: int
    end: int
    marks: tuple[Mark, ...]


def beginning(text: str, width: int) -> Snippet:
    """The first *width* characters of *text*, unmarked."""
    return Snippet(text[:width], 0, min(len(text), width), ())


def make_snippet(text: str, found: Sequence[TermMatch], width: int, sentence: Span | None = None) -> Snippet:
    """
    Choose and mark the passage of *text* that answers the query.

    Args:
        text: The chunk's text.
        found: The query's matches in *text*, as `find_matches` gives them.
        width: How many characters there is room for, at least 1; a snippet is never longer.
        sentence: The sentence nearest in meaning: the snippet is built around it, and it is marked.
    """
    body = _body(text)
    core = width - width // MARGIN
    if sentence is not None:
        sentence = _without_markup(text, sentence)
        first, last = sentence.start, min(sentence.end, sentence.start + width)
        inside = [at for at in found if sentence.start <= at[0] and at[1] <= sentence.end]
        if inside and sentence.end - sentence.start > width:
            first, last = best_window(inside, core, body)
    elif found:
        first, last = best_window(found, core, body)
        first = next((at[0] for at in found if body <= at[0] and at[1] <= last), first) if first < body else first
    else:
        first = last = body = _opening(text)
    start, end = fit_window(text, first, min(last, first + width), width, body if first >= body else 0)
    marks = _marks(found, start, end)
    if sentence is not None and max(sentence.start, start) < min(sentence.end, end):
        marks.append(Mark(max(sentence.start, start) - start, min(sentence.end, end) - start, "sentence"))
        marks.sort(key=lambda mark: (mark.start, -mark.end, mark.kind))
    return Snippet(text[start:end], start, end, tuple(marks))


def _without_markup(text: str, sentence: Span) -> Span:
    """*sentence* without the border of a table or the sign of a list in front; unchanged if it holds nothing else."""
    start = skip_preamble(text, sentence.start)
    return Span(start, sentence.end) if start < sentence.end else sentence


def _body(text: str) -> int:
    """Offset of the text after the headings at its start, which every client shows above it; 0 if there is none."""
    headings = _HEADINGS.match(text)
    end = headings.end() if headings else 0
    return end if end < len(text) else 0


def _opening(text: str) -> int:
    """Offset of the first sentence worth quoting."""
    opening = first_informative_sentence(text)
    return opening.start if opening else 0


def _marks(found: Sequence[TermMatch], start: int, end: int) -> list[Mark]:
    """The word marks of `[start, end)`: matches inside it or, if there are none, the parts of those that it cuts."""
    shown = [at for at in found if start <= at[0] and at[1] <= end] or [
        (max(first, start), min(last, end), key, value)
        for first, last, key, value in found
        if first < end and start < last
    ]
    return [Mark(first - start, last - start, "word") for first, last in merge_spans(shown)]
