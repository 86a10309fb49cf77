"""
Encodes numbers by byte planes (the lowest byte of all numbers, then the next byte, up to four), compressed by zstd.

Most gaps between documents and most tf codes are small, so their higher planes are zeros, which take no room. Every
block is a zstd frame with its own checksum, so damage done after a file was opened is noticed when the block is read.
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from quarry.index import zstd

LEVEL = 3  # of zstd; 9 takes three times as long and saves 3 %

Numbers: TypeAlias = NDArray[np.intp]
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


def compress(data: bytes) -> bytes:
    """Compress *data* into one block, with a checksum."""
    return zstd.compressed(data, LEVEL)


def decompress(block: Piece, max_bytes: int) -> bytes:
    """
    Decompress one block.

    Args:
        max_bytes: The most that the data can be; a damaged length must not ask for all memory.

    Raises:
        PostingsDamaged: The block is not one of `compress`, or its data is longer.
    """
    try:
        data = zstd.decompressed(block, max_bytes)
    except zstd.FrameDamaged as error:
        raise PostingsDamaged(f"a part of the keyword postings is not as it was written: {error}") from error
    if data is None:
        raise PostingsDamaged("a part of the keyword postings is larger than it can be")
    return data


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
