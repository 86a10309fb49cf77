"""Test runs: failures to the letter, whatever they print."""

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.suites import reduce

COMMAND = parse_command("make test")


def left(*lines):
    found = reduce(COMMAND, list(lines))
    return None if found is None else found.lines


def test_without_counts_it_is_no_run():
    assert left("tests/a.py::test_x PASSED", "and then nothing") is None


def test_what_a_failing_test_prints_stays_even_if_it_looks_like_one_that_passed():
    failure = ["=== FAILURES ===", "___ test_x ___", "tests/b.py::test_y PASSED", "    .....", "✓ fine", "PASS"]

    assert left("tests/a.py::test_a PASSED", *failure, "=== 1 failed, 1 passed in 0.10s ===") == [
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

    assert left(*lines) == [
        "=== RUN   TestB",
        "    b_test.go:3: no",
        "--- FAIL: TestB",
        "FAIL",
        "1 tests passed, 0 packages ok",
    ]


def test_names_of_groups_go_with_their_tests_only_where_the_file_passed():
    tests = ["  group", "    ✓ works (3 ms)"]

    assert left(
        "PASS a.test.js", *tests, "FAIL b.test.js", *tests, "    ✕ fails (2 ms)", "Tests: 1 failed, 2 passed, 3 total"
    ) == ["FAIL b.test.js", "  group", "    ✕ fails", "Tests: 1 failed, 2 passed, 3 total"]


def test_a_test_with_a_description_goes_as_a_whole_or_stays_as_a_whole():
    lines = ["test_a (m.T.test_a)", "Adds. ... ok", "test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests in 0.001s"]

    assert left(*lines) == ["test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests"]


def test_the_worker_that_ran_a_test_is_no_matter():
    assert left("[gw1] [ 50%] FAILED a.py::test_x ", "1 failed, 1 passed in 0.10s")[0] == "FAILED a.py::test_x "
