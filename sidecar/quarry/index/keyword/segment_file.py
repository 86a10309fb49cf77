"""
The side file: a segment of chunks and one of names beside the database, read frame by frame when it is searched.

    magic, version, length and checksum of the contents' list | list (JSON) | arrays, each at a multiple of 64

What a segment holds as frames stays packed in memory; the other arrays, a tenth of it, are compressed for the file.

It is derived. So whatever is wrong with it - cut short, of another database, another version, a later moment than the
database, not the one that the database says was written last - it is not used, and made anew. Arrays are checked
against their checksums on opening, but for those of very large vaults, which are when there is time (`verify`), and
before anything is made of them. Every frame has a checksum besides.
"""

import hashlib
import json
import math
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.faults import fault_point
from quarry.index.keyword.codec import Packed, PostingsDamaged, compress, decompress
from quarry.index.keyword.file_slice import FileSlice, SharedFile
from quarry.index.keyword.segment import Segment
from quarry.index.keyword.term_counts import CHUNK_COLUMNS, NAME_COLUMNS
from quarry.index.keyword.term_dictionary import TermDictionary

SUFFIX = ".postings"
_NEW = ".new"
_MAGIC = b"QRRYPOST"
_VERSION = 3
_HEADER = struct.Struct("<8sIII")  # magic, version, length of the list, its CRC-32
_ALIGNMENT = 64
_CHECKED_BYTES = 64 * 1024 * 1024  # arrays up to this size are checked on opening: those of 80,000 chunks in 5 ms
_READ_BYTES = 1024 * 1024  # at a time, to be checked
_MAX_LIST_BYTES = 1024 * 1024


class InvalidSegmentFile(Exception):
    """What is there is not what was written for this index; the message says why."""


class SegmentHeader(Struct, frozen=True):
    """What a side file is of; it is used for nothing else."""

    identity: str  # of the database
    terms: str  # the version of `keywords.py` that gave the columns
    generation: int  # of the database, when it was made


class SegmentPair(Struct, frozen=True, eq=False):
    """The segments of one moment."""

    header: SegmentHeader
    chunks: Segment
    names: Segment


def path_beside(database: Path) -> Path:
    """Where the side file of a database is."""
    return database.with_name(database.name + SUFFIX)


def discard(database: Path) -> None:
    """Delete the side file of a database, if there is one; no error where that is not possible: it is checked again."""
    _delete(path_beside(database))
    clear_leftovers(database)


def clear_leftovers(database: Path) -> None:
    """Delete what whoever died while writing a side file left of it."""
    _delete(_new(path_beside(database)))


def _delete(path: Path) -> None:
    with suppress(OSError):  # another program has it open; it will not be used, as it is of another moment
        path.unlink(missing_ok=True)


def install(new: Path, over: Path) -> None:
    """
    Let the side file of the database *new* take the place of that of *over*; without one there is none.

    No error where another program has one of them open: whoever reads a side file sees which database it is of.
    """
    discard(over)
    with suppress(OSError):
        path_beside(new).replace(path_beside(over))
    discard(new)


def write(path: Path, segments: SegmentPair) -> str:
    """
    Put the side file at *path*, whole or not at all.

    Returns:
        Its signature, by which `read` knows it again: equal for equal contents only.

    Raises:
        OSError: It could not be written; what was there still is.
    """
    contents: list[_Entry] = []
    stored: list[memoryview | bytes] = []
    at = 0
    for name, array in _named(segments).items():
        data = array.data.cast("B") if array.size else b""
        if name.rpartition(".")[2] not in _BLOCKS:
            data = compress(bytes(data))
        at += -at % _ALIGNMENT
        contents.append((name, array.dtype.str, list(array.shape), at, len(data), zlib.crc32(data)))
        stored.append(data)
        at += len(data)
    header = segments.header
    listed = {"identity": header.identity, "terms": header.terms, "generation": header.generation, "arrays": contents}
    encoded = json.dumps({**listed, "size": at}).encode()
    new = _new(path)
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_HEADER.pack(_MAGIC, _VERSION, len(encoded), zlib.crc32(encoded)) + encoded)
            first = _first_array(len(encoded))
            for (_, _, _, offset, _, _), data in zip(contents, stored, strict=True):
                file.write(b"\0" * (first + offset - file.tell()))
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fault_point("postings")
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return _signature(encoded)


def read(path: Path, identity: str, terms: str, generation: int, signature: str | None) -> SegmentPair:
    """
    The segments in the side file at *path*, which stays open.

    Args:
        generation: Of the database now; a file of a later moment is of a database that is gone.
        signature: What `write` gave for it. A database that was copied, and both changed, leave files of the same
            identity and generation.

    Raises:
        FileNotFoundError: There is none.
        InvalidSegmentFile: It is damaged, or of another database, version or moment.
        OSError: It cannot be read.
    """
    if path.exists() and not path.is_file():
        raise InvalidSegmentFile("it is no file")  # a pipe would be waited for
    listed, stored, found = _open(path)
    try:
        header = SegmentHeader(listed["identity"], listed["terms"], listed["generation"])
        is_other = header.identity != identity or header.terms != terms or found != signature
        if is_other or not 0 < header.generation <= generation:
            raise InvalidSegmentFile(f"it is of another index or moment: {header}")
        arrays = {}
        for name, kind, shape, _, _, checksum in listed["arrays"]:
            if len(stored[name]) <= _CHECKED_BYTES and _checksum(stored[name]) != checksum:
                raise InvalidSegmentFile(f"its part {name} is not as it was written")
            arrays[name] = _array(name, stored[name], np.dtype(kind), shape)
        chunks, names = _segment(arrays, "chunks", CHUNK_COLUMNS), _segment(arrays, "names", NAME_COLUMNS)
    except (KeyError, TypeError, ValueError, IndexError, PostingsDamaged) as error:
        raise InvalidSegmentFile(f"it is not laid out as it should be: {error}") from error
    return SegmentPair(header, chunks, names)


