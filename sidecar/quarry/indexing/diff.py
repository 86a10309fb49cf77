"""
How does the vault differ from its index, and what makes them equal?

Two steps, because telling a change from a touch needs a hash, and a hash needs a read: `diff_vault` and `diff_listing`
sort paths by what a listing can tell, the caller hashes what it must, and `plan_sync` turns that into work. Most starts
end with the first, as there is no difference; what carries one out (`indexer.py`) is imported when there is one.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from quarry.index import Index
from quarry.indexing.disk_state import DiskState
from quarry.types import FileSeen, FileStamp
from quarry.vault.scan import Scan

MANY_PROBLEMS = 10_000  # compared with what a scan skipped; with more, the record is written anew
MASS_REMOVAL_SHARE = 0.5  # a drive that is unmounted or a sync that emptied the folder takes more than this
MASS_REMOVAL_FLOOR = 20  # below this many notes a person may well have deleted most of them
MASS_REMOVAL_LEAST = int(MASS_REMOVAL_FLOOR * MASS_REMOVAL_SHARE) + 1  # fewer are never too many


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


def diff_vault(disk: DiskState, index: Index, *, with_drawings: bool = False) -> VaultDiff:
    """
    Walk over the vault, compare it with *index*, and record in it which files were skipped.

    Args:
        with_drawings: Whether files that were found to be drawings before are looked at as well.

    Raises:
        VaultMissing: The vault folder is not there.
    """
    scan = disk.everything()
    with index.reader() as reader:
        known = reader.stamps()
    record_skipped(scan, index)
    drawings = set() if with_drawings else disk.unchanged_drawings(scan) - known.keys()
    files = {path: seen for path, seen in scan.files.items() if path not in drawings} if drawings else scan.files
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
