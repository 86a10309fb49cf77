"""
An immutable segment: the postings of a set of documents, compressed, with their terms and field lengths.

A document is a chunk or a note; its *ordinal* is its place among the segment's ids. A posting is a document ordinal and
a *tf code*: the row of a table of all distinct term frequencies by field, some thousands of rows, the commonest first.
So field weights are multiplied with that table and not with millions of postings.

The postings of a term are the gaps between its ordinals, then its tf codes (`dictionary.py`). The rare terms of a block
of the dictionary share a block of postings; each common term has a block of its own. 5 million postings take 5.6 MB.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.dictionary import (
    BlockLayout,
    ByteSource,
    Numbers,
    PostingsDamaged,
    TermDictionary,
    compress,
    decode_all_byte_planes,
    decode_byte_planes,
    decompress,
    decompress_all,
    encode_byte_planes,
    offsets_of,
    slices_between,
)
from quarry.index.postings.fields import COMPOUNDS, PARTS, TEXT

DocOrdinals = NDArray[np.intp]
"""Places of documents in the order of a segment's ids; shape (count,)."""
TfCodes: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Rows of a segment's `tf_table`; shape (count,)."""
NO_POSTINGS = (np.zeros(0, np.intp), np.zeros(0, np.intp))
TermPostings = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Term number, document ordinal and tf code of each posting."""


class Segment(Struct, frozen=True, eq=False, dict=True):
    """Postings of documents; equal contents give equal arrays, whichever way they were built."""

    ids: NDArray[np.int64]  # of the documents, ascending
    field_lengths: NDArray[np.uint32]  # shape (documents, fields): tokens
    tf_table: NDArray[np.uint32]  # shape (codes, fields), distinct rows; the commonest first, then ascending
    terms: TermDictionary
    blocks: ByteSource  # of postings: for each block of terms its rare terms, then each common term by itself
    block_offsets: NDArray[np.uint32]  # shape (blocks + 1,): where each begins in `blocks`
    first_block_of: NDArray[np.uint32]  # shape (blocks of terms + 1,): the first block of postings of each

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """The number of terms of each document; shape (documents,)."""
        lengths: NDArray[np.float64] = self.field_lengths.sum(axis=1, dtype=np.float64)
        return lengths

    @cached_property
    def note_lengths(self) -> NDArray[np.float64]:
        """The number of terms of each document that count towards its note's length; shape (documents,)."""
        return note_lengths_of(self.field_lengths)

    def postings(self, first: int, last: int) -> tuple[DocOrdinals, TfCodes]:
        """
        Document ordinals and tf codes of the terms `[first, last)`.

        Returns:
            The postings of one term ascending, those of several in no order of terms; the ordinals are read-only.

        Raises:
            PostingsDamaged: They are not as they were written.
        """
        if first >= last:
            return NO_POSTINGS[0], np.zeros(0, np.uint16)
        ordinals, codes = self._term_postings(first) if last - first == 1 else self._range_postings(first, last)
        ordinals.setflags(write=False)  # callers cache them
        return ordinals, codes.astype(self._code_type, copy=False)

    def document_frequency(self, first: int, last: int) -> int:
        """The document frequency of the one term `[first, last)`; 0 where the range is empty."""
        block, at = divmod(first, self.terms.layout.block_terms)
        return self.terms.block(block).document_frequencies[at] if last > first else 0

    def postings_by_block(self) -> Iterator[TermPostings]:
        """Every posting of the segment, a block of terms at a time."""
        for number, first in enumerate(range(0, len(self.terms), self.terms.layout.block_terms)):
            frequencies = self.terms.block(number).document_frequencies
            rare, common = split_by_frequency(frequencies, self.terms.layout.common_from)
            terms = np.concatenate(
                [np.arange(len(frequencies)).repeat(rare), *(np.full(frequencies[at], at) for at in common)]
            )
            ordinals, codes = self.postings(first, first + len(frequencies))
            yield (terms + first).astype(np.int32), ordinals.astype(np.int32), codes.astype(np.int32)

    def _term_postings(self, term: int) -> tuple[DocOrdinals, TfCodes]:
        number, place = divmod(term, self.terms.layout.block_terms)
        frequencies, block = self.terms.block(number).document_frequencies, int(self.first_block_of[number])
        common_from, count = self.terms.layout.common_from, frequencies[place]
        rare = [frequency if frequency < common_from else 0 for frequency in frequencies]
        if count >= common_from:
            block, size, wanted = block + 1 + rare[:place].count(0), count, None
        else:
            begin = sum(rare[:place])
            size, wanted = sum(rare), range(begin, begin + count)
        data = decompress(
            self.blocks[int(self.block_offsets[block]) : int(self.block_offsets[block + 1])], 2 + 8 * size
        )
        gaps, end = decode_byte_planes(data, size, 0, np.intp, wanted)
        return gaps.cumsum(out=gaps), decode_byte_planes(data, size, end, self._code_type, wanted)[0]

    def _range_postings(self, first: int, last: int) -> tuple[DocOrdinals, NDArray[np.uint32]]:
        """
        The postings of the terms `[first, last)`, the rare terms first.

        All blocks are decoded together: a prefix of one letter has a thousand.
        """
        layout = self.terms.layout
        first_block, last_block = first // layout.block_terms, -(-last // layout.block_terms)
        wanted = slice(first - first_block * layout.block_terms, last - first_block * layout.block_terms)
        frequencies = self.terms.document_frequencies(first_block, last_block)
        is_common = frequencies >= layout.common_from
        rare, common = np.where(is_common, 0, frequencies), frequencies[wanted][is_common[wanted]]
        rare_blocks = self.first_block_of[first_block:last_block].astype(np.intp)  # blocks of common terms lie between
        common_blocks = np.delete(
            np.arange(rare_blocks[0], self.first_block_of[last_block]), rare_blocks - rare_blocks[0]
        )
        if len(common_blocks) != np.count_nonzero(is_common):
            raise PostingsDamaged("the keyword postings are not of these terms")
        common_before = np.count_nonzero(is_common[: wanted.start])
        common_blocks = common_blocks[common_before : common_before + len(common)]
        blocks: list[int] = np.concatenate([rare_blocks, common_blocks]).tolist()
        of_rare_blocks = np.add.reduceat(rare, np.arange(0, len(rare), layout.block_terms))
        lengths: list[int] = np.concatenate([of_rare_blocks, common]).tolist()

        packed = slices_between(
            self.blocks, self.block_offsets[rare_blocks[0] : int(self.first_block_of[last_block]) + 1]
        )
        data = decompress_all([packed[block - blocks[0]] for block in blocks], [2 + 8 * n for n in lengths])
        gaps, ends = decode_all_byte_planes(data, lengths, [0] * len(data))
        codes, _ = decode_all_byte_planes(data, lengths, ends)
        if rare[wanted].sum() < rare.sum():  # the outermost blocks hold rare terms that are not wanted
            inside, of_common = (
                slice(rare[: wanted.start].sum(), rare[: wanted.stop].sum()),
                slice(rare.sum(), None),
            )
            gaps, codes = (np.concatenate([row[inside], row[of_common]]) for row in (gaps, codes))
        return _ordinals_of(gaps.astype(np.intp), np.concatenate([rare[wanted], common])), codes

    @property
    def _code_type(self) -> type[np.uint16 | np.uint32]:
        return np.uint16 if len(self.tf_table) <= 1 << 16 else np.uint32


