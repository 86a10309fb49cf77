"""
Blocks of bytes: zstd frames, each with a checksum, and whole numbers as byte planes.

A decompressed block has a limit, so that a damaged length does not ask for all memory.
"""

import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import zstandard
from numpy.typing import NDArray

LEVEL = 3  # of zstd. Of postings, 9 takes three times as long and saves 3 %; of notes, 6 saves 7 % in twice the time


Piece: TypeAlias = memoryview | bytes


_Number = TypeVar("_Number", bound=np.integer[Any])


class ByteSource(Protocol):
    """Bytes in memory or in a file, read by slicing."""

    def __len__(self) -> int: ...
    def __getitem__(self, wanted: slice, /) -> Piece: ...


class Packed(Protocol):
    """An array of uint8, or the part of a file that holds its bytes."""

    def __len__(self) -> int: ...
    @property
    def data(self) -> ByteSource:
        """The bytes of the array."""
        ...


class PostingsDamaged(Exception):
    """The segment file is not what was written; the database is whole, and postings are rebuilt from it."""


class _ThreadLocalDecompressor(threading.local):
    """A decompressor for each thread: two cannot share one, and making one costs as much as decompressing a note."""

    def __init__(self) -> None:
        self.decompress = zstandard.ZstdDecompressor().decompress


_of_thread = _ThreadLocalDecompressor()


def compress(data: bytes) -> bytes:
    """*data* as one frame. Each call makes a compressor, which costs 2 us: two threads cannot share one."""
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(data)


def decompress(frame: Piece, max_bytes: int) -> bytes:
    """
    The content of *frame*.

    Raises:
        PostingsDamaged: It was not written by `compress`, or its content is longer than *max_bytes*.
    """
    try:
        if 0 <= zstandard.frame_content_size(frame) <= max_bytes:
            return _of_thread.decompress(frame)
    except zstandard.ZstdError as error:
        raise PostingsDamaged(f"a part of the index is not as it was written: {error}") from error
    raise PostingsDamaged("a part of the index is larger than it can be")


def decompress_all(blocks: Sequence[Piece], max_bytes: Sequence[int]) -> list[bytes]:
    """Decompress each of *blocks* within its own limit; see `decompress`."""
    return [decompress(block, limit) for block, limit in zip(blocks, max_bytes, strict=True)]


def encode_byte_planes(numbers: NDArray[np.int64]) -> bytes:
    """Encode numbers below 2**32, after one byte with the number of planes."""
    highest = int(numbers.max(initial=0))
    width = max(1, -(-highest.bit_length() // 8))
    by_byte = numbers.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :width]
    return bytes([width]) + by_byte.T.tobytes()


def decode_byte_planes(
    data: bytes, count: int, at: int, kind: type[_Number], wanted: range | None = None
) -> tuple[NDArray[_Number], int]:
    """
    Decode *count* numbers whose planes begin *at*.

    Args:
        kind: The type of the result; it must hold the highest of them.
        wanted: The places of the numbers that are decoded; None: all.

    Returns:
        The numbers, shape (count,), or as many as are *wanted*; and where the planes of all end.

    Raises:
        PostingsDamaged: *data* holds fewer numbers.
    """
    width = data[at] if at < len(data) else 0
    end = at + 1 + width * count
    if not 1 <= width <= 4 or end > len(data):
        raise PostingsDamaged("a part of the keyword postings is cut short")
    first, size = (at + 1, count) if wanted is None else (at + 1 + wanted.start, len(wanted))
    found = np.frombuffer(data, np.uint8, size, first).astype(kind)
    for plane in range(1, width):
        higher = np.frombuffer(data, np.uint8, size, first + plane * count).astype(kind)
        higher <<= 8 * plane
        found += higher
    return found, end


def decode_all_byte_planes(
    pieces: Sequence[bytes], counts: Sequence[int], begins: Sequence[int]
) -> tuple[NDArray[np.uint32], list[int]]:
    """
    Decode the numbers of many pieces together: one by one, a thousand pieces take ten times as long.

    Args:
        counts: The numbers in each piece.
        begins: Where the planes begin in each piece.

    Returns:
        The numbers of all pieces, one after the other, shape (sum(counts),), and where the planes end in each.

    Raises:
        PostingsDamaged: A piece holds fewer numbers.
    """
    widths, ends = [], []
    for data, count, at in zip(pieces, counts, begins, strict=True):
        width = data[at] if at < len(data) else 0
        end = at + 1 + width * count
        if not 1 <= width <= 4 or end > len(data):
            raise PostingsDamaged("a part of the keyword postings is cut short")
        widths.append(width)
        ends.append(end)
    found = np.zeros((sum(counts), 4), np.uint8)
    for plane in range(max(widths, default=0)):
        of_plane = [
            data[at + 1 + plane * count : at + 1 + (plane + 1) * count] if plane < width else bytes(count)
            for data, count, at, width in zip(pieces, counts, begins, widths, strict=True)
        ]
        found[:, plane] = np.frombuffer(b"".join(of_plane), np.uint8)
    return found.view("<u4").reshape(-1), ends


def slices_between(source: ByteSource, offsets: NDArray[np.uint32]) -> list[memoryview]:
    """The bytes between neighbouring *offsets*, read in one go."""
    first, last = int(offsets[0]), int(offsets[-1])
    together = memoryview(source[first:last])
    return [together[begin - first : end - first] for begin, end in pairwise(offsets.tolist())]


def offsets_of(blocks: Sequence[bytes]) -> NDArray[np.uint32]:
    """Where each of *blocks* begins once they are joined, and where the last ends; shape (blocks + 1,)."""
    return np.cumsum([0, *map(len, blocks)]).astype(np.uint32)
