"""`quarry read` and `quarry list`: notes themselves."""

import argparse
from pathlib import PurePath

from quarry.errors import BadRequest
from quarry.interfaces import protocol as wire
from quarry.interfaces.cli.common import Commands, add_command, add_vault, connect, print_json
from quarry.interfaces.cli.terminal import bold, dim, print_line, print_stderr
from quarry.interfaces.days import day_of, start_of_day_ms


def add_commands(commands: Commands) -> None:
    """Add `read` and `list`."""
    reading = add_command(commands, "read", run_read, "print a note, with credentials blanked")
    reading.add_argument("path", help="vault-relative, as search prints it")
    add_vault(reading)
    reading.add_argument("--from-line", type=int, default=1, metavar="N", help="start at this line, from 1")
    reading.add_argument("--max-tokens", type=int, default=10_000, metavar="N")

    listing = add_command(commands, "list", run_list, "list notes, newest first")
    add_vault(listing)
    listing.add_argument("--folder", metavar="DIR", help="in this folder, or below it")
    listing.add_argument("--tag", metavar="TAG", help="with this tag, or one nested in it")
    listing.add_argument("--type", metavar="TYPE", help="whose front matter says this type")
    listing.add_argument("--since", metavar="YYYY-MM-DD", help="changed on this day or later")
    listing.add_argument("--until", metavar="YYYY-MM-DD", help="changed before this day")
    listing.add_argument("--limit", type=int, default=20, metavar="N")
    listing.add_argument("--offset", type=int, default=0, metavar="N")


def run_read(options: argparse.Namespace) -> int:
    """Print a note."""
    if options.from_line < 1:
        raise BadRequest(f"--from-line is {options.from_line}; lines count from 1")
    params = wire.ReadNoteParams(
        path=PurePath(options.path).as_posix(), start_line=options.from_line - 1, max_tokens=options.max_tokens
    )
    with connect(options) as client:
        note = client.ask("note/read", params, wire.NoteText)
    if options.as_json:
        print_json(note)
        return 0
    print_line(note.text)
    if note.truncated:
        print_stderr(_where_to_go_on(note))
    return 0


def _where_to_go_on(note: wire.NoteText) -> str:
    shown_to = note.start_line + note.text.count("\n")
    if shown_to == note.start_line:  # not even one line fitted: going on there would show the same again
        return f"cut within line {shown_to + 1} of {note.line_count}; --max-tokens shows more of it"
    return f"cut after line {shown_to} of {note.line_count}; go on with --from-line {shown_to + 1}"


def run_list(options: argparse.Namespace) -> int:
    """List notes."""
    params = wire.ListNotesParams(
        folder=options.folder,
        tag=options.tag,
        type=options.type,
        modified_after_ms=start_of_day_ms(options.since, "--since") if options.since else None,
        modified_before_ms=start_of_day_ms(options.until, "--until") if options.until else None,
        limit=options.limit,
        offset=options.offset,
    )
    with connect(options) as client:
        page = client.ask("notes/list", params, wire.NoteList)
    if options.as_json:
        print_json(page)
        return 0
    for note in page.notes:
        tags = " ".join(f"#{tag}" for tag in note.tags)
        print_line(f"{dim(day_of(note.modified_ms))}  {bold(note.title)}  {dim(f'{note.path}  {tags}'.rstrip())}")
    if not page.notes:
        print_stderr("no note is in that folder, with that tag or type, or of that time")
    if page.total > options.offset + len(page.notes):
        print_stderr(f"{len(page.notes)} of {page.total}; --limit or --offset shows more")
    return 0
