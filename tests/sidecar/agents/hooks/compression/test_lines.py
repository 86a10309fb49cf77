"""What is left out of lines: what only a terminal needs, what only informs, and tests that passed."""

import pytest

from quarry.agents.hooks.compression import parse_command
from quarry.agents.hooks.compression.lines import (
    cleaned_lines,
    is_alarming,
    is_progress,
    shorten_build,
    shorten_test_run,
    without_blank_runs,
)


def built(*lines, command="make"):
    found = shorten_build(parse_command(command), list(lines))
    return None if found is None else found.lines


def tested(*lines):
    found = shorten_test_run(parse_command("make test"), list(lines))
    return None if found is None else found.lines


# --- any line ----------------------------------------------------------------------------------------------------


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


def test_blank_lines_do_not_pile_up():
    assert without_blank_runs(["", "a", "", " ", "b", "", ""]) == ["a", "", "b"]


# --- builds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "   Compiling serde v1.0.2",
        "[ 12%] Building C object a.o",
        "gcc -Wall -c a.c",
        "make[1]: Entering directory '/x'",
        "[INFO] Building shop",
        "> Task :app:compileJava UP-TO-DATE",
        "Collecting rich",
        "npm http fetch GET 200 x 12ms",
        "added 12 packages, and audited 13 packages in 3s",
        "asset main.js 1.2 KiB [emitted]",
        "dist/a.js  12.3 kB │ gzip: 3 kB",
        "#5 sha256:ab 1MB / 2MB",
        "remote: Counting objects: 100% (3/3), done.",
        "Get:3 http://x y",
        "go: downloading x v1.0.0",
        "-- Found Threads: TRUE",
    ],
)
def test_lines_that_inform_are_left_out(line):
    assert built(line, "added 3 packages", "built") == ["added 3 packages", "built"]


@pytest.mark.parametrize(
    "line",
    [
        "   Compiling failed for serde",
        "[ 12%] Building C object a.o: Error 1",
        "[INFO] BUILD FAILURE",
        "-- Could NOT find X",
        "> Task :app:compileJava FAILED",
        "a.c:1:2: note: declared here",
        "    1 | int f(void)",
        "  |         ^",
        "> 12 | const x = y;",
        "npm warn deprecated x",
        "#5 1.2 Killed",
        "ld: undefined reference to f",
        "│ 1 │ import x",
        "error: x",
        "src/a.ts(1,2): error TS1: x",
        "whatever else",
        "x" * 5000,
    ],
)
def test_all_other_lines_stay(line):
    assert built("[ 10%] Building C object b.o", line) == [line]


@pytest.mark.parametrize("command", ["python x.py", "make && python x.py", "npm view x", "git commit -m x"])
def test_of_other_commands_nothing_is_known(command):
    assert built("Collecting rich", command=command) is None


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("    Finished `dev` profile in 0.12s", "    Finished `dev` profile"),
        ("✓ built in 412ms", "✓ built"),
        ("BUILD FAILED in 3s", "BUILD FAILED"),
        (
            "[ERROR] Tests run: 3, Failures: 1, Time elapsed: 0.02 s <<< FAILURE!",
            "[ERROR] Tests run: 3, Failures: 1 <<< FAILURE!",
        ),
        ("error: timed out in 30 s", "error: timed out in 30 s"),
    ],
)
def test_how_long_it_took_is_left_out_where_it_is_no_failure(line, shown):
    assert built("Collecting rich", line) == [shown]


def test_the_outcome_of_an_installation_stays_whatever_its_time():
    requests = [f"npm http fetch GET 200 https://registry.example/{number}" for number in range(9)]

    assert built(*requests, "added 100 packages in 3s", command="npm ci") == ["added 100 packages"]


# --- test runs ---------------------------------------------------------------------------------------------------


def test_lines_of_no_known_runner_are_no_run():
    assert tested("row 1: PASSED", "and then nothing") is None


@pytest.mark.parametrize("line", ["PASSED tests/a.py::test_{}", "tests/a.py::test_{} PASSED"])
def test_where_a_run_has_no_counts_the_tests_that_passed_are_counted(line):
    passed = [line.format(number) for number in range(199)]
    failed = "FAILED tests/a.py::test_x - KeyError: 'price'"

    assert tested(*passed[:90], failed, *passed[90:]) == [failed, "199 tests passed"]


def test_what_a_failing_test_prints_stays_even_if_it_looks_like_one_that_passed():
    failure = ["=== FAILURES ===", "___ test_x ___", "tests/b.py::test_y PASSED", "    .....", "✓ fine", "PASS"]

    assert tested("tests/a.py::test_a PASSED", *failure, "=== 1 failed, 1 passed in 0.10s ===") == [
        *failure,
        "=== 1 failed, 1 passed ===",
    ]


def test_of_a_failing_test_of_go_its_start_stays():
    lines = [
        "=== RUN   TestA",
        "--- PASS: TestA (0.00s)",
        "=== RUN   TestB",
        "    b_test.go:3: no",
        "--- FAIL: TestB (0.10s)",
        "FAIL",
    ]

    assert tested(*lines) == [
        "=== RUN   TestB",
        "    b_test.go:3: no",
        "--- FAIL: TestB",
        "FAIL",
        "1 tests passed, 0 packages ok",
    ]


def test_names_of_groups_go_with_their_tests_only_where_the_file_passed():
    tests = ["  group", "    ✓ works (3 ms)"]

    assert tested(
        "PASS a.test.js", *tests, "FAIL b.test.js", *tests, "    ✕ fails (2 ms)", "Tests: 1 failed, 2 passed, 3 total"
    ) == ["FAIL b.test.js", "  group", "    ✕ fails", "Tests: 1 failed, 2 passed, 3 total"]


def test_a_test_with_a_description_goes_as_a_whole_or_stays_as_a_whole():
    lines = ["test_a (m.T.test_a)", "Adds. ... ok", "test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests in 0.001s"]

    assert tested(*lines) == ["test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests"]


def test_the_worker_that_ran_a_test_is_no_matter():
    assert tested("[gw1] [ 50%] FAILED a.py::test_x ", "1 failed, 1 passed in 0.10s")[0] == "FAILED a.py::test_x "
