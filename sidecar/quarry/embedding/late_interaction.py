"""
Compares a query with texts token by token, where a vector a text says only what the text is about as a whole.

MaxSim: each token of the query is compared with the nearest token of a text (Khattab and Zaharia, "ColBERT: Efficient
and Effective Passage Search via Contextualized Late Interaction over BERT", SIGIR 2020), here with the vectors of a
static model. A token that stands in the text counts in full, one that is like another in part.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from quarry.embedding.tokens import TokenIds
from quarry.embedding.weights import Table

EXACT_DIMENSIONS = 2**24 // 128**2  # float32 holds every sum of so many products of two int8 exactly


def max_similarities(
    rows_of: Callable[[TokenIds], Table],
    count: int,
    wanted: TokenIds,
    weights: Sequence[float],
    texts: Sequence[TokenIds],
) -> NDArray[np.float64]:
    """
    The weighted mean over the *wanted* tokens of the cosine of each with the nearest token of a text.

    A token counts its weight times the length of its vector: a model in which frequent words say little has short
    vectors for them. With int8 rows the bytes are the same on every machine and any number of threads.

    Args:
        rows_of: Gives the vectors of tokens.
        count: The number of tokens there are.
        wanted: Token ids of the query, each once.
        weights: One for each of *wanted*, at least 0.
        texts: Token ids of each text.

    Returns:
        Shape (len(texts),), -1 to 1; 0 for a text without tokens, and everywhere where nothing is wanted.
    """
    found = np.zeros(len(texts))
    lengths_of = np.array([len(token_ids) for token_ids in texts], dtype=np.intp)
    query = _as_floats(rows_of(wanted))
    lengths = _lengths(query)
    weight_of = lengths * np.array(weights, dtype=np.float64)
    total = sum(weight_of.tolist())
    if total <= 0 or not lengths_of.any():
        return found
    every = np.concatenate(texts)
    is_there = np.zeros(count, np.bool_)
    is_there[every] = True
    distinct = is_there.nonzero()[0]
    place_of = np.empty(count, np.intp)
    place_of[distinct] = np.arange(len(distinct))
    cosines = _cosines(_as_floats(rows_of(distinct)), query, lengths)
    has_tokens = lengths_of > 0
    begins = (lengths_of.cumsum() - lengths_of)[has_tokens]
    nearest = np.maximum.reduceat(cosines.take(place_of.take(every), axis=1), begins, axis=1)
    sums = np.zeros(nearest.shape[1])
    for weight, cosine in zip(weight_of.tolist(), nearest, strict=True):  # in one order, on every machine
        sums += weight * cosine
    found[has_tokens] = sums / total
    return found


def _as_floats(rows: Table) -> NDArray[np.float32] | NDArray[np.float64]:
    is_exact = rows.dtype == np.int8 and rows.shape[1] < EXACT_DIMENSIONS
    return rows.astype(np.float32) if is_exact else rows.astype(np.float64)


def _lengths(rows: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The length of each row; 1 for a row that is zero."""
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows).astype(np.float64))
    lengths[lengths == 0] = 1
    return lengths


def _cosines(
    rows: NDArray[np.float32] | NDArray[np.float64],
    query: NDArray[np.float32] | NDArray[np.float64],
    query_lengths: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The cosine of each row of *query* with each of *rows*; shape (len(query), len(rows))."""
    # A matrix product of whole numbers is exact; of others it depends on the number of threads.
    products = query @ rows.T if rows.dtype == np.float32 else np.einsum("ij,kj->ik", query, rows)
    cosines: NDArray[np.float64] = products / _lengths(rows)
    cosines /= query_lengths[:, np.newaxis]
    return cosines
