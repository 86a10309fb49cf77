"""
Paths of notes: how they are compared, and which strings are valid paths.

Inside the vault a path is spelled as on disk, with `/`. On the wire it is NFC. Two spellings that differ only in the
composition of accents are two files on Linux and one on a Mac, so the disk's spelling is the key and NFC finds it.
"""

import hashlib
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from quarry.errors import NoteNotFound
from quarry.lazy_pattern import lazy_pattern

# Windows opens `CON.md` as the console, `a.md:b` as a stream of a.md, `C:b` on another drive, and drops a final dot or
# space. Elsewhere `A: intro.md` is a name like any other.
_WINDOWS_DEVICE = lazy_pattern(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_WINDOWS_FORBIDDEN = lazy_pattern(r'[<>:"|?*\x00-\x1f]|[. ]$')


def nfc(path: str) -> str:
    """*path* in NFC, as it is sent over the wire and compared in look-ups."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def is_hidden(path: str) -> bool:
    """Whether any part of *path* begins with a dot, as `.obsidian`, `.git`, `.trash` and `.quarry.toml` do."""
    return path.startswith(".") or "/." in path


def shown(path: str) -> str:
    r"""*path* as valid Unicode: bytes that are not UTF-8 become escapes such as `\udcff`."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def note_parts(path: str, *, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """
    Split *path* into its parts if it may lead to a note of the vault.

    Nothing is decoded or normalised: `%2e%2e` is an unusual but harmless name, and `a/../b` is refused, not resolved.

    Args:
        windows: Refuse the names that Windows takes for devices or streams, or trims, as well.

    Raises:
        NoteNotFound: *path* is empty, absolute, leads upwards or into hidden folders, or is not a path.
    """
    if reason := path_objection(path, windows=windows):
        raise NoteNotFound(f"{shown(path)!r} is not the path of a note: {reason}")
    return tuple(path.split("/"))


def path_objection(path: str, *, windows: bool = os.name == "nt") -> str | None:
    """Why *path* cannot lead to anything in the vault, as a clause ("it is empty"); None if it can."""
    parts = tuple(path.split("/"))
    if not path or "\0" in path:
        return "it is empty or contains a NUL"
    if "\\" in path:
        return "folders are written with /"
    if path.startswith("/"):
        return "it must be relative to the vault"
    if not path.isascii() and any("\ud800" <= character <= "\udfff" for character in path):
        return "it contains bytes that are not text"
    if ".." in parts or "." in parts:
        return "it leads upwards"
    if "" in parts:
        return "a part of it is empty"
    if is_hidden(path):
        return "hidden files and folders are never read"
    if windows and any(map(is_reserved_in_windows, parts)):
        return "the name has a special meaning in Windows"
    return None


def is_reserved_in_windows(name: str) -> bool:
    """Whether Windows takes *name*, a part of a path, for a device or a stream, or trims it."""
    return bool(_WINDOWS_FORBIDDEN.search(name) or _WINDOWS_DEVICE.fullmatch(name))


SLUG_LENGTH = 40  # with the hash, well below every limit on file names
HASH_LENGTH = 12  # 48 bits: no collision among the vaults of one user


def vault_id(root: Path, only: Sequence[str] = ()) -> str:
    """
    The id of the vault at *root*, or of its part in the folders *only*: `notes-0f3a…`, valid as a file name.

    Two paths to one folder (a link, another case on Windows) have one id. A moved folder has another.
    """
    real = os.path.normcase(os.path.realpath(root))
    named = "\0".join((real, *sorted(only)))
    digest = hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()
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
