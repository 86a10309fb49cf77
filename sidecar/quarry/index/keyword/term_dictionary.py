"""
Which terms are there, and in how many documents is each?

They stand in order, 64 to a frame that is decompressed when somebody looks into it: 270,000 take 2 MB instead of 6, and
a dict of them 40.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.codec import (
    ByteSource,
    Packed,
    PostingsDamaged,
    compressed,
    decode_all_byte_planes,
    decode_byte_planes,
    decompressed,
    encode_byte_planes,
    every_decompressed,
)

IN_FRAME = 64  # of 256 the frames are a tenth smaller, and to look one up takes three times as long
KEPT_FRAMES = 256  # 6 KB each once they are taken apart
MAX_FRAME_BYTES = IN_FRAME * (1 << 16)  # a term has at most half of it, see tokens.py
_BEYOND = b"\xff"  # higher than any byte of UTF-8


class TermBlock(NamedTuple):
    """Terms next to each other, and in how many documents each is."""

    terms: list[bytes]
    counts: list[int]


class TermDictionary(Struct, frozen=True, eq=False, dict=True):
    """Terms in UTF-8 without spaces, ascending by their bytes, each once."""

    heads: Packed  # the first term of each frame, a frame of their own
    frames: Packed
    borders: NDArray[np.uint32]  # shape (frames + 1,): where each begins in `frames`

    @classmethod
    def of(cls, terms: Sequence[bytes], counts: NDArray[np.int64]) -> "TermDictionary":
        """Terms that are in order already."""
        packed = [
            _frame(terms[first : first + IN_FRAME], counts[first : first + IN_FRAME])
            for first in range(0, len(terms), IN_FRAME)
        ]
        return cls(_bytes(compressed(b" ".join(terms[::IN_FRAME]))), _bytes(b"".join(packed)), borders_of(packed))

    @cached_property
    def count(self) -> int:
        """How many terms there are."""
        full = len(self.borders) - 2
        return full * IN_FRAME + len(self.frame(full).terms) if full >= 0 else 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, at: int) -> bytes:
        return self.frame(at // IN_FRAME).terms[at % IN_FRAME]

    def __iter__(self) -> Iterator[bytes]:
        for number in range(len(self.borders) - 1):
            yield from self._read(number).terms

    def counts(self, first: int = 0, last: int | None = None) -> NDArray[np.int64]:
        """In how many documents each term of the frames `[first, last)`, None: of all, is."""
        frames = parts(self._frames, self.borders[first : None if last is None else last + 1])
        found = every_decompressed(frames, [MAX_FRAME_BYTES] * len(frames))
        return decode_all_byte_planes(found, [_held(data) for data in found], [1] * len(found))[0].astype(np.int64)

    def range_of(self, term: bytes) -> tuple[int, int]:
        """`[first, last)` of the one term; empty where it is not there."""
        at, is_there = self._place_of(term)
        return at, at + is_there

    def prefix_range(self, prefix: bytes) -> tuple[int, int]:
        """`[first, last)` of the terms that begin with *prefix*."""
        return self._place_of(prefix)[0], self._place_of(prefix + _BEYOND)[0]

    @cached_property
    def frame(self) -> Callable[[int], TermBlock]:
        """
        The frame of a number; the last few are remembered.

        Raises:
            PostingsDamaged: It is not as it was written.
        """
        return lru_cache(KEPT_FRAMES)(self._read)

    @cached_property
    def _frames(self) -> ByteSource:
        return self.frames.data

    @cached_property
    def _heads(self) -> list[bytes]:
        written = decompressed(self.heads.data[:], len(self.borders) * (1 << 16))
        heads = written.split(b" ") if written else []
        if len(heads) != len(self.borders) - 1:
            raise PostingsDamaged("the first terms of the keyword postings are not as they were written")
        return heads

    def _place_of(self, term: bytes) -> tuple[int, bool]:
        """How many terms come before, and whether it is there."""
        number = bisect_right(self._heads, term) - 1
        if number < 0:
            return 0, False
        terms = self.frame(number).terms
        at = bisect_left(terms, term)
        return number * IN_FRAME + at, at < len(terms) and terms[at] == term

    def _read(self, number: int) -> TermBlock:
        data = decompressed(self._frames[int(self.borders[number]) : int(self.borders[number + 1])], MAX_FRAME_BYTES)
        numbers, at = decode_byte_planes(data, _held(data), 1, np.intp)
        counts: list[int] = numbers.tolist()
        terms = data[at:].split(b" ")
        if len(terms) != len(counts):
            raise PostingsDamaged("terms of the keyword postings are not as they were written")
        return TermBlock(terms, counts)


def _frame(terms: Sequence[bytes], counts: NDArray[np.int64]) -> bytes:
    return compressed(bytes([len(terms) - 1]) + encode_byte_planes(counts) + b" ".join(terms))


def _held(data: bytes) -> int:
    """How many terms a frame holds; a damaged one may be empty."""
    return data[0] + 1 if data else 0


def parts(frames: ByteSource, borders: NDArray[np.uint32]) -> list[memoryview]:
    """What lies between neighbouring *borders*, read in one go."""
    first, last = int(borders[0]), int(borders[-1])
    together = memoryview(frames[first:last])
    return [together[begin - first : end - first] for begin, end in pairwise(borders.tolist())]


def borders_of(packed: Sequence[bytes]) -> NDArray[np.uint32]:
    """Where each of *packed* begins once they stand one after the other, and where the last ends."""
    return np.cumsum([0, *map(len, packed)]).astype(np.uint32)


def _bytes(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)
