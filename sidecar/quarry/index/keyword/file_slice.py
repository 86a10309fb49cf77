"""
Parts of a file that are read piece by piece.

Pages of a mapped file stay in memory once they were touched: 75 MB of the postings of a million chunks after a hundred
queries. Bytes that are read are the system's to keep or to drop, and a file that is cut short under us is an error and
not the end of the process.
"""

import os
import weakref
from pathlib import Path

from quarry.index.keyword.codec import PostingsDamaged


class SharedFile:
    """An open file; closed when no slice of it is left. On Windows, which replaces no open file, its bytes."""

    def __init__(self, path: Path) -> None:
        """
        Open the file at *path*.

        Raises:
            OSError: It cannot be read.
        """
        self._whole: bytes | None = None
        if not hasattr(os, "pread"):
            self._stat = path.stat()
            self._whole = path.read_bytes()
            return
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        weakref.finalize(self, os.close, self._descriptor)
        self._stat = os.fstat(self._descriptor)

    def __len__(self) -> int:
        return self._stat.st_size

    def read(self, first: int, size: int) -> bytes:
        """
        Read *size* bytes from *first* on.

        Raises:
            PostingsDamaged: The file ends before, or cannot be read.
        """
        if self._whole is not None:
            found = self._whole[first : first + size]
        else:
            try:
                found = os.pread(self._descriptor, size, first)
            except OSError as error:
                raise PostingsDamaged(f"the keyword postings cannot be read: {error}") from error
        if len(found) < size:
            raise PostingsDamaged("the keyword postings are cut short")
        return found

    def is_unchanged(self) -> bool:
        """Whether nothing was written to the open file since it was opened: a microsecond."""
        return self._whole is not None or _is_same(os.fstat(self._descriptor), self._stat)

    def is_at(self, path: Path) -> bool:
        """Whether *path* is still this file, as it was when it was opened."""
        try:
            return _is_same(path.stat(), self._stat)
        except OSError:
            return False


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    return os.path.samestat(one, other) and (one.st_size, one.st_mtime_ns) == (other.st_size, other.st_mtime_ns)


class FileSlice:
    """Bytes of a file between two offsets, read by slicing."""

    def __init__(self, file: SharedFile, first: int, size: int) -> None:
        """*size* bytes of *file* from *first* on."""
        self._file = file
        self._first = first
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        """Read a slice without step; raises as `SharedFile.read`."""
        first, last, _ = wanted.indices(self._size)
        return self._file.read(self._first + first, max(0, last - first))

    @property
    def data(self) -> "FileSlice":
        """The slice itself, under the name by which an array gives its buffer; see `codec.Packed`."""
        return self
