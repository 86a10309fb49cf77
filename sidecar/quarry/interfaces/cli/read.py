"""`quarry read`: a note, or part of it."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from typing import TYPE_CHECKING

from quarry.errors import BadRequest
from quarry.interfaces.cli.options import add_json, add_vault, add_wait, connect, number, wait_for_index
from quarry.interfaces.cli.terminal import INCOMPLETE, print_json, print_line, print_stderr
from quarry.interfaces.client import RequestFailed
from quarry.interfaces.exit_codes import NOT_INDEXED_YET

if TYPE_CHECKING:
    from quarry.interfaces import protocol as wire

MAX_LINE = 1_000_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    parser.add_argument(
        "path",
        metavar="NOTE",
        help="its path as `quarry search` prints it, or a title, an alias or what a link to it says",
    )
    add_vault(parser)
    add_wait(parser)
    parser.add_argument(
        "--from-line", type=number(1, MAX_LINE), default=1, metavar="N", help="first line to print, counting from 1"
    )
    parser.add_argument("--max-tokens", type=number(50, 100_000), default=10_000, metavar="N")


def run(options: argparse.Namespace) -> int:
    """Print a note."""
    params = {
        "path": PurePath(options.path).as_posix(),
        "startLine": options.from_line - 1,
        "maxTokens": options.max_tokens,
    }
    with connect(options) as client:
        wait_for_index(client, options.wait)
        try:
            note: wire.NoteText = client.ask("note/read", params)
        except RequestFailed as failed:
            if failed.kind == "note-not-found" and client.status().state in INCOMPLETE:
                return _not_indexed_yet(failed, as_json=options.as_json)
            raise
    if options.from_line > note.line_count:
        raise BadRequest(f"--from-line is {options.from_line:,}; {note.path} has {_lines(note.line_count)}")
    if options.as_json:
        print_json(note)
        return 0
    print_line(note.text)
    if note.truncated:
        print_stderr(_where_to_go_on(note))
    return 0


def _not_indexed_yet(failed: RequestFailed, *, as_json: bool) -> int:
    from quarry.interfaces.cli.failure import report  # here, as hardly any note is asked for too early

    next_step = "ask again with --wait: the vault is not wholly indexed yet"
    report(RequestFailed(str(failed), failed.kind, next_step), as_json=as_json)
    return NOT_INDEXED_YET


def _lines(count: int) -> str:
    return f"{count:,} line{'s' * (count != 1)}"


def _where_to_go_on(note: wire.NoteText) -> str:
    shown_to = note.start_line + note.text.count("\n")
    if shown_to == note.start_line:  # not even one line fitted: going on there would show the same again
        return f"cut off within line {shown_to + 1} of {note.line_count}; raise --max-tokens to see more of it"
    return f"cut off after line {shown_to} of {note.line_count}; continue with --from-line {shown_to + 1}"
