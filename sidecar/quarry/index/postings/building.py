"""
Making a segment from columns of terms: some hundred documents at a time, counted by sorting numbers.

80,000 chunks, 13 million tokens, take about two seconds of a processor beyond the columns themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quarry.index.postings.segment import Postings, Segment, assemble
from quarry.index.postings.tokens import encoded, is_odd, straightened, tokens_of

CHUNK_COLUMNS = 5  # text, section, context, compounds, parts: those of `keywords.chunk_columns`
NAME_COLUMNS = 6  # title, aliases, name, headings, tags, compounds
_BATCH_BITS = 9  # documents that are counted together: 512 of them are 10 MB for a moment
_BATCH = 1 << _BATCH_BITS
_COLUMN_BITS = 3
_BATCH_CHARACTERS = 4_000_000  # of one batch, where documents are long


class _Words(dict[str, int]):
    """A number for each token met; 0 is for none at all."""

    def __init__(self) -> None:
        super().__init__({"": 0})
        self.encoded = [b""]
        self.met_odd = False
        self._by_bytes: dict[bytes, int] = {}  # of tokens that FTS5 cuts short

    def __missing__(self, token: str) -> int:
        if is_odd(token):
            if straightened(token) != token:
                self.met_odd = True
                return 0
            known = self._by_bytes.setdefault(encoded(token), len(self.encoded))
            if known < len(self.encoded):
                self[token] = known
                return known
        number = self[token] = len(self.encoded)
        self.encoded.append(encoded(token))
        return number


class Builder:
    """Counts the terms of documents; of a document that is put twice the last stands."""

    def __init__(self, columns: int) -> None:
        assert columns < 1 << _COLUMN_BITS
        self._columns = columns
        self._words = _Words()
        self._ids: list[int] = []
        self._sizes: list[NDArray[np.uint32]] = []
        self._codes: dict[tuple[int, ...], int] = {}
        self._postings: list[Postings] = []
        self._waiting: list[Sequence[str]] = []
        self._characters = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> NDArray[np.int64]:
        """Of what was put, in that order."""
        return np.array(self._ids, np.int64)

    def put(self, document_id: int, columns: Sequence[str]) -> None:
        """Add a document of these columns, each terms between spaces."""
        self._ids.append(document_id)
        self._waiting.append(columns)
        self._characters += sum(map(len, columns))
        if len(self._waiting) == _BATCH or self._characters > _BATCH_CHARACTERS:
            self._count()

    def finish(self, dropped: NDArray[np.bool_] | None = None) -> Segment:
        """
        The segment of all documents, but those *dropped*, in the order of putting.

        Raises:
            OverflowError: As `assemble`.
        """
        self._count()
        ids = np.array(self._ids, np.int64)
        sizes = np.concatenate([np.zeros((0, self._columns), np.uint32), *self._sizes])
        counts = np.array(list(self._codes), np.uint32).reshape(-1, self._columns)
        keep = _last_of_each(ids)
        if dropped is not None:
            keep &= ~dropped
        postings, self._postings = self._postings, []
        if not keep.all():
            place = np.cumsum(keep, dtype=np.int32) - 1
            postings = [
                (word[kept], place[document[kept]], code[kept])
                for word, document, code in postings
                for kept in (keep[document],)
            ]
        return assemble(ids[keep], sizes[keep], counts, self._words.encoded, postings)

    def _count(self) -> None:
        """Turn what waits into postings."""
        waiting, self._waiting, self._characters = self._waiting, [], 0
        if not waiting:
            return
        first = len(self._ids) - len(waiting)
        cells = np.concatenate(
            [self._cells(column, [row[column] for row in waiting]) for column in range(self._columns)]
        )
        cells.sort()
        begins = np.flatnonzero(np.diff(cells, prepend=-1))
        times = np.diff(begins, append=len(cells))
        cells = cells[begins]
        column = cells & ((1 << _COLUMN_BITS) - 1)
        cells >>= _COLUMN_BITS
        is_first = np.diff(cells, prepend=-1) != 0
        table = np.zeros((int(is_first.sum()), self._columns), np.int64)
        table[np.cumsum(is_first) - 1, column] = times
        cells = cells[is_first]
        document = cells & ((1 << _BATCH_BITS) - 1)
        sizes = np.zeros((len(waiting), self._columns), np.uint32)
        for at in range(self._columns):
            sizes[:, at] = np.bincount(document, weights=table[:, at], minlength=len(waiting))
        self._sizes.append(sizes)
        word = (cells >> _BATCH_BITS).astype(np.int32)
        self._postings.append((word, (document + first).astype(np.int32), self._coded(table)))

    def _cells(self, column: int, texts: list[str]) -> NDArray[np.int64]:
        """Word, document and column of every token, as one number each."""
        words = self._words
        words.met_odd = False
        tokens = tokens_of(" ".join(texts))
        numbers = np.fromiter(map(words.__getitem__, tokens), np.int64, len(tokens))
        if words.met_odd:
            return self._cells(column, [straightened(text) for text in texts])
        lengths = np.fromiter((text.count(" ") + 1 for text in texts), np.int64, len(texts))
        documents = np.repeat(np.arange(len(texts)), lengths)
        cells = (numbers << _BATCH_BITS | documents) << _COLUMN_BITS | column
        return cells[numbers > 0]

    def _coded(self, table: NDArray[np.int64]) -> NDArray[np.int32]:
        """The code of each row of counts."""
        bits = 60 // self._columns
        if len(table) and int(table.max()) < 1 << bits:
            packed = table @ (1 << bits * np.arange(self._columns, dtype=np.int64))
            _, at, which = np.unique(packed, return_index=True, return_inverse=True)
            rows = table[at]
        else:
            rows, which = np.unique(table, axis=0, return_inverse=True)
        codes = [self._codes.setdefault(tuple(row), len(self._codes)) for row in rows.tolist()]
        return np.array(codes, np.int32)[which.reshape(-1)]


@dataclass(slots=True)
class Gatherer:
    """What a writer gives while it indexes in bulk, so that nothing is analysed twice: both segments at the end."""

    _chunks: Builder = field(default_factory=lambda: Builder(CHUNK_COLUMNS))
    _names: Builder = field(default_factory=lambda: Builder(NAME_COLUMNS))
    _gone_chunks: dict[int, int] = field(default_factory=dict)  # id -> how many had been put when it went
    _gone_names: dict[int, int] = field(default_factory=dict)

    def put(self, chunk_id: int, columns: Sequence[str]) -> None:
        """A chunk that came, as `keywords.chunk_columns` says it."""
        self._chunks.put(chunk_id, columns)

    def put_names(self, note_id: int, columns: Sequence[str]) -> None:
        """What a note is called, as the view `name_terms` says it."""
        self._names.put(note_id, columns)

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
