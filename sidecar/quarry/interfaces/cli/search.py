"""`quarry search`: one query and its hits, or a prompt that takes one after another."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from typing import TYPE_CHECKING

from quarry.errors import BadQuery
from quarry.interfaces.cli.options import add_json, add_vault, connect, number, unprotected
from quarry.interfaces.cli.terminal import (
    bold,
    dim,
    marked,
    print_failure,
    print_if_empty,
    print_json,
    print_line,
    print_stderr,
)
from quarry.interfaces.client import RequestFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quarry.interfaces import protocol as wire
    from quarry.interfaces.client import SidecarClient

SIGNALS = {
    "passage": "words in a passage",
    "note": "words in the note",
    "phrase": "words side by side",
    "meaning": "meaning",
    "wording": "meaning of single words",
    "title": "title",
    "exact": "title is the query",
    "words": "words it shares",
    "vector": "meaning",
    "severity": "severity",
    "recency": "age",
    "tags": "tags",
    "domain": "domain",
}

WEAKNESSES: Mapping[wire.Weakness, str] = {
    "no-words": "No note contains these words. The nearest in meaning:",
    "unlikely": "No note matches well. The closest:",
}


def signal_name(signal: wire.Signal) -> str:
    """The label of a signal; one that only a newer sidecar knows keeps its own name."""
    return SIGNALS.get(signal.name, signal.name)


def shares(signals: Sequence[wire.Signal], total: float) -> str:
    """The shares of all signals and their total, on one line."""
    return f"{' + '.join(f'{signal_name(one)} {one.share:.3f}' for one in signals)} = {total:.3f}"


def corrected(corrections: Sequence[wire.Correction]) -> str:
    """A sentence on the words that were searched for instead of the typed ones."""
    used = _joined([one.used for one in corrections])
    typed = _joined([f"“{one.typed}”" for one in corrections], "or")
    return f"Showing results for {used} (no note has {typed})"


def unknown(words: Sequence[str]) -> str:
    """A sentence on the *words* that no note contains."""
    return f"No note contains {_joined([f'“{word}”' for word in words], 'or')}"


def _joined(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


PROMPT = "search> "
QUERY_HELP = (
    'words, "phrases", -not, a OR b, /regex/, path: file: folder: tag: section: block: line: task: '
    "match-case: [property:value] modified:7d"
)
MODES = ("hybrid", "keyword", "semantic")  # as on the wire, whose types take longer to import than asking
FUSIONS = ("convex", "rrf", "six-signals")
DEFAULT_LIMIT = 10
MAX_LIMIT = 100  # hits, as on the wire
START_WAIT_S = 3.0  # a person asks once: better whole after half a second than half at once
JUST_STARTED = ("starting", "scanning")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    parser.add_argument("query", nargs="*", metavar="WORD", help=QUERY_HELP)
    add_vault(parser)
    parser.add_argument(
        "--limit",
        type=number(1, MAX_LIMIT),
        metavar="N",
        help=f"maximum number of notes, 1 to {MAX_LIMIT} (default {DEFAULT_LIMIT})",
    )
    add_search_options(parser)
    parser.add_argument(
        "--why",
        "--explain",
        action="store_true",
        help="show how the query was interpreted and why each hit ranks where it does",
    )
    parser.add_argument("--full", action="store_true", help="print whole passages with their scores")
    parser.add_argument(
        "--max-tokens",
        type=number(50, 100_000),
        default=4000,
        metavar="N",
        help="token budget for all passages (default 4000)",
    )


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose how to search."""
    parser.add_argument("--mode", choices=MODES, default="hybrid")
    parser.add_argument(
        "--fusion",
        choices=FUSIONS,
        help="how keyword and semantic results are combined: by weighted signals, by rank alone or by "
        "six signals (default: the vault's setting)",
    )


def run(options: argparse.Namespace) -> int:
    """Answer the query of the command line, or those typed at the prompt."""
    query = " ".join(map(unprotected, options.query))
    if options.query and not query.strip():
        raise BadQuery("the query is empty", 0)
    with connect(options) as client:
        if client.started_sidecar or client.hello.status.state in JUST_STARTED:
            client.wait_until_complete(START_WAIT_S)
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
        print_line(bold(f"{PROMPT}{line}"))
    try:
        _answer(client, options, line)
    except RequestFailed as failed:
        print_failure(failed)
        from quarry.interfaces.failures import exit_code_of  # here, as most queries meet none

        return exit_code_of(failed.kind)
    return 0


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
        except RequestFailed as failed:  # a bad query is corrected, not fatal
            print_failure(failed)


