"""`quarry ps`: the sidecars that run."""

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import Any

from quarry import protocol as wire
from quarry.cli.arguments import add_json
from quarry.cli.sidecars import client_of, running
from quarry.cli.terminal import counted, dim, print_answer, print_line, print_stderr
from quarry.client.discovery import Discovery
from quarry.errors import QuarryError

SILENT = "does not answer"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    """List them."""
    print_answer(options, {"sidecars": [_row(discovery) for discovery in running()]}, _show)


def _row(discovery: Discovery) -> dict[str, Any]:
    """A sidecar with its state, which is None if it does not answer."""
    status: wire.IndexStatus | None = None
    with contextlib.suppress(QuarryError), client_of(discovery) as client:
        status = client.status()
    return {
        "pid": discovery.pid,
        "vault": discovery.vault.path,
        "only": discovery.only,
        "version": discovery.version,
        "state": status.state if status else None,
        "notes": status.notes if status else None,
        "memoryBytes": _resident_bytes(discovery.pid),
    }


def _show(found: dict[str, list[dict[str, Any]]]) -> None:
    for row in found["sidecars"]:
        state = f"{row['state']}, {counted(row['notes'], 'note')}" if row["state"] else SILENT
        memory = f", {row['memoryBytes'] / 1e6:.0f} MB" if row["memoryBytes"] else ""
        part = f", {', '.join(row['only'])} alone" if row["only"] else ""
        print_line(f"{row['pid']:>7}  {row['vault']}{part}  {dim(f'{state}{memory}')}")
    if not found["sidecars"]:
        print_stderr("no sidecar is running")


def _resident_bytes(pid: int) -> int | None:
    """The memory of a process; None where the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
