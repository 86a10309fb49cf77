"""
The segment file: the segments of chunks and of names of one generation, beside the database, read block by block.

    magic, version, random id, length of the directory, its CRC-32 | directory (JSON) | arrays, each at a multiple of 64

The blocks of a segment are read from the file when a query needs them; the other arrays, a tenth of it, are compressed
and read on opening.

The file is derived, and the database says by its id which file is its own (`meta.POSTINGS`). A file with another id is
of another index, of a copy that went another way, or was written just before a crash; such a file, and one that is
damaged, is not used and rebuilt. Every block carries a checksum; the arrays, up to a size, are checked on opening,
and everything when there is time and before segments are merged (`SegmentFile.verify`).
"""

import json
import math
import os
import secrets
import struct
import weakref
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quarry.faults import fault_point
from quarry.index.postings.dictionary import ByteSource, PostingsDamaged, TermDictionary, compress, decompress
from quarry.index.postings.fields import CHUNK_FIELDS, NAME_FIELDS
from quarry.index.postings.segment import Segment, SegmentPair


class SharedFile:
    """An open file; closed when no slice of it is left. On Windows, which replaces no open file, its bytes."""

    def __init__(self, path: Path) -> None:
        """
        Open the file at *path*.

        Raises:
            OSError: It cannot be read.
        """
        self.whole: bytes | None = None
        if not hasattr(os, "pread"):
            self._stat = path.stat()
            self.whole = path.read_bytes()
            return
        self.descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        weakref.finalize(self, os.close, self.descriptor)
        self._stat = os.fstat(self.descriptor)

    def __len__(self) -> int:
        return self._stat.st_size

    def is_unchanged(self) -> bool:
        """Whether nothing was written to the open file since it was opened: a microsecond."""
        return self.whole is not None or _is_same(os.fstat(self.descriptor), self._stat)

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
        """
        Read a slice without step.

        Raises:
            PostingsDamaged: The file ends before, or cannot be read.
        """
        begin, end, _ = wanted.indices(self._size)
        first, size, whole = self._first + begin, max(0, end - begin), self._file.whole
        try:
            found = os.pread(self._file.descriptor, size, first) if whole is None else whole[first : first + size]
        except OSError as error:
            raise PostingsDamaged(f"the keyword postings cannot be read: {error}") from error
        if len(found) < size:
            raise PostingsDamaged("the keyword postings are cut short")
        return found


SUFFIX = ".postings"
_NEW = ".new"
_MAGIC = b"QRRYPOST"
_VERSION = 5
_HEADER = struct.Struct("<8sI16sII")  # magic, version, id, length of the directory, its CRC-32
HEADER_BYTES = _HEADER.size
_ALIGNMENT = 64
CHECKED_BYTES = 64 * 1024 * 1024  # arrays up to this size are checked on opening: those of 80,000 chunks in 5 ms
_READ_BYTES = 1024 * 1024  # at a time, to be checked
_MAX_DIRECTORY_BYTES = 1024 * 1024

_BLOCKS = ("first_terms", "terms", "blocks")  # compressed already
_ARRAYS = (
    "ids",
    "field_lengths",
    "tf_table",
    "first_terms",
    "terms",
    "term_offsets",
    "blocks",
    "block_offsets",
    "first_block_of",
)


class InvalidSegmentFile(Exception):
    """The file is damaged or not that of this database; the message says why."""


class _Entry(NamedTuple):
    """An array in the directory of the file."""

    name: str
    type: str  # of numpy
    shape: list[int]
    offset: int  # from the first array
    size: int  # bytes in the file
    checksum: int  # CRC-32


# --- where it is -------------------------------------------------------------------------------


def path_beside(database: Path) -> Path:
    """The path of the segment file of *database*."""
    return database.with_name(database.name + SUFFIX)


def discard(database: Path) -> None:
    """Delete the segment file of *database*; no error where that is not possible, as it is not used without its id."""
    _delete(path_beside(database))
    clear_leftovers(database)


