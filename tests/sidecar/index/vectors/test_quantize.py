"""What is stored of a vector, and exact products of stored rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quarry.index import dequantize, quantize
from quarry.index.vectors import quantize as module
from quarry.index.vectors.quantize import (
    BLOCK_ROWS,
    MAX_DISTANCE,
    NEVER_CLOSE,
    closest,
    cosines,
    hadamard_rotate,
    hamming,
    int8_dot,
    matrix_cosines,
    numpy_int8_dot,
    to_binary_codes,
)

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
        monkeypatch.setattr(module, "_installed", found)
        assert module._simsimd() is None
        assert int8_dot(rows, rows[0]).tolist() == [5, 5]


@given(dim=st.integers(1, 300), seed=st.integers(0, 5))
def test_the_distance_is_the_number_of_other_signs(dim, seed):
    rows = np.random.default_rng(seed).integers(-127, 128, (20, dim), dtype=np.int8)
    plain = [min(MAX_DISTANCE, int(np.count_nonzero((row > 0) != (rows[0] > 0)))) for row in rows]

    assert hamming(to_binary_codes(rows), rows[0]).tolist() == plain


def test_an_opposite_is_not_taken_for_an_equal():
    rows = np.array([[1] * 256, [-1] * 256], dtype=np.int8)

    assert hamming(to_binary_codes(rows), rows[0]).tolist() == [0, MAX_DISTANCE]


@given(st.lists(st.integers(0, MAX_DISTANCE), max_size=60), st.integers(1, 70))
def test_the_nearest_are_those_as_near_as_the_last_of_so_many(apart, depth):
    ordered = sorted(apart)
    limit = ordered[min(depth, len(ordered)) - 1] if ordered else 0

    found = closest(np.array(apart, dtype=np.uint8), depth).tolist()

    assert found == [at for at, distance in enumerate(apart) if distance <= limit or depth > len(apart)]


def test_what_is_marked_as_never_close_is_not_found_however_many_are_wanted():
    assert closest(np.array([NEVER_CLOSE, MAX_DISTANCE, 3], dtype=np.uint8), 3).tolist() == [1, 2]


def test_rows_of_several_blocks_are_all_compared():
    rows = np.random.default_rng(0).integers(-127, 128, (2 * BLOCK_ROWS + 5, 70), dtype=np.int8)
    plain = np.count_nonzero((rows > 0) != (rows[3] > 0), axis=1)

    assert hamming(to_binary_codes(rows), rows[3]).tolist() == plain.tolist()


@given(dim=st.sampled_from([1, 2, 64, 100, 256, 512]), seed=st.integers(0, 5))
def test_a_row_is_turned_alike_whatever_is_turned_with_it(dim, seed):
    rows = np.random.default_rng(seed).integers(-127, 128, (9, dim), dtype=np.int8)

    assert np.array_equal(np.concatenate([hadamard_rotate(row[np.newaxis]) for row in rows]), hadamard_rotate(rows))


def test_the_largest_numbers_are_turned_without_overflow():
    signs = np.sign(hadamard_rotate(np.eye(256, dtype=np.int8)).astype(np.int64))
    rows = (127 * signs.T).astype(np.int8)

    assert np.abs(hadamard_rotate(rows).astype(np.int64)).max(axis=1).tolist() == [127 * 256] * 256


def test_a_turn_keeps_what_is_near_near():
    rows = np.random.default_rng(0).integers(-127, 128, (9, 256), dtype=np.int8)
    whole, exact = hadamard_rotate(rows).astype(np.int64), rows.astype(np.int64)

    assert np.array_equal(whole @ whole.T, 256 * exact @ exact.T)


def test_more_of_the_nearest_are_proposed_where_dimensions_say_unequally_much():
    chance = np.random.default_rng(0)
    weights = np.exp(-np.arange(256) / 30)  # as what a model says of texts
    texts = (chance.normal(size=(4_000, 256)) * weights + 2 * weights) * 30
    rows = np.clip(np.rint(texts), -127, 127).astype(np.int8)
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    exact = [set(np.argsort(-(rows.astype(np.int64) @ row) / lengths)[:10].tolist()) for row in rows[:50].astype(int)]

    def found(given):
        near = [closest(hamming(to_binary_codes(given), row), 100).tolist() for row in given[:50]]
        return sum(len(wanted.intersection(those)) for wanted, those in zip(exact, near, strict=True)) / 500

    assert found(hadamard_rotate(rows)) > found(rows) + 0.2
