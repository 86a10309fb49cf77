"""What is there for a terminal alone is taken out."""

import pytest

from quarry.agents.hooks.compression.cleaning import cleaned_lines, is_progress


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\x1b[1;31mred\x1b[0m\x1b[K", ["red"]),
        ("\x1b]8;;https://x.org\x07link\x1b]8;;\x07", ["link"]),
        ("\x1b]0;title\x1b\\text", ["text"]),
        ("1 %\r50 %\rdone\r\n", ["done"]),
        ("a\x00b\x08c", ["abc"]),
        ("trailing   \nnext\n\n", ["trailing", "next"]),
        ("=" * 80, ["==="]),
        ("=" * 20 + " FAILURES " + "=" * 20, ["=== FAILURES ==="]),
        ("_ " * 40, ["_ _ _"]),
        ("x" * 5000, ["x" * 5000]),
    ],
)
def test_lines_are_as_a_terminal_shows_them_in_the_end(text, lines):
    assert cleaned_lines(text) == lines


@pytest.mark.parametrize(
    "line",
    [
        " 45%|████▌     | 45/100 [00:01<00:01, 40.1it/s]",
        "Reading: 100%|##########| 3/3 [00:00<00:00]",
        "     ━━━━━━━━━━━━━━━━━━━━ 411.8/411.8 kB 4.8 MB/s eta 0:00:00",
        "[=====>              ] 25%",
        "⠙ installing",
        " 24  100M   24 24.1M    0     0  4114k      0  0:00:24  0:00:06  0:00:18 5012k",
    ],
)
def test_progress_is_recognised(line):
    assert is_progress(line)


@pytest.mark.parametrize(
    "line", ["", "50% of the tests failed", "─── STDERR ───", "[1, 2, 3]", "| 3 | 4 | 5 |", "3 4 5 errors"]
)
def test_other_lines_are_no_progress(line):
    assert not is_progress(line)
