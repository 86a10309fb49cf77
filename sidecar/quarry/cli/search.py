"""`quarry search`: one query and its hits, one query a line from a pipe, or a prompt that takes one after another."""

import argparse
import contextlib
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from quarry import protocol as wire
from quarry.cli import hits
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
from quarry.cli.failure import BAD_USAGE, OK, error_value, report
from quarry.cli.terminal import (
    bold,
    dim,
    print_if_empty,
    print_json,
    print_json_line,
    print_limitations,
    print_line,
    print_stderr,
)
from quarry.client.client import SidecarClient
from quarry.client.codec import RequestFailed
from quarry.conditions import Operator
from quarry.errors import BadQuery, BadRequest
from quarry.messages import Message, message, sentences
from quarry.options import SearchOptions

PROMPT = "search> "
TIERS_PATIENCE_MS = 5_000  # a person asks once: a second for a sidecar that starts is well spent
MISSPELLED = 0.8  # share of letters in common from which a word before a colon is taken for an operator
FORMS = {"as_markdown": hits.print_markdown, "files": hits.print_paths, "compact": hits.print_compact}  # by option


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("query", nargs="*", metavar="WORD", help=QUERY_HELP)
    add_vault(parser)
    add_fields(parser, wire.TierSearchParams)
    add_wait(parser)
    parser.add_argument(
        "--why",
        "--explain",
        action="store_true",
        help="show how the query was interpreted and why each hit ranks where it does",
    )
    parser.add_argument("--full", action="store_true", help="print whole passages with their scores")
    parser.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        help="find nothing where no note matches, instead of relaxing the query (default with --files)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json", dest="as_json", action="store_true", help="print JSON; with queries from a pipe, one line per query"
    )
    form.add_argument("--md", dest="as_markdown", action="store_true", help="print Markdown, passages as quotes")
    form.add_argument("--files", action="store_true", help="print only the paths of the notes")
    form.add_argument("--compact", action="store_true", help="print `path:line: passage`, one line per note")


def run(options: argparse.Namespace) -> int:
    """Answer the query of the command line, those typed at the prompt, or those that come from a pipe."""
    query = query_of(options.query)
    with connect(options, as_owner=options.tiers is not None) as client:
        wait_for_index(client, options.wait)
        if query:
            return _answer(client, options, query)
        if sys.stdin.isatty():
            _prompt(client, options)
            return OK
        return _answer_all(client, options, sys.stdin.buffer)


def _prompt(client: SidecarClient, options: argparse.Namespace) -> None:
    """Ask until an empty line, Ctrl-D or Ctrl-C."""
    with contextlib.suppress(ImportError):  # Windows has its own line editing
        import readline  # noqa: F401 - arrow keys and history for input()
    print_line(dim(f"{client.status().notes} notes in {client.hello.vault.name}. An empty line quits."))
    while True:
        try:
            query = input(PROMPT).strip()
        except EOFError:
            print_line()
            return
        except KeyboardInterrupt:
            print_line()
            raise
        if not query:
            return
        try:
            _answer(client, options, query)
        except (RequestFailed, BadRequest) as failed:  # a bad query is corrected, not fatal
            report(failed)


# --- many queries ----------------------------------------------------------------------------------


def _answer_all(client: SidecarClient, options: argparse.Namespace, lines: Iterable[bytes]) -> int:
    """Answer each query of *lines*. One that fails does not keep the next from being answered."""
    exit_code = OK
    for line_number, line in enumerate(lines, start=1):
        query = line.decode(errors="replace").strip()
        if not query:
            continue
        if not options.as_json:
            print_line(bold(query))
        try:
            if query.encode(errors="replace") != line.strip():
                raise BadRequest(f"line {line_number} is not UTF-8")
            query_of([query])
            if options.as_json:
                print_json_line({"query": query, "result": _ask(client, options, query)})
            else:
                _answer(client, options, query)
        except (RequestFailed, BadRequest, BadQuery) as failed:
            exit_code = BAD_USAGE
            if options.as_json:
                print_json_line({"query": query, "error": error_value(failed)})
            else:
                report(failed)
        sys.stdout.flush()  # the writer of the next query may wait for this answer
    return exit_code


# --- one query -------------------------------------------------------------------------------------


def _answer(client: SidecarClient, options: argparse.Namespace, query: str) -> int:
    """Print the hits of *query* in the form that *options* name; gives the exit code."""
    started_s = time.perf_counter()
    result = _ask(client, options, query)
    elapsed_ms = 1000 * (time.perf_counter() - started_s)
    if options.as_json:
        print_json(result)
    elif form := next((form for form in FORMS if getattr(options, form)), None):
        if result.remarks:
            print_stderr(sentences(result.remarks))
        FORMS[form](result)
    else:
        hits.print_how(result, why=options.why)
        hits.print_hits(result, full=options.full, why=options.why)
        print_line(dim(f"{hits.summary(result)} · {elapsed_ms:.0f} ms"))
    if not options.as_json:
        _explain_what_is_missing(client, result)
        for found in _misspelled_operators(query):
            print_stderr(str(found))
    return OK if result.hits else exit_code_of_nothing(result.index)


def _ask(client: SidecarClient, options: argparse.Namespace, query: str) -> wire.SearchResult:
    has_text = options.full or options.as_json or options.as_markdown
    is_strict = options.files if options.strict is None else options.strict
    params: Mapping[str, Any] = {
        "query": query,
        "strict": is_strict,
        "detail": "full" if has_text or options.why else "scan",
        "expand": options.full or options.as_json,
        "expandSmallResults": options.limit is None,  # an explicit limit is kept
        **given_fields(options, SearchOptions),
    }
    result: wire.SearchResult
    if options.tiers is None:
        result = client.ask("search", params)
    else:
        in_tiers = {"deadlineMs": TIERS_PATIENCE_MS, "folder": str(Path.cwd())}
        result = client.ask("tiers/search", {**params, **in_tiers, **given_fields(options, wire.TierSearchParams)})
    if is_strict and not result.hits:
        print_stderr("no note matches the query as it stands; --no-strict shows the nearest ones")
    return result


def _misspelled_operators(query: str) -> Iterator[Message]:
    """A message for each word before a colon that is nearly an operator: the engine searches for it as a word."""
    operators = get_args(Operator)
    for given in re.findall(r"(?<!\S)-?([a-z-]+):", query):
        similar = get_close_matches(given, operators, 1, MISSPELLED)
        if given not in operators and similar:
            yield message("query.unknown-operator", given=given, similar=similar[0])


def _explain_what_is_missing(client: SidecarClient, result: wire.SearchResult) -> None:
    """Print why the answer may be incomplete."""
    print_limitations(result.index, result.missing)
    for tier in result.absent if isinstance(result, wire.TierSearchResult) else ():
        print_stderr(str(tier.message))
    if not result.hits:
        print_if_empty(client.hello.vault, client.status())
    if result.truncated:
        print_stderr("some passages were cut to fit the token budget; raise --max-tokens to see more")
