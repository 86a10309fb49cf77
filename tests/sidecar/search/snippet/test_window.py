"""The best window holds the most telling of what is wanted."""

from hypothesis import given
from hypothesis import strategies as st

from quarry.search.snippet.matcher import TermMatch
from quarry.search.snippet.window import best_window


def found(*things: tuple[int, str, int]) -> list[TermMatch]:
    return [(start, start + 4, key, value) for start, key, value in things]


def test_the_sum_of_different_words_decides() -> None:
    things = found((0, "a", 2), (10, "a", 2), (20, "b", 3), (200, "c", 9))

    assert best_window(things, 50, 0) == (200, 204)


def test_a_word_that_stands_there_twice_counts_once() -> None:
    assert best_window(found((0, "a", 4), (20, "a", 4), (200, "a", 4), (230, "b", 1)), 50, 0) == (200, 234)


def test_words_near_each_other_come_before_the_same_words_apart() -> None:
    things = found((0, "a", 4), (40, "b", 4), (200, "a", 4), (206, "b", 4))

    assert best_window(things, 50, 0) == (200, 210)


def test_of_equal_windows_the_first_is_taken_and_nothing_that_adds_nothing() -> None:
    things = found((0, "a", 4), (30, "a", 4), (50, "b", 4), (80, "b", 4), (300, "a", 4), (320, "b", 4))

    assert best_window(things, 100, 0) == (30, 54)


def test_what_stands_in_the_headings_counts_for_a_quarter() -> None:
    assert best_window(found((0, "a", 8), (300, "a", 8)), 50, 10) == (300, 304)
    assert best_window(found((0, "a", 80), (300, "b", 8)), 50, 10) == (0, 4)


THINGS = st.lists(
    st.tuples(st.integers(0, 300), st.sampled_from("abcd")), min_size=1, max_size=30, unique_by=lambda at: at[0] // 5
).map(lambda things: [(at, at + 4, key, " abcd".index(key) * 100) for at, key in sorted(things)])


@given(THINGS, st.integers(4, 200))
def test_no_other_window_has_a_greater_sum(things: list[TermMatch], width: int) -> None:
    def total(start: int, end: int) -> int:
        return sum({key: value for first, last, key, value in things if start <= first and last <= end}.values())

    start, end = best_window(things, width, 0)

    assert end - start <= width
    best = max(total(at[0], at[0] + width) for at in things)
    assert total(start, end) * 1.5 >= best  # being near is worth at most half as much again
