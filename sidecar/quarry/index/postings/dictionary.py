"""
The sorted terms of a segment, each with its document frequency.

Terms stand in blocks of 64, compressed; the first term of every block is held uncompressed in memory, so a look-up is
a binary search over blocks and one inside a block. 270,000 terms take 2 MB compressed, 6 MB plain and 40 MB as a dict.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.codec import (
    ByteSource,
    Packed,
    PostingsDamaged,
    compress,
    decode_all_byte_planes,
    decode_byte_planes,
    decompress,
    decompress_all,
    encode_byte_planes,
    offsets_of,
    slices_between,
)

Numbers: TypeAlias = NDArray[np.intp]


CACHED_BLOCKS = 256  # 6 KB each once decoded
MAX_TERM_BYTES = 1 << 16  # a term has at most half of it, see `columns.MAX_TERM_CHARACTERS`
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

    block_first_terms: Packed  # the first term of each block, one compressed block by themselves
    blocks: Packed
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
        first_terms = compress(b" ".join(terms[::each]))
        return cls(
            np.frombuffer(first_terms, np.uint8),
            np.frombuffer(b"".join(blocks), np.uint8),
            offsets_of(blocks),
            layout,
        )

    @cached_property
    def count(self) -> int:
        """The number of terms."""
        full = len(self.block_offsets) - 2
        return full * self.layout.block_terms + len(self.block(full).terms) if full >= 0 else 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> bytes:
        block, place = divmod(number, self.layout.block_terms)
        return self.block(block).terms[place]

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
        data = decompress_all(slices_between(self._block_bytes, offsets), [self._max_block_bytes] * (len(offsets) - 1))
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

    @cached_property
    def _block_bytes(self) -> ByteSource:
        return self.blocks.data

    @cached_property
    def _max_block_bytes(self) -> int:
        return self.layout.block_terms * MAX_TERM_BYTES

    @cached_property
    def _first_terms(self) -> list[bytes]:
        data = decompress(self.block_first_terms.data[:], len(self.block_offsets) * MAX_TERM_BYTES)
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
        data = decompress(self._block_bytes[first:last], self._max_block_bytes)
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