def clear_leftovers(database: Path) -> None:
    """Delete what a process that died while it wrote a segment file left beside *database*."""
    _delete(_new(path_beside(database)))


def install(new: Path, over: Path) -> None:
    """
    Move the segment file of the database *new* to the database *over*; without one *over* has none afterwards.

    No error where another program has one of them open: a file with another id is not used.
    """
    discard(over)
    with suppress(OSError):
        path_beside(new).replace(path_beside(over))
    discard(new)


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _new(path: Path) -> Path:
    return path.with_name(path.name + _NEW)


# --- writing -----------------------------------------------------------------------------------


def write(path: Path, segments: SegmentPair) -> str:
    """
    Write *segments* to *path*, whole or not at all.

    Returns:
        The random id of the file, 32 hexadecimal digits.

    Raises:
        OSError: It could not be written; a file that was there still is.
    """
    directory: list[_Entry] = []
    stored: list[memoryview | bytes] = []
    end = 0
    for name, array in _arrays_of(segments).items():
        data = array.data.cast("B") if array.size else b""
        if not _is_blocks(name):
            data = compress(bytes(data))
        end += -end % _ALIGNMENT
        directory.append(_Entry(name, array.dtype.str, list(array.shape), end, len(data), zlib.crc32(data)))
        stored.append(data)
        end += len(data)
    encoded = json.dumps({"generation": segments.generation, "size": end, "arrays": directory}).encode()
    file_id = secrets.token_bytes(16)
    new = _new(path)
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_HEADER.pack(_MAGIC, _VERSION, file_id, len(encoded), zlib.crc32(encoded)) + encoded)
            first = _first_array(len(encoded))
            for entry, data in zip(directory, stored, strict=True):
                file.write(b"\0" * (first + entry.offset - file.tell()))
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fault_point("postings")
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return file_id.hex()


def _arrays_of(segments: SegmentPair) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    for of, segment in (("chunks", segments.chunks), ("names", segments.names)):
        terms = segment.terms
        dictionary = (_array_of(terms.block_first_terms), _array_of(terms.blocks), terms.block_offsets)
        postings = (_array_of(segment.blocks), segment.block_offsets, segment.first_block_of)
        arrays = (segment.ids, segment.field_lengths, segment.tf_table, *dictionary, *postings)
        found |= {f"{of}.{name}": np.ascontiguousarray(array) for name, array in zip(_ARRAYS, arrays, strict=True)}
    return found


def _array_of(blocks: ByteSource) -> NDArray[np.uint8]:
    return np.frombuffer(blocks[:], np.uint8)


def _is_blocks(name: str) -> bool:
    return name.rpartition(".")[2] in _BLOCKS


def _first_array(directory_bytes: int) -> int:
    """The offset of the first array in the file."""
    end = HEADER_BYTES + directory_bytes
    return end + -end % _ALIGNMENT


# --- reading -----------------------------------------------------------------------------------


