"""
Builds segments: from documents that were counted in batches (`term_counts.py`), or by merging segments.

80,000 chunks of 13 million tokens take about half a second of CPU time beyond the counting.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from quarry.index.postings.codec import compress, encode_byte_planes, offsets_of
from quarry.index.postings.columns import CHUNK_COLUMNS, NAME_COLUMNS
from quarry.index.postings.dictionary import BlockLayout, TermDictionary
from quarry.index.postings.segment import Postings, Segment, gaps_of, split_by_frequency
from quarry.index.postings.term_counts import (
    CountedDocument,
    Small,
    TermCounts,
    count_terms,
    downcast,
)

_BATCH_CHARACTERS = 4_000_000  # of one batch, where documents are long
_LAYOUT = BlockLayout()


class SegmentBuilder:
    """Collects documents; of a document that is added twice the last stands."""

    def __init__(self, columns: int, layout: BlockLayout = _LAYOUT, batch_size: int = 512) -> None:
        """
        Begin without documents.

        Args:
            columns: Fields of each document.
            batch_size: Documents that are counted together; 512 take 10 MB for a moment.
        """
        self._columns = columns
        self._layout = layout
        self._batch_size = batch_size
        self._terms: dict[bytes, int] = {}
        self._codes: dict[bytes, int] = {}
        self._ids: list[int] = []
        self._field_lengths: list[NDArray[np.uint32]] = []
        self._batches: list[_Batch] = []
        # What was added and is not collected yet: columns to be counted, or rows of one counted batch.
        self._uncounted: list[Sequence[str]] = []
        self._characters = 0
        self._counted: TermCounts | None = None
        self._rows: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of the documents in the order in which they were added."""
        return np.array(self._ids, np.int64)

    def add(self, document_id: int, columns: Sequence[str]) -> None:
        """Add a document of these *columns*, each terms joined by spaces."""
        if (
            self._counted is not None
            or len(self._uncounted) == self._batch_size
            or self._characters > _BATCH_CHARACTERS
        ):
            self._collect()
        self._ids.append(document_id)
        self._uncounted.append(columns)
        self._characters += sum(map(len, columns))

    def add_counted(self, document_id: int, counted: CountedDocument) -> None:
        """Add a document that was counted before; documents of one batch cost less if they come in its order."""
        if self._counted is not counted.batch or counted.row <= self._rows[-1]:
            self._collect()
        self._ids.append(document_id)
        self._counted = counted.batch
        self._rows.append(counted.row)

    def build(self, dropped: NDArray[np.bool_] | None = None) -> Segment:
        """
        Make the segment of all documents.

        Args:
            dropped: Documents to leave out, in the order in which they were added; shape (documents,).

        Raises:
            OverflowError: There are too many for memory, see `assemble`.
        """
        self._collect()
        ids = self.ids
        field_lengths = np.concatenate([np.zeros((0, self._columns), np.uint32), *self._field_lengths])
        tf_table = np.frombuffer(b"".join(self._codes), np.uint32).reshape(-1, self._columns)
        keep = _last_of_each(ids)
        if dropped is not None:
            keep &= ~dropped
        postings = _PostingsOfBatches(self._batches, keep)
        return assemble(ids[keep], field_lengths[keep], tf_table, list(self._terms), postings, self._layout)

    def _collect(self) -> None:
        """Number the terms and frequencies of the documents that wait."""
        if self._uncounted:
            batch = count_terms(self._uncounted, self._columns)
            self._collect_rows(batch, len(self._ids) - len(self._uncounted), np.arange(len(self._uncounted)))
        elif self._counted is not None:
            self._collect_rows(self._counted, len(self._ids) - len(self._rows), np.array(self._rows))
        self._uncounted, self._characters, self._counted, self._rows = [], 0, None, []

    def _collect_rows(self, batch: TermCounts, first: int, rows: NDArray[np.int64]) -> None:
        """Collect some *rows* of *batch*, ascending, which were added one after the other from the *first* on."""
        term, document, code = batch.term, batch.document.astype(np.int64), batch.code
        if len(rows) < len(batch.field_lengths):
            is_added = np.zeros(len(batch.field_lengths), np.bool_)
            is_added[rows] = True
            here = is_added[document]
            term, document, code = term[here], (np.cumsum(is_added) - 1)[document[here]], code[here]
        terms, codes = self._terms, self._codes
        numbers = np.array([terms.setdefault(key, len(terms)) for key in batch.terms], np.int32)
        known = [codes.setdefault(row.tobytes(), len(codes)) for row in batch.tf_table]
        self._field_lengths.append(batch.field_lengths[rows])
        coded = downcast(np.array(known, np.int64), len(codes))
        self._batches.append(_Batch(numbers[term], first, downcast(document, len(rows)), coded[code]))


