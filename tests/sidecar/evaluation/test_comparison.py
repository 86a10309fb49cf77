"""Comparing: the randomisation test against all sign flips there are, and what is paired with what."""

from itertools import product

import numpy as np
import pytest

from quarry.evaluation.comparison import FLIPS, compare, randomisation


def exhaustive(gains):
    """The same test over every choice of signs."""
    sums = [
        abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True)))
        for signs in product((1, -1), repeat=len(gains))
    ]
    return sum(total >= abs(sum(gains)) - 1e-9 for total in sums) / len(sums)


@pytest.mark.parametrize(
    "gains",
    [
        [0.5, 0.25, 0.125, -0.0625, 0.5, 0.75],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [0.3, -0.3, 0.1, -0.1],
        [0.1] * 6 + [-0.7],
        [0.9, 0.05, -0.2, 0.4, -0.6, 0.33, 0.21, -0.04, 0.5, 0.5],
    ],
)
def test_it_comes_near_the_test_over_all_signs(gains):
    p = exhaustive(gains)

    assert randomisation(np.array(gains, float)) == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / FLIPS) + 2 / FLIPS)


def test_it_does_not_mind_which_of_the_two_is_better():
    gains = np.array([0.5, 0.1, -0.2, 0.7])

    assert randomisation(gains) == randomisation(-gains)


def test_two_equal_systems_have_a_p_of_1():
    assert randomisation(np.zeros(20)) == randomisation(np.zeros(0)) == 1


def test_queries_without_a_difference_change_nothing():
    gains = np.array([0.5, 0.1, -0.2, 0.7])

    assert randomisation(np.concatenate([gains, np.zeros(50)])) == randomisation(gains)


def test_p_is_never_0():
    assert randomisation(np.ones(500)) == pytest.approx(1 / (FLIPS + 1))


@pytest.mark.slow
def test_many_queries_are_drawn_in_blocks_of_the_same_signs_each_time():
    gains = np.linspace(-1, 1.02, 3_000)

    assert randomisation(gains) == randomisation(gains)
    assert 0.2 < randomisation(gains) < 1


def test_means_are_compared_by_collection_and_every_collection_counts_the_same():
    first = {"a": {"1": 0.0, "2": 0.0}, "b": {"1": 0.5}}
    second = {"a": {"1": 1.0, "2": 0.0}, "b": {"1": 0.25}}

    found = compare(first, second)

    assert [(row.name, row.queries, row.first, row.second) for row in found.collections] == [
        ("a", 2, 0.0, 0.5),
        ("b", 1, 0.5, 0.25),
    ]
    assert found.overall.queries == 3
    assert found.overall.gain == pytest.approx(0.125)
    assert found.overall.p == 1.0


def test_queries_won_and_lost_come_with_the_largest_change_first():
    first = {"a": {"1": 0.0, "2": 0.2, "3": 0.5, "4": 1.0, "5": 1.0}}
    second = {"a": {"1": 0.1, "2": 1.0, "3": 0.5, "4": 0.9, "5": 0.0}}

    found = compare(first, second)

    assert [change.query for change in found.won] == ["2", "1"]
    assert [change.query for change in found.lost] == ["5", "4"]


def test_only_what_both_have_is_compared_and_the_rest_counted():
    found = compare({"a": {"1": 1.0, "2": 1.0}, "b": {"1": 1.0}}, {"a": {"1": 1.0, "3": 1.0}, "c": {"1": 1.0}})

    assert [row.name for row in found.collections] == ["a"]
    assert found.unpaired == 4


def test_nothing_in_common_is_no_difference():
    found = compare({"a": {"1": 1.0}}, {"b": {"1": 0.0}})

    assert found.collections == ()
    assert (found.overall.queries, found.overall.p) == (0, 1.0)
