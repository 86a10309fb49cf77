"""
Reads a file that is certainly inside the vault.

Any part of a path may be replaced by a link between a check and its use (TOCTOU). So nothing is checked beforehand:
each part is opened relative to the one before it without following links (or, where the system cannot do that, the
opened file is asked for its location), and only the opened file is examined.
"""

import contextlib
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from quarry.config import MAX_NOTE_BYTES
from quarry.errors import NoteNotFound, VaultMissing
from quarry.messages import Message, message, sentence
from quarry.private_files import READ_FLAGS
from quarry.types import FileStamp
from quarry.vault.paths import note_parts, shown
from quarry.vault.scan import LINK, NOT_A_FILE, file_seen

if sys.platform == "win32":
    import ctypes
    import msvcrt

_LONGEST_WINDOWS_PATH = 32_768
_BLOCK_BYTES = 1024 * 1024
HEAD_BYTES = 64 * 1024  # by which a file can be told that need not be read whole; long front matter fits
CAN_OPEN_BY_PART = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
IS_LINK = {errno.ELOOP, errno.EMLINK}  # the error of O_NOFOLLOW; EMLINK on FreeBSD


class FileGone(NoteNotFound):
    """There is no such file any more: its note is removed from the index."""


class FileUnreadable(NoteNotFound):
    """The file exists but cannot be read: its note is kept as it was."""

    def __init__(self, path: str, reason: Message) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def reason_unread(error: NoteNotFound) -> Message:
    """The reason why a file could not be read, given the *error* of `read_file`."""
    return error.reason if isinstance(error, FileUnreadable) else message("reason.other", detail=sentence(str(error)))


class FileContent(Struct, frozen=True):
    """A file's bytes, with its size and times from before the first byte was read."""

    data: bytes
    size_bytes: int  # of the file; more than `len(data)` when it was cut
    mtime_ns: int
    ctime_ns: int

    @property
    def is_cut(self) -> bool:
        """Whether the file is longer than `data`."""
        return self.size_bytes > len(self.data)


def read_file(
    root: Path, path: str, max_bytes: int = MAX_NOTE_BYTES, is_enough: Callable[[bytes], bool] | None = None
) -> FileContent:
    """
    Read the first *max_bytes* of the file at *path*, spelled as on disk, below the vault *root*.

    Args:
        is_enough: Of a file longer than `HEAD_BYTES`, called with that many: where it says so, no more is read.

    A file that changes while it is read is read a second time. If it changes again, its size and times are the earlier
    ones, so that the next comparison finds it changed.

    Raises:
        FileGone: It does not exist. FileUnreadable: It is not a regular file, is a link, or the system refuses access;
        or any folder of its path is so. NoteNotFound: *path* is hidden or not the path of a note. VaultMissing: The
        vault itself cannot be opened, so nothing is known about the file.
    """
    content, is_steady = _read_once(root, path, max_bytes, is_enough)
    return content if is_steady else _read_once(root, path, max_bytes, is_enough)[0]


def read_stamp(root: Path, path: str, max_bytes: int) -> FileStamp:
    """
    The stamp of the file at *path*, with the hash of its first *max_bytes*, of which few are in memory at a time.

    Raises as `read_file`.
    """
    with _opened(root, path) as (file, before):
        digest, left = hashlib.sha256(), max_bytes
        while left > 0 and (block := os.read(file, min(left, _BLOCK_BYTES))):
            digest.update(block)
            left -= len(block)
    seen = file_seen(before)  # from before: what changes meanwhile is found changed
    return FileStamp(seen.size_bytes, seen.mtime_ns, digest.digest(), seen.ctime_ns)


def _read_once(
    root: Path, path: str, max_bytes: int, is_enough: Callable[[bytes], bool] | None
) -> tuple[FileContent, bool]:
    with _opened(root, path) as (file, before):
        if is_enough is None or before.st_size <= HEAD_BYTES:
            data = _read_up_to(file, max_bytes, before.st_size)
        else:
            data = _read_up_to(file, HEAD_BYTES, before.st_size)
            if not is_enough(data):
                data += _read_up_to(file, max_bytes - len(data), before.st_size - len(data))
        after = os.fstat(file)
    seen = file_seen(before)
    return FileContent(data, seen.size_bytes, seen.mtime_ns, seen.ctime_ns), seen == file_seen(after)


