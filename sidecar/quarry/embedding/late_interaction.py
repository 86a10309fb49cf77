"""
Compares a query with texts token by token, where a vector a text says only what the text is about as a whole.

MaxSim: each token of the query is compared with the nearest token of a text (Khattab and Zaharia, "ColBERT: Efficient
and Effective Passage Search via Contextualized Late Interaction over BERT", SIGIR 2020), here with the vectors of a
static model. A token that stands in the text counts in full, one that is like another in part.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.embedding.model_files import Table
from quarry.embedding.tokens import TokenIds

FloatRows: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
"""Vectors of tokens, shape (count, dim), in a type that their products are computed in."""

EXACT_DIMENSIONS = 2**24 // 128**2  # float32 holds every sum of so many products of two int8 exactly


class WordSimilarities(Struct, frozen=True):
    """How near several texts come to the words of a query, and how much the model has to say of each word."""

    means: NDArray[np.float64]  # shape (texts,), -1 to 1: of all words together
    of_words: NDArray[np.float64]  # shape (words, texts), -1 to 1
    lengths: NDArray[np.float64]  # shape (words,): of the vectors of each word, at a right angle to each other


class TokenVectors:
    """
    The vectors of all tokens, and their lengths, each of which is computed once.

    Threads share it without a lock: all of them compute the same length for a token.
    """

    def __init__(self, rows_of: Callable[[TokenIds], Table], count: int) -> None:
        """Take the function that gives the vectors of tokens, of which there are *count*."""
        self.rows_of = rows_of
        self.count = count
        self._lengths = np.zeros(count)  # 0: not computed; pages that no token was asked for take no memory

    def read(self, token_ids: TokenIds) -> tuple[FloatRows, NDArray[np.float64]]:
        """The vectors of these tokens, shape (len(token_ids), dim), and their lengths; 1 for a vector of zeros."""
        rows = _as_floats(self.rows_of(token_ids))
        lengths = self._lengths.take(token_ids)
        unknown = (lengths == 0).nonzero()[0]
        if len(unknown):
            lengths[unknown] = _row_lengths(rows[unknown])
            self._lengths[token_ids[unknown]] = lengths[unknown]
        return rows, lengths


def max_similarities(
    vectors: TokenVectors,
    words: Sequence[TokenIds],
    weights: Sequence[float],
    texts: Sequence[TokenIds],
) -> WordSimilarities:
    """
    The cosine of each token of the *words* with the nearest token of a text: the mean of all, and of each word.

    In the mean of all, a token counts its weight times the length of its vector: a model in which frequent words say
    little has short vectors for them. With int8 rows the bytes are the same on every machine and any number of threads.

    Args:
        vectors: Of the tokens.
        words: Token ids of each word of the query.
        weights: One for each of *words*, at least 0; a token of several counts as in the one that weighs most.
        texts: Token ids of each text.

    Returns:
        Similarities that are 0 for a text or word without tokens; all means are 0 where nothing has weight.
    """
    weight_of: dict[int, float] = {}
    for weight, token_ids in zip(weights, words, strict=True):
        for token_id in token_ids.tolist():
            weight_of[token_id] = max(weight, weight_of.get(token_id, 0.0))
    wanted = np.array([*weight_of], dtype=np.int64)
    query, lengths = vectors.read(wanted)
    nearest = _nearest_cosines(query, lengths, vectors, texts)
    means = np.zeros(len(texts))
    token_weights = (lengths * np.array([*weight_of.values()], dtype=np.float64)).tolist()
    total = sum(token_weights)
    if total > 0:
        for weight, cosine in zip(token_weights, nearest, strict=True):  # in one order, on every machine
            means += weight * cosine
        means /= total
    return WordSimilarities(means, *_by_word(nearest, lengths, [*weight_of], words))


def _by_word(
    nearest: NDArray[np.float64], lengths: NDArray[np.float64], token_ids: Sequence[int], words: Sequence[TokenIds]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each word the mean of *nearest* over its tokens, which count by their lengths, and the length of the word."""
    of_words, word_lengths = np.zeros((len(words), nearest.shape[1])), np.zeros(len(words))
    counts = np.array([len(of_word) for of_word in words], dtype=np.intp)
    has_tokens = counts > 0
    if has_tokens.any():
        place_of = {token_id: place for place, token_id in enumerate(token_ids)}
        at = [place_of[token_id] for of_word in words for token_id in of_word.tolist()]
        begins = (counts.cumsum() - counts)[has_tokens]
        sums = np.add.reduceat(nearest[at] * lengths[at, np.newaxis], begins, axis=0)
        of_words[has_tokens] = sums / np.add.reduceat(lengths[at], begins)[:, np.newaxis]
        word_lengths[has_tokens] = np.sqrt(np.add.reduceat(np.square(lengths[at]), begins))
    return of_words, word_lengths


def _nearest_cosines(
    query: FloatRows,
    query_lengths: NDArray[np.float64],
    vectors: TokenVectors,
    texts: Sequence[TokenIds],
) -> NDArray[np.float64]:
    """The cosine of each row of *query* with the nearest token of each text; 0 for a text without tokens."""
    found = np.zeros((len(query), len(texts)))
    lengths_of = np.array([len(token_ids) for token_ids in texts], dtype=np.intp)
    if not len(query) or not lengths_of.any():
        return found
    every = np.concatenate(texts)
    is_there = np.zeros(vectors.count, np.bool_)
    is_there[every] = True
    distinct = is_there.nonzero()[0]
    place_of = np.empty(vectors.count, np.intp)
    place_of[distinct] = np.arange(len(distinct))
    cosines = _cosines(*vectors.read(distinct), query, query_lengths)
    has_tokens = lengths_of > 0
    begins = (lengths_of.cumsum() - lengths_of)[has_tokens]
    found[:, has_tokens] = np.maximum.reduceat(cosines.take(place_of.take(every), axis=1), begins, axis=1)
    return found


def _as_floats(rows: Table) -> FloatRows:
    is_exact = rows.dtype == np.int8 and rows.shape[1] < EXACT_DIMENSIONS
    return rows.astype(np.float32) if is_exact else rows.astype(np.float64)


def _row_lengths(rows: FloatRows) -> NDArray[np.float64]:
    """The length of each row; 1 for a row that is zero."""
    lengths: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows).astype(np.float64))
    lengths[lengths == 0] = 1
    return lengths


def _cosines(
    rows: FloatRows,
    lengths: NDArray[np.float64],
    query: FloatRows,
    query_lengths: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The cosine of each row of *query* with each of *rows*; shape (len(query), len(rows))."""
    # A matrix product of whole numbers is exact; of others it depends on the number of threads.
    is_exact = rows.dtype == np.float32
    products = (
        (rows @ query.T).T if is_exact else np.einsum("ij,kj->ik", query, rows)
    )  # a third of the time of `query @ rows.T`
    cosines: NDArray[np.float64] = products / lengths
    cosines /= query_lengths[:, np.newaxis]
    return cosines
