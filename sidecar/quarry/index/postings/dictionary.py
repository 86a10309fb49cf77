"""
The sorted terms of a segment, each with its document frequency; and how blocks are compressed.

Terms are stored in blocks of 64; the first term of every block is kept uncompressed in memory, so a look-up is a binary
search over blocks and one inside a block. 270,000 terms take 2 MB compressed, 6 MB plain and 40 MB as a dict.

A compressed block is a zstd frame with a checksum; whole numbers in it are byte planes. Decompressing it has a limit,
so that a damaged length does not ask for all memory.
"""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import zstandard
from msgspec import Struct
from numpy.typing import NDArray

LEVEL = 3  # of zstd. Of postings, 9 takes three times as long and saves 3 %; of notes, 6 saves 7 % in twice the time


Piece: TypeAlias = memoryview | bytes


_Number = TypeVar("_Number", bound=np.integer[Any])


class ByteSource(Protocol):
    """Bytes in memory or in a file, read by slicing."""

    def __len__(self) -> int: ...
    def __getitem__(self, wanted: slice, /) -> Piece: ...


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


Numbers: TypeAlias = NDArray[np.intp]


CACHED_BLOCKS = 256  # 6 KB each once decoded
MAX_TERM_BYTES = 1 << 16  # a term has at most half of it, see `fields.MAX_TERM_CHARACTERS`
_BEYOND = b"\xff"  # higher than any byte of UTF-8


class BlockLayout(NamedTuple):
    """How many terms share a block; a segment is read with the layout that it was built with."""

    block_terms: int = 64  # blocks of 256 terms are a tenth smaller, and a look-up takes three times as long
    common_from: int = 256  # documents; the postings of a term in as many or more are a block of their own


class TermBlock(NamedTuple):
    """Neighbouring terms and the document frequency of each."""

    terms: list[bytes]
    document_frequencies: list[int]


class TermDictionary(Struct, frozen=True, eq=False, dict=True):
    """Distinct terms in UTF-8 without spaces, in the order of their bytes; a term is known by its number in it."""

    block_first_terms: ByteSource  # the first term of each block, one compressed block by themselves
    blocks: ByteSource
    block_offsets: NDArray[np.uint32]  # shape (blocks + 1,): where each block begins in `blocks`
    layout: BlockLayout = BlockLayout()

    @classmethod
    def from_sorted(
        cls, terms: Sequence[bytes], document_frequencies: NDArray[np.int64], layout: BlockLayout
    ) -> "TermDictionary":
        """The dictionary of *terms*, which are sorted, distinct and without spaces."""
        each = layout.block_terms
        blocks = [
            _encode_block(terms[first : first + each], document_frequencies[first : first + each])
            for first in range(0, len(terms), each)
        ]
        return cls(compress(b" ".join(terms[::each])), b"".join(blocks), offsets_of(blocks), layout)

    def __len__(self) -> int:
        full = len(self.block_offsets) - 2
        return full * self.layout.block_terms + len(self.block(full).terms) if full >= 0 else 0

    def __iter__(self) -> Iterator[bytes]:
        for number in range(len(self.block_offsets) - 1):
            yield from self._read_block(number).terms

    def document_frequencies(self, first_block: int = 0, last_block: int | None = None) -> NDArray[np.int64]:
        """
        The document frequency of every term of the blocks `[first_block, last_block)`; None: to the end.

        Raises:
            PostingsDamaged: A block is not as it was written.
        """
        offsets = self.block_offsets[first_block : None if last_block is None else last_block + 1]
        data = decompress_all(slices_between(self.blocks, offsets), [self._max_block_bytes] * (len(offsets) - 1))
        return decode_all_byte_planes(data, [_term_count(block) for block in data], [1] * len(data))[0].astype(np.int64)

    def term_range(self, term: bytes) -> tuple[int, int]:
        """`[first, last)` of the one *term*; empty where the dictionary does not have it."""
        number, is_there = self._find(term)
        return number, number + is_there

    def prefix_range(self, prefix: bytes) -> tuple[int, int]:
        """`[first, last)` of the terms that begin with *prefix*."""
        return self._find(prefix)[0], self._find(prefix + _BEYOND)[0]

    @cached_property
    def block(self) -> Callable[[int], TermBlock]:
        """
        The decoded block of a number; the last `CACHED_BLOCKS` are kept.

        Raises:
            PostingsDamaged: The block is not as it was written.
        """
        return lru_cache(CACHED_BLOCKS)(self._read_block)

    @property
    def _max_block_bytes(self) -> int:
        return self.layout.block_terms * MAX_TERM_BYTES

    @cached_property
    def _first_terms(self) -> list[bytes]:
        data = decompress(self.block_first_terms[:], len(self.block_offsets) * MAX_TERM_BYTES)
        terms = data.split(b" ") if data else []
        if len(terms) != len(self.block_offsets) - 1:
            raise PostingsDamaged("the first terms of the keyword postings are not as they were written")
        return terms

    def _find(self, term: bytes) -> tuple[int, bool]:
        """How many terms sort before *term*, and whether the dictionary has it."""
        number = bisect_right(self._first_terms, term) - 1
        if number < 0:
            return 0, False
        terms = self.block(number).terms
        place = bisect_left(terms, term)
        return number * self.layout.block_terms + place, place < len(terms) and terms[place] == term

    def _read_block(self, number: int) -> TermBlock:
        first, last = int(self.block_offsets[number]), int(self.block_offsets[number + 1])
        data = decompress(self.blocks[first:last], self._max_block_bytes)
        numbers, end = decode_byte_planes(data, _term_count(data), 1, np.intp)
        frequencies: list[int] = numbers.tolist()
        terms = data[end:].split(b" ")
        if len(terms) != len(frequencies):
            raise PostingsDamaged("terms of the keyword postings are not as they were written")
        return TermBlock(terms, frequencies)


def _encode_block(terms: Sequence[bytes], document_frequencies: NDArray[np.int64]) -> bytes:
    return compress(bytes([len(terms) - 1]) + encode_byte_planes(document_frequencies) + b" ".join(terms))


def _term_count(block: bytes) -> int:
    """The number of terms that a decompressed block says it has; a damaged one may be empty."""
    return block[0] + 1 if block else 0
