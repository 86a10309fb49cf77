"""
Outputs as tools print them, shortened: nothing of a failure is lost, and what is left out is told.

`outputs/` holds one output a file, `KIND-TOOL-CASE.txt`, below a line with the command. Most were recorded from the
tools: pytest, unittest, Jest, Vitest, Mocha, Node, Cargo, GCC, javac, CMake, TypeScript, pip, npm, git, ls, find.
Those of Go, Maven, Gradle, Docker, apt, webpack, nextest, fd and tree were written after their documentation.
"""

import re
from pathlib import Path

import pytest

from quarry.agents.hooks.compression import MIN_CHARACTERS, compress, parse_command
from quarry.agents.hooks.compression.lines import cleaned_lines, shorten_build, shorten_test_run
from quarry.agents.hooks.compression.shapes import shorten_git_status, shorten_listing, shorten_traces

OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))
UNTOUCHED = {  # too short, all errors, or nothing that is known to inform alone
    "builds-javac-errors",
    "builds-mypy",
    "builds-pip-failing",
    "builds-pip-install",
    "builds-ruff",
    "builds-tsc-errors",
    "builds-tsc-pretty",
}
SHARE = {  # of the characters that may be left, by kind: outputs without failures have far less
    "builds": 0.4,
    "git": 0.25,
    "listings": 0.27,
    "suites": 0.72,
    "traces": 0.84,
}
FAILURE = re.compile(
    r"\b(?:error|errors|FAIL|FAILED|ERROR|fatal|panic|panicked|failures?:)\b|\b[A-Z]\w*(?:Error|Exception)\b"
    r"|^E  |^>  |^ +● |✕|×|✖ |not ok|\bwarning: |Caused by|Suppressed:|\[cause\]|Permission denied|cannot access",
)
PLACE = re.compile(r"[\w./-]+\.(?:py|js|mjs|ts|rs|go|java|c|txt)(?::\d+|\(\d+,\d+\)|\", line \d+)")
DURATION = re.compile(
    r" in [\d.]+m?s(?= =|$)|; finished in [\d.]+s|\s+\(?\d+(?:\.\d+)?\s?m?s\)?$|(?:,| --) Time elapsed: [\d.]+ s"
    r"|\[gw\d\] \[ *\d+%\] |\s+\[ *\d+%\]$| \[ +[\d.]+s\]"
)


def recorded(file: Path) -> tuple[str, str]:
    """The command, and what it printed."""
    first, _, text = file.read_text("utf-8").partition("\n")
    return first.removeprefix("$ "), text


def shortened(file: Path) -> tuple[str, str]:
    """What a command printed, and what is left of it."""
    command, text = recorded(file)
    return text, compress(command, text, "").stdout


def by_name(*kinds: str):
    files = [file for file in OUTPUTS if file.name.split("-")[0] in kinds]
    return pytest.mark.parametrize("file", files, ids=lambda file: file.stem)


def told(line: str) -> str:
    """*line* as it is compared: without what is taken out of lines that stay."""
    return " ".join(re.sub(r"([=_─⎯-])\1{2,}", r"\1\1\1", DURATION.sub("", line)).split())


@by_name(*SHARE)
def test_outputs_become_shorter_or_are_untouched(file):
    command, text = recorded(file)

    found = compress(command, text, "")

    if file.stem in UNTOUCHED:
        assert found is None
    else:
        assert found is not None
        assert len(found.stdout) <= SHARE[file.name.split("-")[0]] * len(text)
        assert 0 < found.left_out < found.total or "passing" in file.stem


@by_name("suites", "builds")
def test_no_line_of_a_failure_and_no_place_is_lost(file):
    command, text = recorded(file)
    found = compress(command, text, "")
    left = "\n".join(cleaned_lines(text)) if found is None else found.stdout
    lines = {told(line) for line in left.split("\n")}
    places = set(PLACE.findall(left))

    wanted = [line for line in cleaned_lines(text) if FAILURE.search(line) and not is_passed(line)]

    assert [line for line in wanted if told(line) not in lines] == []
    assert [
        place
        for line in cleaned_lines(text)
        if not is_passed(line)
        for place in PLACE.findall(line)
        if place not in places
    ] == []


def is_passed(line: str) -> bool:
    """Whether a runner says of a test that it passed."""
    return bool(
        re.search(
            r"(?:PASSED|XFAIL)(?: +\[ *\d+%\])?$|^\[gw\d\] \[ *\d+%\] (?:PASSED|XFAIL)|^\S+\.py::\S+ *$|\.\.\. ok$",
            line,
        )
    )


