"""
Paths of notes: how one is told from another, and which strings may be taken for one at all.

Inside the vault a path is what the disk says, with `/`. On the wire it is NFC. Two spellings that differ only in how
accents are composed are two files on Linux and one on a Mac, so the disk's spelling is the key and NFC finds it.
"""

import os
import re
import unicodedata

from quarry.errors import NoteNotFound

NOTE_SUFFIX = ".md"

# Windows opens `CON.md` as the console, `a.md:b` as a stream of a.md, `C:b` on another drive, and drops a final dot or
# space. Elsewhere `A: intro.md` is a name like any other.
_WINDOWS_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
_WINDOWS_FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')


def nfc(path: str) -> str:
    """*path* as it goes over the wire and as look-ups compare it."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def is_note(path: str) -> bool:
    """Whether the name says that this is a note; `Readme.MD` is one."""
    return path.lower().endswith(NOTE_SUFFIX)


def is_hidden(path: str) -> bool:
    """Whether any part of *path* begins with a dot, as `.obsidian`, `.git`, `.trash` and `.quarry.toml` do."""
    return path.startswith(".") or "/." in path


def shown(path: str) -> str:
    r"""*path* as text that can be sent: bytes that are no UTF-8 become `\udcff`-like escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def note_parts(path: str, *, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """
    The parts of a path that leads to something visible in the vault, spelled as they came.

    Nothing is decoded or tidied: `%2e%2e` is a strange but harmless name, and `a/../b` is refused, not resolved.

    Args:
        windows: Also refuse the names that Windows takes for devices or streams, or trims.

    Raises:
        NoteNotFound: *path* is empty, absolute, leads upwards or into hidden folders, or is no path at all.
    """
    parts = tuple(path.split("/"))
    if reason := _objection(path, parts, windows):
        raise NoteNotFound(f"{shown(path)!r} is no path of a note: {reason}")
    return parts


def _objection(path: str, parts: tuple[str, ...], windows: bool) -> str | None:
    """The first thing that is wrong with *path*, as half a sentence."""
    if not path or "\0" in path:
        return "it is empty or holds a NUL"
    if "\\" in path:
        return "folders are written with /"
    if path.startswith("/"):
        return "it must be relative to the vault"
    if not path.isascii() and _has_surrogates(path):
        return "it holds bytes that are no text"
    if ".." in parts or "." in parts:
        return "it may not lead upwards"
    if "" in parts:
        return "a part of it is empty"
    if any(part.startswith(".") for part in parts):
        return "hidden files and folders are never read"
    if windows and any(_WINDOWS_FORBIDDEN.search(part) or _WINDOWS_DEVICE.fullmatch(part) for part in parts):
        return "Windows gives this name another meaning"
    return None


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
