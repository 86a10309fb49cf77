"""Text added to a text, and taken out again so that not a byte differs."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Insertion(NamedTuple):
    """*text*, put in front of the character at *offset* of the text as it was before; many have rising offsets."""

    offset: int
    text: str


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """*text* with the *insertions*, which are in the order of their offsets."""
    pieces = []
    at = 0
    for insertion in insertions:
        pieces += [text[at : insertion.offset], insertion.text]
        at = insertion.offset
    return "".join([*pieces, text[at:]])


def taken_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """The text that became *text* by the *insertions*; None where they do not stand in it."""
    pieces = []
    at = shift = 0
    for insertion in insertions:
        start = insertion.offset + shift
        if start < at or not text.startswith(insertion.text, start):
            return None
        pieces.append(text[at:start])
        at = start + len(insertion.text)
        shift += len(insertion.text)
    return "".join([*pieces, text[at:]])


def only_insertion(before: str, after: str) -> Insertion | None:
    """The single insertion that makes *after* of *before*; None where there is none."""
    added = len(after) - len(before)
    start = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
    found = Insertion(start, after[start : start + max(added, 0)])
    return found if inserted(before, [found]) == after else None
