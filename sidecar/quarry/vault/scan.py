"""
Which files of the vault are notes: one walk over the folder, and a reason for everything that is left out.

Nothing is opened here but folders. A walk that cannot see a folder does not say that its notes are gone.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from quarry.faults import fault_point
from quarry.types import LAST_TIME_NS, FileSeen
from quarry.vault.paths import is_note, shown
from quarry.vault.rules import Refusal, Rules

_MOUNT_POINT = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: a Windows junction, which `is_symlink` does not count


@dataclass(frozen=True, slots=True)
class Scan:
    """What one walk saw. Paths are spelled as on disk, except where they are no text at all (see `skipped`)."""

    files: dict[str, FileSeen] = field(default_factory=dict)
    excluded: dict[str, Refusal] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # path, shown so that it can be sent -> reason
    unseen: list[str] = field(default_factory=list)  # files and folders that are there and could not be looked at
    root_missing: bool = False

    def may_still_exist(self, path: str) -> bool:
        """Whether *path*, absent from `files` and `excluded`, may be a note all the same: it could not be seen."""
        return any(path == place or path.startswith(f"{place}/") for place in self.unseen)


def file_seen(found: os.stat_result) -> FileSeen:
    """What *found* says of a file. A time beyond the year 2262, which no index can hold, becomes the last it can."""
    return FileSeen(found.st_size, max(-LAST_TIME_NS, min(found.st_mtime_ns, LAST_TIME_NS)))


def scan_vault(root: Path, rules: Rules) -> Scan:
    """
    Walk the vault at *root*.

    Returns:
        Every note that *rules* admit with its size and time, every one that they refuse with the rule, and whatever
        else looks like a note and is none, with the reason. `root_missing` when the vault itself cannot be listed.
    """
    try:
        os.scandir(root).close()
    except OSError:
        return Scan(root_missing=True)
    scan = Scan()
    folders = [""]
    while folders:
        fault_point("scan")
        folder = folders.pop()
        folders.extend(sorted(_scan_folder(root, folder, rules, scan), reverse=True))
    return scan


def _scan_folder(root: Path, folder: str, rules: Rules, scan: Scan) -> Iterator[str]:
    """Record the files of one folder in *scan*; give back the folders in it."""
    try:
        with os.scandir(root / folder) as listing:
            entries = sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda e: e.name)
    except FileNotFoundError:
        return  # deleted since its parent was listed
    except OSError as error:
        scan.skipped[shown(folder)] = f"the folder cannot be listed: {error.strerror}"
        scan.unseen.append(folder)
        return
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if _sort_in(path, entry, root, rules, scan):
            yield path


def _sort_in(path: str, entry: os.DirEntry[str], root: Path, rules: Rules, scan: Scan) -> bool:
    """Put *entry* where it belongs in *scan*. Returns whether it is a folder to go into."""
    try:
        seen = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False  # deleted since the folder was listed
    except OSError as error:
        _skip(path, entry, f"it cannot be looked at: {error.strerror}", scan)
        scan.unseen.append(path)
        return False
    if stat.S_ISLNK(seen.st_mode) or getattr(seen, "st_reparse_tag", 0) == _MOUNT_POINT:
        _skip(path, entry, _link_reason(entry, root), scan)
        return False
    is_folder = stat.S_ISDIR(seen.st_mode)
    if not is_folder and not is_note(entry.name):
        return False
    if reason := _name_reason(entry.name):
        _skip(path, entry, reason, scan)
    elif is_folder:
        return True
    elif not stat.S_ISREG(seen.st_mode):
        _skip(path, entry, "it is no ordinary file", scan)
    elif refusal := rules.refusal(path):
        scan.excluded[path] = refusal
    else:
        scan.files[path] = file_seen(seen)
    return False


def _skip(path: str, entry: os.DirEntry[str], reason: str, scan: Scan) -> None:
    """Report *entry* if it is, or could hide, notes; a broken link to a picture is nobody's worry."""
    if is_note(entry.name) or _leads_to_folder(entry):
        scan.skipped[shown(path)] = reason


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=True)
    except OSError:
        return False


def _link_reason(entry: os.DirEntry[str], root: Path) -> str:
    try:
        target = Path(os.path.realpath(entry.path, strict=True))
    except FileNotFoundError:
        return "it is a link that leads nowhere"
    except OSError:
        return "it is a link that leads to itself or cannot be followed"
    if target.is_relative_to(os.path.realpath(root)):
        return "it is a link to another place in the vault, where its target counts"
    return "it is a link out of the vault; links are not followed"


def _name_reason(name: str) -> str | None:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is no UTF-8; rename it"
    if "\\" in name:
        return "its name holds a backslash, which other systems take for a folder; rename it"
    return None
