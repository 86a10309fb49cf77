"""
Quantizes embeddings: to int8 for storage, and to binary codes that propose rows of large matrices.

Each row is scaled by its own largest component. The scale of a row does not change a cosine, so it is not stored.
Against float32 this keeps 97 to 99 of 100 nearest neighbours, at a quarter of the size. An empty row means that there
was nothing to embed: it takes part in no search.

Binary codes tell which rows point the same way as a query by the signs of their components alone. Signs of random
projections estimate the angle between two vectors (Charikar 2002). One bit a dimension takes an eighth of the memory
and of the time of the int8 rows, and puts nearly all of the nearest rows among the nearest 15,000, which are then
compared exactly: `tests/retrieval/recall.py` prints how many.

A model says much more in some dimensions than in others, and nearly the same of all texts in some: plain signs would
count them alike. So rows are first rotated by a randomised Hadamard transform (Ailon and Chazelle 2009), which spreads
what each dimension says over all of them: of the ten nearest of a million chunks .970 are proposed, not .933, and of
200,000 titles .998, not .995. The rotation is the same for every index: one that follows its contents would find a
little more (.98), but an answer must not depend on when the index was opened.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import shake_256
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_installed: ModuleType | None
try:
    import simsimd

    _installed = simsimd
except ImportError:  # no wheel for this platform: numpy is slower
    _installed = None

FloatVector: TypeAlias = NDArray[np.float32]
"""One embedding, shape (dim,)."""
FloatMatrix: TypeAlias = NDArray[np.float32]
"""Embeddings, shape (count, dim), one row a text."""

PEAK = 127  # of int8, kept symmetric: -128 would have no counterpart


def quantize(matrix: FloatMatrix) -> list[bytes]:
    """
    Quantize each row of *matrix* to its stored form.

    Returns:
        One byte a dimension; empty for a row that is zero or holds anything but finite numbers.
    """
    if matrix.size == 0:
        return [b""] * len(matrix)
    peaks = np.abs(matrix).max(axis=1)
    usable = np.isfinite(peaks) & (peaks > 0)
    divisors = np.where(usable, peaks, 1).astype(np.float32)[:, np.newaxis]
    scaled = np.rint(np.where(usable[:, np.newaxis], matrix, 0) / divisors * PEAK).astype(np.int8)
    return [row.tobytes() if is_usable else b"" for row, is_usable in zip(scaled, usable, strict=True)]


def dequantize(rows: Sequence[bytes], dim: int) -> FloatMatrix:
    """
    Turn stored rows back into floats.

    Returns:
        float32, shape (len(rows), dim), rows of unit length; an empty row gives a zero row.
    """
    matrix = np.zeros((len(rows), dim), dtype=np.float32)
    for target, row in zip(matrix, rows, strict=True):
        if row:
            values = np.frombuffer(row, dtype=np.int8).astype(np.float32)
            target[:] = values / np.linalg.norm(values)
    return matrix


def cosines(rows: Sequence[bytes], vector: FloatVector) -> list[float]:
    """Cosine of *vector* with each of *rows* in their stored form; see `matrix_cosines`."""
    if not rows:
        return []
    matrix = np.frombuffer(b"".join(rows), dtype=np.int8).reshape(len(rows), -1)
    return [float(score) for score in matrix_cosines(matrix, vector)]


def matrix_cosines(
    rows: NDArray[np.int8], vector: FloatVector, squares: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """
    Cosine of *vector* with each of *rows*, none of them zero.

    Sums of products are float64 and each row's is taken by itself, so that equal rows score equal wherever they stand:
    a matrix product rounds differently by position, and the order of insertion would decide a tie.

    Args:
        squares: The sums of the squares of each row, which are whole numbers; None: they are computed.
    """
    matrix, query = rows.astype(np.float64), vector.astype(np.float64)
    if squares is None:
        squares = np.einsum("ij,ij->i", matrix, matrix)
    scores: NDArray[np.float64] = np.einsum("ij,j->i", matrix, query)
    scores /= np.sqrt(squares * (query * query).sum())
    return scores


BLOCK_ROWS = 1024  # turned into floats at a time, 1 MB at 256 dimensions; 4096 want fresh pages: ten times slower
EXACT_SUM = 2**24  # float32 counts whole numbers up to here without rounding
_TRIED_DIMENSIONS = (1, 31, 256, 1000)  # one word of the processor, a part of one, many


def int8_dot(rows: NDArray[np.int8], query: NDArray[np.int8]) -> NDArray[np.floating[Any]]:
    """
    The product of each row with *query*, exact.

    Args:
        rows: Shape (count, dim).
        query: Shape (dim,).

    Returns:
        Shape (count,), float32 where that is exact.
    """
    library = _simsimd()
    if library is None or not rows.size:
        return numpy_int8_dot(rows, query)
    kind = "float32" if _sum_type(len(query)) is np.float32 else "float64"
    return np.asarray(library.dot(query[np.newaxis, :], rows, out_dtype=kind)).reshape(len(rows))


def numpy_int8_dot(rows: NDArray[np.int8], query: NDArray[np.int8]) -> NDArray[np.floating[Any]]:
    """`int8_dot` by numpy alone, as a product of floats that are large enough not to round."""
    kind = _sum_type(len(query))
    floats = query.astype(kind)
    found = np.empty(len(rows), dtype=kind)
    for start in range(0, len(rows), BLOCK_ROWS):
        found[start : start + BLOCK_ROWS] = np.dot(rows[start : start + BLOCK_ROWS].astype(kind), floats)
    return found


def _sum_type(dim: int) -> type[np.float32 | np.float64]:
    """The smaller float type that holds every product of *dim* dimensions, and every part of its sum, exactly."""
    return np.float32 if dim * 128 * 128 < EXACT_SUM else np.float64


@cache
def _simsimd() -> ModuleType | None:
    """simsimd, if it is installed and right on this processor; None: numpy is to be asked."""
    if _installed is None or not all(map(_is_right, [_installed] * len(_TRIED_DIMENSIONS), _TRIED_DIMENSIONS)):
        return None
    return _installed


def _is_right(library: ModuleType, dim: int) -> bool:
    """Whether *library* adds up the largest numbers there are, and others, as numpy does."""
    rows = np.array([[-128] * dim, [127] * dim, [(37 * at) % 256 - 128 for at in range(dim)]], dtype=np.int8)
    for query in rows:
        found = np.asarray(library.dot(query[np.newaxis, :], rows), dtype=np.float64).reshape(-1)
        if found.tolist() != numpy_int8_dot(rows, query).tolist():
            return False
    return True


WORD_BITS = 64
CODES_AT_ONCE = 16_384  # compared at a time, so that what lies between stays in the processor's cache
SAMPLE_STRIDE = 16  # one of so many rows estimates how far apart the nearest are
MAX_DISTANCE = 254  # distances are counted in bytes; what is further apart counts as this far
NEVER_CLOSE = 255  # for rows that are not to be found at all

IntMatrix: TypeAlias = NDArray[np.signedinteger[Any]]
BinaryCodes: TypeAlias = NDArray[np.uint64]
"""Shape (words, count): one word of all rows, 64 dimensions, is read in one go."""


def hadamard_rotate(rows: NDArray[np.int8]) -> IntMatrix:
    """
    *rows*, shape (count, dim), with random signs and then a Walsh-Hadamard transform applied.

    In whole numbers, so that the order of adding does not show. Rows stay as they are where their dimension is no power
    of two.
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
    rotated: IntMatrix = found.T
    return rotated


