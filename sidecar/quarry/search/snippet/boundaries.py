"""
The places where a snippet may begin and end without cutting through a link, a word or a character.

It begins at a sentence or a line if one begins nearby, and never with what belongs to the text before it: a heading's
hashes, a fence, a list marker, the punctuation that closed the previous sentence. Links, redaction markers, words and
characters of several code points are shown whole or not at all, as long as there is a place to cut between them.
"""

from quarry.documents.sentences import is_safe_cut
from quarry.lazy_pattern import lazy_pattern
from quarry.types import Span

SHARE_BEFORE = 1 / 3  # of the free width goes before the first mark if no sentence begins nearby
SHARE_AFTER = 1 / 4  # of the free width stays after the last mark if the snippet begins with a sentence

# A place to begin: after the end of a sentence or line, and after the markers at the start of a line.
_BEGINNING = lazy_pattern(
    r"(?:[.!?…][\"'”’»)\]*_`]*+[ \t]|[。！？][」』”’）】]*+|\n)\s*+"
    r"(?:>[ \t]*+|[-*+][ \t]++(?:\[.\][ \t]++)?|[0-9]{1,9}[.)][ \t]++|#{1,6}[ \t]++|\|[ \t]*+)*+"
    r"(?!:?-{2}|`{3}|~{3})(?=(\S))"
)
# Markup that a snippet does not begin with if possible: blank lines, hashes, fences, rules, markers of lists and
# quotes, the border of a table and the line under its header.
_PREAMBLE = lazy_pattern(
    r"(?:\s++|#{1,6}[ \t]++|(?:`{3,}|~{3,})[^\n`]*+(?:\n|\Z)|(?:-{3,}|\*{3,}|_{3,})[ \t]*+(?:\n|\Z)"
    r"|>[ \t]*+|[-*+][ \t]++(?:\[.\][ \t]++)?|[0-9]{1,9}[.)][ \t]++|\|(?:[-:| \t]{3,}+(?:\n|\Z)|[ \t]*+))++"
)
_CLOSING = frozenset(".,;:!?…)]}»”’。、，！？）」』】")  # closes the sentence before
_CLOSING_BEFORE_SPACE = frozenset("|*_–—")  # the border of a cell, the end of bold text, a dash

_OPENING_AT_END = lazy_pattern(r"\s(?:[*_~`(\[{“«>#–—-]|!\[)+\Z")  # markup or a bracket whose contents are cut off

_LINK = lazy_pattern(
    r"!?(?:\[\[[^\[\]\n]{1,400}\]\]|\[REDACTED:[^\[\]\s]{1,80}\]"
    r"|\[(?:[^\[\]\n]|!?\[[^\[\]\n]{0,400}\]){0,600}+\]\((?:[^()\n]|\([^()\n]{0,400}\)){0,800}+\))"
)
_ADDRESS = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,14}://[^\s<>\"]{1,1000}")
_SCHEME_BACKWARDS = lazy_pattern(r"[A-Za-z0-9+.-]{0,14}[A-Za-z]")
_JOINED = lazy_pattern(r"[\w'’.@/_-]*+")  # a word with its joined punctuation: user's, some-word, file.md, a/b
_SIGNS_AROUND = "'’.@/-"  # a word neither begins nor ends with them
_WORD = lazy_pattern(r"\w*+")
_NO_SPACE_AROUND = lazy_pattern(r"(?<=\S)(?=\S)")  # no white space on either side
_INSIDE_WORD = lazy_pattern(r"(?<=[\w'’.@/_-])(?=[\w'’.@/_-])")  # `_JOINED` matches on both sides
_LONGEST_OPENING = 8  # with the space in front: `**`, `![`, `###`
_LONGEST_LINK = 1_000
_LONGEST_SCHEME = 18  # of an address, with its ://
_LONGEST_WORD = 64  # longer ones may be cut: a line without spaces is not a word
_LONGEST_SIGNS = 12  # characters between two sentences, as a rule
_MOST_BRACKETS = 4  # tried as the beginning of a link; one may be inside another's text


def fit_window(text: str, first: int, last: int, width: int, lowest: int) -> tuple[int, int]:
    """
    Choose where to cut *text* so that at most *width* characters include `[first, last)`, which is not longer.

    Args:
        text: What to cut.
        first: Start of the span that must be shown.
        last: Its end.
        width: In characters.
        lowest: Start of the text that may be shown, at most *first*.
    """
    first, last = _widened(text, first, last, width, lowest)
    room, full = width - (last - first), len(text) - width
    low = max(lowest, last - width)
    least = max(low, min(last - width + int(room * SHARE_AFTER), full))
    start = _beginning(text, first, least, full, lowest)
    if start is None:
        start = max(low, min(first - int(room * SHARE_BEFORE), full))
    start = _start(text, start, first, low)
    return start, _end(text, start, last, width + min(full, start))


