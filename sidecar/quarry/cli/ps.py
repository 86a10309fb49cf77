"""`quarry ps`: the sidecars that run."""

import argparse
from typing import Any

from quarry.cli.arguments import add_json
from quarry.cli.sidecars import Sidecar, look_at, running
from quarry.cli.terminal import dim, print_json, print_line, print_stderr

SILENT = "does not answer"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """List them."""
    sidecars = [look_at(discovery) for discovery in running()]
    if options.as_json:
        print_json({"sidecars": [_value(sidecar) for sidecar in sidecars]})
        return 0
    for sidecar in sidecars:
        discovery, status = sidecar.discovery, sidecar.status
        state = f"{status.state}, {status.notes} notes" if status else SILENT
        memory = f", {sidecar.memory_bytes / 1e6:.0f} MB" if sidecar.memory_bytes else ""
        print_line(f"{discovery.pid:>7}  {discovery.vault.path}  {dim(f'{state}{memory}')}")
    if not sidecars:
        print_stderr("no sidecar is running")
    return 0


def _value(sidecar: Sidecar) -> dict[str, Any]:
    discovery, status = sidecar.discovery, sidecar.status
    return {
        "pid": discovery.pid,
        "vault": discovery.vault.path,
        "version": discovery.version,
        "state": status.state if status else None,
        "notes": status.notes if status else None,
        "memoryBytes": sidecar.memory_bytes,
    }