def _random_signs(dim: int) -> NDArray[np.int8]:
    """1 or -1 for each dimension: any would do, as long as it is always the same."""
    return 1 - 2 * (np.frombuffer(shake_256(b"turn").digest(dim), dtype=np.uint8) & 1).astype(np.int8)


def words_per_code(dim: int) -> int:
    """The number of 64-bit words in a code of *dim* dimensions."""
    return -(-dim // WORD_BITS)


def to_binary_codes(rows: IntMatrix) -> BinaryCodes:
    """The codes of *rows*, shape (count, dim): a bit is set where a component is positive; unused bits are 0."""
    count, dim = rows.shape
    packed = np.zeros((count, words_per_code(dim) * WORD_BITS // 8), dtype=np.uint8)
    packed[:, : -(-dim // 8)] = np.packbits(rows > 0, axis=1)
    return np.ascontiguousarray(packed.view(np.uint64).T)


def hamming(codes: BinaryCodes, query: IntMatrix) -> NDArray[np.uint8]:
    """Hamming distance of each row's code from the code of *query*, at most `MAX_DISTANCE`; shape (count,)."""
    wanted = to_binary_codes(query[np.newaxis, :])[:, 0]
    count = codes.shape[1]
    distances = np.zeros(count, dtype=np.uint8)
    differing = np.empty(min(count, CODES_AT_ONCE), dtype=np.uint64)
    for start in range(0, count, CODES_AT_ONCE):
        found = distances[start : start + CODES_AT_ONCE]
        for number, (column, word) in enumerate(zip(codes[:, start : start + CODES_AT_ONCE], wanted, strict=True), 1):
            bits = np.bitwise_count(np.bitwise_xor(column, word, out=differing[: len(found)]))
            if number * WORD_BITS > MAX_DISTANCE:
                np.minimum(bits, MAX_DISTANCE - found, out=bits)
            found += bits
    return distances


def closest(distances: NDArray[np.uint8], depth: int) -> NDArray[np.intp]:
    """Positions of the *depth* lowest *distances*, and of all that equal the last of them; ascending."""
    counts = np.cumsum(np.bincount(distances[::SAMPLE_STRIDE], minlength=NEVER_CLOSE + 1)) * SAMPLE_STRIDE
    low = min(int(np.searchsorted(counts, depth)), MAX_DISTANCE)  # nearly: to count all takes as long as these steps
    while low < MAX_DISTANCE and np.count_nonzero(distances <= low) < depth:
        low += 1
    while low > 0 and np.count_nonzero(distances <= low - 1) >= depth:
        low -= 1
    return np.flatnonzero(distances <= low)
