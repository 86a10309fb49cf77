"""
The part of a chunk that is shown for a query, and the marks in it.

It is the window with the heaviest matches of the query; for a hit of the dense retriever, the sentence nearest in
meaning. A snippet is an exact slice of the chunk, so that offsets into it can be converted to the note.

The heaviest window is the one whose distinct matches weigh the most together: a word counts once, however often it
occurs; two words near each other count for more than apart, a phrase for more than all words. Among equal windows, the
first is taken.
"""

from collections.abc import Sequence

from msgspec import Struct

from quarry.documents.sentences import first_informative_sentence
from quarry.lazy_pattern import lazy_pattern
from quarry.search.snippet.boundaries import fit_window, skip_preamble
from quarry.search.snippet.highlighting import Mark, merge_spans
from quarry.search.snippet.matcher import TermMatch
from quarry.types import Span

MARGIN = 5  # a fifth of the width is left for the rest of the sentence, link or word around the marks
NEAR = 16  # characters between two words, about two other words: closer ones say something together
HEADING_SHARE = 4  # headings are shown above a passage anyway: a match in those counts for a quarter
_NO_PAIR = ("", "")  # for "no pair": weighs nothing and is always present
_ADDRESS = lazy_pattern(r"!\[\[[^\[\]\n]{1,1000}\]\]|\]\([^()\n]{1,1000}\)")  # of an embed or a link
_TAGS = lazy_pattern(r"(?m)#[^\s#]++(?:[ \t]++#[^\s#]++)*+[ \t]*+$")
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
    body = body_of(text)
    found = _told(text, found, body)
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


def _told(text: str, found: Sequence[TermMatch], body: int) -> Sequence[TermMatch]:
    """*found* without what says nothing: in tags at the end of a line and, if the *body* has others, in addresses."""
    told = [at for at in found if not _is_in_tags(text, at[0])] if "#" in text else found
    addresses = [at.span() for at in _ADDRESS.finditer(text)] if "](" in text or "![[" in text else []
    seen = [at for at in told if not any(start <= at[0] < end for start, end in addresses)]
    return seen if any(body <= at[0] for at in seen) else told


def _is_in_tags(text: str, offset: int) -> bool:
    word = max(text.rfind(space, 0, offset) for space in " \t\n") + 1
    return text.startswith("#", word) and _TAGS.match(text, word) is not None


def _without_markup(text: str, sentence: Span) -> Span:
    """*sentence* without the border of a table or the sign of a list in front; unchanged if there is nothing else."""
    start = skip_preamble(text, sentence.start)
    return Span(start, sentence.end) if start < sentence.end else sentence


def body_of(text: str) -> int:
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


# --- the heaviest window -------------------------------------------------------------------------


def best_window(found: Sequence[TermMatch], width: int, body: int) -> tuple[int, int]:
    """
    The span of at most *width* characters with the heaviest matches, in time linear in *found*.

    Args:
        found: At least one, in order of their starts. One that is longer than *width* can be a window alone.
        width: Characters.
        body: Where the text behind its headings begins.
    """
    start, end, _, _ = found[0]
    if start >= body and len({key for _, _, key, _ in found}) == 1:  # as for most queries of one word
        return start, end
    items, values = _weigh(found, body)
    counts = dict.fromkeys(values, 0)  # of words and pairs within the window
    counts[_NO_PAIR] = 2 * len(found)
    first, total, best, chosen = 0, 0, 0, (0, 0)
    for last, (_, end, _, _) in enumerate(found):
        word, pair = items[last]
        if not counts[word]:
            total += values[word]
        counts[word] += 1
        if not counts[pair]:
            total += values[pair]
        counts[pair] += 1
        while first < last:
            word, pair = items[first][0], items[first + 1][1]
            # A word that is in the window again may go, unless its pair is there only once.
            if (counts[word] == 1 or counts[pair] == 1) and end <= found[first][0] + width:
                break
            counts[word] -= 1
            if not counts[word]:
                total -= values[word]
            counts[pair] -= 1
            if not counts[pair]:
                total -= values[pair]
            first += 1
        if total > best:
            best, chosen = total, (first, last)
    first, last = chosen
    return found[first][0], max([end for _, end, _, _ in found[first : last + 1]])


def _weigh(
    found: Sequence[TermMatch], body: int
) -> tuple[list[tuple[str, tuple[str, str]]], dict[str | tuple[str, str], int]]:
    """
    Weigh the words of *found*, and the pairs of words near each other.

    Returns:
        For each match its word and the pair that it forms with the match before it, `_NO_PAIR` if none; and the weight
        of each word and pair.
    """
    items: list[tuple[str, tuple[str, str]]] = []
    values: dict[str | tuple[str, str], int] = {_NO_PAIR: 0}
    end_before, key_before, word_before, value_before = -NEAR - 1, "", "", 0
    for start, end, key, value in found:
        word = key
        if start < body:
            word, value = f"# {key}", max(1, value // HEADING_SHARE)
        if word not in values:
            values[word] = value
        pair = _NO_PAIR
        if start - end_before <= NEAR and key != key_before:
            pair = (word_before, word) if word_before < word else (word, word_before)
            if pair not in values:
                values[pair] = min(value_before, value) // 2  # of the lesser
        items.append((word, pair))
        end_before, key_before, word_before, value_before = end, key, word, value
    return items, values
