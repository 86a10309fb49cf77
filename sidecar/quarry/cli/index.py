"""`quarry index`: bring the index up to date and watch it happen."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Never

from tqdm import tqdm

from quarry import protocol as wire
from quarry.cli.arguments import VAULT_HELP, add_json, connect
from quarry.cli.parser import Once
from quarry.cli.status import print_left_out, size
from quarry.cli.terminal import print_if_empty, print_json, print_line, print_stderr
from quarry.client.client import SidecarClient
from quarry.errors import IndexUnavailable
from quarry.limits import UNFINISHED

BUSY = (*UNFINISHED, "rebuilding")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    vault = parser.add_mutually_exclusive_group()
    vault.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="the vault, like --vault DIR")
    vault.add_argument("--vault", action=Once, type=Path, metavar="DIR", help=VAULT_HELP)
    parser.add_argument(
        "--rebuild", action="store_true", help="rebuild the index from scratch; the old one answers queries meanwhile"
    )


def run(options: argparse.Namespace) -> None:
    """Follow the sidecar until the index equals the vault."""
    options.vault = options.folder or options.vault
    with connect(options, as_owner=True) as client:
        with _ending_with_us(client):
            before = client.status()
            if before.state == "paused" and not options.rebuild:
                client.ask("index/resume")
            status = _rebuild(client) if options.rebuild else update(client, before)
        if options.as_json:
            print_json(status)
        else:
            _report(before, status, known=() if client.started_sidecar else before.problems)
            print_if_empty(client.hello.vault, status)


@contextlib.contextmanager
def _ending_with_us(client: SidecarClient) -> Iterator[None]:
    """On Ctrl-C, end a sidecar that we started; say of another that it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        if client.started_sidecar:
            client.shut_down()
            print_stderr("indexing has stopped; what was indexed is kept")
        else:
            print_stderr("indexing goes on in the background; `quarry stop` ends it")
        raise


def update(client: SidecarClient, before: wire.IndexStatus) -> wire.IndexStatus:
    """Have the whole vault compared with the index. One that has just started does so, and one that works will have."""
    if client.started_sidecar or before.state in BUSY:
        return _follow(client, _is_done)
    client.ask("index/reconcile")
    return _follow(client, lambda status: _is_done(status) and status.indexed_ms != before.indexed_ms)


def _rebuild(client: SidecarClient) -> wire.IndexStatus:
    """Have the index built anew once it is at rest, so that the next time it becomes equal to the vault is that."""
    at_rest = _follow(client, lambda status: status.state not in BUSY)
    client.ask("index/rebuild")
    return _follow(client, lambda status: _is_done(status) and status.indexed_ms != at_rest.indexed_ms)


def _follow(client: SidecarClient, is_over: Callable[[wire.IndexStatus], bool]) -> wire.IndexStatus:
    """Show progress until *is_over*; on a pipe, that there is something to wait for."""
    if not sys.stderr.isatty() and not is_over(client.status()):
        print_stderr(f"bringing the index of {client.hello.vault.name} up to date ...")
    with tqdm(unit=" notes", disable=not sys.stderr.isatty(), leave=False, dynamic_ncols=True) as bar:
        for status in client.statuses():
            if is_over(status):
                return status
            _draw(bar, status)
    raise AssertionError("statuses end only by an exception")


def _is_done(status: wire.IndexStatus) -> bool:
    """
    Whether the work is over.

    Raises:
        IndexUnavailable: It is, and it failed.
    """
    if status.state == "failed":
        raise IndexUnavailable(str(status.message or "indexing failed; see the log that `quarry doctor` names"))
    return status.state not in BUSY


def _draw(bar: "tqdm[Never]", status: wire.IndexStatus) -> None:
    bar.set_description_str(status.state, refresh=False)
    if status.progress:
        bar.total = status.progress.total_notes
        bar.n = status.progress.done_notes
        bar.set_postfix_str(f"{status.progress.done_chunks} chunks", refresh=False)
    bar.refresh()


def _report(before: wire.IndexStatus, status: wire.IndexStatus, known: Sequence[wire.Problem]) -> None:
    """
    Say what came of it.

    Args:
        known: What was told before; a sidecar of our own may have met a problem before we first asked.
    """
    # Only what was seen is told: a sidecar that was quicker than our first question had nothing left to add.
    change = f" ({status.notes - before.notes:+} notes)" if status.notes != before.notes else ""
    print_line(f"{size(status)}{change}")
    if status.state == "paused":
        print_stderr("indexing was paused; run `quarry index` to resume")
    print_left_out(status, [problem for problem in status.problems if problem not in known][:5])
