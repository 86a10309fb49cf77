"""`quarry search`: one query and its hits, or a prompt that takes one after another."""

import argparse
import contextlib
import re
import sys
import time
from collections.abc import Sequence

from quarry.errors import BadQuery
from quarry.interfaces import protocol as wire
from quarry.interfaces.cli.common import Commands, add_command, add_vault, connected, print_json
from quarry.interfaces.cli.terminal import bold, complain, dim, marked, say
from quarry.interfaces.client import RequestFailed, SidecarClient
from quarry.interfaces.failures import exit_code_of

PROMPT = "search> "
OPTIONS_WITH_VALUE = ("--vault", "--limit", "--mode", "--max-tokens")
HIDDEN = "\0"  # cannot stand in an argument, so it marks one of ours
_EXCLUSION = re.compile(r"-[^-h]|-h.")
DEFAULT_LIMIT = 10
START_WAIT_S = 3.0  # a person asks once: better whole after half a second than half at once
JUST_STARTED: tuple[wire.IndexState, ...] = ("starting", "scanning")


def add_commands(commands: Commands) -> None:
    """Add `search`."""
    parser = add_command(commands, "search", run, "find notes; without words, ask for queries one by one")
    parser.add_argument("query", nargs="*", metavar="WORD", help='words, "phrases", -not, path:, folder:, tag:')
    add_vault(parser)
    parser.add_argument("--limit", type=int, metavar="N", help=f"hits wanted, one a note (default {DEFAULT_LIMIT})")
    parser.add_argument("--mode", choices=["hybrid", "keyword", "semantic"], default="hybrid")
    parser.add_argument("--full", action="store_true", help="print whole passages and how they scored")
    parser.add_argument(
        "--max-tokens", type=int, default=4000, metavar="N", help="budget for all passages (default 4000)"
    )


def protect_exclusions(arguments: Sequence[str]) -> list[str]:
    """
    *arguments* with words such as `-draft` hidden from argparse, which would take them for options.

    Only behind `search`, where one dash before a word leaves out what holds it; options there have two.
    """
    if not arguments or arguments[0] != "search":
        return list(arguments)
    protected = list(arguments[:1])
    for argument in arguments[1:]:
        is_value = protected[-1] in OPTIONS_WITH_VALUE
        protected.append(HIDDEN + argument if _EXCLUSION.match(argument) and not is_value else argument)
    return protected


def run(options: argparse.Namespace) -> int:
    """Answer the query of the command line, or those typed at the prompt."""
    query = " ".join(word.removeprefix(HIDDEN) for word in options.query)
    if options.query and not query.strip():
        raise BadQuery("the query is empty", 0)
    with connected(options) as client:
        if client.started_it or client.hello.status.state in JUST_STARTED:
            client.wait_until_whole(START_WAIT_S)
        if query:
            _answer(client, options, query)
        elif sys.stdin.isatty():
            _prompt(client, options)
        else:
            return max((_answer_line(client, options, line) for line in map(str.strip, sys.stdin) if line), default=0)
    return 0


def _answer_line(client: SidecarClient, options: argparse.Namespace, line: str) -> int:
    """Answer one of many queries; gives the exit code it would have alone. The next one is answered all the same."""
    if not options.as_json:
        say(bold(f"{PROMPT}{line}"))
    try:
        _answer(client, options, line)
    except RequestFailed as failed:
        complain(f"{failed}; {failed.error.data.next}")
        return exit_code_of(failed.error.data.kind)
    return 0


def _prompt(client: SidecarClient, options: argparse.Namespace) -> None:
    """Ask until an empty line, Ctrl-D or Ctrl-C."""
    with contextlib.suppress(ImportError):  # Windows has its own line editing
        import readline  # noqa: F401 - arrow keys and history for input()
    say(dim(f"{client.status().notes} notes in {client.hello.vault.name}. An empty line ends."))
    while True:
        try:
            query = input(PROMPT).strip()
        except EOFError:
            say()
            return
        except KeyboardInterrupt:
            say()
            raise
        if not query:
            return
        try:
            _answer(client, options, query)
        except RequestFailed as failed:  # a bad query is corrected, not fatal
            complain(f"{failed}; {failed.error.data.next}")


def _answer(client: SidecarClient, options: argparse.Namespace, query: str) -> None:
    params = wire.SearchParams(
        query=query,
        limit=DEFAULT_LIMIT if options.limit is None else options.limit,
        mode=options.mode,
        detail="full" if options.full or options.as_json else "scan",
        max_tokens=options.max_tokens,
        guard=options.limit is None,  # who names a limit means it
    )
    started_s = time.perf_counter()
    result = client.search(params)
    elapsed_ms = 1000 * (time.perf_counter() - started_s)
    if options.as_json:
        print_json(result)
        return
    _show(result, full=options.full)
    say(dim(f"{_counted(result)} · {elapsed_ms:.0f} ms"))
    _explain_what_is_missing(client, result)


def _show(result: wire.SearchResult, *, full: bool) -> None:
    for place, hit in enumerate(result.hits, start=1):
        say(f"{place:>2}. {bold(hit.title)}  {dim(f'{hit.why} · {hit.path}')}")
        for passage in hit.passages if full else hit.passages[:1]:
            _show_passage(passage, hit.title)


def _show_passage(passage: wire.Passage, title: str) -> None:
    trail = passage.heading_path[1:] if passage.heading_path[:1] == [title] else passage.heading_path
    if trail:
        say(dim(f"    {' › '.join(trail)}"))
    if passage.text is None:
        say(f"    {marked(passage.snippet, passage.marks)}")
        return
    for line in passage.text.split("\n"):
        say(f"    {line}")
    if scores := passage.breakdown:
        ranks = f"keyword rank {scores.lexical_rank or '-'}, meaning rank {scores.dense_rank or '-'}"
        say(dim(f"    line {passage.line + 1} · {ranks} · fused {scores.fused:.4f}"))


def _counted(result: wire.SearchResult) -> str:
    if not result.hits:
        return "nothing found"
    return f"{len(result.hits)} note{'s' * (len(result.hits) != 1)}"


def _explain_what_is_missing(client: SidecarClient, result: wire.SearchResult) -> None:
    """An answer that is not the best there could be says so."""
    for leg in result.missing:
        complain(leg.reason)
    status = client.status()
    if status.progress:
        complain(f"indexing: {status.progress.done_notes} of {status.progress.total_notes} notes so far")
    elif status.state in JUST_STARTED:
        complain("the notes are still being counted; ask again in a moment")
    if result.truncated:
        complain("the token budget ended first; --max-tokens raises it")