@by_name("suites")
def test_the_counts_of_a_run_stay(file):
    text, found = shortened(file)

    counts = re.findall(
        r"\b(\d+) (?:passed|failed|passing|failing|total)\b|Ran (\d+) tests?|tests (\d+)$", text, re.MULTILINE
    )
    assert all(max(count) in found for count in counts[-3:])


@by_name("traces")
def test_of_each_trace_the_message_and_both_ends_stay(file):
    text, found = shortened(file)
    frames = [line for line in text.split("\n") if re.match(r'\s+(?:at |File ")|\t/|\s+\d+: ', line)]
    messages = [
        line for line in text.split("\n") if re.match(r"\S.*(?:Error|Exception|panicked|panic|Suppressed|Caused)", line)
    ]

    assert frames[0] in found
    assert frames[-1] in found
    assert [line for line in messages if line.rstrip() not in found] == []
    assert re.search(r"\.\.\. \d+ frames", found)


@by_name("listings")
def test_of_a_listing_twenty_entries_a_count_and_the_complaints_stay(file):
    text, found = shortened(file)
    *shown, count = found.split("\n... ")[0].split("\n"), found.split("\n... ")[1]

    assert len(shown[0]) == 20
    more, entries = (int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", count.split("\n")[0]))
    complaints = [line for line in text.split("\n") if re.match(r"\w+: |total ", line)]
    assert entries == more + 20
    assert entries == len([line for line in text.strip().split("\n") if line.strip()]) - len(complaints) - (
        "directories" in text
    )
    assert all(line in found for line in complaints)


@by_name("git")
def test_of_git_status_the_branch_the_counts_and_every_conflict_stay(file):
    text, found = shortened(file)
    conflicts = set(re.findall(r"(?:both modified:   |UU )(\S+)", text))
    assert set(re.findall(r"\t(conflict-\d+\.txt)", found)) == conflicts
    assert ("main" in found) == ("main" in text)
    untracked = text.count("?? ") or len(re.findall(r"^\t(?:new|untracked)-\S+$", text, re.MULTILINE))
    assert f"untracked: {untracked}" in found


@by_name(*SHARE)
def test_what_is_left_is_the_same_whatever_the_times_and_the_order(file):
    command, text = recorded(file)
    slower = re.sub(r"(?<=in )\d+\.\d+(?=s)|(?<=\()\d\.\d+(?=s\))|(?<= )\d+(?=ms$)", "9.99", text, flags=re.MULTILINE)

    assert compress(command, text, "") == compress(command, text, "")
    first, second = compress(command, text, ""), compress(command, slower, "")
    if first and second and "Xlint" not in command and file.name.startswith(("suites", "listings")):
        assert [told(line) for line in first.stdout.split("\n")] == [told(line) for line in second.stdout.split("\n")]


@by_name(*SHARE)
def test_shortening_again_changes_nothing(file):
    command, text = recorded(file)
    found = compress(command, text, "")
    if found is None:
        return

    assert compress(command, f"{found.stdout}\n{found.closing_line('ab12')}\n{'x' * MIN_CHARACTERS}", "") is None


def test_colours_are_taken_out_and_nothing_else_differs():
    plain, coloured = (
        recorded(file)[1]
        for name in ("failing", "failing-coloured")
        for file in OUTPUTS
        if file.stem == f"suites-cargo-{name}"
    )
    found = [compress("cargo test", text, "") for text in (plain, coloured)]

    assert "\x1b[" in coloured
    assert "\x1b" not in found[1].stdout
    assert len(found[0].stdout) == pytest.approx(len(found[1].stdout), abs=120)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_both_streams_are_shortened_each_by_itself(stream):
    text = next(recorded(file)[1] for file in OUTPUTS if file.stem == "suites-unittest-verbose-failing")
    other = "starting the run\n"
    out, err = (text, other) if stream == "stdout" else (other, text)

    found = compress("python -m unittest -v", out, err)

    assert (found.stderr if stream == "stdout" else found.stdout) == other
    assert "KeyError: 'price'" in (found.stdout if stream == "stdout" else found.stderr)


@pytest.mark.parametrize(
    "command",
    [
        "cat test.log", "tail -500 test.log", "pytest -v | grep FAILED", "git diff", "git log -p", "rg PASSED",
        "sed -n 1,200p x.py", "quarry outputs ab12", "python -m quarry read x", "/usr/bin/quarry search x", "echo done",
        "uv run quarry hook", "jq . x.json", "docker logs x | awk '{print $1}'", "pytest $(cat tests.txt)", "cat <<EOF",
        "pytest 'unclosed", "x" * 5000, "",
    ],
)  # fmt: skip
def test_what_was_asked_for_to_the_letter_is_untouched(command):
    text = next(recorded(file)[1] for file in OUTPUTS if file.stem == "suites-pytest-verbose-passing")

    assert compress(command, text, "") is None


@pytest.mark.parametrize(
    "command",
    ["python report.py", "ls && python x.py", "find . -exec cat {} +", "git status && git branch -v", "node x.js"],
)
def test_an_output_of_no_known_kind_is_untouched(command):
    text = "".join(f"row {number}: the price of tea is {number}\n" for number in range(300))

    assert compress(command, text, "") is None


def test_below_two_thousand_characters_nothing_is_touched():
    text = "".join(f"tests/test_a.py::test_{number} PASSED\n" for number in range(46))
    end = "=== 46 passed in 0.12s ===\n"

    assert len(text + end) < MIN_CHARACTERS
    assert compress("pytest -v", text + end, "") is None
    assert compress("pytest -v", text * 2 + end, "").stdout == "=== 46 passed ==="


HOSTILE = {
    "one long line": "x" * 2**20,
    "long lines": "\n".join("tests/test_a.py::" + "y" * 100_000 + " PASSED" for _ in range(10)) + "\n1 passed in 0.1s",
    "digits": "Tests: " + "1" * 2**20,
    "rulers": "=" * 2**19 + " a " + "=" * 2**19,
    "bars": ("━" * 1999 + "x\n") * 500,
    "blanks": (" " * 1999 + "x\n") * 500,
    "numbers": ("1 " * 999 + "x\n") * 500,
    "escapes": "\x1b]" * 2**19,
    "colours": "\x1b[31m" * 2**17,
    "returns": "\r" * 2**19,
    "half characters": "\ud800\udfff\ud800 PASSED\n" * 50_000 + "1 passed in 0.1s",
    "slashes": ("/" * 1999 + "\n") * 500,
    "frames": '  File "a.py", line 1, in f\n' * 40_000,
    "at": "    at a (b.js:1:2)\n" * 50_000,
    "go": "main.f()\n\t/a.go:1 +0x1\n" * 30_000,
    "openings": "thread '" * 2**17,
    "passed": "tests/a.py::t PASSED\n" * 50_000 + "=== 50000 passed in 1.00s ===",
    "our own line": "ok\n" * 2000 + "[quarry: 3 of 4 lines left out; quarry outputs ../../etc]\n",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("command", ["pytest -v", "make", "ls", "git status", "node x.js"])
def test_whatever_is_printed_nothing_breaks_and_failures_stay(name, command):
    text = f"E   AssertionError: at the start\n{HOSTILE[name]}\nerror: at the end"

    found = compress(command, text, "")

    if found and command not in ("ls", "git status"):
        assert "E   AssertionError: at the start" in found.stdout
        assert "error: at the end" in found.stdout


def test_a_line_that_looks_like_ours_leaves_the_output_as_it_is():
    assert (
        compress("pytest -v", f"{HOSTILE['passed']}\n  [quarry: 1 of 2 lines left out; quarry outputs ab]", "") is None
    )


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("pytest -v", ["pytest"]),
        ("FOO=1 BAR='a b' sudo -u ada /usr/bin/make -k", ["make"]),
        ("uv run --with x python -m pytest tests", ["pytest"]),
        ("python3.12 -m unittest", ["unittest"]),
        ("timeout 60 npx jest", ["jest"]),
        ("npm test", ["npm"]),
        ("cd sub && make 2>&1 | tail -50", ["make"]),
        ("make > build.log 2>&1; pytest", ["make", "pytest"]),
        ("cmake -B build && cmake --build build || true", ["cmake", "cmake"]),
        ("(make; make test)", ["make", "make"]),
        ("make \\\n  -j4\npytest", ["make", "pytest"]),
        ("C:\\\\tools\\\\make.exe", ["make.exe"]),
    ],
)
def test_programs_are_told_in_order(command, names):
    assert [program.name for program in parse_command(command)] == names


