"""
Counting the terms of some documents, in any process: words and counts are numbered within the batch.

So that whoever collects batches (`building.py`) only numbers the few thousand different words of each anew, instead of
looking at every token.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count as counter
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.tokens import any_odd, tokens_as_stored, tokens_of

CHUNK_COLUMNS = 5  # text, section, context, compounds, parts: those of `keywords.chunk_columns`
NAME_COLUMNS = 6  # title, aliases, name, headings, tags, compounds
COLUMN_BITS = 3

Small: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]


class Counted(Struct, frozen=True, eq=False):
    """A batch of documents, counted: one posting for each word and document. Can be pickled."""

    words: tuple[bytes, ...]  # each once
    counts: NDArray[np.uint32]  # shape (codes, columns), each row once
    sizes: NDArray[np.uint32]  # shape (documents, columns): tokens
    word: NDArray[np.int32]  # of each posting, into `words`
    document: Small  # its number in the batch
    code: Small  # into `counts`


class CountedRow(NamedTuple):
    """One document of a batch."""

    batch: Counted
    row: int


def count(documents: Sequence[Sequence[str]], columns: int) -> Counted:
    """Count *documents*, each as many *columns* of terms between spaces."""
    assert columns < 1 << COLUMN_BITS
    texts = [[document[column] for document in documents] for column in range(columns)]
    numbers = _numbers()
    tokens = [_tokens(column, numbers) for column in texts]
    lengths = [[text.count(" ") + 1 for text in column] for column in texts]
    if any_odd(numbers):
        numbers = _numbers()
        cut = [[tokens_as_stored(text) for text in column] for column in texts]
        tokens = [np.array([numbers[word] for text in column for word in text], np.int64) for column in cut]
        lengths = [[len(text) for text in column] for column in cut]
    word, document, table = _postings(tokens, lengths)
    sizes = np.zeros((len(documents), columns), np.uint32)
    for column in range(columns):
        sizes[:, column] = np.bincount(document, weights=table[:, column], minlength=len(documents))
    counts, code = _coded(table)
    words = " ".join(numbers).encode(errors="surrogateescape").split(b" ")[1:]  # without the empty one
    return Counted(
        tuple(words),
        counts,
        sizes,
        (word - 1).astype(np.int32),
        narrowed(document, len(documents)),
        narrowed(code, len(counts)),
    )


def narrowed(values: NDArray[np.int64], limit: int) -> Small:
    """*values*, all below *limit*, in as few bytes as they take."""
    return values.astype(np.uint16) if limit <= 1 << 16 else values.astype(np.uint32)


def _numbers() -> defaultdict[str, int]:
    """A number for each token met; 0 is for none at all."""
    return defaultdict(counter(1).__next__, {"": 0})


def _tokens(texts: Iterable[str], numbers: defaultdict[str, int]) -> NDArray[np.int64]:
    """The number of each token of all *texts*."""
    tokens = tokens_of(" ".join(texts))
    return np.fromiter(map(numbers.__getitem__, tokens), np.int64, len(tokens))


def _postings(
    tokens: Sequence[NDArray[np.int64]], lengths: Sequence[Sequence[int]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """
    Word and document of each posting, by word, and how often it is in each column.

    Args:
        tokens: Of each column, of all documents in order.
        lengths: Of each column, how many of them each document has.
    """
    bits = max(1, len(lengths[0]).bit_length())
    cells = np.concatenate(
        [
            (numbers << bits | np.repeat(np.arange(len(of_column)), of_column)) << COLUMN_BITS | column
            for column, (numbers, of_column) in enumerate(zip(tokens, lengths, strict=True))
        ]
    )
    cells = cells[cells >= 1 << bits + COLUMN_BITS]  # those of the empty token are none
    cells.sort()
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    times = np.diff(begins, append=len(cells))
    cells = cells[begins]
    column = cells & ((1 << COLUMN_BITS) - 1)
    cells >>= COLUMN_BITS
    is_first = np.diff(cells, prepend=-1) != 0
    table = np.zeros((int(is_first.sum()), len(tokens)), np.int64)
    table[np.cumsum(is_first) - 1, column] = times
    cells = cells[is_first]
    return cells >> bits, cells & ((1 << bits) - 1), table


def _coded(table: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The different rows of *table*, and which of them each is."""
    columns = table.shape[1]
    bits = 60 // columns
    if len(table) and int(table.max()) < 1 << bits:
        packed = table @ (1 << bits * np.arange(columns, dtype=np.int64))  # ten times as fast as comparing rows
        _, at, which = np.unique(packed, return_index=True, return_inverse=True)
        rows = table[at]
    else:
        rows, which = np.unique(table, axis=0, return_inverse=True)
    return rows.astype(np.uint32), which.reshape(-1).astype(np.int64)
