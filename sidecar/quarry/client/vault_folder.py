"""Which folder is the vault that a tool means? The one named, else that of the environment, else the nearest one."""

import os
from pathlib import Path

from quarry.errors import VaultMissing

VAULT_MARKS = (".obsidian", ".quarry.toml")


def find_vault(named: str | Path | None, start: Path) -> Path:
    """
    The vault *named*, else that of QUARRY_VAULT, else the nearest folder around *start* that is marked as one.

    Raises:
        VaultMissing: The named folder does not exist, or none was named and none is near.
    """
    wanted = named or os.environ.get("QUARRY_VAULT")
    if wanted:
        root = Path(wanted).expanduser()
        if not root.is_dir():
            raise VaultMissing(f"there is no folder {root}")
        return root
    for folder in (start, *start.parents):
        if is_vault(folder):
            return folder
    raise VaultMissing(f"neither {start} nor any of its parent folders is a vault: none has {' or '.join(VAULT_MARKS)}")


def is_named(named: str | Path | None) -> bool:
    """Whether the user says which vault is meant: as *named*, or by the environment."""
    return bool(named or os.environ.get("QUARRY_VAULT"))


def is_vault(folder: Path) -> bool:
    """Whether a person marked *folder* as a vault."""
    return any((folder / mark).exists() for mark in VAULT_MARKS)


def describe_scope(root: Path) -> str | None:
    """A few words on *root* where it is no folder of notes; None where it may be one."""
    real = Path(os.path.realpath(root))
    home = Path(os.path.realpath(Path.home()))
    if real == real.parent:
        return "a whole disk"
    if real == home:
        return "your home folder"
    return "a folder with home folders in it" if home.is_relative_to(real) else None
