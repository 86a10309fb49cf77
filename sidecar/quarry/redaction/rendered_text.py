"""
How does a note read where it is rendered, as opposed to its source?

A key pasted from a web page may hold a soft hyphen or a zero-width space, and
editors that write Markdown escape its underscores. A view is the note as stored
or as rendered, with the offset of each of its characters in the note.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from msgspec import Struct

from quarry.lazy_pattern import lazy_pattern

_INVISIBLE = (
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f"  # control characters, but for tab and line breaks
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"  # joiners, directions, marks
)
_HYPHEN_ESCAPES = {"\\-", "&#45;"}
_ESCAPES = (r"\\[_-]", "&(?:#(?:95|[xX]5[fF]|45)|lowbar);", "%5[fF]")
_NOT_RENDERED = lazy_pattern(f"[{_INVISIBLE}]+|" + "|".join(_ESCAPES))
_ONE_BY_ONE = tuple(map(lazy_pattern, _ESCAPES))  # `re` skips to the literal that each begins with
_INVISIBLE_CHARACTER = lazy_pattern(f"[{_INVISIBLE}]")
_ASCII_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])


class TextView(Struct, frozen=True):
    """A view of the note: character `i` of `text` is `[starts[i], ends[i])` of the note, in code points."""

    text: str
    starts: Sequence[int]  # both ascending
    ends: Sequence[int]

    def to_note(self, start: int, end: int) -> tuple[int, int]:
        """Convert `[start, end)` of this view, not empty, to the note, with what is not rendered in between."""
        return self.starts[start], self.ends[end - 1]

    def from_note(self, start: int, end: int) -> tuple[int, int]:
        """Convert `[start, end)` of the note to this view: all characters that overlap it."""
        first = bisect_right(self.ends, start)
        return first, max(first, bisect_left(self.starts, end))


def text_views(text: str) -> list[TextView]:
    """
    Return the note as stored and, if it differs, as rendered: without invisible characters and escapes of `_` and `-`.

    Both are needed: a zero-width space may divide a key, or may separate a key from the word before it.
    """
    stored = TextView(text, range(len(text)), range(1, len(text) + 1))
    return [stored, _as_rendered(text)] if _differs_when_rendered(text) else [stored]


def _differs_when_rendered(text: str) -> bool:
    """
    Whether `_NOT_RENDERED` finds anything in *text*: a quick no for most notes.

    The whole expression takes 119 ms for 7.5 MB of notes, as it tries five alternatives at every character; this takes
    20.
    """
    for escape in _ONE_BY_ONE:
        if escape.search(text):
            return True
    if text.isascii():
        data = text.encode()
        return len(data.translate(None, _ASCII_CONTROLS)) < len(data)
    return _INVISIBLE_CHARACTER.search(text) is not None


def _as_rendered(text: str) -> TextView:
    pieces: list[str] = []
    starts, ends = array("L"), array("L")
    done = 0

    def keep(upto: int) -> None:
        pieces.append(text[done:upto])
        starts.extend(range(done, upto))
        ends.extend(range(done + 1, upto + 1))

    for unshown in _NOT_RENDERED.finditer(text):
        keep(unshown.start())
        if unshown.group()[0] in "\\&%":
            pieces.append("-" if unshown.group() in _HYPHEN_ESCAPES else "_")
            starts.append(unshown.start())
            ends.append(unshown.end())
        done = unshown.end()
    keep(len(text))
    return TextView("".join(pieces), starts, ends)
