"""What stays, and which lines may speak of a failure."""

import pytest

from quarry.agents.hooks.compression.reduction import Reduction, is_alarming, without_blank_runs


@pytest.mark.parametrize(
    "line",
    [
        "TypeError: x",
        "2 errors",
        "warning: unused",
        "FAILED",
        "Permission denied",
        "make: *** Error 1",
        "cannot find symbol",
        "Could NOT find Threads",
        "thread panicked",
        "DeprecationWarning",
        "exit code: 1",
    ],
)
def test_words_of_failure_alarm(line):
    assert is_alarming(line)


@pytest.mark.parametrize(
    "line", ["Compiling serde v1.0", "[ 12%] Building C object", "gcc -Werror -c a.c", "Collecting rich"]
)
def test_lines_that_inform_do_not(line):
    assert not is_alarming(line)


def test_left_out_is_what_is_neither_kept_nor_our_own():
    assert Reduction(["a", "b", "... 3 more"], own=1).of(10).left_out == 8


def test_blank_lines_do_not_pile_up():
    assert without_blank_runs(["", "a", "", " ", "b", "", ""]) == ["a", "", "b"]
