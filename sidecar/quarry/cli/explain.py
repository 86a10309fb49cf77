"""`quarry explain`: why a note ranks where it does for a query, or why it is not among the hits."""

import argparse
from collections.abc import Iterator

from quarry import protocol as wire
from quarry.cli.arguments import (
    QUERY_HELP,
    add_fields,
    add_note,
    connect,
    given_fields,
    query_of,
)
from quarry.cli.failure import FAILED, OK
from quarry.cli.hits import signal_name
from quarry.cli.terminal import bold, print_answer, print_facts, print_line
from quarry.messages import sentences
from quarry.options import HitOptions

FIELDS = ("limit", "mode", "fusion")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("query", metavar="QUERY", help=QUERY_HELP)
    add_note(parser)
    add_fields(parser, HitOptions, *FIELDS)


def run(options: argparse.Namespace) -> int:
    """Explain."""
    params = {
        "query": query_of([options.query]),
        "path": options.path,
        **given_fields(options, HitOptions, *FIELDS),
    }
    with connect(options, as_owner=True) as client:  # who learns why a note is kept out
        explained: wire.ExplainResult = client.ask("explain", params)
    print_answer(options, explained, _show)
    return FAILED if explained.state == "unknown" else OK


def _show(explained: wire.ExplainResult) -> None:
    print_line(bold(explained.path))
    print_line(sentences(explained.messages))
    print_facts(_facts(explained))
    if explained.signals:
        print_facts([("signal", "share"), *((signal_name(one), f"{one.share:.3f}") for one in explained.signals)])


def _facts(explained: wire.ExplainResult) -> Iterator[tuple[str, str]]:
    """The facts about the note, each with its label."""
    yield "query interpreted as", str(explained.understood) if explained.understood else ""
    yield "words found", ", ".join(explained.words_found)
    yield "words missing", ", ".join(explained.words_lacking)
    if scores := explained.breakdown:
        yield "keyword rank", _rank(scores.keyword_rank, scores.keyword_score, "BM25")
        yield "meaning rank", _rank(scores.dense_rank, scores.dense_score, "cosine")
    yield "score", f"{explained.score:.4f}" if explained.score is not None else ""


def _rank(rank: int | None, score: float | None, measure: str) -> str:
    """Where its best passage stood in one retriever's list, and with which score."""
    place = str(rank) if rank is not None else "not proposed"
    return f"{place} ({measure} {score:.3f})" if score is not None else place
