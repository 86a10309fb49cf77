"""
How numbers are packed: plane by plane, first the lowest byte of all, then the next, and compressed by zstd.

Most gaps between documents and most codes are small, so their higher byte planes are zeros, which take no room. Every
frame carries a checksum of its own, so damage done after a file was opened is noticed when the frame is read.
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
    """Bytes to be sliced, in memory or in a file."""

    def __len__(self) -> int: ...
    def __getitem__(self, wanted: slice, /) -> Piece: ...


class Packed(Protocol):
    """An array of bytes, or what stands for one."""

    def __len__(self) -> int: ...
    @property
    def data(self) -> ByteSource:
        """Its bytes."""
        ...


class PostingsDamaged(Exception):
    """The side file is not what was written; the database is whole, so only memory is to be dropped."""


def compressed(data: bytes) -> bytes:
    """*data* as one frame."""
    return zstd.compressed(data, LEVEL)


def decompressed(frame: Piece, at_most: int) -> bytes:
    """
    What a frame was made of.

    Args:
        at_most: Bytes that it can be; a damaged length must not ask for all memory.

    Raises:
        PostingsDamaged: It is none of `compressed`'s.
    """
    return every_decompressed([frame], [at_most])[0]


def every_decompressed(frames: Sequence[Piece], at_most: Sequence[int]) -> list[bytes]:
    """The same of many, each with its own limit."""
    content = zstd.decompressor()
    found = []
    try:
        for frame, limit in zip(frames, at_most, strict=True):
            data = content(frame, limit)
            if data is None:
                raise PostingsDamaged("a part of the keyword postings is larger than it can be")
            found.append(data)
    except zstd.FrameDamaged as error:
        raise PostingsDamaged(f"a part of the keyword postings is not as it was written: {error}") from error
    return found


def encode_byte_planes(numbers: NDArray[np.int64]) -> bytes:
    """Numbers below 2**32, after a byte that says how many planes follow."""
    highest = int(numbers.max(initial=0))
    width = max(1, -(-highest.bit_length() // 8))
    by_byte = numbers.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :width]
    return bytes([width]) + by_byte.T.tobytes()


def decode_byte_planes(data: bytes, count: int, at: int, kind: type[_Number]) -> tuple[NDArray[_Number], int]:
    """
    The *count* numbers whose planes begin *at*, and where they end.

    Args:
        kind: What they are given as; it must hold the highest of them.

    Raises:
        PostingsDamaged: There are not as many.
    """
    width = data[at] if at < len(data) else 0
    end = at + 1 + width * count
    if not 1 <= width <= 4 or end > len(data):
        raise PostingsDamaged("a part of the keyword postings is cut short")
    found = np.frombuffer(data, np.uint8, count, at + 1).astype(kind)
    for plane in range(1, width):
        higher = np.frombuffer(data, np.uint8, count, at + 1 + plane * count)
        some = np.flatnonzero(higher != 0)  # few have any: half the time of adding all up
        found[some] += higher[some].astype(kind) << 8 * plane
    return found, end


def decode_all_byte_planes(
    pieces: Sequence[bytes], counts: Sequence[int], begins: Sequence[int]
) -> tuple[NDArray[np.uint32], list[int]]:
    """
    The numbers of many pieces, one after the other, and where they end in each; see `decode_byte_planes`.

    Each plane is put together from all pieces before it is looked at: to look at a thousand pieces one by one takes
    ten times as long.
    """
    by_plane: tuple[list[bytes], ...] = ([], [], [], [])
    ends, widest = [], 0
    for data, count, at in zip(pieces, counts, begins, strict=True):
        width = data[at] if at < len(data) else 0
        end = at + 1 + width * count
        if not 1 <= width <= 4 or end > len(data):
            raise PostingsDamaged("a part of the keyword postings is cut short")
        for plane, of_plane in enumerate(by_plane):
            start = at + 1 + plane * count
            of_plane.append(data[start : start + count] if plane < width else bytes(count))
        ends.append(end)
        widest = max(widest, width)
    found = np.zeros((sum(counts), 4), np.uint8)
    for plane, of_plane in enumerate(by_plane[:widest]):
        found[:, plane] = np.frombuffer(b"".join(of_plane), np.uint8)
    return found.view("<u4").reshape(-1), ends
