"""Folders that are hardly meant as a vault, and vaults within vaults."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from quarry.client.vault_folder import VAULT_MARKS, describe_scope, is_vault
from quarry.config import data_dir
from quarry.errors import BadRequest
from quarry.vault.identity import vault_id

MAX_FOLDERS = 20_000  # looked through for inner vaults: a second at most


def confirm_scope(root: Path) -> None:
    """
    Have the user confirm that *root* is to be indexed if it holds more than notes: a home folder, a whole disk.

    A folder that a person has marked as a vault, or that is indexed already, is not asked about.

    Raises:
        BadRequest: It is not confirmed.
    """
    described = _unconfirmed(root)
    if described is None:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{root} is {described}. Index all Markdown files in it? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise _refusal(root, described)


def refuse_scope(root: Path) -> None:
    """
    Refuse *root* where `confirm_scope` would ask: for programs, in which nobody answers.

    Raises:
        BadRequest: It holds more than notes.
    """
    if described := _unconfirmed(root):
        raise _refusal(root, described)


def _unconfirmed(root: Path) -> str | None:
    """A few words on *root* where it has to be confirmed."""
    described = describe_scope(root)
    if described is None or is_vault(root) or (data_dir() / f"{vault_id(root)}.db").exists():
        return None
    return described


def _refusal(root: Path, described: str) -> BadRequest:
    return BadRequest(
        f"{root} is {described}: name the folder that contains your notes, or put an empty .quarry.toml into this one"
    )


def outer_vault(root: Path) -> Path | None:
    """The nearest vault that *root* lies in, if any."""
    return next((folder for folder in Path(os.path.realpath(root)).parents if is_vault(folder)), None)


def inner_vaults(root: Path) -> list[str]:
    """The vaults that lie in *root*, by their path in it; hidden folders are not looked into."""
    found = []
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number >= MAX_FOLDERS:
            break
        if number and not {*folders, *files}.isdisjoint(VAULT_MARKS):
            found.append(Path(folder).relative_to(root).as_posix())
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return found
