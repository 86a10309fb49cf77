"""
How the vault differs from its index, and what makes them equal.

`DiskState` lists the notes on disk, in the whole vault or where changes were reported. Telling a change from a touch
needs a hash, and a hash needs a read, so there are two steps: `diff_vault` and `diff_listing` sort paths by what a
listing shows, the caller hashes what it must, and `plan_sync` turns that into work.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence, Set
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from quarry.errors import VaultMissing
from quarry.index import Index
from quarry.indexing.preparation import ExcludedFile
from quarry.types import FileSeen, FileStamp, VaultChange
from quarry.vault.paths import nfc, path_objection
from quarry.vault.rules import Rules
from quarry.vault.scan import Scan, file_seen, scan_vault

MANY_PATHS = 200  # a burst of this many changes is cheaper to list than to look up one by one
# What the system answers where nothing can be. Any other error (a shut folder, a drive that fails) tells nothing.
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}
MANY_PROBLEMS = 10_000  # compared with what a scan skipped; with more, the record is written anew
MASS_REMOVAL_SHARE = 0.5  # a drive that is unmounted or a sync that emptied the folder takes more than this
MASS_REMOVAL_FLOOR = 20  # below this many notes a person may well have deleted most of them
MASS_REMOVAL_LEAST = int(MASS_REMOVAL_FLOOR * MASS_REMOVAL_SHARE) + 1  # fewer are never too many


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
        excluded: The files excluded for their front matter so far, by path; those that are gone are taken out.
    """

    def __init__(self, root: Path, rules: Rules, excluded: MutableMapping[str, ExcludedFile]) -> None:
        self._root = root
        self._place = os.fspath(root)
        self._rules = rules
        self._excluded = excluded

    def everything(self) -> Scan:
        """
        One walk over the whole vault.

        Raises:
            VaultMissing: The vault folder is not there.
        """
        scan = scan_vault(self._root, self._rules)
        if scan.root_missing:
            raise VaultMissing(f"the vault folder {self._root} is not there; the index is kept until it is back")
        self._forget_excluded(path for path in tuple(self._excluded) if path not in scan.files)
        return scan

    def unchanged_excluded(self, scan: Scan) -> set[str]:
        """The files of *scan* that did not change since they were found to be excluded."""
        return {path for path, file in self._excluded.items() if scan.files.get(path) == file.seen}

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
        self._forget_excluded(path for path in tuple(self._excluded) if path not in files and is_below(path, named))
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
            for path in sorted(path for path in named if path_objection(path) is None):  # they came from outside
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

    def _forget_excluded(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._excluded.pop(path, None)


def named_by(changes: Iterable[VaultChange]) -> set[str]:
    """The paths (NFC) that *changes* name."""
    return {nfc(path).strip("/") for change in changes for path in (change.path, change.old_path) if path}


def _is_rename_by_case(change: VaultChange) -> bool:
    return change.old_path is not None and change.old_path.casefold() == change.path.casefold()


def is_below(path: str, named: Set[str]) -> bool:
    """Whether *path*, or a folder it lies in, is among *named*, which are NFC."""
    path = nfc(path)
    return path in named or any(path[:cut] in named for cut, character in enumerate(path) if character == "/")


class ListingDiff(Struct, frozen=True):
    """Paths of the vault and its index by what a listing tells of them, each group sorted."""

    new: tuple[str, ...]
    touched: tuple[str, ...]  # size or a time differs from the index
    same: tuple[str, ...]
    gone: tuple[str, ...]


class SyncPlan(Struct, frozen=True):
    """The work that makes the index equal the vault, each group in order of path."""

    upsert: tuple[str, ...] = ()  # new or changed: read, cut, embed, store
    rename: tuple[tuple[str, str], ...] = ()  # (old, new), same bytes: nothing is embedded again
    restamp: tuple[str, ...] = ()  # same bytes, other time: only the stamp is written
    remove: tuple[str, ...] = ()


class VaultDiff(Struct, frozen=True):
    """A vault beside its index, as of one walk."""

    scan: Scan
    known: Mapping[str, FileStamp]  # what the index holds
    listing: ListingDiff

    @property
    def is_empty(self) -> bool:
        """Whether a listing tells no difference."""
        return not (self.listing.new or self.listing.touched or self.listing.gone)


def diff_vault(disk: DiskState, index: Index, *, with_excluded: bool = False) -> VaultDiff:
    """
    Walk over the vault, compare it with *index*, and record in it which files were skipped.

    Args:
        with_excluded: Whether files that were found to be excluded before are looked at as well.

    Raises:
        VaultMissing: The vault folder is not there.
    """
    scan = disk.everything()
    with index.reader() as reader:
        known = reader.stamps()
    record_skipped(scan, index)
    excluded = set() if with_excluded else disk.unchanged_excluded(scan) - known.keys()
    files = {path: seen for path, seen in scan.files.items() if path not in excluded} if excluded else scan.files
    return VaultDiff(scan, known, diff_listing(files, known, scan.may_still_exist))


def record_skipped(scan: Scan, index: Index) -> None:
    """Record in *index* the files that *scan* skipped; if the record is the same, nothing is written."""
    with index.reader() as reader:
        recorded = {problem.path: problem.reason for problem in reader.problems(MANY_PROBLEMS) if problem.skipped}
    if recorded != scan.skipped:
        index.replace_skipped(scan.skipped)


def diff_listing(
    disk: Mapping[str, FileSeen],
    stamps: Mapping[str, FileStamp],
    may_still_exist: Callable[[str], bool] = lambda _: False,
) -> ListingDiff:
    """
    Sort every path of *disk* and of the index's *stamps* into one of four groups.

    Args:
        may_still_exist: Whether a path that is not on *disk* could not be looked at; such a note is in no group.
    """
    new: list[str] = []
    touched: list[str] = []
    same: list[str] = []
    for path, seen in disk.items():
        stamp = stamps.get(path)
        if stamp is None:
            new.append(path)
        elif (seen.size_bytes, seen.mtime_ns, seen.ctime_ns) == (stamp.size_bytes, stamp.mtime_ns, stamp.ctime_ns):
            same.append(path)
        else:
            touched.append(path)
    return ListingDiff(
        new=tuple(sorted(new)),
        touched=tuple(sorted(touched)),
        same=tuple(sorted(same)),
        gone=tuple(sorted(path for path in stamps.keys() - disk.keys() if not may_still_exist(path))),
    )


def plan_sync(listing: ListingDiff, read: Mapping[str, FileStamp], stamps: Mapping[str, FileStamp]) -> SyncPlan:
    """
    Decide the work.

    Args:
        read: The stamp of every file that was read to find out. Touched files that are not among them could not be
            read and are left as they are, and so are new ones where notes are gone; where none is, new files have
            nothing to be paired with and need not be read to be indexed. Of files that the listing finds unchanged,
            those that were read are planned by their bytes: sync tools and backups change these and keep size and time.
        stamps: What the index holds.

    A gone note whose bytes turn up under a new path was renamed; where several paths hold the same bytes, they are
    paired in order.
    """
    gone_by_hash: dict[bytes, list[str]] = {}
    for path in listing.gone:
        gone_by_hash.setdefault(stamps[path].sha256, []).append(path)

    upsert, rename = [], []
    restamp: list[str] = []
    for path in listing.new:
        if path in read and (gone := gone_by_hash.get(read[path].sha256)):
            rename.append((gone.pop(0), path))
        elif path in read or not listing.gone:
            upsert.append(path)
    for path in listing.touched:
        if path in read:
            (upsert if read[path].sha256 != stamps[path].sha256 else restamp).append(path)
    upsert += [path for path in listing.same if path in read and read[path].sha256 != stamps[path].sha256]
    renamed = {old for old, _ in rename}
    return SyncPlan(
        upsert=tuple(sorted(upsert)),
        rename=tuple(rename),
        restamp=tuple(restamp),
        remove=tuple(path for path in listing.gone if path not in renamed),
    )


def with_everything(work: SyncPlan, listing: ListingDiff) -> SyncPlan:
    """*work* and every other note: the rules of reading changed, so equal bytes may give other rows."""
    return replace(work, upsert=tuple(sorted({*work.upsert, *work.restamp, *listing.same})), restamp=())


def is_mass_removal(removed: int, indexed: int) -> bool:
    """Whether so much is gone at once that a lost drive is likelier than a clean-up."""
    return indexed >= MASS_REMOVAL_FLOOR and removed > indexed * MASS_REMOVAL_SHARE