def unbreakable_at(text: str, cut: int) -> Span | None:
    """The link, redaction marker or word that a cut at *cut* would split; None if there is none."""
    near = cut - _LONGEST_LINK if cut > _LONGEST_LINK else 0
    bracket = text.rfind("[", near, cut + 1)
    if bracket >= 0 and text.find("\n", bracket, cut) < 0:  # a link is in one line
        line = max(near, text.rfind("\n", near, bracket) + 1)
        if link := _bracketed(text, cut, line):
            return link
    if not _NO_SPACE_AROUND.match(text, cut):
        return None
    places = text.rfind("://", near, cut + _LONGEST_SCHEME)
    if places >= 0 and text.find("\n", places, cut) < 0 and (address := _address(text, cut, places)):
        return address
    return _word(text, cut) if _INSIDE_WORD.match(text, cut) else None


def skip_preamble(text: str, start: int) -> int:
    """Offset of the first text worth showing at or after *start*, the beginning of a line."""
    found = _PREAMBLE.match(text, start)
    return found.end() if found else start


# --- steps -----------------------------------------------------------------------------------------


def _widened(text: str, first: int, last: int, width: int, lowest: int) -> tuple[int, int]:
    """
    Extend the span to the whole links or words in which it begins and ends, if there is room.

    If there is not, the last one is left out, as it would have to be cut.
    """
    before, behind = unbreakable_at(text, first), unbreakable_at(text, last)
    start, end = max(before.start, lowest) if before else first, behind.end if behind else last
    if end - start <= width:
        return start, end
    if behind and behind.start > (before.end if before else first) and behind.start - start <= width:
        return start, start + len(text[start : behind.start].rstrip())
    if last - start <= width:
        return start, last
    return (first, end) if end - first <= width else (first, last)


def _beginning(text: str, first: int, least: int, full: int, lowest: int) -> int | None:
    """
    The last start of a sentence from *least* to *first*, or else of a line; None if there is none.

    A window that starts after *full* is not full; if the last start is, the earliest one from *full* on is taken.
    """
    found = _BEGINNING.finditer(text, max(lowest, least - _LONGEST_SIGNS), first + 1)
    places = [(start, not at[1].islower()) for at in found if (start := at.end()) >= least]
    if least == lowest:
        places.insert(0, (lowest, True))
    chosen = [at for at, is_sentence in places if is_sentence] or [at for at, _ in places]
    if not chosen or chosen[-1] <= full:
        return chosen[-1] if chosen else None
    return next(at for at in chosen if at >= full)


def _start(text: str, start: int, latest: int, low: int) -> int:
    """The first offset from *start* to *latest* that splits nothing and is worth beginning with."""
    if start == 0 or text[start - 1] == "\n":
        start = min(skip_preamble(text, start), latest)
    while start < latest:
        if _is_closing(text, start):
            start += 1
        elif whole := unbreakable_at(text, start):
            start = min(whole.end, latest)
        elif not is_safe_cut(text, start):
            start += 1
        else:
            return start
    while start > low and not is_safe_cut(text, start):
        start -= 1
    return start


def _is_closing(text: str, at: int) -> bool:
    """Whether the character is white space or closes the text before it."""
    if text[at] in _CLOSING_BEFORE_SPACE:
        return text[at + 1 : at + 2].isspace()
    return text[at].isspace() or text[at] in _CLOSING


def _end(text: str, start: int, earliest: int, end: int) -> int:
    """The last offset from *earliest* to *end* that splits nothing; never *start* itself."""
    good = end
    while good > earliest:
        if text[good - 1].isspace():
            good -= 1
        elif whole := unbreakable_at(text, good):
            good = max(whole.start, earliest)
        elif opening := _OPENING_AT_END.search(text, max(earliest, good - _LONGEST_OPENING), good):
            good = opening.start()
        elif not is_safe_cut(text, good):
            good -= 1
        else:
            break
    while good < end and not is_safe_cut(text, good):
        good += 1
    return good if good > start else end


# --- unbreakable units --------------------------------------------------------------------------------


def _bracketed(text: str, cut: int, lowest: int) -> Span | None:
    at = cut + 1
    for _ in range(_MOST_BRACKETS):
        at = text.rfind("[", lowest, at)
        if at < 0:
            return None
        found = _LINK.match(text, at - 1 if at and text[at - 1] == "!" else at)
        if found and found.start() < cut < found.end():
            return Span(*found.span())
    return None


def _address(text: str, cut: int, at: int) -> Span | None:
    """The URL with its `://` at *at*, if it contains *cut*."""
    scheme = _SCHEME_BACKWARDS.match(text[max(0, at - 15) : at][::-1])
    found = _ADDRESS.match(text, at - scheme.end()) if scheme else None
    return Span(*found.span()) if found and found.start() < cut < found.end() else None


def _word(text: str, cut: int) -> Span | None:
    behind = text[max(0, cut - _LONGEST_WORD) : cut][::-1]
    for shape in (_JOINED, _WORD):
        before, after = shape.match(behind), shape.match(text, cut, cut + _LONGEST_WORD)
        start = cut - len(before[0].rstrip(_SIGNS_AROUND)) if before else cut
        end = cut + len(after[0].rstrip(_SIGNS_AROUND)) if after else cut
        if start < cut < end and end - start <= _LONGEST_WORD:
            return Span(start, end)
    return None
