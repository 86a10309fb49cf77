"""
How near is a query to the passages of a vault at large?

A cosine means little by itself: one of .4 is far out in one vault and ordinary in another. Its z-score, over cosines
with passages taken at random, means the same everywhere. The passages are chosen by a hash of their vectors, so that
the same notes give the same sample, in whichever order they were indexed.
"""

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.vectors.matrix import row_norms
from quarry.index.vectors.quantize import int8_dot

SAMPLE_ROWS = 1_024  # the spread of so many is right to 3 %; comparing them takes 20 us
# What a few passages tell is little: they count beside so many of an ordinary vault (mean of ten collections).
PRIOR_ROWS, PRIOR_MEAN, PRIOR_SPREAD = 16, 0.1, 0.085
DIGITS = 6

_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiplying by it mixes the high bits
_HASHED_BYTES = 8  # of a vector
_ALL_HASHES = 2.0**64


class Background(Struct, frozen=True):
    """The distribution of a query's cosines with passages taken at random."""

    mean: float = PRIOR_MEAN
    spread: float = PRIOR_SPREAD  # the standard deviation


class BackgroundSample(Struct, frozen=True):
    """Passages that stand for all of a snapshot: their quantized vectors, shape (count, dim), in no order."""

    rows: NDArray[np.int8]
    norms: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.int8]) -> "BackgroundSample":
        """The sample that consists of *rows*."""
        return cls(rows, row_norms(rows))

    def background(self, query: NDArray[np.int8], query_norm: float) -> Background:
        """The background of a quantized *query* of this length, which is not 0."""
        # Sorted, as the order of the rows must not show in the last bit.
        cosines = np.sort(int8_dot(self.rows, query).astype(np.float64) / (self.norms * query_norm))
        count = len(cosines) + PRIOR_ROWS
        mean = (float(cosines.sum()) + PRIOR_ROWS * PRIOR_MEAN) / count
        squares = float(np.square(cosines - mean).sum())
        squares += PRIOR_ROWS * (PRIOR_SPREAD**2 + (PRIOR_MEAN - mean) ** 2)
        return Background(round(mean, DIGITS), round(math.sqrt(squares / count), DIGITS))


def in_sample(rows: NDArray[np.int8], total: int) -> NDArray[np.intp]:
    """The positions of those *rows*, shape (count, dim), that are in the sample of a matrix of *total* rows."""
    if total <= 2 * SAMPLE_ROWS:
        return np.arange(len(rows))
    hashed = np.zeros((len(rows), _HASHED_BYTES), np.int8)
    hashed[:, : rows.shape[1]] = rows[:, :_HASHED_BYTES]
    return (hashed.view("<u8")[:, 0] * _ODD < np.uint64(_ALL_HASHES * SAMPLE_ROWS / total)).nonzero()[0]
