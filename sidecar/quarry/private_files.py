"""Files and folders of Quarry's own that no other user of this machine may read."""

import contextlib
import os
import stat
import sys
import time
from pathlib import Path

from quarry.errors import IndexUnavailable

# O_NONBLOCK: opening a pipe without a writer would block for ever. O_BINARY: Windows only.
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_REPLACE_TRIES = 20  # Windows does not replace a file while someone reads it, which takes microseconds
_REPLACE_PAUSE_S = 0.05


def private_folder(folder: Path) -> Path:
    """
    Create *folder* if it is missing, and verify that it belongs to this user alone.

    Raises:
        IndexUnavailable: It is a link, not a folder, owned by another user, or cannot be created. Another user of this
            machine may have put it there to read our files, so nothing is written.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise IndexUnavailable(
            f"the folder {folder} cannot be created: {error.strerror}; set QUARRY_HOME to another one"
        ) from error
    if stat.S_ISLNK(found.st_mode):
        raise IndexUnavailable(
            f"{folder} is a link; Quarry's own folders may not be links; remove it or set QUARRY_HOME"
        )
    if sys.platform != "win32":  # on Windows, the access list of the user's profile protects what is below it
        _claim(folder, found)
    return folder


def write_atomically(
    path: Path, content: bytes, *, mode: int = 0o600, like: os.stat_result | None = None, durable: bool = False
) -> None:
    """
    Replace the file at *path* in one step, readable by this user alone from its first byte on.

    The content is first written to a new file beside it: a reader sees the old content or the new one, and a process
    that dies leaves the old one.

    Args:
        mode: Of the new file, under the process's mask.
        like: The file whose mode and owner the new one gets.
        durable: Wait until the content is on the disk, for files that only their user could restore.

    Raises:
        OSError: It cannot be written; *path* is as it was.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()  # of a process that was killed and had the same number
        with os.fdopen(os.open(temporary, NEW_FILE_FLAGS, 0o600 if like else mode), "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if like:
            _take_over(temporary, like)
        _replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def read_private(path: Path, max_bytes: int) -> bytes | None:
    """
    The first *max_bytes* of the file at *path*; None if it cannot be read or is not a file.

    Whatever else is in its place is not followed (a link) and not waited for (a pipe).
    """
    try:
        with os.fdopen(os.open(path, READ_FLAGS), "rb") as file:
            return file.read(max_bytes) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def delete_old(folder: Path, *, max_age_s: float, max_files: int, max_bytes: int = sys.maxsize) -> None:
    """
    Delete the files in *folder* that are older than *max_age_s*, and the oldest if they are too many or too large.

    A file far in the future was written before the clock was set back; it counts as old.
    """
    files = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                files.append((abs(time.time() - found.st_mtime), found.st_size, entry.path))
    total = 0
    for number, (age_s, size_bytes, path) in enumerate(sorted(files)):
        total += size_bytes
        if age_s > max_age_s or number >= max_files or total > max_bytes:
            with contextlib.suppress(OSError):
                Path(path).unlink()


def _take_over(temporary: Path, like: os.stat_result) -> None:
    made = temporary.stat()
    if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (made.st_uid, made.st_gid):
        os.chown(temporary, like.st_uid, like.st_gid)
    temporary.chmod(stat.S_IMODE(like.st_mode))


def _replace(temporary: Path, path: Path) -> None:
    for _ in range(_REPLACE_TRIES - 1):
        try:
            temporary.replace(path)
        except PermissionError:
            if sys.platform != "win32":
                raise
            time.sleep(_REPLACE_PAUSE_S)
        else:
            return
    temporary.replace(path)


def _claim(folder: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise IndexUnavailable(f"{folder} belongs to user {found.st_uid}, not to you; remove it or set QUARRY_HOME")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
