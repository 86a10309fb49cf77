"""
Lists the notes of the vault in one walk over the folder, with a reason for everything that it leaves out.

Only folders are opened. If a folder cannot be listed, its notes do not count as gone.
"""

import os
import stat
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from msgspec import Struct, field

from quarry.faults import fault_point
from quarry.messages import Message, message
from quarry.types import LAST_TIME_NS, FileSeen
from quarry.vault.paths import shown
from quarry.vault.rules import Rules

_MOUNT_POINT = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: a Windows junction, which `is_symlink` does not count

# On Windows a junction is a folder to the listing, and only its reparse tag tells that it leads elsewhere.
LISTING_TELLS_FOLDERS = os.name != "nt"
_HAS_JUNCTIONS = os.name == "nt"  # asking each of 17,000 files elsewhere takes 5 % of a walk
_NAME = attrgetter("name")
LINK = message("reason.link")
NOT_A_FILE = message("reason.not-a-file")


class Scan(Struct, frozen=True):
    """The result of one walk. Paths are spelled as on disk, except those that are not text (see `skipped`)."""

    files: dict[str, FileSeen] = field(default_factory=dict)
    excluded: dict[str, Message] = field(default_factory=dict)
    skipped: dict[str, Message] = field(default_factory=dict)  # path, shown so that it can be sent -> reason
    unseen: list[str] = field(default_factory=list)  # files and folders that exist but could not be examined
    root_missing: bool = False

    def may_still_exist(self, path: str) -> bool:
        """Whether *path*, absent from `files` and `excluded`, may be a note that could not be examined."""
        return any(path == place or path.startswith(f"{place}/") for place in self.unseen)


def file_seen(found: os.stat_result) -> FileSeen:
    """Size and times of a file. A time after the year 2262, which the index cannot store, becomes the last it can."""
    return FileSeen(found.st_size, _storable(found.st_mtime_ns), _storable(found.st_ctime_ns))


def _storable(time_ns: int) -> int:
    return min(max(time_ns, -LAST_TIME_NS), LAST_TIME_NS)


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
    folders = [("", os.fspath(root))]
    while folders:
        fault_point("scan")
        folder, place = folders.pop()
        folders.extend(sorted(_scan_folder(folder, place, rules, scan), reverse=True))
    return scan


def _scan_folder(folder: str, place: str, rules: Rules, scan: Scan) -> Iterator[tuple[str, str]]:
    """Record the files of one folder in *scan*; give back the folders in it, each with its *place* on the disk."""
    try:
        with os.scandir(place) as listing:
            entries = sorted(listing, key=_NAME)
    except FileNotFoundError:
        return  # deleted since its parent was listed
    except OSError as error:
        scan.skipped[shown(folder)] = message("reason.unreadable.folder", detail=str(error.strerror))
        scan.unseen.append(folder)
        return
    prefix = f"{folder}/" if folder else ""
    for entry in entries:
        name = entry.name
        path = prefix + name
        if name.startswith(".") or rules.is_apart(path):
            continue
        if _is_plain_folder(entry):
            leads_on = _may_enter(path, entry, rules, scan)
        else:
            leads_on = (rules.is_note(name) or _may_lead_on(entry)) and _sort_in(path, entry, rules, scan)
        if leads_on:
            yield path, entry.path


def _is_plain_folder(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* is certainly a folder by the listing alone; if False, it must be examined."""
    try:
        return LISTING_TELLS_FOLDERS and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _may_enter(path: str, entry: os.DirEntry[str], rules: Rules, scan: Scan) -> bool:
    """Whether to walk into the folder *entry*; it is reported if its name forbids it."""
    reason = _name_reason(entry.name)
    if reason:
        _skip(path, entry, reason, rules, scan)
    return reason is None


def _may_lead_on(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* may lead to a folder; an entry that the listing calls a file does not."""
    try:
        return not entry.is_file(follow_symlinks=False)
    except OSError:
        return True


def _sort_in(path: str, entry: os.DirEntry[str], rules: Rules, scan: Scan) -> bool:
    """Record *entry* in *scan*; return whether it is a folder to walk into."""
    try:
        seen = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False  # deleted since the folder was listed
    except OSError as error:
        _skip(path, entry, message("reason.unreadable", detail=str(error.strerror)), rules, scan)
        scan.unseen.append(path)
        return False
    kind = stat.S_IFMT(seen.st_mode)
    if kind == stat.S_IFLNK or (_HAS_JUNCTIONS and getattr(seen, "st_reparse_tag", 0) == _MOUNT_POINT):
        _skip(path, entry, LINK, rules, scan)
    elif kind == stat.S_IFDIR:
        return _may_enter(path, entry, rules, scan)
    elif not rules.is_note(entry.name) or rules.is_outside(path):
        pass
    elif reason := _name_reason(entry.name):
        _skip(path, entry, reason, rules, scan)
    elif kind != stat.S_IFREG:
        _skip(path, entry, NOT_A_FILE, rules, scan)
    elif refusal := rules.refusal(path):
        scan.excluded[path] = refusal
    else:
        scan.files[path] = file_seen(seen)
    return False


def _skip(path: str, entry: os.DirEntry[str], reason: Message, rules: Rules, scan: Scan) -> None:
    """Report *entry* if it is, or may contain, a note; a broken link to a picture, or any link of a part, is not."""
    if rules.is_outside(path):
        return
    if rules.is_note(entry.name) or (not rules.is_of_part and _leads_to_folder(entry)):
        scan.skipped[shown(path)] = reason


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=True)
    except OSError:
        return False


def _name_reason(name: str) -> Message | None:
    if not name.isascii() and not _is_utf8(name):
        return message("reason.name.encoding")
    if "\\" in name:
        return message("reason.name.backslash")
    return None


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