class SegmentFile:
    """An open segment file."""

    def __init__(self, path: Path, file_id: str, checked_bytes: int = CHECKED_BYTES) -> None:
        """
        Open the file at *path*, which stays open while its segments are in use.

        Args:
            file_id: What `write` returned for it.
            checked_bytes: Arrays up to this size are checked now, larger ones by `verify`.

        Raises:
            FileNotFoundError: There is none.
            InvalidSegmentFile: It is damaged, or has another id or version.
            OSError: It cannot be read.
        """
        if path.exists() and not path.is_file():
            raise InvalidSegmentFile("it is no ordinary file")  # opening a pipe would wait
        self.file_id = file_id
        self._file = SharedFile(path)
        try:
            self._open(checked_bytes)
        except (KeyError, TypeError, ValueError, IndexError, PostingsDamaged) as error:
            raise InvalidSegmentFile(f"it is not laid out as it should be: {error}") from error

    def _open(self, checked_bytes: int) -> None:
        magic, version, found_id, length, checksum = _HEADER.unpack(FileSlice(self._file, 0, HEADER_BYTES)[:])
        if magic != _MAGIC or version != _VERSION or length > _MAX_DIRECTORY_BYTES:
            raise InvalidSegmentFile(f"it is no segment file of version {_VERSION}")
        if found_id.hex() != self.file_id:
            raise InvalidSegmentFile("it is of another index or moment")
        encoded = FileSlice(self._file, HEADER_BYTES, length)[:]
        if zlib.crc32(encoded) != checksum:
            raise InvalidSegmentFile("its directory is not as it was written")
        directory, first = json.loads(encoded), _first_array(length)
        if len(self._file) != first + directory["size"]:
            raise InvalidSegmentFile("it is cut short")
        self._entries = [_Entry(*entry) for entry in directory["arrays"]]
        self._stored = {entry.name: FileSlice(self._file, first + entry.offset, entry.size) for entry in self._entries}
        arrays = {}
        for entry in self._entries:
            if entry.size <= checked_bytes and not self._is_sound(entry):
                raise InvalidSegmentFile(f"its part {entry.name} is not as it was written")
            arrays[entry.name] = _array(entry, self._stored[entry.name])
        chunks, names = _segment(arrays, "chunks", CHUNK_FIELDS), _segment(arrays, "names", NAME_FIELDS)
        self.segments = SegmentPair(directory["generation"], chunks, names)

    def is_unchanged(self) -> bool:
        """Whether no program wrote to the file since it was opened."""
        return self._file.is_unchanged()

    def is_at(self, path: Path) -> bool:
        """Whether *path* is this file, unchanged."""
        return self._file.is_at(path)

    def verify(self) -> bool:
        """Whether every byte is as it was written; eight megabytes take 6 ms."""
        try:
            return all(map(self._is_sound, self._entries))
        except PostingsDamaged:
            return False

    def _is_sound(self, entry: _Entry) -> bool:
        stored, checksum = self._stored[entry.name], 0
        for first in range(0, len(stored), _READ_BYTES):
            checksum = zlib.crc32(stored[first : first + _READ_BYTES], checksum)
        return checksum == entry.checksum


def _array(entry: _Entry, stored: FileSlice) -> Any:
    kind = np.dtype(entry.type)
    if _is_blocks(entry.name):
        if kind != np.uint8 or entry.shape != [len(stored)]:
            raise InvalidSegmentFile(f"its part {entry.name} is not laid out as it should be")
        return stored
    return np.frombuffer(decompress(stored[:], kind.itemsize * math.prod(entry.shape)), kind).reshape(entry.shape)


def _segment(arrays: Mapping[str, Any], of: str, fields: int) -> Segment:
    """
    The segment of these *arrays*, whose shapes and offsets fit each other.

    Raises:
        InvalidSegmentFile: They do not.
    """
    found = {name: arrays[f"{of}.{name}"] for name in _ARRAYS}
    terms = TermDictionary(*(found.pop(name) for name in ("first_terms", "terms", "term_offsets")))
    segment = Segment(terms=terms, **found)
    fits = (
        segment.field_lengths.shape == (len(segment.ids), fields)
        and segment.tf_table.shape[1:] == (fields,)
        and _are_offsets(terms.block_offsets, terms.blocks)
        and _are_offsets(segment.block_offsets, segment.blocks)
        and len(segment.first_block_of) == len(terms.block_offsets)
        and int(segment.first_block_of[-1]) == len(segment.block_offsets) - 1
        and bool((segment.first_block_of[1:] > segment.first_block_of[:-1]).all())
        and bool((segment.ids[1:] > segment.ids[:-1]).all())
    )
    if not fits:
        raise InvalidSegmentFile(f"the parts of its {of} do not fit each other")
    return segment


def _are_offsets(offsets: NDArray[np.uint32], blocks: ByteSource) -> bool:
    return offsets[0] == 0 and int(offsets[-1]) == len(blocks) and bool((offsets[1:] > offsets[:-1]).all())
