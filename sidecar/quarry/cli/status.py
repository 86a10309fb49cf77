"""`quarry status`: what the index holds, what it is doing, and its problems."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quarry import protocol
from quarry.cli.arguments import connect
from quarry.cli.terminal import bold, print_json, print_line, print_stderr
from quarry.client.vault_folder import inner_vaults, outer_vault
from quarry.settings import Settings


def run(options: argparse.Namespace) -> None:
    """Print the status."""
    with connect(options) as client:
        status = client.status()
        vault = client.hello.vault
    outer, inner = outer_vault(Path(vault.path)), inner_vaults(Path(vault.path))
    if options.as_json:
        print_json({**msgspec.to_builtins(status), "outerVault": str(outer) if outer else None, "innerVaults": inner})
        return
    print_line(f"{bold(vault.name)}  {vault.path}")
    print_line(f"{status.state}: {size(status)}")
    if status.progress:
        print_line(f"{status.progress.done_notes} of {status.progress.total_notes} notes done")
    print_line(_model_line(status))
    if status.backfill and status.backfill.state != "missing":
        print_line(_backfill_line(status.backfill))
    if status.backfill and status.backfill.sent_to:
        print_stderr(f"the text of your notes and queries leaves this machine: it is sent to {status.backfill.sent_to}")
    if status.backfill and status.backfill.message:
        print_stderr(status.backfill.message)
    for model in status.models:
        if not model.is_used:
            print_line(f"kept: {model.name}, {model.chunks} chunks, {model.size_bytes / 1e6:.1f} MB")
    print_left_out(status, status.problems)
    if outer:
        print_stderr(f"this vault lies in another, {outer}, where its notes are found too unless they are excluded")
    for folder in inner:
        print_stderr(f"another vault lies in this one, {folder}; its notes are found here too unless they are excluded")


def size(status: protocol.IndexStatus) -> str:
    """How much the index contains."""
    return f"{status.notes} notes, {status.chunks} chunks, {status.size_bytes / 1e6:.1f} MB"


def print_left_out(status: protocol.IndexStatus, problems: Sequence[protocol.Problem]) -> None:
    """Print what is missing in the index, and why: excluded notes, retrievers, those *problems*, a failure."""
    if status.excluded:
        print_line(f"{status.excluded} notes are excluded by rules")
    if status.model.message and status.model.state == "ready":
        print_stderr(status.model.message)
    for retriever in status.missing:
        print_stderr(str(retriever.reason))
    for problem in problems:
        print_stderr(f"{problem.path}: {problem.reason}" if problem.path else str(problem.reason))
    if status.problem_count > len(problems):
        print_stderr(f"{status.problem_count} problems in total; see `quarry status`")
    if status.message:
        print_stderr(str(status.message))


def _model_line(status: protocol.IndexStatus) -> str:
    """The model that answers, and the one in the settings where that is another."""
    model, backfill = status.model, status.backfill
    if model.state != "ready" or not (model.message or (backfill and backfill.state != "complete")):
        return f"model {model.name}: {model.state}"
    why = "not there yet" if backfill and backfill.state in ("loading", "running") else "it cannot be used now"
    return f"model {Settings().model}: ready; the settings name {model.name}: {why}"


def _backfill_line(backfill: protocol.Backfill) -> str:
    """The progress of the contextual backfill, and the time that it will take."""
    line = f"backfill: {backfill.state}, {backfill.done_chunks} of {backfill.total_chunks} chunks"
    if backfill.remaining_ms is None:
        return line
    seconds = backfill.remaining_ms / 1000
    return f"{line}, {seconds:.0f} s left" if seconds < 60 else f"{line}, {seconds / 60:.0f} min left"
