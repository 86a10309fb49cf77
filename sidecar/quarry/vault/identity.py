"""The identity of a vault, independent of the path by which its folder is reached."""

import hashlib
import os
import re
import unicodedata
from pathlib import Path

SLUG_LENGTH = 40  # with the hash, well below every limit on file names
HASH_LENGTH = 12  # 48 bits: no collision among the vaults of one user


def vault_id(root: Path) -> str:
    """
    The id of the vault at *root*: `notes-0f3a…`, valid as a file name.

    Two paths to one folder (a link, another case on Windows) have one id. A moved folder has another.
    """
    real = os.path.normcase(os.path.realpath(root))
    digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{_slug(Path(real).name)}-{digest[:HASH_LENGTH]}"


def folder_key(root: Path) -> str | None:
    """The operating system's id of the folder at *root*, which a move keeps; None if it cannot be read."""
    try:
        found = root.stat()
    except OSError:
        return None
    return f"{found.st_dev:x}-{found.st_ino:x}"


def _slug(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:SLUG_LENGTH].strip("-") or "vault"
