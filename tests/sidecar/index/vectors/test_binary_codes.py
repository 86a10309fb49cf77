import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.vectors.binary_codes import (
    BLOCK_ROWS,
    MAX_DISTANCE,
    NEVER_CLOSE,
    closest,
    hadamard_rotate,
    hamming,
    to_binary_codes,
)


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
