"""
Make the index equal the vault: the pure half.

Two steps, because telling a change from a touch needs a hash, and a hash needs a read. `compare` sorts paths by what
a listing can tell; the caller hashes what it must; `plan` turns that into work. Neither opens a file.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from quarry.types import FileSeen, FileStamp

MASS_REMOVAL_SHARE = 0.5  # a drive that is unmounted or a sync that emptied the folder takes more than this
MASS_REMOVAL_FLOOR = 20  # below this many notes a person may well have deleted most of them
MASS_REMOVAL_LEAST = int(MASS_REMOVAL_FLOOR * MASS_REMOVAL_SHARE) + 1  # fewer are never too many


class Comparison(Struct, frozen=True):
    """Paths by what a listing tells, each group sorted."""

    new: tuple[str, ...]
    touched: tuple[str, ...]  # size or a time differs from the index
    same: tuple[str, ...]
    gone: tuple[str, ...]


class Plan(Struct, frozen=True):
    """The work that makes the index equal the vault, each group in order of path."""

    upsert: tuple[str, ...] = ()  # new or changed: read, cut, embed, store
    rename: tuple[tuple[str, str], ...] = ()  # (old, new), same bytes: nothing is embedded again
    restamp: tuple[str, ...] = ()  # same bytes, other time: only the stamp is written
    remove: tuple[str, ...] = ()


def compare(
    disk: Mapping[str, FileSeen],
    stamps: Mapping[str, FileStamp],
    may_still_exist: Callable[[str], bool] = lambda _: False,
) -> Comparison:
    """
    Sort every path of *disk* and of the index's *stamps* into one of four groups.

    Args:
        may_still_exist: Whether a path that is not on *disk* could not be looked at; such a note is in no group.
    """
    touched: list[str] = []
    same: list[str] = []
    new: list[str] = []
    for path, seen in disk.items():
        stamp = stamps.get(path)
        if stamp is None:
            new.append(path)
        elif (seen.size_bytes, seen.mtime_ns, seen.ctime_ns) == (stamp.size_bytes, stamp.mtime_ns, stamp.ctime_ns):
            same.append(path)
        else:
            touched.append(path)
    return Comparison(
        new=tuple(sorted(new)),
        touched=tuple(sorted(touched)),
        same=tuple(sorted(same)),
        gone=tuple(sorted(path for path in stamps.keys() - disk.keys() if not may_still_exist(path))),
    )


def plan(comparison: Comparison, read: Mapping[str, FileStamp], stamps: Mapping[str, FileStamp]) -> Plan:
    """
    Decide the work.

    Args:
        read: The stamp of every file that was read to find out. Touched files that are not among them could not be
            read and are left as they are, and so are new ones where notes are gone; where none is, new files have
            nothing to be paired with and need not be read to be indexed.
        stamps: What the index holds.

    A gone note whose bytes turn up under a new path was renamed; where several paths hold the same bytes, they are
    paired in order.
    """
    gone_by_hash: dict[bytes, list[str]] = {}
    for path in comparison.gone:
        gone_by_hash.setdefault(stamps[path].sha256, []).append(path)

    upsert, rename = [], []
    for path in comparison.new:
        if path in read and (gone := gone_by_hash.get(read[path].sha256)):
            rename.append((gone.pop(0), path))
        elif path in read or not comparison.gone:
            upsert.append(path)
    touched = [path for path in comparison.touched if path in read]
    changed = [path for path in touched if read[path].sha256 != stamps[path].sha256]
    renamed = {old for old, _ in rename}
    return Plan(
        upsert=tuple(sorted(upsert + changed)),
        rename=tuple(rename),
        restamp=tuple(path for path in touched if read[path].sha256 == stamps[path].sha256),
        remove=tuple(path for path in comparison.gone if path not in renamed),
    )


def with_silent_changes(
    work: Plan, comparison: Comparison, read: Mapping[str, FileStamp], stamps: Mapping[str, FileStamp]
) -> Plan:
    """*work* and the files whose bytes changed though size and time did not, as sync tools and backups manage."""
    silent = [p for p in comparison.same if p in read and read[p].sha256 != stamps[p].sha256]
    return replace(work, upsert=tuple(sorted([*work.upsert, *silent])))


def with_everything(work: Plan, comparison: Comparison) -> Plan:
    """*work* and every other note: the rules of reading changed, so equal bytes may give other rows."""
    return replace(work, upsert=tuple(sorted({*work.upsert, *work.restamp, *comparison.same})), restamp=())


def is_mass_removal(removed: int, indexed: int) -> bool:
    """Whether so much is gone at once that a lost drive is likelier than a clean-up."""
    return indexed >= MASS_REMOVAL_FLOOR and removed > indexed * MASS_REMOVAL_SHARE
