"""`quarry why`: whether a note can be found at all, what keeps it out of the index, and what of it is in there."""

from __future__ import annotations

import argparse
from datetime import datetime
from typing import TYPE_CHECKING

from quarry.cli.arguments import add_json, add_note, add_vault, connect
from quarry.cli.exit_codes import FAILED, OK
from quarry.cli.terminal import bold, dim, print_json, print_line

if TYPE_CHECKING:
    from quarry import protocol as wire

FOUND = "It is in the index and can be found. `quarry explain` says where it ranks for a query."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    add_note(parser)
    add_vault(parser)


def run(options: argparse.Namespace) -> int:
    """Report on the note."""
    with connect(options, as_owner=True) as client:
        report: wire.NoteReport = client.ask("inspect/note", {"path": options.path})
    if options.as_json:
        print_json(report)
    else:
        _show(report)
    return FAILED if report.state == "unknown" else OK


def _show(report: wire.NoteReport) -> None:
    print_line(bold(report.path))
    for sentence in [str(reason) for reason in report.reasons] or [FOUND]:
        print_line(sentence)
    facts = _facts(report)
    if facts:
        print_line()
        width = max(len(name) for name, _ in facts)
        for name, value in facts:
            print_line(f"  {dim(name.ljust(width))}  {value}")


def _facts(report: wire.NoteReport) -> list[tuple[str, str]]:
    """The known facts about the note, each with its label."""
    content = report.indexed
    known = [("file changed", _time(report.modified_ms))]
    if content:
        known += [
            ("indexed as of", _time(content.modified_ms)),
            ("title", content.title),
            ("passages", f"{content.chunks:,} with {content.words:,} words"),
            ("vectors", "" if content.has_vectors else "some passages wait for theirs"),
            ("languages", ", ".join(["en", *content.languages]) if content.languages else ""),
            ("sections left out", ", ".join(content.skipped_sections)),
            ("credentials blanked", ", ".join(f"{name} {count}" for name, count in content.redactions.items())),
        ]
    return [(name, value) for name, value in known if value]


def _time(ms: int | None) -> str:
    return datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S") if ms is not None else ""  # noqa: DTZ006
