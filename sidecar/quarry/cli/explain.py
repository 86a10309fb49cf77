"""`quarry explain`: why a note ranks where it does for a query, or why it is not among the hits."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from quarry.cli.arguments import (
    QUERY_HELP,
    add_fields,
    add_json,
    add_note,
    add_vault,
    checked_query,
    connect,
    given_fields,
    unprotected,
)
from quarry.cli.exit_codes import FAILED, OK
from quarry.cli.hits import signal_name
from quarry.cli.terminal import bold, dim, print_json, print_line
from quarry.messages import sentences
from quarry.options import HitOptions

if TYPE_CHECKING:
    from quarry import protocol as wire

FIELDS = ("limit", "mode", "fusion")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    parser.add_argument("query", metavar="QUERY", help=QUERY_HELP)
    add_note(parser)
    add_vault(parser)
    add_fields(parser, HitOptions, *FIELDS)


def run(options: argparse.Namespace) -> int:
    """Explain."""
    params = {
        "query": checked_query(unprotected(options.query)),
        "path": options.path,
        **given_fields(options, HitOptions, *FIELDS),
    }
    with connect(options, as_owner=True) as client:  # who learns why a note is kept out
        explained: wire.ExplainResult = client.ask("explain", params)
    if options.as_json:
        print_json(explained)
    else:
        _show(explained)
    return FAILED if explained.state == "unknown" else OK


def _show(explained: wire.ExplainResult) -> None:
    print_line(bold(explained.path))
    print_line(sentences(explained.messages))
    facts = _facts(explained)
    if facts:
        print_line()
        _table(facts)
    if explained.signals:
        print_line()
        _table([("signal", "share"), *((signal_name(one), f"{one.share:.3f}") for one in explained.signals)])


def _facts(explained: wire.ExplainResult) -> list[tuple[str, str]]:
    """The known facts about the note, each with its label."""
    scores = explained.breakdown
    known = [
        ("query interpreted as", str(explained.understood) if explained.understood else ""),
        ("words found", ", ".join(explained.words_found)),
        ("words missing", ", ".join(explained.words_lacking)),
        ("keyword rank", _rank(scores.keyword_rank, scores.keyword_score, "BM25") if scores else ""),
        ("meaning rank", _rank(scores.dense_rank, scores.dense_score, "cosine") if scores else ""),
        ("score", f"{explained.score:.4f}" if explained.score is not None else ""),
    ]
    return [(name, value) for name, value in known if value]


def _rank(rank: int | None, score: float | None, measure: str) -> str:
    """Where its best passage stood in one retriever's list, and with which score."""
    place = str(rank) if rank is not None else "not proposed"
    return f"{place} ({measure} {score:.3f})" if score is not None else place


def _table(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print_line(f"  {dim(name.ljust(width))}  {value}")
