"""
What is on the disk now, among the notes that may be indexed: all of it, or where somebody saw something change.

Nothing is opened here. Drawings that were found out before count as left out until they change.
"""

import os
import stat
from collections.abc import Iterable, Iterator, MutableMapping, Sequence, Set
from pathlib import Path

from quarry.errors import NoteNotFound, VaultMissing
from quarry.types import FileSeen, VaultChange
from quarry.vault.paths import is_note, nfc, note_parts
from quarry.vault.rules import Rules
from quarry.vault.scan import Scan, file_seen, scan_vault

MANY_PATHS = 200  # a burst of this many changes is cheaper to list than to look up one by one


class Survey:
    """
    Looks at the vault below *root*.

    Args:
        drawings: Every drawing found so far, by path, with what it looked like; those that are gone are taken out.
    """

    def __init__(self, root: Path, rules: Rules, drawings: MutableMapping[str, FileSeen]) -> None:
        self._root = root
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

    def known_drawings(self, scan: Scan) -> set[str]:
        """The files of *scan* that did not change since they were found to be drawings."""
        return {path for path, seen in self._drawings.items() if scan.files.get(path) == seen}

    def is_there(self, path: str) -> bool:
        """Whether the note at *path*, spelled as on disk, is there now."""
        return self._look_at(path) is not None

    def where_changed(self, changes: Sequence[VaultChange]) -> tuple[dict[str, FileSeen], set[str]]:
        """
        The notes on disk that *changes* may be about, and the names (NFC) that these give.

        Raises:
            VaultMissing: The vault folder is not there.
        """
        if not self._root.is_dir():
            raise VaultMissing(f"the vault folder {self._root} is not there; nothing was removed from the index")
        named = named_by(changes)
        files = {path: seen for path, seen in self._look(changes, named) if is_below(path, named)}
        self._forget_drawings(path for path in tuple(self._drawings) if path not in files and is_below(path, named))
        return files, named

    def _look(self, changes: Sequence[VaultChange], named: set[str]) -> Iterator[tuple[str, FileSeen]]:
        """
        The notes that *named* paths may stand for.

        One by one where that is certain. A listing tells where it is not: a folder, a rename by case alone (the old
        name still opens the file where case is ignored).
        """
        renamed_by_case = any(c.old_path and c.old_path.casefold() == c.path.casefold() for c in changes)
        proper = sorted(path for path in named if _is_proper(path))
        if len(proper) > MANY_PATHS or renamed_by_case:
            yield from self.everything().files.items()
            return
        spelled = [on_disk for path in proper for on_disk in self._spellings(path)]
        if any((self._root / path).is_dir() for path in spelled):
            yield from self.everything().files.items()
            return
        for path in spelled:
            if seen := self._look_at(path):
                yield path, seen

    def _spellings(self, path: str) -> list[str]:
        """How the disk spells *path*, which is NFC: as it is or, where accents may be composed otherwise, as listed."""
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
        except OSError:
            return []  # not there, or shut: then nothing is read of it

    def _look_at(self, path: str) -> FileSeen | None:
        if not is_note(path) or not self._rules.admits(path):
            return None
        try:
            seen = (self._root / path).lstat()
        except OSError:
            return None
        return file_seen(seen) if stat.S_ISREG(seen.st_mode) else None

    def _forget_drawings(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._drawings.pop(path, None)


def named_by(changes: Iterable[VaultChange]) -> set[str]:
    """The paths (NFC) that *changes* name."""
    return {nfc(path).strip("/") for change in changes for path in (change.path, change.old_path) if path}


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
