"""
How a passage is named: `Folder/Note.md:12` is the section of that note that line 12, counted from 1, stands in.

A title or path without a line is the whole note.
"""

import re
from typing import NamedTuple

from quarry.redaction.sanitize import printable

_PLACE = re.compile(r"(.+?\.(?:md|markdown|canvas|pdf)):(\d{1,9})", re.IGNORECASE | re.DOTALL)
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Place(NamedTuple):
    """A note, and the line of a passage of it, from 1; None: all of it."""

    note: str
    line: int | None = None


def hit_id(path: str, line: int) -> str:
    """The name of the passage at *line*, from 0, of the note at *path*."""
    return f"{printable(path)}:{line + 1}"


def split_place(name: str) -> Place:
    """The place that *name* is; a name without a line is a note."""
    found = _PLACE.fullmatch(name)
    return Place(found[1], int(found[2]) or None) if found else Place(name)


def section_of(lines: list[str], line: int) -> tuple[int, int]:
    """
    The section that *line*, from 0, stands in: `[first, end)`, from its heading to the next one of any level.

    Headings inside fences are none. Front matter and what stands above the first heading are a section as well.
    """
    first, fence = 0, ""
    for number, text in enumerate(lines):
        if found := _FENCE.match(text):
            fence = _after_fence(fence, found[1])
        elif not fence and _HEADING.match(text):
            if number > line:
                return first, number
            first = number
    return first, len(lines)


def _after_fence(open_fence: str, mark: str) -> str:
    """The fence that is open after a line with *mark*; "" for none."""
    if not open_fence:
        return mark
    return "" if mark[0] == open_fence[0] and len(mark) >= len(open_fence) else open_fence
