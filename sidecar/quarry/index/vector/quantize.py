"""
Quantizes embeddings to int8 for storage, each row scaled by its own largest component.

The scale of a row does not change a cosine, so it is not stored. Against float32 this keeps 97 to 99 of 100 nearest
neighbours, at a quarter of the size. An empty row means that there was nothing to embed: it takes part in no search.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
