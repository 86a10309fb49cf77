"""`quarry context`: passages about a question, as one block of text for a language model."""

import argparse

from quarry import protocol as wire
from quarry.cli.arguments import (
    QUERY_HELP,
    add_fields,
    add_vault,
    add_wait,
    connect,
    exit_code_of_nothing,
    given_fields,
    query_of,
    wait_for_index,
)
from quarry.cli.failure import OK
from quarry.cli.terminal import print_if_empty, print_json, print_limitations, print_line, print_stderr
from quarry.messages import message
from quarry.protocol import ContextParams


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
    query = query_of(options.query)
    with connect(options) as client:
        wait_for_index(client, options.wait)
        params = {"query": query, **given_fields(options, ContextParams)}
        context: wire.ContextResult = client.ask("context", params)
        status = client.status() if not context.sources else None
    if options.format == "json":
        print_json(context)
    elif context.text:
        print_line(context.text)
    print_limitations(context.index, context.missing)
    if status is None:
        return OK
    if status.notes and context.abstained:
        print_stderr(str(message(f"abstained.{context.abstained}")))
    print_if_empty(client.hello.vault, status)
    return exit_code_of_nothing(context.index)