def note_lengths_of(field_lengths: NDArray[np.uint32]) -> NDArray[np.float64]:
    """The terms of each chunk that count towards its note's length, given those in each field; shape (chunks,)."""
    lengths: NDArray[np.float64] = field_lengths[:, [TEXT, COMPOUNDS, PARTS]].sum(axis=1, dtype=np.float64)
    return lengths


class SegmentPair(Struct, frozen=True, eq=False):
    """The segments of one snapshot of the index; an id of a chunk tells the id of its note."""

    generation: int  # of the snapshot
    chunks: Segment
    names: Segment


def split_by_frequency(document_frequencies: Sequence[int], common_from: int) -> tuple[list[int], list[int]]:
    """The postings that each term has in the block of rare terms, and the places of the common terms."""
    return [frequency if frequency < common_from else 0 for frequency in document_frequencies], [
        place for place, frequency in enumerate(document_frequencies) if frequency >= common_from
    ]


def gaps_of(ordinals: NDArray[np.int64], lengths: Sequence[int]) -> NDArray[np.int64]:
    """
    From each ordinal of a term to its next, from 0 to its first.

    Args:
        ordinals: Of the terms one after the other, ascending in each.
        lengths: Postings of each term.
    """
    gaps = np.diff(ordinals, prepend=0)
    begins = list(accumulate(lengths, initial=0))[:-1]
    gaps[begins] = ordinals[begins]
    return gaps


