"""What a person sees on the terminal, and what a pipe gets instead."""

import os
import re
import sys
from collections.abc import Sequence

from quarry.interfaces.outgoing import printable
from quarry.interfaces.protocol import Mark

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_OURS = re.compile("(\x1b\\[[012]m)")


def is_for_people() -> bool:
    """Whether standard output is a terminal that may be decorated (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def bold(text: str) -> str:
    """*text* in bold, where that shows, and cleaned."""
    return f"{_BOLD}{printable(text)}{_PLAIN}" if is_for_people() else printable(text)


def dim(text: str) -> str:
    """*text* held back, where that shows, and cleaned."""
    return f"{_DIM}{printable(text)}{_PLAIN}" if is_for_people() else printable(text)


def say(text: str = "") -> None:
    """One line on standard output, with nothing that could steer the terminal but what `bold` and `dim` put in."""
    pieces = _OURS.split(text) if is_for_people() else [text]
    print("".join(piece if _OURS.fullmatch(piece) else printable(piece) for piece in pieces))


def complain(text: str) -> None:
    """One line on standard error."""
    print(f"quarry: {printable(text)}", file=sys.stderr)


def marked(text: str, marks: Sequence[Mark]) -> str:
    """A snippet on one line with its marks in bold; marks are UTF-16 offsets."""
    units = text.encode("utf-16-le")
    pieces: list[str] = []
    at = 0
    for mark in marks:
        pieces += [_piece(units, at, mark.start), bold(_piece(units, mark.start, mark.end))]
        at = mark.end
    pieces.append(_piece(units, at, len(units) // 2))
    return "".join(pieces).strip()


def _piece(units: bytes, start: int, end: int) -> str:
    """UTF-16 units *start* to *end*, line ends and runs of blanks as one blank, control characters dropped."""
    piece = printable(units[2 * start : 2 * end].decode("utf-16-le"))
    words = " ".join(piece.split())
    return f"{' ' if piece[:1].isspace() else ''}{words}{' ' if words and piece[-1:].isspace() else ''}"