def stat_key(path: Path) -> tuple[int, int, int] | None:
    """What tells whether somebody else wrote to the file: number, size, time of change; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def verify(path: Path) -> bool:
    """Whether every byte of the side file is as it was written; eight megabytes take 6 ms."""
    try:
        listed, stored, _ = _open(path)
        return all(_checksum(stored[name]) == checksum for name, *_, checksum in listed["arrays"])
    except (InvalidSegmentFile, OSError, KeyError, TypeError, ValueError):
        return False


def _open(path: Path) -> tuple[dict[str, Any], dict[str, FileSlice], str]:
    """The list of contents, the arrays as they lie in the file, and its signature."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise InvalidSegmentFile("it is cut short")
        magic, version, length, checksum = _HEADER.unpack(header)
        if magic != _MAGIC or version != _VERSION or length > _MAX_LIST_BYTES:
            raise InvalidSegmentFile(f"it is no side file of version {_VERSION}")
        encoded = file.read(length)
        if len(encoded) < length or zlib.crc32(encoded) != checksum:
            raise InvalidSegmentFile("its list of contents is not as it was written")
    try:
        listed = json.loads(encoded)
        first, size = _first_array(length), listed["size"]
        if path.stat().st_size != first + size:
            raise InvalidSegmentFile("it is cut short")
        whole = SharedFile(path)
        stored = {name: FileSlice(whole, first + at, size) for name, _, _, at, size, _ in listed["arrays"]}
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidSegmentFile(f"its list of contents cannot be read: {error}") from error
    return listed, stored, _signature(encoded)


def _array(name: str, stored: FileSlice, kind: np.dtype[Any], shape: list[int]) -> Any:
    if name.rpartition(".")[2] in _BLOCKS:
        if kind != np.uint8 or shape != [len(stored)]:
            raise InvalidSegmentFile(f"its part {name} is not laid out as it should be")
        return stored
    return np.frombuffer(decompress(stored[:], kind.itemsize * math.prod(shape)), kind).reshape(shape)


def _segment(arrays: Mapping[str, Any], of: str, columns: int) -> Segment:
    """
    A segment of these arrays, whose shapes and borders fit each other.

    Raises:
        InvalidSegmentFile: They do not.
    """
    found = {name: arrays[f"{of}.{name}"] for name in _NAMES}
    terms = TermDictionary(*(found.pop(name) for name in ("first_terms", "terms", "term_offsets")))
    segment = Segment(terms=terms, **found)
    fits = (
        segment.field_lengths.shape == (len(segment.ids), columns)
        and segment.tf_table.shape[1:] == (columns,)
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


def _are_offsets(offsets: NDArray[np.uint32], blocks: Packed) -> bool:
    return offsets[0] == 0 and int(offsets[-1]) == len(blocks) and bool((offsets[1:] > offsets[:-1]).all())


_Entry = tuple[str, str, list[int], int, int, int]
"""Of the list: name, type, shape, where it begins after the list, bytes there, and their CRC-32."""
_BLOCKS = ("first_terms", "terms", "blocks")
_NAMES = (
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


def _named(segments: SegmentPair) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    for of, segment in (("chunks", segments.chunks), ("names", segments.names)):
        terms = segment.terms
        words = (_bytes(terms.block_first_terms), _bytes(terms.blocks), terms.block_offsets)
        frames = _bytes(segment.blocks)
        arrays = (
            segment.ids,
            segment.field_lengths,
            segment.tf_table,
            *words,
            frames,
            segment.block_offsets,
            segment.first_block_of,
        )
        found |= {f"{of}.{name}": np.ascontiguousarray(array) for name, array in zip(_NAMES, arrays, strict=True)}
    return found


def _bytes(packed: Packed) -> NDArray[np.uint8]:
    return np.frombuffer(packed.data[:], np.uint8)


def _checksum(stored: FileSlice) -> int:
    checksum = 0
    for first in range(0, len(stored), _READ_BYTES):
        checksum = zlib.crc32(stored[first : first + _READ_BYTES], checksum)
    return checksum


def _signature(encoded: bytes) -> str:
    """Of a list of contents, which has the checksums of all of them."""
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()


def _first_array(list_bytes: int) -> int:
    end = _HEADER.size + list_bytes
    return end + -end % _ALIGNMENT


def _new(path: Path) -> Path:
    return path.with_name(path.name + _NEW)
