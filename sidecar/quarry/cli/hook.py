"""
`quarry hook`: what agents run at their events; and `--test`, which tells a person what it would do, and why.

Without `--test` this module is not imported: `__main__` leads to `hooks/entry.py`.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from quarry.agents.hooks.events import CLIENTS, MAX_BYTES, Event, HookOutcome, NoContext, parse_event
from quarry.agents.hooks.respond import HookSession
from quarry.cli.arguments import add_json, add_vault
from quarry.cli.terminal import bold, print_json, print_line
from quarry.errors import BadRequest
from quarry.messages import message

LABEL_WIDTH = 14


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("client", choices=tuple(CLIENTS), metavar="CLIENT", help=f"one of {', '.join(CLIENTS)}")
    add_vault(parser)
    add_json(parser)
    parser.add_argument("--home", metavar="DIR", help="use DIR as QUARRY_HOME")
    parser.add_argument(
        "--test",
        metavar="FILE",
        help="show what would be said to the event in FILE (- is standard input), and why; nothing is changed. Without "
        "it, the event on standard input is answered as the client expects it, and the exit code is always 0",
    )


def run(options: argparse.Namespace) -> None:
    """Tell what would be said to an event."""
    if options.home:
        os.environ["QUARRY_HOME"] = options.home
    if options.test is None:
        from quarry.agents.hooks.entry import main

        main([options.client, *(["--vault", str(options.vault)] if options.vault else [])])
    report = _report(options.client, _document(options.test), options.vault)
    if options.as_json:
        print_json(report)
    else:
        _print_report(report)


def _document(name: str) -> bytes:
    """
    The event in the file *name*.

    Raises:
        BadRequest: It cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadRequest(f"the event {name} cannot be read: {error.strerror}; give a file with its JSON") from error


def _report(client: str, document: bytes, vault: Path | None) -> dict[str, Any]:
    begun_s = time.perf_counter()
    event: Event | None = None
    try:
        event = parse_event(client, document)
        outcome = HookSession(event, vault, may_write=False).respond()
    except NoContext as silence:
        outcome = HookOutcome(None, silence.reason, {})
    return {
        "client": event.client if event else client,
        "event": event.name if event else None,
        "meaning": event.kind if event else None,
        **dict.fromkeys(("vault", "query", "index", "confidence", "minConfidence", "abstained", "budget", "text")),
        "sources": [],
        "shownBefore": False,
        "leftTokens": None,
        "blockTokens": 0,
        "tokens": 0,
        **outcome.details,
        "reason": outcome.reason,
        "message": str(message(f"abstained.{outcome.reason}")) if outcome.reason else "text is added",
        "elapsedMs": round((time.perf_counter() - begun_s) * 1000),
        "output": outcome.output,
    }


def _print_report(report: dict[str, Any]) -> None:
    _print_row("event", f"{report['event'] or 'unknown'} of {report['client']}")
    for name in ("vault", "query"):
        if report[name]:
            _print_row(name, report[name])
    if index := report["index"]:
        _print_row("index", f"{index['state']}, {index['done']} of {index['total']} notes")
    for source in report["sources"]:
        where = " › ".join([source["path"], *source["headingPath"]])
        _print_row("confidence", f"{float(source['confidence']):.2f}  {where} (line {source['line'] + 1})")
    if report["abstained"] == "low-confidence" and report["confidence"] is not None:  # an older sidecar gives none
        _print_row(
            "confidence", f"{report['confidence']:.2f} at most; a note is quoted from {report['minConfidence']} on"
        )
    if report["reason"]:
        _print_row("silence", f"{report['reason']}: {report['message']}")
    else:
        budget = f" of {report['budget']}" if report["budget"] else ""
        _print_row("says", f"{report['tokens'] - report['blockTokens']}{budget} tokens about it")
    if report["blockTokens"]:
        _print_row("blocks", f"{report['blockTokens']} tokens of context blocks")
    if report["leftTokens"] is not None:
        _print_row("left", f"{report['leftTokens']} tokens for the rest of this conversation")
    _print_row("time", f"{report['elapsedMs']} ms")
    if report["text"]:
        print_line()
        print_line(report["text"])


def _print_row(label: str, text: str) -> None:
    print_line(f"{bold(label)}{' ' * (LABEL_WIDTH - len(label))}{text}")
