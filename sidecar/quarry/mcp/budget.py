"""
Fits results into a token budget, as a model reads them.

A client gives its model either the text of a result or its structured content, so each is complete and has to fit by
itself: the longer of the two counts.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from quarry.limits import CHARACTERS_PER_TOKEN

SHORTEST_TEXT = 80  # characters of a passage; less says nothing
ELLIPSIS = "..."


class Rendered(NamedTuple):
    """The result of a tool, as a client that knows structured results is sent it, and as text."""

    structured: dict[str, Any]
    text: str


def size_of(rendered: Rendered, *, with_structured: bool) -> int:
    """Characters of *rendered* that a model reads at most: of the text, or of the structured content."""
    return max(len(rendered.text), len(compact_json(rendered.structured)) if with_structured else 0)


def compact_json(value: Any) -> str:
    """*value* as JSON without blanks, as it is sent."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fitted(
    render: Callable[[int, int], Rendered], count: int, longest: int, max_tokens: int, *, with_structured: bool
) -> Rendered:
    """
    The fullest rendering that fits into *max_tokens*.

    Texts are shortened first, all to one length, so that many short passages come whole and long ones share what is
    left; where even short texts do not fit, the last of them are left out.

    Args:
        render: Makes the result of so many items, each text cut to so many characters.
        count: How many items there are.
        longest: Characters of the longest text.
    """
    room = max_tokens * CHARACTERS_PER_TOKEN

    def fits(shown: int, width: int) -> bool:
        return size_of(render(shown, width), with_structured=with_structured) <= room

    least = min(longest, SHORTEST_TEXT)
    shown = _most(lambda items: fits(items, least), 0, count)
    width = _most(lambda characters: fits(shown, characters), least, longest) if shown else least
    return render(shown, width)


def shortened(text: str, width: int) -> str:
    """*text*, ended with `...` where it has more than *width* characters."""
    return text if len(text) <= width else text[: max(0, width - len(ELLIPSIS))].rstrip() + ELLIPSIS


def whole_lines(text: str, width: int) -> str:
    """The lines of *text* that fit into *width* characters together; a part of the first where not even that does."""
    return text if len(text) <= width else text[: text.rfind("\n", 0, width) + 1] or text[:width]


def _most(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The greatest number from *low* to *high* that fits; *low* where none does."""
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
