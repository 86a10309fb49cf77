import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.top_k import (
    argsort_by_score_then_path,
    fetch_with_ties,
    reached_by,
    sort_by_score_then_path,
    top_k,
)

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


# --- ties ---------------------------------------------------------------------------------------


def test_a_cut_amid_equal_scores_asks_for_all_of_them():
    rows = [(n, 2.0) for n in range(3)] + [(n, 1.0) for n in range(3, 40)] + [(40, 0.5)]

    found = fetch_with_ties(lambda limit: rows[:limit], 5)

    assert {row for row in rows if row[1] >= 1.0} <= set(found)


def test_one_question_is_enough_where_the_cut_is_clear():
    asked = []

    def fetch(limit):
        asked.append(limit)
        return [(n, float(-n)) for n in range(limit)]

    fetch_with_ties(fetch, 30)
    assert asked == [31]


def test_places_are_not_asked_for_where_no_score_is_met_twice():
    assert sort_by_score_then_path(np.array([1, 2]), np.array([1.0, 2.0]), 9, None) == [(2, 2.0), (1, 1.0)]
    assert sort_by_score_then_path(np.array([], dtype=np.int64), np.array([]), 9, None) == []


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), max_size=30), st.integers(1, 12))
def test_what_stands_first_is_what_sorting_by_score_and_place_gives(scores, depth):
    ids = np.arange(len(scores)) * 7 + 3
    places = {i: (f"{i * 31 % 17}", i) for i in ids.tolist()}

    found = argsort_by_score_then_path(ids, np.array(scores), depth, lambda asked: {i: places[i] for i in asked})

    assert found.tolist() == sorted(range(len(scores)), key=lambda at: (-scores[at], places[int(ids[at])]))[:depth]
