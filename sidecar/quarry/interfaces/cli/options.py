"""Options that commands share, and words such as `-draft`, which exclude notes and look like options."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quarry.errors import VaultMissing

if TYPE_CHECKING:
    from quarry.interfaces.client import SidecarClient

VAULT_MARKS = (".obsidian", ".quarry.toml")
VAULT_HELP = "the vault (default: $QUARRY_VAULT, else the nearest parent folder with .obsidian or .quarry.toml)"
OPTIONS_WITH_VALUE = ("--vault", "--limit", "--mode", "--fusion", "--max-tokens")
COMMANDS_WITH_QUERY = ("search", "explain")
HIDDEN = "\0"  # cannot stand in an argument, so it marks one of ours
_EXCLUSION = re.compile(r"-[^-h]|-h.")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")


def add_vault(parser: argparse.ArgumentParser) -> None:
    """Add `--vault`."""
    parser.add_argument(
        "--vault",
        type=Path,
        metavar="DIR",
        help=VAULT_HELP,
    )


def number(least: int, most: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number from *least* to *most*."""

    def parsed(given: str) -> int:
        try:
            value = int(given)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{given!r} is not a number from {least:,} to {most:,}")
        return value

    return parsed


def resolve_vault(options: argparse.Namespace) -> Path:
    """
    The vault that *options* name, else the environment, else the one that the working directory lies in.

    Raises:
        VaultMissing: The named folder does not exist, or none was named and none is near.
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
    raise VaultMissing(f"neither {here} nor any of its parent folders is a vault")


def connect(options: argparse.Namespace, *, as_owner: bool = False) -> "SidecarClient":
    """A client of the vault's sidecar, which is started if need be; *as_owner*: for what only the owner may do."""
    from quarry.interfaces.client import SidecarClient  # here, as `serve` has no use for it: a twentieth of its start

    return SidecarClient(resolve_vault(options), "cli", as_owner=as_owner)


def protect_exclusions(arguments: Sequence[str]) -> list[str]:
    """
    *arguments* with words such as `-draft` hidden from argparse, which would take them for options.

    Only for commands that take a query, where one dash before a word excludes the notes that hold it, and options have
    two.
    """
    if not arguments or arguments[0] not in COMMANDS_WITH_QUERY:
        return list(arguments)
    protected = list(arguments[:1])
    for argument in arguments[1:]:
        is_value = protected[-1] in OPTIONS_WITH_VALUE
        protected.append(HIDDEN + argument if _EXCLUSION.match(argument) and not is_value else argument)
    return protected


def unprotected(argument: str) -> str:
    """*argument* as it was typed."""
    return argument.removeprefix(HIDDEN)
