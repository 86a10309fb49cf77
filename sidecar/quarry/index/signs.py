"""
Which rows point the same way as a query, judged by the signs of their components alone?

A sign a dimension takes an eighth of the memory and of the time of the whole numbers, and puts nearly all of the
nearest among the nearest 15,000, which are then compared exactly: `tests/retrieval/recall.py` prints how many. The
signs are those of the components themselves, not of their distance from a mean: that would find a little more, but the
mean moves with every note, and an answer must not depend on when the index was opened.
"""

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
SAMPLED = 16  # one of so many rows tells about where the nearest end
MOST_APART = 255  # distances are counted in bytes; what is further apart is the same to us

Signs = NDArray[np.uint64]
"""Shape (words, count): a column of 64 dimensions at a time is read in one go."""


def words_of(dim: int) -> int:
    """How many words the signs of *dim* dimensions take."""
    return -(-dim // WORD_BITS)


def signs_of(rows: NDArray[np.int8]) -> Signs:
    """The signs of *rows*, shape (count, dim); dimensions that are not there count as equal."""
    count, dim = rows.shape
    packed = np.zeros((count, words_of(dim) * WORD_BITS // 8), dtype=np.uint8)
    packed[:, : -(-dim // 8)] = np.packbits(rows > 0, axis=1)
    return np.ascontiguousarray(packed.view(np.uint64).T)


def distances(signs: Signs, query: NDArray[np.int8]) -> NDArray[np.uint8]:
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
