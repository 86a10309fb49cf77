"""
Collects documents, counts their terms in batches, and builds segments of them.

The terms and term frequencies of a batch are numbered within it, in any process, so that a builder only renumbers the
few thousand distinct terms of each batch instead of looking at every token. 80,000 chunks of 13 million tokens take
about half a second of CPU time beyond the counting.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from quarry.analysis.tokenizer import unique_words
from quarry.index.postings.dictionary import BlockLayout
from quarry.index.postings.fields import CHUNK_FIELDS, NAME_FIELDS
from quarry.index.postings.segment import _LAYOUT, Segment, TermPostings, assemble

FIELD_BITS = 3

Small: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]


class TermCounts(Struct, frozen=True, eq=False):
    """The postings of a batch of documents: one for each term and document. Can be pickled."""

    terms: tuple[bytes, ...]  # distinct
    tf_table: NDArray[np.uint32]  # shape (codes, fields), distinct rows
    field_lengths: NDArray[np.uint32]  # shape (documents, fields): tokens
    term: NDArray[np.int32]  # of each posting, into `terms`
    document: Small  # of each posting, its number in the batch
    code: Small  # of each posting, into `tf_table`


class CountedDocument(NamedTuple):
    """One document of a batch."""

    batch: TermCounts
    row: int


def count_terms(documents: Sequence[Sequence[str]], fields: int) -> TermCounts:
    """Count the terms of *documents*, each of as many *fields* of terms joined by spaces."""
    assert fields < 1 << FIELD_BITS
    texts = [document[field] for field in range(fields) for document in documents]
    terms, numbers = _number_tokens(texts)
    term, document, table = _postings(numbers, [text.count(" ") + 1 for text in texts], fields)
    field_lengths = np.zeros((len(documents), fields), np.uint32)
    for at in range(fields):
        field_lengths[:, at] = np.bincount(document, weights=table[:, at], minlength=len(documents))
    tf_table, code = _distinct_rows(table)
    return TermCounts(
        tuple(terms),
        tf_table,
        field_lengths,
        (term - 1).astype(np.int32),
        downcast(document, len(documents)),
        downcast(code, len(tf_table)),
    )


def downcast(values: NDArray[np.int64], limit: int) -> Small:
    """*values*, all below *limit*, as uint16 where they fit and uint32 otherwise."""
    return values.astype(np.uint16) if limit <= 1 << 16 else values.astype(np.uint32)


def _number_tokens(texts: Sequence[str]) -> tuple[list[bytes], NDArray[np.int64]]:
    """The distinct tokens of *texts*, and the number of each token among them, from 1; an empty token has 0."""
    data = " ".join(texts).encode()
    ends = np.flatnonzero(np.append(np.frombuffer(data, np.uint8) == ord(" "), True))
    starts = np.append(0, ends[:-1] + 1)
    is_token = ends > starts
    numbers = np.zeros(len(is_token), np.int64)
    starts, ends = starts[is_token], ends[is_token]
    first, which = unique_words(data, starts, ends)
    numbers[is_token] = which + 1
    return [data[start:end] for start, end in zip(starts[first].tolist(), ends[first].tolist(), strict=True)], numbers


def _postings(
    numbers: NDArray[np.int64], lengths: Sequence[int], fields: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """
    Make postings of numbered tokens.

    Args:
        numbers: The tokens: field by field, document by document.
        lengths: Tokens of each field of each document, in the same order.

    Returns:
        Term and document of each posting, shape (postings,), sorted by term; and term frequencies by field, shape
        (postings, fields).
    """
    document_count = len(lengths) // fields
    bits = max(1, document_count.bit_length())
    # Half as many bytes are sorted in half the time; a batch of 2 MB has 20,000 words in 500 documents.
    kind = np.uint32 if int(numbers.max()) < 1 << (32 - bits - FIELD_BITS) else np.uint64
    documents, of_fields = np.arange(document_count), np.arange(fields)[:, np.newaxis]
    places = np.repeat((documents << FIELD_BITS | of_fields).astype(kind).reshape(-1), lengths)
    cells: NDArray[Any] = (numbers << bits + FIELD_BITS).astype(kind) | places
    cells = cells[cells >= 1 << bits + FIELD_BITS]  # empty tokens do not count
    cells.sort()
    begins = np.flatnonzero(_differs(cells))
    times = np.diff(begins, append=len(cells))
    cells = cells[begins]
    in_field = cells & ((1 << FIELD_BITS) - 1)
    cells >>= FIELD_BITS
    is_first = _differs(cells)
    table = np.zeros((int(is_first.sum()), fields), np.int64)
    table[np.cumsum(is_first) - 1, in_field] = times
    found = cells[is_first].astype(np.int64)
    return found >> bits, found & ((1 << bits) - 1), table


def _differs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of *values* differ from the one before."""
    found = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def _distinct_rows(table: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The distinct rows of *table*, and the number of each row among them."""
    fields = table.shape[1]
    bits = 60 // fields
    if len(table) and int(table.max()) < 1 << bits:
        packed = table @ (1 << bits * np.arange(fields, dtype=np.int64))  # ten times as fast as comparing rows
        _, at, which = np.unique(packed, return_index=True, return_inverse=True)
        rows = table[at]
    else:
        rows, which = np.unique(table, axis=0, return_inverse=True)
    return rows.astype(np.uint32), which.reshape(-1).astype(np.int64)


_BATCH_CHARACTERS = 4_000_000  # of one batch, where documents are long


class SegmentBuilder:
    """Collects documents; of a document that is added twice the last stands."""

    def __init__(self, fields: int, layout: BlockLayout = _LAYOUT, batch_size: int = 512) -> None:
        """
        Begin without documents.

        Args:
            fields: Fields of each document.
            batch_size: Documents that are counted together; 512 take 10 MB for a moment.
        """
        self._fields = fields
        self._layout = layout
        self._batch_size = batch_size
        self._terms: dict[bytes, int] = {}
        self._codes: dict[bytes, int] = {}
        self._ids: list[int] = []
        self._field_lengths: list[NDArray[np.uint32]] = []
        self._batches: list[_Batch] = []
        # What was added and is not collected yet: fields to be counted, or rows of one counted batch.
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

    def add(self, document_id: int, fields: Sequence[str]) -> None:
        """Add a document of these *fields*, each terms joined by spaces."""
        if (
            self._counted is not None
            or len(self._uncounted) == self._batch_size
            or self._characters > _BATCH_CHARACTERS
        ):
            self._collect()
        self._ids.append(document_id)
        self._uncounted.append(fields)
        self._characters += sum(map(len, fields))

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
        field_lengths = np.concatenate([np.zeros((0, self._fields), np.uint32), *self._field_lengths])
        tf_table = np.frombuffer(b"".join(self._codes), np.uint32).reshape(-1, self._fields)
        keep = _last_of_each(ids)
        if dropped is not None:
            keep &= ~dropped
        postings = _PostingsOfBatches(self._batches, keep)
        return assemble(ids[keep], field_lengths[keep], tf_table, list(self._terms), postings, self._layout)

    def _collect(self) -> None:
        """Number the terms and frequencies of the documents that wait."""
        if self._uncounted:
            batch = count_terms(self._uncounted, self._fields)
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

    def __iter__(self) -> Iterator[TermPostings]:
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

    _chunks: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(CHUNK_FIELDS))
    _names: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(NAME_FIELDS))
    _removed_chunks: dict[int, int] = field(default_factory=dict)  # id -> documents added before it was removed
    _removed_names: dict[int, int] = field(default_factory=dict)

    def add_chunk(self, chunk_id: int, fields: Sequence[str], counted: CountedDocument | None = None) -> None:
        """Add a chunk of the fields of `fields.chunk_fields`; *counted*: they were counted before."""
        _add(self._chunks, chunk_id, fields, counted)

    def add_names(self, note_id: int, fields: Sequence[str], counted: CountedDocument | None = None) -> None:
        """Add the names of a note, in the fields of `fields.name_fields`; *counted*: they were counted before."""
        _add(self._names, note_id, fields, counted)

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


def _add(builder: SegmentBuilder, document_id: int, fields: Sequence[str], counted: CountedDocument | None) -> None:
    if counted is None:
        builder.add(document_id, fields)
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
