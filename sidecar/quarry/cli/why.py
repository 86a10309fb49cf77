"""`quarry why`: whether a note can be found at all, what keeps it out of the index, and what of it is in there."""

import argparse
from collections.abc import Iterator

from quarry import protocol as wire
from quarry.cli.arguments import add_note, connect
from quarry.cli.failure import FAILED, OK
from quarry.cli.terminal import bold, print_answer, print_facts, print_line
from quarry.protocol.base import local_time

FOUND = "It is in the index and can be found. `quarry explain` says where it ranks for a query."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_note(parser)


def run(options: argparse.Namespace) -> int:
    """Report on the note."""
    with connect(options, as_owner=True) as client:
        report: wire.NoteReport = client.ask("inspect/note", {"path": options.path})
    print_answer(options, report, _show)
    return FAILED if report.state == "unknown" else OK


def _show(report: wire.NoteReport) -> None:
    print_line(bold(report.path))
    for sentence in [str(reason) for reason in report.reasons] or [FOUND]:
        print_line(sentence)
    print_facts(_facts(report))


def _facts(report: wire.NoteReport) -> Iterator[tuple[str, str]]:
    """The facts about the note, each with its label."""
    yield "file changed", _time(report.modified_ms)
    if content := report.indexed:
        yield "indexed as of", _time(content.modified_ms)
        yield "title", content.title
        yield "passages", f"{content.chunks:,} with {content.words:,} words"
        yield "vectors", "" if content.has_vectors else "some passages wait for theirs"
        yield "languages", ", ".join(["en", *content.languages]) if content.languages else ""
        yield "sections left out", ", ".join(content.skipped_sections)
        yield "credentials blanked", ", ".join(f"{name} {count}" for name, count in content.redactions.items())


def _time(ms: int | None) -> str:
    return f"{local_time(ms):%Y-%m-%d %H:%M:%S}" if ms is not None else ""