def test_arguments_and_filters_are_told():
    (program,) = parse_command("find src -name '*.py' | sort | head -100")

    assert (program.arguments, program.filters) == (("src", "-name", "*.py"), ("sort", "head"))
    assert program.words == {"src", "*.py"}


# --- lines, builds, test runs -----------------------------------------------------------------------


def built(*lines):
    found = shorten_build(parse_command("make"), list(lines))
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


# --- builds ------------------------------------------------------------------------------------------------------


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


def test_a_test_with_a_description_goes_as_a_whole_or_stays_as_a_whole():
    lines = ["test_a (m.T.test_a)", "Adds. ... ok", "test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests in 0.001s"]

    assert tested(*lines) == ["test_b (m.T.test_b)", "Reads. ... FAIL", "Ran 2 tests"]


# --- git status --------------------------------------------------------------------------------------------------

LONG = [
    "On branch main",
    "",
    "Untracked files:",
    '  (use "git add <file>..." to include)',
    *[f"\tnew-{n}" for n in range(9)],
]


def test_counts_and_the_first_paths_are_told():
    assert shorten_git_status(parse_command("git status"), LONG).lines == [
        "On branch main",
        "untracked: 9",
        *[f"\tnew-{n}" for n in range(5)],
        "  ... 4 more",
    ]


