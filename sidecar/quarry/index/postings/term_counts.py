"""
Counts the terms of a batch of documents, in any process.

Terms and term frequencies are numbered within the batch, so a builder (`builder.py`) only renumbers the few thousand
distinct terms of each batch instead of looking at every token.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.analysis.unique_words import unique_words

COLUMN_BITS = 3

Small: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]


class TermCounts(Struct, frozen=True, eq=False):
    """The postings of a batch of documents: one for each term and document. Can be pickled."""

    terms: tuple[bytes, ...]  # distinct
    tf_table: NDArray[np.uint32]  # shape (codes, columns), distinct rows
    field_lengths: NDArray[np.uint32]  # shape (documents, columns): tokens
    term: NDArray[np.int32]  # of each posting, into `terms`
    document: Small  # of each posting, its number in the batch
    code: Small  # of each posting, into `tf_table`


class CountedDocument(NamedTuple):
    """One document of a batch."""

    batch: TermCounts
    row: int


def count_terms(documents: Sequence[Sequence[str]], columns: int) -> TermCounts:
    """Count the terms of *documents*, each of as many *columns* of terms joined by spaces."""
    assert columns < 1 << COLUMN_BITS
    texts = [document[column] for column in range(columns) for document in documents]
    terms, numbers = _number_tokens(texts)
    term, document, table = _postings(numbers, [text.count(" ") + 1 for text in texts], columns)
    field_lengths = np.zeros((len(documents), columns), np.uint32)
    for column in range(columns):
        field_lengths[:, column] = np.bincount(document, weights=table[:, column], minlength=len(documents))
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
    numbers: NDArray[np.int64], lengths: Sequence[int], columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """
    Make postings of numbered tokens.

    Args:
        numbers: The tokens: column by column, document by document.
        lengths: Tokens of each column of each document, in the same order.

    Returns:
        Term and document of each posting, shape (postings,), sorted by term; and term frequencies by column, shape
        (postings, columns).
    """
    document_count = len(lengths) // columns
    bits = max(1, document_count.bit_length())
    # Half as many bytes are sorted in half the time; a batch of 2 MB has 20,000 words in 500 documents.
    kind = np.uint32 if int(numbers.max()) < 1 << (32 - bits - COLUMN_BITS) else np.uint64
    documents, of_columns = np.arange(document_count), np.arange(columns)[:, np.newaxis]
    places = np.repeat((documents << COLUMN_BITS | of_columns).astype(kind).reshape(-1), lengths)
    cells: NDArray[Any] = (numbers << bits + COLUMN_BITS).astype(kind) | places
    cells = cells[cells >= 1 << bits + COLUMN_BITS]  # empty tokens do not count
    cells.sort()
    begins = np.flatnonzero(_differs(cells))
    times = np.diff(begins, append=len(cells))
    cells = cells[begins]
    in_column = cells & ((1 << COLUMN_BITS) - 1)
    cells >>= COLUMN_BITS
    is_first = _differs(cells)
    table = np.zeros((int(is_first.sum()), columns), np.int64)
    table[np.cumsum(is_first) - 1, in_column] = times
    found = cells[is_first].astype(np.int64)
    return found >> bits, found & ((1 << bits) - 1), table


def _differs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of *values* differ from the one before."""
    found = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def _distinct_rows(table: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The distinct rows of *table*, and the number of each row among them."""
    columns = table.shape[1]
    bits = 60 // columns
    if len(table) and int(table.max()) < 1 << bits:
        packed = table @ (1 << bits * np.arange(columns, dtype=np.int64))  # ten times as fast as comparing rows
        _, at, which = np.unique(packed, return_index=True, return_inverse=True)
        rows = table[at]
    else:
        rows, which = np.unique(table, axis=0, return_inverse=True)
    return rows.astype(np.uint32), which.reshape(-1).astype(np.int64)
