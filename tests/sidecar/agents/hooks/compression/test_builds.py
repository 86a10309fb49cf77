"""Builds: only what is known to inform is left out."""

import pytest

from quarry.agents.hooks.compression.builds import reduce
from quarry.agents.hooks.compression.command import parse_command

MAKE = parse_command("make")


def left(*lines, command=MAKE):
    found = reduce(command, list(lines))
    return None if found is None else found.lines


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
        "added 12 packages in 3s",
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
    assert left(line, "built") == ["built"]


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
    assert left("[ 10%] Building C object b.o", line) == [line]


@pytest.mark.parametrize("command", ["python x.py", "make && python x.py", "npm view x", "git commit -m x"])
def test_of_other_commands_nothing_is_known(command):
    assert left("Collecting rich", command=parse_command(command)) is None


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
    assert left("Collecting rich", line) == [shown]
