"""`quarry related`: the notes nearest to a note, to the passage at a line of it, or to a text from anywhere."""

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from quarry import protocol as wire
from quarry.cli.arguments import add_fields, add_json, add_vault, connect, given_fields
from quarry.cli.hits import print_heading_trail
from quarry.cli.terminal import bold, dim, marked, print_answer, print_limitations, print_line, print_stderr
from quarry.client.client import SidecarClient
from quarry.errors import BadRequest
from quarry.limits import MAX_TEXT_CHARS
from quarry.protocol import RelatedParams
from quarry.redaction.sanitize import path_line

STDIN = "-"
LEAST_TOKENS = 50  # of a note that is asked for its length alone
_PLACE = re.compile(r"(.+\.(?:md|markdown|canvas|pdf)):(\d{1,9})", re.IGNORECASE | re.DOTALL)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    parser.add_argument(
        "place",
        nargs="?",
        metavar="PATH[:LINE]",
        help="a note, or its passage at LINE (counting from 1); - reads a text from standard input",
    )
    parser.add_argument("--text", metavar="TEXT", help="find notes similar to TEXT; - reads it from standard input")
    add_vault(parser)
    add_fields(parser, RelatedParams)


def run(options: argparse.Namespace) -> None:
    """Find the similar notes and print them."""
    params = _asked(options)
    with connect(options) as client:
        _require_line(client, params)
        related: wire.RelatedResult = client.ask("related", params)
    print_answer(options, related, _show)


def _asked(options: argparse.Namespace) -> dict[str, object]:
    """
    The parameters of the request.

    Raises:
        BadRequest: Neither a note nor a text is given, or both; or the line is 0.
    """
    if (options.place is None) == (options.text is None):
        raise BadRequest("give either a note or --text")
    if STDIN in (options.place, options.text):
        return {"text": sys.stdin.read(MAX_TEXT_CHARS), **given_fields(options, RelatedParams)}
    if options.text is not None:
        if len(options.text) > MAX_TEXT_CHARS:
            raise BadRequest(f"--text has {len(options.text):,} characters; it takes up to {MAX_TEXT_CHARS:,}")
        return {"text": options.text, **given_fields(options, RelatedParams)}
    placed = _PLACE.fullmatch(options.place)
    path = PurePath(placed[1] if placed else options.place).as_posix()
    if placed and int(placed[2]) < 1:
        raise BadRequest(f"{options.place} names line 0; lines count from 1")
    return {"path": path, "line": int(placed[2]) - 1 if placed else None, **given_fields(options, RelatedParams)}


def _require_line(client: SidecarClient, params: Mapping[str, Any]) -> None:
    """Refuse a line that the note does not have: the passage nearest to it is none that was asked for."""
    if params.get("line") is None:
        return
    note: wire.NoteText = client.ask("note/read", {"path": params["path"], "maxTokens": LEAST_TOKENS})
    if params["line"] >= note.line_count:
        raise BadRequest(f"there is no line {params['line'] + 1:,}; {note.path} has {note.line_count:,} lines")


def _show(related: wire.RelatedResult) -> None:
    for place, note in enumerate(related.notes, start=1):
        linked = "linked · " if note.linked else ""
        at = f"{linked}{note.score:.2f} · {path_line(note.path)}:{note.line + 1}"
        print_line(f"{place:>2}. {bold(path_line(note.title))}  {dim(at)}")
        print_heading_trail(note.heading_path, note.title)
        print_line(f"    {marked(note.snippet, note.marks)}")
    if not related.notes:
        print_stderr("no similar notes found")
    print_limitations(related.index, related.missing)
