"""
Which rows point the same way as a query, judged by the signs of their components alone?

A sign a dimension takes an eighth of the memory and of the time of the whole numbers, and puts nearly all of the
nearest among the nearest 15,000, which are then compared exactly: `tests/retrieval/recall.py` prints how many.

A model says much more in some dimensions than in others, and nearly the same of all texts in some: signs would count
them alike. So rows are turned first, which spreads what each dimension says over all of them: of the ten nearest of a
million chunks .970 are proposed, not .933, and of 200,000 titles .998, not .995. The turn is the same for every index:
one that follows what is in it would find a little more (.98), but an answer must not depend on when it was opened.
"""

from functools import lru_cache
from hashlib import shake_256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
SAMPLED = 16  # one of so many rows tells about where the nearest end
MOST_APART = 255  # distances are counted in bytes; what is further apart is the same to us

Whole: TypeAlias = NDArray[np.signedinteger[Any]]
Signs = NDArray[np.uint64]
"""Shape (words, count): a column of 64 dimensions at a time is read in one go."""


def turned(rows: NDArray[np.int8]) -> Whole:
    """
    *rows*, shape (count, dim), turned by a Walsh-Hadamard transform with some dimensions turned about before.

    In whole numbers, so that no order of adding shows. Rows of other than a power of two dimensions stay as they are.
    """
    dim = rows.shape[1]
    if dim & (dim - 1):
        return rows
    kind: type[np.int16 | np.int32] = np.int16 if dim * 128 <= 1 << 15 else np.int32
    found: NDArray[Any] = (rows.T * _about(dim)[:, np.newaxis]).astype(kind, order="C")
    step = 1
    while step < dim:
        pairs = found.reshape(dim // (2 * step), 2, step, -1)
        sums = pairs[:, 0] + pairs[:, 1]
        np.subtract(pairs[:, 0], pairs[:, 1], out=pairs[:, 1])
        pairs[:, 0] = sums
        step *= 2
    whole: Whole = found.T
    return whole


@lru_cache(maxsize=2)
def _about(dim: int) -> NDArray[np.int8]:
    """1 or -1 for each dimension: any would do, as long as it is always the same."""
    return 1 - 2 * (np.frombuffer(shake_256(b"turn").digest(dim), dtype=np.uint8) & 1).astype(np.int8)


def words_of(dim: int) -> int:
    """How many words the signs of *dim* dimensions take."""
    return -(-dim // WORD_BITS)


def signs_of(rows: Whole) -> Signs:
    """The signs of *rows*, shape (count, dim); dimensions that are not there count as equal."""
    count, dim = rows.shape
    packed = np.zeros((count, words_of(dim) * WORD_BITS // 8), dtype=np.uint8)
    packed[:, : -(-dim // 8)] = np.packbits(rows > 0, axis=1)
    return np.ascontiguousarray(packed.view(np.uint64).T)


def distances(signs: Signs, query: Whole) -> NDArray[np.uint8]:
    """In how many dimensions each row's sign is another than that of *query*, at most `MOST_APART`; shape (count,)."""
    wanted = signs_of(query[np.newaxis, :])[:, 0]
    found = np.zeros(signs.shape[1], dtype=np.uint8)
    for number, (column, word) in enumerate(zip(signs, wanted, strict=True), 1):
        apart = np.bitwise_count(column ^ word)
        if number * WORD_BITS > MOST_APART:
            np.minimum(apart, MOST_APART - found, out=apart)
        found += apart
    return found


def nearest(apart: NDArray[np.uint8], depth: int) -> NDArray[np.intp]:
    """Where the *depth* lowest of *apart* stand, and all that are as low as the last of them; ascending."""
    counts = np.cumsum(np.bincount(apart[::SAMPLED], minlength=MOST_APART + 1)) * SAMPLED
    low = min(int(np.searchsorted(counts, depth)), MOST_APART)  # about there: a count of all takes as long as of these
    while low < MOST_APART and np.count_nonzero(apart <= low) < depth:
        low += 1
    while low > 0 and np.count_nonzero(apart <= low - 1) >= depth:
        low -= 1
    return np.flatnonzero(apart <= low)
