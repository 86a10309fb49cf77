"""Which vault is this: a name that stays the same however its folder was reached."""

import hashlib
import os
import re
import unicodedata
from pathlib import Path

SLUG_LENGTH = 40  # with the hash it stays well below every limit on file names
HASH_LENGTH = 12  # 48 bits: two vaults of one user do not meet


def vault_id(root: Path) -> str:
    """
    The id of the vault at *root*: `notes-0f3a…`, fit for a file name.

    Two paths that lead to one folder (a link, another case on Windows) give one id. Moving the folder gives another.
    """
    real = os.path.normcase(os.path.realpath(root))
    digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{_slug(Path(real).name)}-{digest[:HASH_LENGTH]}"


def folder_key(root: Path) -> str | None:
    """What the system knows the folder at *root* by, which stays when it is moved; None where it cannot be asked."""
    try:
        found = root.stat()
    except OSError:
        return None
    return f"{found.st_dev:x}-{found.st_ino:x}"


def _slug(name: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:SLUG_LENGTH].strip("-") or "vault"
