"""`quarry capture`: a text becomes a new note, which can be found at once."""

import argparse
import sys

from quarry import protocol as wire
from quarry.cli.arguments import add_json, add_vault, connect
from quarry.cli.terminal import counted, print_answer, print_line, print_stderr
from quarry.errors import BadRequest
from quarry.limits import MAX_CAPTURE_BYTES
from quarry.options import NOTE_TYPES

WAIT_MS = 5000  # for the note to be found: a tenth of a second, or more where the sidecar has just begun
SOURCE = "cli"
BLOCKED = ("paused", "failed")  # states in which the note is not indexed until something else happens


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("text", nargs="?", metavar="TEXT", help="Markdown; - or nothing reads it from standard input")
    parser.add_argument("--title", help="title, also used for the file name (default: the first line)")
    parser.add_argument("--domain", default="", help="subject, for domain: in queries")
    parser.add_argument("--tags", default="", metavar="A,B", help="tags, separated by commas")
    parser.add_argument("--type", choices=NOTE_TYPES, default="note")
    parser.add_argument("--source", default=SOURCE, help=f"where the text comes from (default: {SOURCE})")
    parser.add_argument(
        "--folder", metavar="DIR", help="folder in the vault (default: the vault's setting, or 00-inbox)"
    )
    add_json(parser)
    add_vault(parser)


def run(options: argparse.Namespace) -> None:
    """Capture the text, and print the path of its note."""
    params = {
        "text": _text(options.text),
        "title": options.title,
        "domain": options.domain,
        "tags": [tag for tag in options.tags.split(",") if tag.strip()],
        "type": options.type,
        "source": options.source,
        "folder": options.folder,
        "waitMs": WAIT_MS,
    }
    with connect(options, as_owner=True) as client:
        note: wire.CaptureResult = client.ask("capture", params)
    print_answer(options, note, _show)


def _show(note: wire.CaptureResult) -> None:
    """Print the path of the new note, and on standard error what is to be known about it."""
    print_line(note.path)
    if note.redacted:
        kinds = ", ".join(sorted(dict(note.redactions)))
        print_stderr(f"{counted(note.redacted, 'credential')} redacted ({kinds}); they were not written")
    if not note.created:
        print_stderr("an identical note was already captured today; nothing was written")
    if not note.searchable and note.index.state in BLOCKED:
        print_stderr(f"it can be found once indexing continues; indexing is {note.index.state}, see `quarry status`")
    elif not note.searchable:
        print_stderr("it is being indexed, and can be found in a moment")


def _text(given: str | None) -> str:
    """
    The text that was *given*, or is on standard input.

    Raises:
        BadRequest: There is none, it is too large, or it is not text.
    """
    if given is not None and given != "-":
        data = given.encode("utf-8", "surrogateescape")
    elif given is None and sys.stdin.isatty():
        raise BadRequest('there is nothing to capture; give a text: quarry capture "..."')
    else:
        data = sys.stdin.buffer.read(MAX_CAPTURE_BYTES + 1)
    if len(data) > MAX_CAPTURE_BYTES:
        raise BadRequest(f"the text has more than {MAX_CAPTURE_BYTES:,} bytes; save it as a file in the vault instead")
    return _decoded(data)


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(f"the text is not UTF-8 (byte {error.start}); convert it, and try again") from None
    if "\0" in text:
        raise BadRequest("the text contains NUL characters; convert it to UTF-8, and try again")
    return text
