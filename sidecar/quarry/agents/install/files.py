"""
The files of other programs, read and replaced.

A file is replaced in one step, keeps its mode and owner, and a link to it stays a link. What it was before lies in one
backup beside it.
"""

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from quarry.errors import BadConfiguration

MAX_BYTES = 32 * 1024 * 1024  # a client that keeps its history in its configuration has some megabytes
BACKUP_SUFFIX = ".quarry-backup"
_BOM = "\ufeff"


class FileState(NamedTuple):
    """A file as it was read: *path* as its client names it, *real* without links, *data* None where there is none."""

    path: Path
    real: Path
    data: bytes | None
    prefix: str  # a byte order mark, or nothing
    text: str  # behind the prefix, line ends as they are

    def encoded(self, text: str) -> bytes:
        """*text* as the bytes of this file."""
        return (self.prefix + text).encode()


def read_state(path: Path, *, to_write: bool = True) -> FileState:
    """
    Read the file at *path*, which may be missing.

    Raises:
        BadConfiguration: It cannot be read or, if it is *to_write*, could not be replaced; the message says which file,
            and why.
    """
    try:
        real = Path(os.path.realpath(path))
        _refuse_special(path, real)
        if to_write:
            _refuse_read_only(path, real)
        data = _read(real) if real.exists() else None
    except OSError as error:
        raise BadConfiguration(f"{path} cannot be read: {error.strerror}") from error
    try:
        text = "" if data is None else data.decode()
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise BadConfiguration(
            f"{path}, line {line}: it is not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    prefix = _BOM if text.startswith(_BOM) else ""
    return FileState(path, real, data, prefix, text.removeprefix(prefix))


def backup_of(path: Path) -> Path:
    """Where the backup of the file at *path* lies."""
    return path.with_name(path.name + BACKUP_SUFFIX)


def refuse_if_changed(state: FileState) -> None:
    """
    Check that the file is still as it was read.

    Raises:
        BadConfiguration: Somebody wrote to it in the meantime.
    """
    try:
        is_same = os.path.realpath(state.path) == str(state.real) and _bytes(state.real) == state.data
    except OSError as error:
        raise BadConfiguration(f"{state.path} cannot be read: {error.strerror}") from error
    if not is_same:
        raise BadConfiguration(f"{state.path} was changed in the meantime; nothing was written to it, run this again")


def write_file(state: FileState, data: bytes) -> tuple[Path, ...]:
    """
    Replace the file by *data*, with a backup of what it was; make it, and its folders, where it is missing.

    Returns:
        The folders that were made, outermost first.

    Raises:
        BadConfiguration: It cannot be written, and is as it was.
    """
    try:
        folders = _make_folders(state.real.parent)
        if state.data is not None:
            _replace(backup_of(state.path), state.data, like=state.real)
        _replace(state.real, data, like=state.real)
    except OSError as error:
        raise BadConfiguration(f"{state.path} cannot be written: {error.strerror}; it is as it was") from error
    return folders


def delete_file(state: FileState) -> None:
    """
    Delete a file that we made, and its backup.

    Raises:
        BadConfiguration: It cannot be deleted.
    """
    try:
        state.real.unlink(missing_ok=True)
    except OSError as error:
        raise BadConfiguration(f"{state.path} cannot be deleted: {error.strerror}") from error
    delete_backup(state)


def delete_empty(folders: Iterable[str]) -> list[str]:
    """Delete those of *folders* that are empty; gives the others."""
    left = []
    for folder in sorted(folders, key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except FileNotFoundError:
            continue
        except OSError:  # it is not empty
            left.append(folder)
    return left


def delete_backup(state: FileState) -> None:
    """Delete the backup, if there is one."""
    with contextlib.suppress(OSError):  # a copy too many harms nobody
        backup_of(state.path).unlink(missing_ok=True)


def _refuse_special(path: Path, real: Path) -> None:
    """Raise `BadConfiguration` for what we do not read: no regular file, or one that is too large."""
    if not real.exists():
        if path.is_symlink():
            raise BadConfiguration(f"{path} is a link to {real}, which is not there; make that file or remove the link")
        return
    found = real.stat()
    if not stat.S_ISREG(found.st_mode):
        raise BadConfiguration(f"{path} is not a regular file; move it away")
    if found.st_size > MAX_BYTES:
        raise BadConfiguration(f"{path} has {found.st_size:,} bytes; at most {MAX_BYTES:,} are read")


def _refuse_read_only(path: Path, real: Path) -> None:
    """Raise `BadConfiguration` for a file that is read-only or another user's, or lies in such a folder."""
    folder = next(parent for parent in real.parents if parent.exists())
    for place in (real, folder) if real.exists() else (folder,):
        if not place.stat().st_mode & stat.S_IWUSR:
            raise BadConfiguration(f"{place} is read-only; make it writable, or change it where it comes from")
    owner = real.stat().st_uid if real.exists() else None
    if owner is not None and hasattr(os, "geteuid") and os.geteuid() not in (0, owner):
        raise BadConfiguration(f"{path} belongs to user {owner}; run this as that user")


def _read(real: Path) -> bytes:
    with real.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _bytes(real: Path) -> bytes | None:
    return _read(real) if real.exists() else None


def _make_folders(folder: Path) -> tuple[Path, ...]:
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(reversed(missing))


def _replace(path: Path, data: bytes, like: Path) -> None:
    """Put *data* at *path* in one step, with the mode and owner of *like* if that is there."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.quarry-new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    known = like.stat() if like.exists() else None
    try:
        descriptor = os.open(temporary, flags, 0o666 if known is None else 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if known is not None:
            _keep_owner(temporary, known)
            temporary.chmod(stat.S_IMODE(known.st_mode))
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _keep_owner(temporary: Path, known: os.stat_result) -> None:
    made = temporary.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (known.st_uid, known.st_gid):
        os.chown(temporary, known.st_uid, known.st_gid)
