"""Output for a person at a terminal, and for a pipe."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from quarry.protocol import Freshness, IndexStatus, Mark, MissingRetriever, Vault
from quarry.protocol.base import limitations
from quarry.redaction.sanitize import printable, printable_json

T = TypeVar("T")

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
POINTED = 60  # characters of a query that are shown on either side of what is wrong with it
_OURS = re.compile("(\x1b\\[[012]m)")
_LABEL = "((?:\x1b\\[|[^]|[])*)"  # in which words may be bold
_WIKI_LINK = re.compile(f"(?<!\x1b)(!?)\\[\\[{_LABEL}(?:\\|{_LABEL})?]]")
_LINK = re.compile(f"(?<!\x1b)!?\\[{_LABEL}]\\((?:[^()]|\\([^()]*\\))*\\)")


def is_decorated() -> bool:
    """Whether standard output is a terminal that may and can be decorated (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def bold(text: str) -> str:
    """*text* in bold, where that shows, and cleaned."""
    return f"{_BOLD}{printable(text)}{_PLAIN}" if is_decorated() else printable(text)


def dim(text: str) -> str:
    """*text* held back, where that shows, and cleaned."""
    return f"{_DIM}{printable(text)}{_PLAIN}" if is_decorated() else printable(text)


def print_line(text: str = "") -> None:
    """One line on standard output, with nothing that could steer the terminal but what `bold` and `dim` put in."""
    pieces = _OURS.split(text) if is_decorated() else [text]
    print("".join(piece if _OURS.fullmatch(piece) else printable(piece) for piece in pieces))


def print_stderr(text: str) -> None:
    """One line on standard error."""
    print(f"quarry: {printable(text)}", file=sys.stderr)


def print_json(value: object) -> None:
    """*value*, a reply or plain data, as JSON, indented, with characters that could steer the terminal escaped."""
    print(printable_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def print_answer(options: argparse.Namespace, answer: T, show: Callable[[T], None]) -> None:
    """Print *answer* as JSON if *options* ask for it, and for a person by *show* otherwise."""
    if options.as_json:
        print_json(answer)
    else:
        show(answer)


def print_json_line(value: object) -> None:
    """*value* as JSON on one line, with characters that could steer the terminal escaped."""
    print(printable_json(msgspec.json.encode(value).decode()))


def print_if_empty(vault: Vault, status: IndexStatus) -> None:
    """
    Why there is nothing to search in *vault*, on standard error; nothing where *status* has notes or other news.

    A vault that was read once is looked through again now and then: that is no news.
    """
    if status.indexed_ms is None or status.notes or status.pending or status.problem_count or status.message:
        return
    if status.excluded:
        print_stderr(f"rules exclude all notes in {vault.path}; see `folders` in .quarry.toml, and .indexignore")
    else:
        print_stderr(f"there are no Markdown files in {vault.path}; name the folder that contains your notes")


def print_limitations(index: Freshness, missing: Sequence[MissingRetriever] | None = None) -> None:
    """Print on standard error what `limitations` says."""
    for reason in limitations(index, missing):
        print_stderr(str(reason))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print the *facts* that have a value below an empty line, each behind its label; nothing if none has one."""
    shown = [(label, value) for label, value in facts if value]
    width = max((len(label) for label, _ in shown), default=0)
    for number, (label, value) in enumerate(shown):
        print_line(f"{'' if number else chr(10)}  {dim(label.ljust(width))}  {value}")


def counted(number: int, noun: str) -> str:
    """*number* with *noun* in its singular or plural form."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def marked(text: str, marks: Sequence[Mark]) -> str:
    """A snippet on one line, with the labels of its links alone and its marks in bold; marks are UTF-16 offsets."""
    units = text.encode("utf-16-le")
    pieces: list[str] = []
    at = 0
    for mark in marks:
        if mark.end > at:  # else a word within a sentence that is marked already
            start = max(at, mark.start)
            pieces += [_piece(units, at, start), bold(_piece(units, start, mark.end))]
            at = mark.end
    pieces.append(_piece(units, at, len(units) // 2))
    with_labels = _WIKI_LINK.sub(lambda link: link[2] if link[1] else link[3] or link[2], "".join(pieces))
    return _LINK.sub(r"\1", with_labels).strip()


def print_caret(text: str, position: int) -> None:
    """*text* and, under the UTF-16 offset *position* into it, a caret; both on standard error."""
    units = text.encode("utf-16-le")
    before, behind = (
        _even(units[a:b].decode("utf-16-le", "ignore")) for a, b in ((0, 2 * position), (2 * position, None))
    )
    before = f"…{before[-POINTED:]}" if len(before) > POINTED else before
    behind = f"{behind[:POINTED]}…" if len(behind) > POINTED else behind
    print(f"  {before}{behind}\n  {' ' * sum(map(_columns, before))}^", file=sys.stderr)


def _even(text: str) -> str:
    """*text* on one line, each character that takes no place in it or steers the terminal as a blank."""
    return "".join(character if printable(character) and not character.isspace() else " " for character in text)


def _columns(character: str) -> int:
    """How many columns of a terminal a character takes."""
    import unicodedata  # here, as only a mistake in a query is pointed at

    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _piece(units: bytes, start: int, end: int) -> str:
    """UTF-16 units *start* to *end*, line ends and runs of blanks as one blank, control characters dropped."""
    piece = printable(units[2 * start : 2 * end].decode("utf-16-le"))
    words = " ".join(piece.split())
    return f"{' ' if piece[:1].isspace() else ''}{words}{' ' if words and piece[-1:].isspace() else ''}"
