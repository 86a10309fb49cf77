"""
Which rows point the same way as a query, judged by the signs of their components alone?

A sign a dimension takes an eighth of the memory and of the time of the whole numbers, and puts nearly all of the
nearest among the nearest 15,000, which are then compared exactly: `tests/retrieval/recall.py` prints how many.

A model says much more in some dimensions than in others, and nearly the same of all texts in some: signs would count
them alike. So rows are rotated first, which spreads what each dimension says over all of them: of the ten nearest of a
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
MAX_DISTANCE = 255  # hamming are counted in bytes; what is further apart is the same to us

IntMatrix: TypeAlias = NDArray[np.signedinteger[Any]]
BinaryCodes = NDArray[np.uint64]
"""Shape (words, count): a column of 64 dimensions at a time is read in one go."""


def hadamard_rotate(rows: NDArray[np.int8]) -> IntMatrix:
    """
    *rows*, shape (count, dim), hadamard_rotate by a Walsh-Hadamard transform with some dimensions turned about before.

    In whole numbers, so that no order of adding shows. Rows of other than a power of two dimensions stay as they are.
    """
    dim = rows.shape[1]
    if dim & (dim - 1):
        return rows
    kind: type[np.int16 | np.int32] = np.int16 if dim * 128 <= 1 << 15 else np.int32
    found: NDArray[Any] = (rows.T * _random_signs(dim)[:, np.newaxis]).astype(kind, order="C")
    step = 1
    while step < dim:
        pairs = found.reshape(dim // (2 * step), 2, step, -1)
        sums = pairs[:, 0] + pairs[:, 1]
        np.subtract(pairs[:, 0], pairs[:, 1], out=pairs[:, 1])
        pairs[:, 0] = sums
        step *= 2
    whole: IntMatrix = found.T
    return whole


@lru_cache(maxsize=2)
def _random_signs(dim: int) -> NDArray[np.int8]:
    """1 or -1 for each dimension: any would do, as long as it is always the same."""
    return 1 - 2 * (np.frombuffer(shake_256(b"turn").digest(dim), dtype=np.uint8) & 1).astype(np.int8)


def words_per_code(dim: int) -> int:
    """How many words the signs of *dim* dimensions take."""
    return -(-dim // WORD_BITS)


def to_binary_codes(rows: IntMatrix) -> BinaryCodes:
    """The signs of *rows*, shape (count, dim); dimensions that are not there count as equal."""
    count, dim = rows.shape
    packed = np.zeros((count, words_per_code(dim) * WORD_BITS // 8), dtype=np.uint8)
    packed[:, : -(-dim // 8)] = np.packbits(rows > 0, axis=1)
    return np.ascontiguousarray(packed.view(np.uint64).T)


def hamming(signs: BinaryCodes, query: IntMatrix) -> NDArray[np.uint8]:
    """Hamming distance of each row's code from the code of *query*, at most `MAX_DISTANCE`; shape (count,)."""
    wanted = to_binary_codes(query[np.newaxis, :])[:, 0]
    found = np.zeros(signs.shape[1], dtype=np.uint8)
    for number, (column, word) in enumerate(zip(signs, wanted, strict=True), 1):
        apart = np.bitwise_count(column ^ word)
        if number * WORD_BITS > MAX_DISTANCE:
            np.minimum(apart, MAX_DISTANCE - found, out=apart)
        found += apart
    return found


def closest(apart: NDArray[np.uint8], depth: int) -> NDArray[np.intp]:
    """Where the *depth* lowest of *apart* stand, and all that are as low as the last of them; ascending."""
    counts = np.cumsum(np.bincount(apart[::SAMPLED], minlength=MAX_DISTANCE + 1)) * SAMPLED
    low = min(
        int(np.searchsorted(counts, depth)), MAX_DISTANCE
    )  # about there: a count of all takes as long as of these
    while low < MAX_DISTANCE and np.count_nonzero(apart <= low) < depth:
        low += 1
    while low > 0 and np.count_nonzero(apart <= low - 1) >= depth:
        low -= 1
    return np.flatnonzero(apart <= low)
