"""`quarry status`: what the index holds, what it is doing, and its problems."""

import argparse

from quarry.interfaces import protocol
from quarry.interfaces.cli.options import add_json, add_vault, connect
from quarry.interfaces.cli.terminal import bold, print_json, print_line, print_stderr


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)
    add_vault(parser)


def run(options: argparse.Namespace) -> int:
    """Print the status."""
    with connect(options) as client:
        status = client.status()
        vault = client.hello.vault
    if options.as_json:
        print_json(status)
        return 0
    print_line(f"{bold(vault.name)}  {vault.path}")
    print_line(f"{status.state}: {status.notes} notes, {status.chunks} chunks, {status.size_bytes / 1e6:.1f} MB")
    if status.progress:
        print_line(f"{status.progress.done_notes} of {status.progress.total_notes} notes done")
    print_line(f"model {status.model.name}: {status.model.state}")
    if status.deepening:
        print_line(_deepening_line(status.deepening))
    if status.excluded:
        print_line(f"{status.excluded} notes are excluded by rules")
    if status.deepening and status.deepening.message:
        print_stderr(status.deepening.message)
    for leg in status.missing:
        print_stderr(leg.reason)
    for problem in status.problems:
        print_stderr(f"{problem.path}: {problem.reason}" if problem.path else problem.reason)
    if status.problem_count > len(status.problems):
        print_stderr(f"and {status.problem_count - len(status.problems)} more")
    if status.message:
        print_stderr(status.message)
    return 0


def _deepening_line(deepening: protocol.Deepening) -> str:
    """How far the index is deepened, and for how long it will go on."""
    line = f"deepening: {deepening.state}, {deepening.done_chunks} of {deepening.total_chunks} chunks"
    if deepening.remaining_ms is None:
        return line
    seconds = deepening.remaining_ms / 1000
    return f"{line}, {seconds:.0f} s left" if seconds < 60 else f"{line}, {seconds / 60:.0f} min left"
