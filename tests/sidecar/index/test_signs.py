import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.signs import MOST_APART, distances, nearest, signs_of


@given(dim=st.integers(1, 300), seed=st.integers(0, 5))
def test_the_distance_is_the_number_of_other_signs(dim, seed):
    rows = np.random.default_rng(seed).integers(-127, 128, (20, dim), dtype=np.int8)
    plain = [min(MOST_APART, int(np.count_nonzero((row > 0) != (rows[0] > 0)))) for row in rows]

    assert distances(signs_of(rows), rows[0]).tolist() == plain


def test_an_opposite_is_not_taken_for_an_equal():
    rows = np.array([[1] * 256, [-1] * 256], dtype=np.int8)

    assert distances(signs_of(rows), rows[0]).tolist() == [0, MOST_APART]


@given(st.lists(st.integers(0, 255), max_size=60), st.integers(1, 70))
def test_the_nearest_are_those_as_near_as_the_last_of_so_many(apart, depth):
    ordered = sorted(apart)
    limit = ordered[min(depth, len(ordered)) - 1] if ordered else 0

    found = nearest(np.array(apart, dtype=np.uint8), depth).tolist()

    assert found == [at for at, distance in enumerate(apart) if distance <= limit or depth > len(apart)]
