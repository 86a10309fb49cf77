"""`quarry search`: one query and its hits, or a prompt that takes one after another."""

import argparse
import sys
import time

from quarry.interfaces import protocol as wire
from quarry.interfaces.cli.common import Commands, add_command, add_vault, connected, print_json
from quarry.interfaces.cli.terminal import bold, complain, dim, marked, say
from quarry.interfaces.client import RequestFailed, SidecarClient

PROMPT = "search> "
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


def run(options: argparse.Namespace) -> int:
    """Answer the query of the command line, or those typed at the prompt."""
    with connected(options) as client:
        if client.started_it or client.hello.status.state in JUST_STARTED:
            client.wait_until_whole(START_WAIT_S)
        if options.query:
            _answer(client, options, " ".join(options.query))
        elif sys.stdin.isatty():
            _prompt(client, options)
        else:
            for line in filter(None, map(str.strip, sys.stdin)):
                _answer(client, options, line)
    return 0


def _prompt(client: SidecarClient, options: argparse.Namespace) -> None:
    """Ask until an empty line, Ctrl-D or Ctrl-C."""
    say(dim(f"{client.status().notes} notes in {client.hello.vault.name}. An empty line ends."))
    while True:
        try:
            query = input(PROMPT).strip()
        except EOFError:
            say()
            return
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
            _show_passage(passage)


def _show_passage(passage: wire.Passage) -> None:
    if passage.heading_path:
        say(dim(f"    {' › '.join(passage.heading_path)}"))
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
    shown = len(result.hits)
    return f"{shown} of {result.total} notes" if shown < result.total else f"{shown} note{'s' * (shown != 1)}"


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