def _ordinals_of(gaps: Numbers, lengths: NDArray[np.int64]) -> DocOrdinals:
    """The inverse of `gaps_of`, in place: copying half a million numbers takes half a millisecond."""
    held = lengths[lengths > 0]
    begins = held.cumsum() - held
    gaps[begins[1:]] -= np.add.reduceat(gaps, begins)[:-1]  # the last ordinal of the term before
    ordinals: DocOrdinals = gaps.cumsum(out=gaps)
    return ordinals


def merged(found: Sequence[tuple[DocOrdinals, DocOrdinals]]) -> tuple[DocOrdinals, DocOrdinals]:
    """The postings of terms no two of which are in one document: ordinals, ascending, and tf codes."""
    held = [postings for postings in found if len(postings[0])]
    if len(held) < 2:
        return held[0] if held else NO_POSTINGS
    ordinals, codes = (np.concatenate(column) for column in zip(*held, strict=True))
    order = ordinals.argsort(kind="stable")
    return ordinals[order], codes[order]


_LAYOUT = BlockLayout()


def merge_segments(segment: Segment, keep: NDArray[np.bool_], newer: Segment) -> Segment:
    """
    Merge *newer* into *segment*; no text is analysed again.

    Args:
        keep: The documents of *segment* that stay, shape (documents,); none of them has an id of *newer*.

    Returns:
        The segment that building from the fields of all these documents would give, to the byte.

    Raises:
        OverflowError: There are too many documents for memory, see `assemble`.
    """
    terms = list(segment.terms)
    numbers = {term: number for number, term in enumerate(terms)}
    newer_terms = np.array([numbers.setdefault(term, len(numbers)) for term in newer.terms], np.int32)
    tf_table = np.concatenate([segment.tf_table, newer.tf_table])
    ids = np.concatenate([segment.ids[keep], newer.ids])
    field_lengths = np.concatenate([segment.field_lengths[keep], newer.field_lengths])
    postings = _MergedPostings(segment, keep, newer, newer_terms)
    return assemble(ids, field_lengths, tf_table, list(numbers), postings, segment.terms.layout)


class _MergedPostings(Struct, frozen=True):
    """The postings of two segments, made block by block each time they are iterated over: at once they take 100 MB."""

    segment: Segment
    keep: NDArray[np.bool_]
    newer: Segment
    newer_terms: NDArray[np.int32]  # the number of each term of `newer` among those of both

    def __iter__(self) -> Iterator[TermPostings]:
        ordinal = np.cumsum(self.keep, dtype=np.int32) - 1
        for term, document, code in self.segment.postings_by_block():
            kept = self.keep[document]
            yield term[kept], ordinal[document[kept]], code[kept]
        documents, codes = np.int32(self.keep.sum()), np.int32(len(self.segment.tf_table))
        for term, document, code in self.newer.postings_by_block():
            yield self.newer_terms[term], document + documents, code + codes


