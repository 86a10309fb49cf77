import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.top_k import reached_by, top_k

SCORES = st.lists(st.sampled_from([-np.inf, -2.0, 0.0, 0.5, 1.0, 7.0]) | st.floats(-9, 9, width=32), max_size=400)


@given(SCORES, st.integers(1, 40), st.sampled_from([np.float32, np.float64]))
def test_the_highest_are_found_with_all_that_equal_the_last_of_them(values, limit, kind):
    scores = np.array(values, kind)

    found = top_k(scores, limit)

    finite = np.sort(scores[scores > -np.inf])[::-1]
    lowest = finite[:limit].min(initial=np.inf)
    assert found.tolist() == np.flatnonzero((scores >= lowest) & (scores > -np.inf)).tolist()


@given(SCORES, st.integers(1, 40), st.sampled_from([0.25, 1.0, 100.0]))
def test_scores_within_the_margin_of_the_last_are_found_as_well(values, limit, margin):
    scores = np.array(values, np.float64)

    found = top_k(scores, limit, margin)

    finite = np.sort(scores[scores > -np.inf])[::-1]
    lowest = finite[:limit].min(initial=np.inf) - (margin if len(finite) >= limit else 0)
    assert found.tolist() == np.flatnonzero((scores >= lowest) & (scores > -np.inf)).tolist()


@given(SCORES, st.integers(1, 40))
def test_at_least_as_many_as_wanted_reach_the_bound_where_there_are_so_many(values, limit):
    scores = np.array(values, np.float64)

    reached = np.count_nonzero(scores >= reached_by(scores, limit))

    assert reached >= min(limit, np.count_nonzero(scores > -np.inf))


@pytest.mark.parametrize("count", [64, 6_400, 100_000])
def test_not_many_more_than_wanted_reach_the_bound(count):
    scores = np.random.default_rng(0).normal(size=count)
    limit = max(1, count // 640)

    assert np.count_nonzero(scores >= reached_by(scores, limit)) <= 2 * limit + 64