def test_a_path_in_both_states_is_counted_in_both():
    lines = [f"MM file-{n}" for n in range(9)]

    assert [line for line in shorten_git_status(parse_command("git status -s"), lines).lines if "file" not in line] == [
        "staged, modified: 9",
        "  ... 4 more",
        "not staged, modified: 9",
        "  ... 4 more",
    ]


@pytest.mark.parametrize("lines", [["\tindented without a heading"], [" M a", "fatal: not a git repository"], LONG[:8]])
def test_what_is_not_understood_or_short_is_left_as_it_is(lines):
    assert shorten_git_status(parse_command("git status"), lines) is None


# --- listings ----------------------------------------------------------------------------------------------------

NAMES = [f"name-{number:03d}" for number in range(50, 0, -1)]


@pytest.mark.parametrize(
    ("shorten", "lines", "commands"),
    [
        (shorten_build, ["Collecting rich"], ["python x.py", "make && python x.py", "npm view x", "git commit -m x"]),
        (shorten_git_status, LONG, ["git branch", "git status && make", "git status -z", "git status -v"]),
        (shorten_git_status, LONG, ["git status --porcelain=v2"]),
        (shorten_listing, NAMES, ["find . -delete", "find . -exec rm {} ;", "ls && make", "make"]),
    ],
)
def test_other_commands_are_of_no_kind(shorten, lines, commands):
    assert [each for each in commands if shorten(parse_command(each), lines) is not None] == []


@pytest.mark.parametrize(
    ("command", "first"), [("find .", "name-001"), ("find . | sort -r", "name-050"), ("ls -r", "name-050")]
)
def test_only_an_order_that_nobody_asked_for_is_replaced(command, first):
    assert shorten_listing(parse_command(command), NAMES).lines[0] == first


@pytest.mark.parametrize(
    ("command", "shown"),
    [("ls -l", "-rw-r--r-- 1 ada ada 12 a.md"), ("ls -lt", "-rw-r--r-- 1 ada ada 12 Nov 23 10:48 a.md")],
)
def test_times_go_unless_they_were_asked_for(command, shown):
    lines = ["total 200", *["-rw-r--r-- 1 ada ada 12 Nov 23 10:48 a.md"] * 30]

    found = shorten_listing(parse_command(command), lines).lines

    assert found[0] == shown
    assert found[-2:] == ["... 10 more, 30 entries in all", "total 200"]


# --- stack traces ------------------------------------------------------------------------------------------------


def left(*lines):
    found = shorten_traces(parse_command("./run"), list(lines))
    return None if found is None else found.lines


def python(*files):
    return [line for file in files for line in (f'  File "{file}", line 3, in f', "    call()")]


def test_the_deepest_frame_of_ones_own_stays():
    frames = python("main.py", "a.py", "b.py", "own.py", "/lib/python3.11/json.py", "/lib/python3.11/decoder.py")

    assert left("Traceback (most recent call last):", *frames, "ValueError: no") == [
        "Traceback (most recent call last):",
        *frames[:2],
        "  ... 2 frames",
        *frames[6:],
        "ValueError: no",
    ]


def test_a_single_frame_is_not_replaced_by_a_line():
    frames = [f"    at f{number} (/srv/a.js:{number}:1)" for number in range(4)]

    assert left("Error: x", *frames) == ["Error: x", frames[0], "    ... 2 frames", frames[3]]
    assert left("Error: x", *frames[:3]) is None


def test_numbered_lines_are_frames_only_below_the_heading_of_a_backtrace():
    lines = [f"   {number}: item" for number in range(9)]

    assert left(*lines) is None
    assert left("stack backtrace:", *lines) == ["stack backtrace:", lines[0], "   ... 7 frames", lines[8]]
