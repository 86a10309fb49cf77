"""
Which items are worth most within a capacity, each in one of its sizes or not at all?

The multiple-choice knapsack problem (Kellerer, Pferschy and Pisinger 2004, chapter 11) with a limit on the number of
items, solved exactly by dynamic programming over whole numbers: equal items give an equal choice on every machine.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

MAX_COLUMNS = 1_000  # of the table; beyond it, sizes are rounded up to units, and at most a thousandth of room is lost


class Option(Struct, frozen=True):
    """One way to take an item."""

    size: int  # at least 0
    value: int  # what is not worth more than 0 is never taken


def choose(items: Sequence[Sequence[Option]], capacity: int, limit: int) -> tuple[int | None, ...]:
    """
    Choose the options of the largest value: at most *limit* items, and at most *capacity* of their sizes together.

    Returns:
        For each item the index of the chosen one of its options; None: the item is left out. Among equal choices, the
        one that leaves out the later items.
    """
    best = [_best(options, capacity) for options in items]
    taken = [options[at].size for options, at in zip(items, best, strict=True) if at is not None]
    if len(taken) <= limit and sum(taken) <= capacity:
        return tuple(best)  # as for most queries: there is room for all
    unit = -(-max(capacity, 1) // MAX_COLUMNS)
    columns = capacity // unit + 1
    values: NDArray[np.int64] = np.zeros((limit + 1, columns), dtype=np.int64)
    chosen: list[NDArray[np.int16]] = []
    for options in items:
        values, choices = _with_item(values, options, unit)
        chosen.append(choices)
    return _traced(items, chosen, unit)


def _best(options: Sequence[Option], capacity: int) -> int | None:
    fitting = [at for at, option in enumerate(options) if option.value > 0 and option.size <= capacity]
    return max(fitting, key=lambda at: options[at].value, default=None)


def _with_item(
    values: NDArray[np.int64], options: Sequence[Option], unit: int
) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """
    Add an item to the table.

    Args:
        values: Shape (limit + 1, columns): the largest value of so many items and so many units.
        options: The item's.
        unit: Size of a column.

    Returns:
        The table with it, and the index of the option that was taken in each cell, -1 for none.
    """
    columns = values.shape[1]
    with_item, choices = values.copy(), np.full(values.shape, -1, dtype=np.int16)
    for at, option in enumerate(options):
        units = -(-option.size // unit)
        if option.value <= 0 or units >= columns:
            continue
        taken = values[:-1, : columns - units] + option.value
        better = taken > with_item[1:, units:]
        with_item[1:, units:][better] = taken[better]
        choices[1:, units:][better] = at
    return with_item, choices


def _traced(
    items: Sequence[Sequence[Option]], chosen: Sequence[NDArray[np.int16]], unit: int
) -> tuple[int | None, ...]:
    """The choice that leads to the last cell of the table."""
    count, column = (length - 1 for length in chosen[0].shape)
    found: list[int | None] = []
    for options, choices in zip(reversed(items), reversed(chosen), strict=True):
        at = int(choices[count, column])
        found.append(at if at >= 0 else None)
        if at >= 0:
            count, column = count - 1, column - -(-options[at].size // unit)
    return tuple(reversed(found))