def assemble(
    ids: NDArray[np.int64],
    field_lengths: NDArray[np.uint32],
    tf_table: NDArray[np.uint32],
    terms: Sequence[bytes],
    postings: Iterable[TermPostings],
    layout: BlockLayout = _LAYOUT,
) -> Segment:
    """
    Make a segment of documents, terms and postings in any order.

    Args:
        ids: Of the documents, distinct; shape (documents,).
        field_lengths: Tokens by field; shape (documents, fields).
        tf_table: Term frequencies by field, in any order and repeatedly; shape (codes, fields).
        terms: Distinct; those without postings are left out.
        postings: Indexes into *terms*, *ids* and *tf_table*, in parts; iterated over twice.

    Raises:
        OverflowError: A posting takes more than 63 bits: it is larger than memory should hold.
    """
    order = np.argsort(ids, kind="stable")
    ordinal_of_document = _inverse(order)
    is_held, uses = np.zeros(len(terms), np.bool_), np.zeros(len(tf_table), np.int64)
    for term, _, code in postings:
        is_held[term] = True
        uses += np.bincount(code, minlength=len(tf_table))
    held: list[int] = np.flatnonzero(is_held).tolist()
    held.sort(key=terms.__getitem__)
    number_of_term = np.zeros(len(terms), np.int64)
    number_of_term[held] = np.arange(len(held))
    table, code_of_row = _distinct_rows(tf_table, uses)

    # Packed into one number each, millions of postings are sorted in a tenth of a second.
    code_bits, document_bits = _bits(len(table)), _bits(len(ids))
    if _bits(len(held)) + document_bits + code_bits > 63:
        raise OverflowError(f"{len(held)} terms in {len(ids)} documents are too many for memory")
    packed = np.empty(int(uses.sum()), np.int64)
    at = 0
    for term, document, code in postings:
        part = packed[at : at + len(term)]
        np.left_shift(number_of_term[term], document_bits + code_bits, out=part)
        part |= ordinal_of_document[document] << code_bits
        part |= code_of_row[code]
        at += len(term)
    packed.sort()
    encoded = _encode(packed, [terms[at] for at in held], document_bits, code_bits, layout)
    return Segment(ids[order], field_lengths[order], table, *encoded)


def empty_segment(fields: int) -> Segment:
    """A segment without documents."""
    nothing = np.zeros((0, fields), np.uint32)
    return assemble(np.zeros(0, np.int64), nothing, nothing, [], [])


def _distinct_rows(
    tf_table: NDArray[np.uint32], uses: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The rows of *tf_table* in use, each once, the most used first; and the place of each given row among them."""
    used = np.flatnonzero(uses)
    table, row = np.unique(tf_table[used], axis=0, return_inverse=True)
    row = row.reshape(-1)
    order = np.argsort(-np.bincount(row, uses[used], len(table)), kind="stable")
    place = np.zeros(len(tf_table), np.int64)
    place[used] = _inverse(order)[row]
    return table[order], place


def _encode(
    packed: NDArray[np.int64], terms: Sequence[bytes], document_bits: int, code_bits: int, layout: BlockLayout
) -> tuple[TermDictionary, bytes, NDArray[np.uint32], NDArray[np.uint32]]:
    """The term dictionary, blocks, offsets of blocks and first blocks of sorted postings."""
    shift, each = document_bits + code_bits, layout.block_terms
    begins = np.searchsorted(packed, np.arange(0, len(terms) + each, each) << shift)
    document_frequencies: list[int] = []
    blocks: list[bytes] = []
    first_block_of = [0]
    for first, begin, end in zip(range(0, len(terms), each), begins, begins[1:], strict=False):
        part = packed[begin:end]
        frequencies: list[int] = np.bincount((part >> shift) - first).tolist()
        ordinals, codes = part >> code_bits & ((1 << document_bits) - 1), part & ((1 << code_bits) - 1)
        gaps = gaps_of(ordinals, frequencies)
        rare, common = split_by_frequency(frequencies, layout.common_from)
        is_rare = np.repeat(np.array(rare) > 0, frequencies)
        blocks.append(compress(encode_byte_planes(gaps[is_rare]) + encode_byte_planes(codes[is_rare])))
        for at in common:
            here = slice(before := sum(frequencies[:at]), before + frequencies[at])
            blocks.append(compress(encode_byte_planes(gaps[here]) + encode_byte_planes(codes[here])))
        document_frequencies += frequencies
        first_block_of.append(len(blocks))
    return (
        TermDictionary.from_sorted(terms, np.array(document_frequencies, np.int64), layout),
        b"".join(blocks),
        offsets_of(blocks),
        np.array(first_block_of, np.uint32),
    )


def _inverse(order: NDArray[np.intp]) -> NDArray[np.int64]:
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def _bits(count: int) -> int:
    """Bits that tell *count* numbers apart."""
    return max(1, (count - 1).bit_length())
