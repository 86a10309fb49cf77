"""`quarry list`: notes by folder, tag, type or date, newest first."""

import argparse

from quarry import protocol as wire
from quarry.cli.arguments import (
    add_wait,
    connect,
    exit_code_of_nothing,
    number,
    wait_for_index,
)
from quarry.cli.failure import OK
from quarry.cli.terminal import bold, dim, print_answer, print_limitations, print_line, print_stderr
from quarry.dates import day_of, parse_day_ms
from quarry.redaction.sanitize import path_line


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_wait(parser)
    parser.add_argument("--folder", metavar="DIR", help="only notes in this folder or below it")
    parser.add_argument("--tag", metavar="TAG", help="only notes with this tag or a nested one")
    parser.add_argument("--type", metavar="TYPE", help="only notes with this `type` in their front matter")
    parser.add_argument("--since", metavar="YYYY-MM-DD", help="only notes changed on or after this day")
    parser.add_argument("--until", metavar="YYYY-MM-DD", help="only notes changed before this day")
    parser.add_argument("--limit", type=number(1, 1000), default=20, metavar="N")
    parser.add_argument("--offset", type=number(0, 1_000_000_000), default=0, metavar="N")


def run(options: argparse.Namespace) -> int:
    """List notes."""
    params = {
        "folder": options.folder,
        "tag": options.tag,
        "type": options.type,
        "modifiedAfterMs": parse_day_ms(options.since, "--since") if options.since else None,
        "modifiedBeforeMs": parse_day_ms(options.until, "--until") if options.until else None,
        "limit": options.limit,
        "offset": options.offset,
    }
    with connect(options) as client:
        wait_for_index(client, options.wait)
        page: wire.NoteList = client.ask("notes/list", params)
    exit_code = OK if page.notes else exit_code_of_nothing(page.index)
    print_answer(options, page, _show)
    if not options.as_json and page.total > options.offset + len(page.notes):
        print_stderr(f"{len(page.notes)} of {page.total}; use --limit or --offset to see more")
    return exit_code


def _show(page: wire.NoteList) -> None:
    for note in page.notes:
        tags = " ".join(f"#{tag}" for tag in note.tags)
        about = f"{path_line(note.path)}  {tags}".rstrip()
        print_line(f"{dim(day_of(note.modified_ms))}  {bold(path_line(note.title))}  {dim(about)}")
    if not page.notes:
        print_stderr("no notes match")
    print_limitations(page.index)
