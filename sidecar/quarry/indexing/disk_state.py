"""
Which notes that may be indexed are on the disk now: in the whole vault, or where changes were reported?

Nothing is opened here. Files that turned out to be drawings count as left out until they change.
"""

import errno
import os
import stat
from collections.abc import Iterable, MutableMapping, Sequence, Set
from pathlib import Path

from msgspec import Struct

from quarry.errors import NoteNotFound, VaultMissing
from quarry.types import FileSeen, VaultChange
from quarry.vault.paths import nfc, note_parts
from quarry.vault.rules import Rules
from quarry.vault.scan import Scan, file_seen, scan_vault

MANY_PATHS = 200  # a burst of this many changes is cheaper to list than to look up one by one
# What the system answers where nothing can be. Any other error (a shut folder, a drive that fails) tells nothing.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}


class Sighting(Struct, frozen=True):
    """Notes on disk where changes were reported."""

    files: dict[str, FileSeen]
    named: set[str]  # the paths (NFC) that the changes name
    scan: Scan | None  # the walk over the whole vault, where looking up single paths was not enough

    def may_still_exist(self, path: str) -> bool:
        """Whether *path*, absent from `files`, may be a note all the same, as it could not be looked at."""
        return self.scan is not None and self.scan.may_still_exist(path)


class DiskState:
    """
    Looks at the vault below *root*.

    Args:
        drawings: Every drawing found so far, by path, with what it looked like; those that are gone are taken out.
    """

    def __init__(self, root: Path, rules: Rules, drawings: MutableMapping[str, FileSeen]) -> None:
        self._root = root
        self._place = os.fspath(root)
        self._rules = rules
        self._drawings = drawings

    def everything(self) -> Scan:
        """
        One walk over the whole vault.

        Raises:
            VaultMissing: The vault folder is not there.
        """
        scan = scan_vault(self._root, self._rules)
        if scan.root_missing:
            raise VaultMissing(f"the vault folder {self._root} is not there; the index is kept until it is back")
        self._forget_drawings(path for path in tuple(self._drawings) if path not in scan.files)
        return scan

    def unchanged_drawings(self, scan: Scan) -> set[str]:
        """The files of *scan* that did not change since they were found to be drawings."""
        return {path for path, seen in self._drawings.items() if scan.files.get(path) == seen}

    def is_gone(self, path: str) -> bool:
        """Whether there is certainly no note at *path*, spelled as on disk, now."""
        try:
            seen = self._lstat(path)
        except OSError:
            return False
        return seen is None or not self._is_indexed(path, seen)

    def at_changes(self, changes: Sequence[VaultChange]) -> Sighting:
        """
        The notes on disk that *changes* may be about.

        Raises:
            VaultMissing: The vault folder is not there.
        """
        if not os.path.isdir(self._place):  # noqa: PTH112  Path.is_dir raises where the folder above is shut
            raise VaultMissing(f"the vault folder {self._root} is not there; nothing was removed from the index")
        named, scan = named_by(changes), None
        files = self._look_up(changes, named)
        if files is None:
            scan = self.everything()
            files = {path: seen for path, seen in scan.files.items() if is_below(path, named)}
        self._forget_drawings(path for path in tuple(self._drawings) if path not in files and is_below(path, named))
        return Sighting(files, named, scan)

    def _look_up(self, changes: Sequence[VaultChange], named: set[str]) -> dict[str, FileSeen] | None:
        """
        The notes that *named* paths stand for, looked up one by one; None where only a walk over the vault can tell.

        It takes a walk where a path is a folder, for a rename by case alone (the old name still opens the file where
        case is ignored), and where something cannot be looked at: the walk says what, and what that hides.
        """
        if len(named) > MANY_PATHS or any(map(_is_rename_by_case, changes)):
            return None
        found: dict[str, FileSeen] = {}
        try:
            for path in sorted(filter(_is_proper, named)):
                for spelled in self._spellings(path):
                    seen = self._lstat(spelled)
                    if seen is None:
                        continue
                    if stat.S_ISDIR(seen.st_mode):
                        return None
                    if self._is_indexed(spelled, seen):
                        found[spelled] = file_seen(seen)
        except OSError:
            return None
        return found

    def _spellings(self, path: str) -> list[str]:
        """Spellings on disk of *path*, which is NFC: itself or, where accents may be composed otherwise, as listed."""
        if path.isascii():
            return [path]
        found = [""]
        for part in path.split("/"):
            found = [f"{folder}/{name}".lstrip("/") for folder in found for name in self._names(folder, part)]
        return found

    def _names(self, folder: str, part: str) -> list[str]:
        if part.isascii():
            return [part]
        try:
            with os.scandir(self._root / folder) as listing:
                return sorted(entry.name for entry in listing if nfc(entry.name) == part)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise
            return []

    def _is_indexed(self, path: str, seen: os.stat_result) -> bool:
        """Whether *seen*, what the system says of *path*, is that of a note that the rules admit."""
        return stat.S_ISREG(seen.st_mode) and self._rules.is_note(path) and self._rules.admits(path)

    def _lstat(self, path: str) -> os.stat_result | None:
        """The `lstat` of *path*; None where nothing is there. Raises `OSError` where that cannot be told."""
        try:
            return os.lstat(f"{self._place}/{path}")
        except OSError as error:
            if error.errno not in _ABSENT:
                raise
            return None

    def _forget_drawings(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._drawings.pop(path, None)


def named_by(changes: Iterable[VaultChange]) -> set[str]:
    """The paths (NFC) that *changes* name."""
    return {nfc(path).strip("/") for change in changes for path in (change.path, change.old_path) if path}


def _is_rename_by_case(change: VaultChange) -> bool:
    return change.old_path is not None and change.old_path.casefold() == change.path.casefold()


def is_below(path: str, named: Set[str]) -> bool:
    """Whether *path*, or a folder it lies in, is among *named*, which are NFC."""
    path = nfc(path)
    return path in named or any(path[:cut] in named for cut, character in enumerate(path) if character == "/")


def _is_proper(path: str) -> bool:
    """Whether *path*, which came from outside, may be looked at at all."""
    try:
        note_parts(path)
    except NoteNotFound:
        return False
    return True
