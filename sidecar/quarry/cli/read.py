"""`quarry read`: a note, or part of it."""

import argparse
import time
from collections.abc import Mapping
from typing import Any

from quarry import protocol as wire
from quarry.cli.arguments import add_note, add_wait, connect, number, wait_for_index
from quarry.cli.failure import NOT_INDEXED_YET, report
from quarry.cli.terminal import counted, print_json, print_line, print_stderr
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.errors import BadRequest
from quarry.limits import INCOMPLETE

MAX_LINE = 1_000_000_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_note(parser)
    add_wait(parser)
    parser.add_argument(
        "--from-line", type=number(1, MAX_LINE), default=1, metavar="N", help="first line to print, counting from 1"
    )
    parser.add_argument("--max-tokens", type=number(50, 100_000), default=10_000, metavar="N")


def run(options: argparse.Namespace) -> int:
    """Print a note."""
    params = {
        "path": options.path,
        "startLine": options.from_line - 1,
        "maxTokens": options.max_tokens,
    }
    with connect(options) as client:
        note = _read(client, params, options)
    if note is None:
        return NOT_INDEXED_YET
    if options.from_line > note.line_count:
        raise BadRequest(f"--from-line is {options.from_line:,}; {note.path} has {counted(note.line_count, 'line')}")
    if options.as_json:
        print_json(note)
        return 0
    print_line(note.text)
    if note.truncated:
        print_stderr(_where_to_go_on(note))
    return 0


def _read(client: SidecarClient, params: Mapping[str, Any], options: argparse.Namespace) -> wire.NoteText | None:
    """
    The note that *params* name, waited for up to `--wait`: another comparison of the vault may begin after the first.

    None, which is reported, if there is no such note in an index that still lacks notes.

    Raises:
        RequestFailed: It cannot be read.
    """
    ends_s = time.monotonic() + (options.wait or 0)
    wait_for_index(client, options.wait)
    while True:
        try:
            note: wire.NoteText = client.ask("note/read", params)
            return note
        except RequestFailed as failed:
            if failed.kind != "note-not-found" or client.status().state not in INCOMPLETE:
                raise
            if (left_s := ends_s - time.monotonic()) <= 0:
                next_step = "ask again with --wait: the vault is not wholly indexed yet"
                report(RequestFailed(str(failed), failed.kind, next_step), as_json=options.as_json)
                return None
        wait_for_index(client, left_s)


def _where_to_go_on(note: wire.NoteText) -> str:
    shown_to = note.start_line + note.text.count("\n")
    if shown_to == note.start_line:  # not even one line fitted: going on there would show the same again
        return f"cut off within line {shown_to + 1} of {note.line_count}; raise --max-tokens to see more of it"
    return f"cut off after line {shown_to} of {note.line_count}; continue with --from-line {shown_to + 1}"
