"""The choice of the largest value within a capacity, compared with trying every choice there is."""

import random
from itertools import product

import pytest

from quarry.search.knapsack import MAX_COLUMNS, Option, choose


def value(items, chosen):
    return sum(options[at].value for options, at in zip(items, chosen, strict=True) if at is not None)


def size(items, chosen):
    return sum(options[at].size for options, at in zip(items, chosen, strict=True) if at is not None)


def best_of_all(items, capacity, limit):
    every = product(*[[None, *range(len(options))] for options in items])
    fitting = [
        chosen for chosen in every if size(items, chosen) <= capacity and sum(at is not None for at in chosen) <= limit
    ]
    return max(value(items, chosen) for chosen in fitting)


def random_items(dice, count):
    return [
        [Option(dice.randint(1, 60), dice.randint(-5, 90)) for _ in range(dice.randint(0, 3))] for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_no_other_choice_is_worth_more(seed):
    dice = random.Random(seed)
    items, capacity, limit = random_items(dice, dice.randint(0, 7)), dice.randint(0, 150), dice.randint(0, 5)

    chosen = choose(items, capacity, limit)

    assert value(items, chosen) == best_of_all(items, capacity, limit)
    assert size(items, chosen) <= capacity
    assert sum(at is not None for at in chosen) <= limit


def test_two_small_ones_are_worth_more_than_a_large_one():
    items = [[Option(100, 9)], [Option(50, 6)], [Option(50, 5)]]

    assert choose(items, 100, 3) == (None, 0, 0)


def test_an_item_is_taken_in_a_smaller_size_where_the_rest_is_worth_more():
    items = [[Option(90, 10), Option(50, 8)], [Option(50, 5)]]

    assert choose(items, 100, 2) == (1, 0)


def test_what_is_worth_nothing_is_left_out():
    assert choose([[Option(1, 0)], [Option(1, -3)]], 100, 2) == (None, None)


def test_a_large_capacity_is_kept_although_sizes_are_rounded():
    dice = random.Random(1)
    items = [[Option(dice.randint(400, 2_000), dice.randint(1, 100))] for _ in range(30)]
    capacity = 9 * MAX_COLUMNS + 7

    chosen = choose(items, capacity, 30)

    assert capacity * 0.8 < size(items, chosen) <= capacity


def test_of_equal_items_the_earlier_ones_are_taken():
    assert choose([[Option(10, 5)]] * 4, 20, 4) == (0, 0, None, None)