class _Batch(Struct, frozen=True, eq=False):
    """Postings of documents that were added one after the other: 8 bytes each, as there are millions of them."""

    term: NDArray[np.int32]
    first: int  # document
    document: Small  # counted from `first`
    code: Small


class _PostingsOfBatches(Struct, frozen=True):
    """The postings of the documents to *keep*, renumbered; made batch by batch each time they are iterated over."""

    batches: Sequence[_Batch]
    keep: NDArray[np.bool_]

    def __iter__(self) -> Iterator[Postings]:
        ordinal = np.cumsum(self.keep, dtype=np.int32) - 1
        for batch in self.batches:
            term, code = batch.term, batch.code.astype(np.int32)
            document = batch.document.astype(np.int32) + np.int32(batch.first)
            kept = self.keep[document]
            if not kept.all():
                term, document, code = term[kept], document[kept], code[kept]
            yield term, ordinal[document], code


class BulkCollector(Struct):
    """Collects the rows that are written in bulk, and gives both segments at the end: no text is analysed twice."""

    _chunks: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(CHUNK_COLUMNS))
    _names: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(NAME_COLUMNS))
    _removed_chunks: dict[int, int] = field(default_factory=dict)  # id -> documents added before it was removed
    _removed_names: dict[int, int] = field(default_factory=dict)

    def add_chunk(self, chunk_id: int, columns: Sequence[str], counted: CountedDocument | None = None) -> None:
        """Add a chunk of the columns of `columns.chunk_columns`; *counted*: they were counted before."""
        _add(self._chunks, chunk_id, columns, counted)

    def add_names(self, note_id: int, columns: Sequence[str], counted: CountedDocument | None = None) -> None:
        """Add the names of a note, in the columns of `columns.name_columns`; *counted*: they were counted before."""
        _add(self._names, note_id, columns, counted)

    def remove_chunk(self, chunk_id: int) -> None:
        """Drop a chunk that was added; it may be added again."""
        self._removed_chunks[chunk_id] = len(self._chunks)

    def remove_names(self, note_id: int) -> None:
        """Drop the names of a note that were added; they may be added again."""
        self._removed_names[note_id] = len(self._names)

    def build(self) -> tuple[Segment, Segment]:
        """The segments of the chunks and names that were collected so far; more may follow."""
        chunks = self._chunks.build(_is_removed(self._chunks.ids, self._removed_chunks))
        return chunks, self._names.build(_is_removed(self._names.ids, self._removed_names))


def _add(builder: SegmentBuilder, document_id: int, columns: Sequence[str], counted: CountedDocument | None) -> None:
    if counted is None:
        builder.add(document_id, columns)
    else:
        builder.add_counted(document_id, counted)


def _is_removed(ids: NDArray[np.int64], removed: dict[int, int]) -> NDArray[np.bool_]:
    """Which of *ids* were added before they were removed; *removed* has the number of documents at that time."""
    if not removed or not len(ids):
        return np.zeros(len(ids), np.bool_)
    keys = np.array(sorted(removed), np.int64)
    sizes = np.array([removed[key] for key in sorted(removed)], np.int64)
    at = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
    found: NDArray[np.bool_] = (keys[at] == ids) & (np.arange(len(ids)) < sizes[at])
    return found


def _last_of_each(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    keep = np.zeros(len(ids), np.bool_)
    _, at = np.unique(ids[::-1], return_index=True)
    keep[len(ids) - 1 - at] = True
    return keep


# --- merging -----------------------------------------------------------------------------------


def merge_segments(segment: Segment, keep: NDArray[np.bool_], newer: Segment) -> Segment:
    """
    Merge *newer* into *segment*; no text is analysed again.

    Args:
        keep: The documents of *segment* that stay, shape (documents,); none of them has an id of *newer*.

    Returns:
        The segment that building from the columns of all these documents would give, to the byte.

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

    def __iter__(self) -> Iterator[Postings]:
        ordinal = np.cumsum(self.keep, dtype=np.int32) - 1
        for term, document, code in self.segment.postings_by_block():
            kept = self.keep[document]
            yield term[kept], ordinal[document[kept]], code[kept]
        documents, codes = np.int32(self.keep.sum()), np.int32(len(self.segment.tf_table))
        for term, document, code in self.newer.postings_by_block():
            yield self.newer_terms[term], document + documents, code + codes


# --- sorting and encoding ----------------------------------------------------------------------


def assemble(
    ids: NDArray[np.int64],
    field_lengths: NDArray[np.uint32],
    tf_table: NDArray[np.uint32],
    terms: Sequence[bytes],
    postings: Iterable[Postings],
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


def empty_segment(columns: int) -> Segment:
    """A segment without documents."""
    nothing = np.zeros((0, columns), np.uint32)
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
) -> tuple[TermDictionary, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]:
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
        np.frombuffer(b"".join(blocks), np.uint8),
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
