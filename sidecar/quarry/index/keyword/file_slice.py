"""
A part of a file, read piece by piece by whoever asks for a piece.

Mapped into memory, what is asked for stays: 75 MB of the postings of a million chunks after a hundred questions. Read,
it is the system's to keep or to drop, and a file cut short under us is damage and not the end of the process.
"""

import os
import weakref
from pathlib import Path

from quarry.index.keyword.codec import PostingsDamaged


class SharedFile:
    """An open file; closed when nobody has a part of it any more."""

    def __init__(self, path: Path) -> None:
        """
        Open the file at *path*.

        Raises:
            OSError: It cannot be read.
        """
        self._whole: bytes | None = None
        if not hasattr(os, "pread"):  # Windows, which lets no file be replaced that is open
            self._whole = path.read_bytes()
            return
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        weakref.finalize(self, os.close, self._descriptor)

    def read(self, first: int, size: int) -> bytes:
        """
        So many bytes.

        Raises:
            PostingsDamaged: There are fewer, or they cannot be read.
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


class FileSlice:
    """Bytes of a file, to be sliced."""

    def __init__(self, file: SharedFile, first: int, size: int) -> None:
        """Those from *first* on."""
        self._file = file
        self._first = first
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        """Those of a slice; see `SharedFile.read`."""
        first, last, _ = wanted.indices(self._size)
        return self._file.read(self._first + first, max(0, last - first))

    @property
    def data(self) -> "FileSlice":
        """What is sliced; an array has the same."""
        return self
