"""The folder that is meant as the vault, whether it looks like one, and the vaults around and inside it."""

import os
import sys
from pathlib import Path

from quarry.config import data_dir
from quarry.errors import BadRequest, VaultMissing
from quarry.vault.paths import vault_id

VAULT_MARKS = (".obsidian", ".quarry.toml")
MAX_FOLDERS = 20_000  # searched for inner vaults: a second at most


def find_vault(named: str | Path | None, start: Path) -> Path:
    """
    The vault *named*, else that of QUARRY_VAULT, else the nearest folder around *start* that is marked as one.

    Raises:
        VaultMissing: The named folder does not exist, or none was named and none is near.
    """
    wanted = named or os.environ.get("QUARRY_VAULT")
    if wanted:
        return _existing(wanted)
    for folder in (start, *start.parents):
        if is_vault(folder):
            return folder
    raise VaultMissing(f"neither {start} nor any of its parent folders is a vault: none has {' or '.join(VAULT_MARKS)}")


def vault_root(vault: str | os.PathLike[str]) -> Path:
    """
    The folder that a program names as its *vault*; `~` is the home folder.

    Raises:
        VaultMissing: There is no such folder.
        BadRequest: It is a home folder or a whole disk, which a person would be asked to confirm.
    """
    root = _existing(vault)
    if described := _unconfirmed(root):
        raise _refusal(root, described)
    return root


def is_named(named: str | Path | None) -> bool:
    """Whether the user says which vault is meant: as *named*, or by the environment."""
    return bool(named or os.environ.get("QUARRY_VAULT"))


def is_vault(folder: Path) -> bool:
    """Whether a person marked *folder* as a vault."""
    return any((folder / mark).exists() for mark in VAULT_MARKS)


def describe_scope(root: Path) -> str | None:
    """A few words on *root* if it is hardly meant as a vault; None otherwise."""
    real = Path(os.path.realpath(root))
    home = Path(os.path.realpath(Path.home()))
    if real == real.parent:
        return "a whole disk"
    if real == home:
        return "your home folder"
    return "a folder with home folders in it" if home.is_relative_to(real) else None


def confirm_scope(root: Path) -> None:
    """
    Have the user confirm that *root* is to be indexed if it contains more than notes: a home folder, a whole disk.

    A folder that a person has marked as a vault, or that is indexed already, needs no confirmation.

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


def outer_vault(root: Path) -> Path | None:
    """The nearest vault that contains *root*, if any."""
    return next((folder for folder in Path(os.path.realpath(root)).parents if is_vault(folder)), None)


def inner_vaults(root: Path) -> list[str]:
    """The vaults inside *root*, by their path in it; hidden folders are skipped."""
    found = []
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number >= MAX_FOLDERS:
            break
        if number and not {*folders, *files}.isdisjoint(VAULT_MARKS):
            found.append(Path(folder).relative_to(root).as_posix())
        folders[:] = sorted(name for name in folders if not name.startswith("."))
    return found


def _existing(named: str | os.PathLike[str]) -> Path:
    root = Path(named).expanduser()
    if not root.is_dir():
        raise VaultMissing(f"there is no folder {root}")
    return root


def _unconfirmed(root: Path) -> str | None:
    """A few words on *root* if it has to be confirmed."""
    described = describe_scope(root)
    if described is None or is_vault(root) or (data_dir() / f"{vault_id(root)}.db").exists():
        return None
    return described


def _refusal(root: Path, described: str) -> BadRequest:
    return BadRequest(
        f"{root} is {described}: name the folder that contains your notes, or put an empty .quarry.toml into this one"
    )
