"""What is stored of a vector, and exact products of stored rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quarry.index import dequantize, quantize
from quarry.index.vectors import quantize as module
from quarry.index.vectors.quantize import cosines, int8_dot, matrix_cosines, numpy_int8_dot

MATRICES = arrays.arrays(np.float32, (3, 16), elements=st.floats(-1, 1, width=32))


@given(MATRICES)
def test_a_row_keeps_its_direction_to_within_its_rounding(matrix):
    matrix = np.where(np.abs(matrix) < 1e-6, 0, matrix)

    back = dequantize(quantize(matrix), 16)

    for before, after in zip(matrix, back, strict=True):
        if before.any():
            assert float(before @ after) / np.linalg.norm(before) > 0.999


def test_a_row_with_nothing_in_it_is_empty_and_comes_back_as_zero():
    assert quantize(np.zeros((1, 4), dtype=np.float32)) == [b""]
    assert not dequantize([b""], 4).any()


def test_a_row_with_no_number_in_it_is_left_out():
    rows = np.array([[np.nan, 1], [np.inf, 0], [1, 1]], dtype=np.float32)

    assert [len(row) for row in quantize(rows)] == [0, 0, 2]


def test_no_rows_give_no_rows():
    assert quantize(np.zeros((0, 4), dtype=np.float32)) == []
    assert cosines([], np.ones(4, dtype=np.float32)) == []


def test_scale_does_not_matter():
    row = np.array([[0.1, -0.2, 0.05, 0.0]], dtype=np.float32)

    assert quantize(row) == quantize(row * 1000)


def test_equal_rows_score_equal_wherever_they_stand():
    rng = np.random.default_rng(0)
    rows = quantize(rng.normal(size=(97, 100)).astype(np.float32))
    query = rng.normal(size=100).astype(np.float32)

    scores = cosines([row for row in rows for _ in range(3)], query)

    assert all(scores[n] == scores[n + 1] == scores[n + 2] for n in range(0, len(scores), 3))
    assert scores[::3] == cosines(rows, query)


def test_a_cosine_is_to_the_last_bit_what_its_own_row_gives():
    rng = np.random.default_rng(1)
    rows = rng.integers(-127, 128, (300, 256)).astype(np.int8)
    query = rng.normal(size=256).astype(np.float32)

    scores = matrix_cosines(rows, query)

    for row, score in zip(rows.astype(np.float64), scores, strict=True):
        wide = query.astype(np.float64)
        assert score == (row * wide).sum() / np.sqrt((row * row).sum() * (wide * wide).sum())
    assert rows.dtype == np.int8
    assert query.dtype == np.float32


@pytest.fixture(autouse=True)
def asked_anew():
    module._simsimd.cache_clear()
    yield
    module._simsimd.cache_clear()


@given(dim=st.integers(1, 2_100), count=st.integers(0, 9), seed=st.integers(0, 9))
def test_products_are_whole_numbers_whoever_adds_them_up(dim, count, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-128, 128, (count, dim), dtype=np.int8)
    query = rng.integers(-128, 128, dim, dtype=np.int8)
    plain = (rows.astype(np.int64) @ query.astype(np.int64)).tolist()

    assert int8_dot(rows, query).tolist() == numpy_int8_dot(rows, query).tolist() == plain


def test_the_largest_numbers_do_not_overflow():
    rows = np.full((3, 4_096), -128, dtype=np.int8)

    assert int8_dot(rows, rows[0]).tolist() == numpy_int8_dot(rows, rows[0]).tolist() == [4_096 * 128 * 128] * 3


def test_without_the_library_or_with_one_that_is_wrong_numpy_is_asked(monkeypatch):
    class Wrong:
        @staticmethod
        def dot(query, rows):
            return np.zeros(len(rows))

    rows = np.ones((2, 5), dtype=np.int8)

    for found in (None, Wrong):
        module._simsimd.cache_clear()
        monkeypatch.setitem(__import__("sys").modules, "simsimd", found)
        assert module._simsimd() is None
        assert int8_dot(rows, rows[0]).tolist() == [5, 5]
