"""
Divides a section that is too long into passages of at most 2,000 characters.

First between blocks: paragraphs, list items with everything nested in them, tables, callouts, fences. Neighbours are
packed together while they fit; a heading or a line that ends in a colon goes with what follows it. A block that is
too long by itself is divided at its lines or sentences, and at any character only where there is neither.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from quarry.documents.markdown import OpaqueBlock
from quarry.documents.sentences import is_safe_cut, split_sentences

MAX_CHARS = 2_000  # a screenful, about 500 tokens

_KEPT_INDENT = 80  # columns; more white space in front of a passage is not indentation
_INTRODUCTION = 300  # characters; a longer paragraph that ends in a colon introduces nothing
_NOT_SPACE = re.compile(r"\S")
_SHAPE = re.compile(
    r"(?P<indent>[ \t]*)"
    r"(?:(?P<heading>#{1,6}[ \t])|(?P<item>(?:[-*+]|[0-9]{1,9}[.)])[ \t])|(?P<quote>>)|(?P<table>\|))?"
)
_CHILD_ITEM = re.compile(r"\n(?=[ \t]+(?:[-*+]|[0-9]{1,9}[.)])[ \t])")
_STANZA = re.compile(r"\n(?=[ \t]*\n)")
_LINE_END = re.compile(r"\n")
_MARKER = re.compile(r"\[REDACTED:[^\[\]\s]{1,80}\]")


class _Block(Struct, frozen=True):
    """A unit that is divided only if it is too long: `[start, end)`, trimmed."""

    start: int
    end: int
    kind: str  # paragraph, item, fence, table, quote, heading; "" for a piece of one of these
    leads: bool = False  # it belongs with the next block


_Divider: TypeAlias = Callable[[str, int, int], list[_Block]]


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """`[start, end)` without the blank lines at its ends; the indentation of the first line stays."""
    if start < end and not text[start].isspace():  # nearly always
        return start, start + len(text[start:end].rstrip())
    first = _NOT_SPACE.search(text, start, end)
    if first is None:
        return start, start
    end = start + len(text[start:end].rstrip())
    line_start = text.rfind("\n", start, first.start()) + 1
    if line_start == 0 and (start == 0 or text[start - 1] == "\n"):
        line_start = start
    keeps = 0 < first.start() - line_start <= _KEPT_INDENT and line_start >= start
    return (line_start if keeps else first.start()), end


def split_blocks(
    text: str, start: int, end: int, protected: Sequence[OpaqueBlock], min_chars: int
) -> list[tuple[int, int]]:
    """Divide `[start, end)` into spans of at most 2,000 characters that contain all but white space."""
    groups = _group_pieces(text, _blocks(text, start, end, protected))
    if len(groups) > 1 and len(groups[-2]) > 1:
        last = groups[-1]
        moved = groups[-2][-1]
        if last[-1].end - last[0].start < min_chars and last[-1].end - moved.start <= MAX_CHARS:
            last.insert(0, groups[-2].pop())  # a tail shorter than *min_chars* takes the last block of the group before
    return [(group[0].start, group[-1].end) for group in groups]


def _group_pieces(text: str, pieces: Sequence[_Block]) -> list[list[_Block]]:
    """Group neighbouring blocks greedily while they fit; a block that is too long is divided first."""
    groups: list[list[_Block]] = []
    group: list[_Block] = []
    for piece in _divided(text, pieces):
        if group and piece.end - group[0].start > MAX_CHARS:
            rest: list[_Block] = []
            while len(group) > 1 and group[-1].leads and piece.end - group[-1].start <= MAX_CHARS:
                rest.insert(0, group.pop())
            groups.append(group)
            group = rest
        group.append(piece)
    if group:
        groups.append(group)
    return groups


def _divided(text: str, pieces: Sequence[_Block]) -> Iterator[_Block]:
    """The blocks, with each that is too long replaced by smaller ones."""
    for piece in pieces:
        if piece.end - piece.start <= MAX_CHARS:
            yield piece
        else:
            yield from _divide(text, piece, _DIVIDERS.get(piece.kind, _DIVIDERS["paragraph"]))


def _divide(text: str, piece: _Block, dividers: Sequence[_Divider]) -> Iterator[_Block]:
    """Divide with the first divider, and what is still too long with the next. The last one always succeeds."""
    for smaller in dividers[0](text, piece.start, piece.end):
        if smaller.end - smaller.start <= MAX_CHARS:
            yield smaller
        else:
            yield from _divide(text, smaller, dividers[1:])


def _divider_after(pattern: re.Pattern[str]) -> _Divider:
    """A divider that cuts behind every match of *pattern*."""

    def divide(text: str, start: int, end: int) -> list[_Block]:
        cuts = [found.end() for found in pattern.finditer(text, start, end)]
        return _pieces(text, [start, *cuts, end])

    return divide


def _pieces(text: str, bounds: Sequence[int]) -> list[_Block]:
    spans = (trim(text, start, end) for start, end in pairwise(bounds))
    return [_Block(start, end, "") for start, end in spans if start < end]


def _sentences(text: str, start: int, end: int) -> list[_Block]:
    return [_Block(start + span.start, start + span.end, "") for span in split_sentences(text[start:end])]


def _divide_anywhere(text: str, start: int, end: int) -> list[_Block]:
    """Divide after at most 2,000 characters, at a space if there is one, never inside a redaction marker."""
    bounds = [start]
    while end - bounds[-1] > MAX_CHARS:
        bounds.append(_last_resort_cut(text, bounds[-1], end))
    return _pieces(text, [*bounds, end])


def _last_resort_cut(text: str, start: int, end: int) -> int:
    latest = start + MAX_CHARS
    if end - latest < MAX_CHARS // 10:
        latest = start + (end - start) // 2  # two halves rather than a tiny rest
    for cut in range(latest, start + MAX_CHARS // 2, -1):
        if text[cut - 1].isspace():
            return cut
    for found in _MARKER.finditer(text, max(start, latest - 100), min(end, latest + 100)):
        if found.start() < latest < found.end() and found.start() > start:
            return found.start()
    cut = latest
    while not is_safe_cut(text, cut) and cut > latest - 100:
        cut -= 1
    return cut


_LINES = _divider_after(_LINE_END)
_DIVIDERS: dict[str, tuple[_Divider, ...]] = {
    "paragraph": (_sentences, _LINES, _divide_anywhere),
    "item": (_divider_after(_CHILD_ITEM), _LINES, _sentences, _divide_anywhere),
    "fence": (_divider_after(_STANZA), _LINES, _divide_anywhere),
    "table": (_LINES, _divide_anywhere),
    "quote": (_LINES, _sentences, _divide_anywhere),
    "heading": (_sentences, _divide_anywhere),
}


# --- blocks ------------------------------------------------------------------------------------


class _OpenBlock(Struct):
    """The block that the line reader is in."""

    kind: str = ""
    start: int = 0
    end: int = 0
    indent: int = 0  # of the item
    after_blank: bool = False


def _blocks(text: str, start: int, end: int, protected: Sequence[OpaqueBlock]) -> list[_Block]:
    """The blocks of `[start, end)` in order; together all text that is not white space."""
    pieces: list[_Block] = []
    current = _OpenBlock()
    next_region = bisect_left(protected, start, key=lambda region: region.start)
    position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        region_end = line_end
        while next_region < len(protected) and protected[next_region].start <= region_end:
            region_end = max(region_end, min(end, protected[next_region].end))
            next_region += 1
        if region_end > line_end:  # a fence, math or comment: to the end of the line on which it closes
            line_end = text.find("\n", region_end, end)
            line_end = end if line_end < 0 else line_end
            _add_region(text, current, pieces, position, line_end)
        else:
            _add_line(text, current, pieces, position, line_end)
        position = line_end + 1
    _close_block(text, current, pieces)
    return pieces


def _add_region(text: str, current: _OpenBlock, pieces: list[_Block], start: int, end: int) -> None:
    """Add an opaque block: part of the list item below which it is indented, otherwise a block of its own."""
    shape = _SHAPE.match(text, start)
    if current.kind == "item" and shape and not shape["item"] and _indent_width(shape["indent"]) > current.indent:
        current.end, current.after_blank = end, False
        return
    _close_block(text, current, pieces)
    current.kind, current.start, current.end = "fence", start, end
    if shape and shape["item"]:
        current.kind, current.indent = "item", _indent_width(shape["indent"])
    else:
        _close_block(text, current, pieces)


def _add_line(text: str, current: _OpenBlock, pieces: list[_Block], start: int, end: int) -> None:
    """Add a line outside of opaque blocks: it continues the current block or begins one."""
    shape = _SHAPE.match(text, start, end)
    if start == end or shape is None or _NOT_SPACE.search(text, start, end) is None:
        current.after_blank = True
        if current.kind != "item":
            _close_block(text, current, pieces)
        return
    kind = "paragraph" if shape.lastgroup in (None, "indent") else str(shape.lastgroup)
    indent = _indent_width(shape["indent"])
    if current.kind == "item":
        goes_on = indent > current.indent or (kind == "paragraph" and not current.after_blank)
    else:
        goes_on = kind == current.kind and kind not in ("item", "heading")
    if not goes_on:
        _close_block(text, current, pieces)
        current.kind, current.start, current.indent = kind, start, indent
    current.end, current.after_blank = end, False


def _close_block(text: str, current: _OpenBlock, pieces: list[_Block]) -> None:
    if current.kind:
        start, end = trim(text, current.start, current.end)
        introduces = text[end - 1] in ":：" and end - start <= _INTRODUCTION
        leads = current.kind == "heading" or (current.kind == "paragraph" and introduces)
        pieces.append(_Block(start, end, current.kind, leads))
    current.kind, current.after_blank = "", False


def _indent_width(indent: str) -> int:
    return len(indent.expandtabs(4)) if indent else 0