def _answer(client: SidecarClient, options: argparse.Namespace, query: str) -> None:
    params = {
        "query": query,
        "limit": DEFAULT_LIMIT if options.limit is None else options.limit,
        "mode": options.mode,
        "fusion": options.fusion,
        "detail": "full" if options.full or options.why or options.as_json else "scan",
        "maxTokens": options.max_tokens,
        "expand": options.full or options.as_json,
        "guard": options.limit is None,  # who names a limit means it
    }
    started_s = time.perf_counter()
    result: wire.SearchResult = client.ask("search", params)
    elapsed_ms = 1000 * (time.perf_counter() - started_s)
    if options.as_json:
        print_json(result)
        return
    _say_how(result, why=options.why)
    _show(result, full=options.full, why=options.why)
    print_line(dim(f"{_counted(result)} · {elapsed_ms:.0f} ms"))
    _explain_what_is_missing(client, result)


def _say_how(result: wire.SearchResult, *, why: bool) -> None:
    """Print how the query was corrected or relaxed; with *why*, how it was interpreted."""
    if why:
        print_line(dim(f"interpreted as: {result.understood}"))
    if result.corrections and result.hits:
        print_line(corrected(result.corrections))
    if result.unknown_words:
        print_line(unknown(result.unknown_words))
    if result.relaxed:
        print_line(result.relaxed.message)
    elif result.weakness:
        print_line(WEAKNESSES[result.weakness])


def _show(result: wire.SearchResult, *, full: bool, why: bool) -> None:
    for place, hit in enumerate(result.hits, start=1):
        print_line(f"{place:>2}. {bold(hit.title)}  {dim(f'{hit.why} · {hit.path}')}")
        for passage in hit.passages if full else hit.passages[:1]:
            print_heading_trail(passage.heading_path, hit.title)
            _show_passage(passage, full=full)
        if why:
            print_line(dim(f"    {_because(hit)}"))


def print_heading_trail(headings: Sequence[str], title: str) -> None:
    """Print the headings above a passage, without the first where it repeats the title."""
    trail = headings[1:] if headings[:1] == [title] else headings
    if trail:
        print_line(dim(f"    {' › '.join(trail)}"))


def _show_passage(passage: wire.Passage, *, full: bool) -> None:
    if not full:
        print_line(f"    {marked(passage.snippet, passage.marks)}")
        return
    for line in (passage.text or "").split("\n"):
        print_line(f"    {line}")
    if scores := passage.breakdown:
        print_line(dim(f"    line {passage.line + 1} · {_ranks(scores)} · fused {scores.fused:.4f}"))


def _because(hit: wire.Hit) -> str:
    """Why a hit ranks where it does: its signals, or its ranks where only they count."""
    if hit.signals:
        return shares(hit.signals, hit.score)
    scores = hit.passages[0].breakdown
    return f"{_ranks(scores)} · fused {scores.fused:.4f}" if scores else ""


def _ranks(scores: wire.Breakdown) -> str:
    return f"keyword rank {scores.lexical_rank or '-'}, meaning rank {scores.dense_rank or '-'}"


def _counted(result: wire.SearchResult) -> str:
    if not result.total:
        return "nothing found"
    shown = f"{len(result.hits)} of " if len(result.hits) < result.total else ""
    return f"{shown}{result.total} note{'s' * (result.total != 1)}"


def _explain_what_is_missing(client: SidecarClient, result: wire.SearchResult) -> None:
    """Print why the answer may be incomplete."""
    for leg in result.missing:
        print_stderr(leg.reason)
    status = client.status()
    if status.progress:
        print_stderr(f"indexing: {status.progress.done_notes} of {status.progress.total_notes} notes done")
    elif status.state in JUST_STARTED:
        print_stderr("the vault is still being scanned; search again in a moment")
    print_if_empty(client.hello.vault, status)
    if result.truncated:
        print_stderr("some passages were cut to fit the token budget; raise --max-tokens to see more")