def _read_up_to(file: int, max_bytes: int, size_bytes: int) -> bytes:
    """
    Read up to *max_bytes* of *file*, whose size was *size_bytes*.

    A short read is the end only if the whole size has been read: a network drive returns what it has at hand.
    """
    blocks: list[bytes] = []
    wanted, read = min(max_bytes, size_bytes + 1, _BLOCK_BYTES), 0
    while wanted > 0:
        block = os.read(file, wanted)
        blocks.append(block)
        read += len(block)
        if not block or (len(block) < wanted and read >= size_bytes):
            break
        wanted = min(max_bytes - read, _BLOCK_BYTES)
    return b"".join(blocks)


@contextlib.contextmanager
def _opened(root: Path, path: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open the regular file at *path*; yield its descriptor, and its status from before anything is read."""
    parts = note_parts(path)
    with (open_by_part if CAN_OPEN_BY_PART else open_and_prove)(root, parts) as file, _told(parts):
        before = os.fstat(file)
        if not stat.S_ISREG(before.st_mode):
            raise FileUnreadable(_name(parts), NOT_A_FILE)
        yield file, before


@contextlib.contextmanager
def open_by_part(root: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """Open the file folder by folder without following links; yield its descriptor."""
    opened: list[int] = []
    try:
        with _told_of_root(root):
            opened.append(os.open(root, FOLDER_FLAGS))
        for depth, part in enumerate(parts, start=1):
            flags = READ_FLAGS if depth == len(parts) else FOLDER_FLAGS | os.O_NOFOLLOW
            try:
                opened.append(os.open(part, flags, dir_fd=opened[-1]))
            except OSError as error:
                raise _missed(error, parts[:depth], opened[-1]) from error
        yield opened[-1]
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


@contextlib.contextmanager
def open_and_prove(root: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """Open the file, then ask the descriptor for its real location; for systems without `dir_fd`."""
    with _told_of_root(root):
        real_root = Path(os.path.realpath(root, strict=True))
    path = real_root.joinpath(*parts)
    with _told(parts):
        file = os.open(path, READ_FLAGS)
    try:
        with _told(parts):
            real = final_path(file)
        if not real.is_relative_to(real_root):
            raise FileUnreadable(_name(parts), LINK)
        yield file
    finally:
        os.close(file)


def final_path(file: int) -> Path:
    """
    The real path of the open *file*, without links.

    It is asked of the descriptor: the name may lead elsewhere by now, and comparing both would leave time for a swap.
    """
    if sys.platform == "win32":
        buffer = ctypes.create_unicode_buffer(_LONGEST_WINDOWS_PATH)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(file))
        length = ctypes.windll.kernel32.GetFinalPathNameByHandleW(handle, buffer, len(buffer), 0)
        if not 0 < length < len(buffer):
            raise ctypes.WinError()
        return Path(buffer.value.replace("\\\\?\\UNC\\", "\\\\", 1).removeprefix("\\\\?\\"))
    return Path(f"/proc/self/fd/{file}").readlink()


@contextlib.contextmanager
def _told_of_root(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VaultMissing(f"the vault folder {root} cannot be opened: {error.strerror}") from error


@contextlib.contextmanager
def _told(parts: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _missed(error, parts) from error


def _missed(error: OSError, parts: tuple[str, ...], folder: int | None = None) -> NoteNotFound:
    """Translate the system's error about the last of *parts*, in *folder*, to gone or unreadable."""
    if isinstance(error, FileNotFoundError):
        return FileGone(f"{_name(parts)} is gone")
    # A link where a folder should be gives ENOTDIR on Linux; so does a file that took a folder's place.
    if error.errno in IS_LINK or (error.errno == errno.ENOTDIR and _is_link(parts[-1], folder)):
        return FileUnreadable(_name(parts), LINK)
    if error.errno == errno.ENOTDIR:
        return FileGone(f"{_name(parts)} is not a folder any more")
    return FileUnreadable(_name(parts), message("reason.unreadable", detail=str(error.strerror)))


def _is_link(part: str, folder: int | None) -> bool:
    if folder is None:
        return False
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return True  # it changed meanwhile, and does not count as deleted


def _name(parts: tuple[str, ...]) -> str:
    return shown("/".join(parts))
