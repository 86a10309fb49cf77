"""
Making a segment from documents that were counted in batches (`counting.py`), here or in another process.

80,000 chunks, 13 million tokens, take about half a second of a processor beyond the counting.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from quarry.index.keyword.segment import Postings, Segment, assemble
from quarry.index.keyword.forward import CHUNK_COLUMNS, NAME_COLUMNS
from quarry.index.keyword.term_counts import (
    CountedDocument,
    Small,
    TermCounts,
    count,
    downcast,
)

_BATCH = 512  # documents that are counted chunk_postings_of: 10 MB for a moment
_BATCH_CHARACTERS = 4_000_000  # of one batch, where documents are long


class SegmentBuilder:
    """Collects counted documents; of a document that is put twice the last stands."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._words: dict[bytes, int] = {}
        self._codes: dict[bytes, int] = {}
        self._ids: list[int] = []
        self._sizes: list[NDArray[np.uint32]] = []
        self._pieces: list[_Piece] = []
        # What was put and is not collected yet: columns to be counted, or rows of one batch.
        self._waiting: list[Sequence[str]] = []
        self._characters = 0
        self._batch: TermCounts | None = None
        self._rows: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Of what was put, in that order."""
        return np.array(self._ids, np.int64)

    def put(self, document_id: int, columns: Sequence[str]) -> None:
        """Add a document of these columns, each terms between spaces."""
        if self._batch is not None or len(self._waiting) == _BATCH or self._characters > _BATCH_CHARACTERS:
            self._collect()
        self._ids.append(document_id)
        self._waiting.append(columns)
        self._characters += sum(map(len, columns))

    def put_counted(self, document_id: int, counted: CountedDocument) -> None:
        """Add a document that was counted before; those of a batch that come one after the other cost less."""
        if self._batch is not counted.batch or counted.row <= self._rows[-1]:
            self._collect()
        self._ids.append(document_id)
        self._batch = counted.batch
        self._rows.append(counted.row)

    def finish(self, dropped: NDArray[np.bool_] | None = None) -> Segment:
        """
        The segment of all documents, but those *dropped*, in the order of putting.

        Raises:
            OverflowError: As `assemble`.
        """
        self._collect()
        ids = self.ids
        field_lengths = np.concatenate([np.zeros((0, self._columns), np.uint32), *self._sizes])
        counts = np.frombuffer(b"".join(self._codes), np.uint32).reshape(-1, self._columns)
        keep = _last_of_each(ids)
        if dropped is not None:
            keep &= ~dropped
        pieces, self._pieces = self._pieces, []
        return assemble(ids[keep], field_lengths[keep], counts, list(self._words), _Kept(pieces, keep))

    def _collect(self) -> None:
        """Take in what waits."""
        if self._waiting:
            batch = count(self._waiting, self._columns)
            self._take(batch, len(self._ids) - len(self._waiting), np.arange(len(self._waiting)))
        elif self._batch is not None:
            self._take(self._batch, len(self._ids) - len(self._rows), np.array(self._rows))
        self._waiting, self._characters, self._batch, self._rows = [], 0, None, []

    def _take(self, batch: TermCounts, first: int, rows: NDArray[np.int64]) -> None:
        """Take in some *rows* of *batch*, ascending; in the order of putting they are those from *first* on."""
        word, document, code = batch.word, batch.document.astype(np.int64), batch.code
        if len(rows) < len(batch.field_lengths):
            is_put = np.zeros(len(batch.field_lengths), np.bool_)
            is_put[rows] = True
            here = is_put[document]
            word, document, code = word[here], (np.cumsum(is_put) - 1)[document[here]], code[here]
        words, codes = self._words, self._codes
        numbers = np.array([words.setdefault(key, len(words)) for key in batch.words], np.int32)
        known = [codes.setdefault(row.tobytes(), len(codes)) for row in batch.counts]
        self._sizes.append(batch.field_lengths[rows])
        coded = downcast(np.array(known, np.int64), len(codes))
        self._pieces.append(_Piece(numbers[word], first, downcast(document, len(rows)), coded[code]))


class _Piece(Struct, frozen=True, eq=False):
    """Postings of documents put one after the other: 8 bytes each, as there are millions of them."""

    word: NDArray[np.int32]
    first: int
    document: Small  # counted from `first`
    code: Small


class _Kept(Struct, frozen=True):
    """The postings of the documents to *keep*, renumbered, made piece by piece each time they are gone through."""

    pieces: Sequence[_Piece]
    keep: NDArray[np.bool_]

    def __iter__(self) -> Iterator[Postings]:
        place = np.cumsum(self.keep, dtype=np.int32) - 1
        for piece in self.pieces:
            word, code = piece.word, piece.code.astype(np.int32)
            document = piece.document.astype(np.int32) + np.int32(piece.first)
            kept = self.keep[document]
            if not kept.all():
                word, document, code = word[kept], document[kept], code[kept]
            yield word, place[document], code


class BulkCollector(Struct):
    """What a writer gives while it indexes in bulk, so that nothing is analysed twice: both segments at the end."""

    _chunks: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(CHUNK_COLUMNS))
    _names: SegmentBuilder = field(default_factory=lambda: SegmentBuilder(NAME_COLUMNS))
    _gone_chunks: dict[int, int] = field(default_factory=dict)  # id -> how many had been put when it went
    _gone_names: dict[int, int] = field(default_factory=dict)

    def put(self, chunk_id: int, columns: Sequence[str], counted: CountedDocument | None = None) -> None:
        """A chunk that came, as `keywords.chunk_columns` says it, *counted* before if somebody did."""
        _put(self._chunks, chunk_id, columns, counted)

    def put_names(self, note_id: int, columns: Sequence[str], counted: CountedDocument | None = None) -> None:
        """What a note is called, as the view `name_terms` says it."""
        _put(self._names, note_id, columns, counted)

    def remove_chunk(self, chunk_id: int) -> None:
        """A chunk that went."""
        self._gone_chunks[chunk_id] = len(self._chunks)

    def remove_names(self, note_id: int) -> None:
        """What a note was called, which is gone or called otherwise now."""
        self._gone_names[note_id] = len(self._names)

    def finish(self) -> tuple[Segment, Segment]:
        """The segments of chunks and of names."""
        chunks = self._chunks.finish(_put_before(self._chunks.ids, self._gone_chunks))
        return chunks, self._names.finish(_put_before(self._names.ids, self._gone_names))


def _put(builder: SegmentBuilder, document_id: int, columns: Sequence[str], counted: CountedDocument | None) -> None:
    if counted is None:
        builder.put(document_id, columns)
    else:
        builder.put_counted(document_id, counted)


def _put_before(ids: NDArray[np.int64], gone: dict[int, int]) -> NDArray[np.bool_]:
    """Which of *ids* were put before the moment that *gone* has for them."""
    if not gone or not len(ids):
        return np.zeros(len(ids), np.bool_)
    keys = np.array(sorted(gone), np.int64)
    moments = np.array([gone[key] for key in sorted(gone)], np.int64)
    at = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
    found: NDArray[np.bool_] = (keys[at] == ids) & (np.arange(len(ids)) < moments[at])
    return found


def _last_of_each(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    keep = np.zeros(len(ids), np.bool_)
    _, at = np.unique(ids[::-1], return_index=True)
    keep[len(ids) - 1 - at] = True
    return keep
