"""`quarry context`: passages about a question, as one block of text for a language model."""

import argparse
from collections.abc import Mapping

from quarry import protocol as wire
from quarry.cli.arguments import (
    QUERY_HELP,
    add_fields,
    add_vault,
    add_wait,
    checked_query,
    connect,
    exit_code_of_nothing,
    given_fields,
    unprotected,
    wait_for_index,
)
from quarry.cli.exit_codes import OK
from quarry.cli.terminal import print_if_empty, print_if_incomplete, print_json, print_line, print_stderr
from quarry.errors import BadQuery
from quarry.protocol import ContextParams

REASONS: Mapping[str, str] = {
    "low-confidence": "no note is likely to answer this; `quarry search` shows the nearest",
    "budget": "not one quote fits into --max-tokens; raise it",
}
"""Why nothing is quoted, where nothing else says so."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("query", nargs="+", metavar="WORD", help=QUERY_HELP)
    add_vault(parser)
    add_fields(parser, ContextParams)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--format", choices=("markdown", "json"), default="markdown")
    form.add_argument("--json", dest="format", action="store_const", const="json", help="like --format json")
    add_wait(parser)


def run(options: argparse.Namespace) -> int:
    """Print the block; nothing where no note answers."""
    query = checked_query(" ".join(map(unprotected, options.query)))
    if not query.strip():
        raise BadQuery("the query is empty", 0)
    with connect(options) as client:
        wait_for_index(client, options.wait)
        params = {"query": query, **given_fields(options, ContextParams)}
        context: wire.ContextResult = client.ask("context", params)
        status = client.status() if not context.sources else None
    if options.format == "json":
        print_json(context)
    elif context.text:
        print_line(context.text)
    for retriever in context.missing:
        print_stderr(str(retriever.reason))
    print_if_incomplete(context.index)
    if status is None:
        return OK
    if status.notes and (reason := REASONS.get(context.abstained or "")):
        print_stderr(reason)
    print_if_empty(client.hello.vault, status)
    return exit_code_of_nothing(context.index)
