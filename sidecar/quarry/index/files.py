"""
The index as files: made, recognised, set aside, replaced. A crash between any two steps leaves a whole index.

A database of SQLite's is up to three files, `x`, `x-wal` and `x-shm`, and a WAL beside a database it was not written
for destroys it. So whatever moves, moves without a WAL or takes it along first.
"""

import os
import re
import struct
from contextlib import suppress
from pathlib import Path

import apsw

from quarry.errors import IndexDamaged, IndexMisplaced, IndexUnavailable, SchemaTooNew
from quarry.faults import fault_point
from quarry.index.postings import segment_file
from quarry.index.schema import APPLICATION_ID, SCHEMA_VERSION, create_tables

KEPT_DAMAGED = 2  # one to look into, and the one before; more would fill the disk with copies of notes
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_NEW = ".new"
_REBUILD = ".rebuild"
_COMPANIONS = ("-shm", "-wal", "-journal")


def file_key(path: Path) -> tuple[int, int] | None:
    """The device and number of the file at *path*, which stay its own while it is open; None: there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_in_place(path: Path, key: tuple[int, int] | None) -> None:
    """
    See that the file at *path* is the one of *key*, which `file_key` gave when it was opened.

    Raises:
        IndexDamaged: It was deleted.
        IndexMisplaced: Another file took its place.
    """
    found = file_key(path)
    if found is None:
        raise IndexDamaged(f"index {path} was deleted")
    if found != key:
        raise IndexMisplaced("the index file was replaced by another program")


def rebuild_path(path: Path) -> Path:
    """The path at which a replacement for the index at *path* is built."""
    return _beside(path, _REBUILD)


def size_bytes(path: Path) -> int:
    """Bytes on disk of the index at *path*, its WAL and its segment file; these come and go while it is used."""
    total = 0
    for file in (path, _beside(path, "-wal"), segment_file.path_beside(path)):
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def create(path: Path) -> None:
    """
    Put an empty index at *path*, in place of whatever is there.

    It appears whole under its name, so that a file of zero bytes is always damage and never a start cut short.
    """
    new = _beside(path, _NEW)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    discard(new)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # notes are nobody else's to read
    connection = apsw.Connection(str(new), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        create_tables(connection)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.close()
    _take_place(new, path)


def read_schema_version(path: Path) -> int:
    """
    The schema version of the index at *path*, from its first bytes; nothing is opened, so nothing can change.

    Raises:
        IndexDamaged: Not a database of Quarry, or one cut short.
        SchemaTooNew: A newer version wrote it.
    """
    if not path.is_file():  # opening a pipe of that name would wait for ever
        raise IndexDamaged(f"index {path} is no ordinary file")
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise IndexDamaged(
            f"index {path} is no database: {len(header)} bytes of {_HEADER_BYTES} in its header are right"
        )
    version, application = struct.unpack_from(">I", header, 60)[0], struct.unpack_from(">I", header, 68)[0]
    if application != APPLICATION_ID:
        raise IndexDamaged(f"index {path} is a database of another program (application id {application:#x})")
    if version > SCHEMA_VERSION:
        raise SchemaTooNew(f"index {path} has schema {version}, this version reads {SCHEMA_VERSION}; update or rebuild")
    return int(version)


def create_if_needed(path: Path) -> None:
    """
    Begin an empty index at *path* where there is none, or one of an older schema; delete what a rebuild left beside it.

    Raises:
        IndexUnavailable: It cannot be read or written here.
    """
    try:
        clear_leftovers(path)
        if not path.exists():
            discard(path)  # a WAL without its database belongs to nothing
            create(path)
        elif read_schema_version(path) < SCHEMA_VERSION:
            fault_point("migrate")
            create(path)
            fault_point("migrate")
    except (OSError, apsw.Error) as error:
        raise IndexUnavailable(
            f"index {path} cannot be opened ({error}); check free space and permissions of its folder"
        ) from error


def discard(path: Path) -> None:
    """Delete the database at *path* with its companions; what is not there is no error."""
    for suffix in (*_COMPANIONS, ""):
        _beside(path, suffix).unlink(missing_ok=True)
    segment_file.discard(path)


def clear_leftovers(path: Path) -> None:
    """Delete what an interrupted creation or rebuild of the index at *path* left beside it."""
    for suffix in (_NEW, _REBUILD):
        discard(_beside(path, suffix))


def quarantine(path: Path) -> Path:
    """
    Rename a damaged index, with its companions, to `NAME.damaged-N`; of earlier ones the newest is kept.

    Returns:
        Where the database is now; where it was deleted, a path at which nothing is.

    Raises:
        IndexUnavailable: It cannot be renamed; on Windows, another program may have it open.
    """
    numbers = _damaged_numbers(path)
    aside = _beside(path, f".damaged-{max(numbers, default=0) + 1}")
    try:
        if not os.path.lexists(path):
            discard(path)  # companions of nothing
            return aside
        for suffix in (*_COMPANIONS, ""):  # the WAL first: left alone it would destroy the next database of that name
            companion = _beside(path, suffix)
            if companion.exists():
                companion.replace(_beside(aside, suffix))
        for number in sorted(numbers)[: -(KEPT_DAMAGED - 1)]:
            discard(_beside(path, f".damaged-{number}"))
    except OSError as error:
        raise IndexUnavailable(f"damaged index {path} cannot be set aside ({error}); delete it by hand") from error
    return aside


def check_closed(path: Path) -> None:
    """
    Make sure that no process writes to the index at *path*.

    Raises:
        IndexUnavailable: It has a WAL, so someone has it open.
    """
    wal = _beside(path, "-wal")
    if wal.exists() and wal.stat().st_size:
        raise IndexUnavailable(f"index {path} is open in another program; close it and try again")


def install(new: Path, over: Path) -> None:
    """
    Let the closed index at *new* take the place of the closed index at *over*, at once.

    Raises:
        IndexUnavailable: One of them still has a WAL, so someone has it open; or the rename failed.
    """
    for path in (new, over):
        check_closed(path)
    fault_point("swap")
    _take_place(new, over)
    segment_file.install(new, over)
    fault_point("swap")


def sync_to_disk(path: Path) -> None:
    """Write the closed file at *path* out to the disk: a hundred megabytes take a second, in which nobody need wait."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _take_place(new: Path, over: Path) -> None:
    """Rename *new*, written out to the disk, over *over*, which has no WAL that matters."""
    try:
        sync_to_disk(new)
        for suffix in _COMPANIONS:
            _beside(over, suffix).unlink(missing_ok=True)
            _beside(new, suffix).unlink(missing_ok=True)
        new.replace(over)
    except OSError as error:
        raise IndexUnavailable(f"index {over} cannot be replaced ({error}); close other programs using it") from error
    _sync_folder(over.parent)


def _sync_folder(folder: Path) -> None:
    """Have the folder remember a rename through a loss of power; Windows offers no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _damaged_numbers(path: Path) -> set[int]:
    pattern = re.compile(re.escape(path.name) + r"\.damaged-(\d+)")
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except FileNotFoundError:  # the folder was deleted with the index
        return set()
    return {int(match[1]) for name in names if (match := pattern.fullmatch(name))}


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
