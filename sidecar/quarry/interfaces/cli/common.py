"""Options that commands share, and where they find the vault and the sidecar."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from quarry.errors import VaultMissing
from quarry.interfaces.cli.terminal import print_caret, print_stderr
from quarry.interfaces.failures import RequestFailed
from quarry.interfaces.sanitize import printable_json

if TYPE_CHECKING:
    from quarry.interfaces.client import SidecarClient

VAULT_MARKS = (".obsidian", ".quarry.toml")

Command: TypeAlias = Callable[[argparse.Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(commands: Commands, name: str, run: Command, summary: str) -> argparse.ArgumentParser:
    """A command with the options that every one has."""
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run, as_json=False)
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON for programs")
    return parser


def add_vault(parser: argparse.ArgumentParser) -> None:
    """The option that names the vault."""
    parser.add_argument(
        "--vault",
        type=Path,
        metavar="DIR",
        help="the vault (default: $QUARRY_VAULT, else the nearest folder above with .obsidian or .quarry.toml)",
    )


def resolve_vault(options: argparse.Namespace) -> Path:
    """
    The vault that *options* mean.

    Raises:
        VaultMissing: It is not there, or none was named and none is near.
    """
    named = options.vault or os.environ.get("QUARRY_VAULT")
    if named:
        root = Path(named).expanduser()
        if not root.is_dir():
            raise VaultMissing(f"there is no folder {root}")
        return root
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / mark).exists() for mark in VAULT_MARKS):
            return folder
    raise VaultMissing(f"neither {here} nor a folder above it is a vault")


def connect(options: argparse.Namespace) -> "SidecarClient":
    """A client of the vault's sidecar, which is started if need be."""
    from quarry.interfaces.client import SidecarClient  # here, as `serve` has no use for it: a twentieth of its start

    return SidecarClient(resolve_vault(options), "cli")


def print_json(value: msgspec.Struct) -> None:
    """*value* as the wire spells it, indented, and fit for a terminal without changing what it says."""
    print(printable_json(msgspec.json.format(msgspec.json.encode(value), indent=2).decode()))


def print_failure(failed: RequestFailed) -> None:
    """What the sidecar refused, where in the query that is, and what to do about it; on standard error."""
    print_stderr(str(failed))
    if failed.query is not None and failed.error.data.position is not None:
        print_caret(failed.query, failed.error.data.position)
    print_stderr(failed.error.data.next)
