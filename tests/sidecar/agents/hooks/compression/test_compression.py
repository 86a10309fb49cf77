"""
Outputs as tools print them, shortened: nothing of a failure is lost, and what is left out is told.

`outputs/` holds one output a file, `KIND-TOOL-CASE.txt`, below a line with the command. Most were recorded from the
tools: pytest, unittest, Jest, Vitest, Mocha, Node, Cargo, GCC, javac, CMake, TypeScript, pip, npm, git, ls, find.
Those of Go, Maven, Gradle, Docker, apt, webpack, nextest, fd and tree were written after their documentation.
"""

import random
import re
import time
from pathlib import Path

import pytest

from quarry.agents.hooks.compression import KINDS, MIN_CHARACTERS, compress, parse_command
from quarry.agents.hooks.compression.lines import cleaned_lines

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


def by_name(*kinds: str):
    files = [file for file in OUTPUTS if file.name.split("-")[0] in kinds]
    return pytest.mark.parametrize("file", files, ids=lambda file: file.stem)


def told(line: str) -> str:
    """*line* as it is compared: without what is taken out of lines that stay."""
    return " ".join(re.sub(r"([=_─⎯-])\1{2,}", r"\1\1\1", DURATION.sub("", line)).split())


def test_there_are_sixty_outputs_of_every_kind():
    assert len(OUTPUTS) >= 60
    assert {file.name.split("-")[0] for file in OUTPUTS} == set(SHARE)


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
    command, text = recorded(file)
    found = compress(command, text, "")

    assert found is not None
    counts = re.findall(
        r"\b(\d+) (?:passed|failed|passing|failing|total)\b|Ran (\d+) tests?|tests (\d+)$", text, re.MULTILINE
    )
    assert all(max(count) in found.stdout for count in counts[-3:])


@by_name("traces")
def test_of_each_trace_the_message_and_both_ends_stay(file):
    command, text = recorded(file)
    found = compress(command, text, "")
    assert found is not None
    frames = [line for line in text.split("\n") if re.match(r'\s+(?:at |File ")|\t/|\s+\d+: ', line)]
    messages = [
        line for line in text.split("\n") if re.match(r"\S.*(?:Error|Exception|panicked|panic|Suppressed|Caused)", line)
    ]

    assert frames[0] in found.stdout
    assert frames[-1] in found.stdout
    assert [line for line in messages if line.rstrip() not in found.stdout] == []
    assert re.search(r"\.\.\. \d+ frames", found.stdout)


@by_name("listings")
def test_of_a_listing_twenty_entries_a_count_and_the_complaints_stay(file):
    command, text = recorded(file)
    found = compress(command, text, "")
    assert found is not None
    *shown, count = found.stdout.split("\n... ")[0].split("\n"), found.stdout.split("\n... ")[1]

    assert len(shown[0]) == 20
    more, entries = (int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", count.split("\n")[0]))
    complaints = [line for line in text.split("\n") if re.match(r"\w+: |total ", line)]
    assert entries == more + 20
    assert entries == len([line for line in text.strip().split("\n") if line.strip()]) - len(complaints) - (
        "directories" in text
    )
    assert all(line in found.stdout for line in complaints)


@by_name("git")
def test_of_git_status_the_branch_the_counts_and_every_conflict_stay(file):
    command, text = recorded(file)
    found = compress(command, text, "")
    assert found is not None

    conflicts = set(re.findall(r"(?:both modified:   |UU )(\S+)", text))
    assert set(re.findall(r"\t(conflict-\d+\.txt)", found.stdout)) == conflicts
    assert ("main" in found.stdout) == ("main" in text)
    untracked = text.count("?? ") or len(re.findall(r"^\t(?:new|untracked)-\S+$", text, re.MULTILINE))
    assert f"untracked: {untracked}" in found.stdout


@by_name(*SHARE)
def test_what_is_left_is_the_same_whatever_the_times_and_the_order(file):
    command, text = recorded(file)
    slower = re.sub(r"(?<=in )\d+\.\d+(?=s)|(?<=\()\d\.\d+(?=s\))|(?<= )\d+(?=ms$)", "9.99", text, flags=re.MULTILINE)

    assert compress(command, text, "") == compress(command, text, "")
    first, second = compress(command, text, ""), compress(command, slower, "")
    if first and second and "Xlint" not in command and file.name.startswith(("suites", "listings")):
        assert [told(line) for line in first.stdout.split("\n")] == [told(line) for line in second.stdout.split("\n")]


def test_the_order_in_which_a_disk_lists_files_is_no_matter():
    paths = [f"./src/part{number:03d}.py" for number in range(120)]
    shuffled = random.Random(7).sample(paths, len(paths))

    assert compress("find . -name '*.py'", "\n".join(paths), "") == compress(
        "find . -name '*.py'", "\n".join(shuffled), ""
    )


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
    [
        "pytest -v",
        "cd sub && FOO=1 uv run pytest -v 2>&1 | tail -300",
        "make test; true",
        "./run-tests.sh > /dev/null; timeout 60 npm test",
    ],
)
def test_test_runs_are_recognised_behind_any_command_that_runs_them(command):
    text = next(recorded(file)[1] for file in OUTPUTS if file.stem == "suites-pytest-verbose-passing")

    assert compress(command, text, "") is not None


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
    begun_s = time.thread_time()

    found = compress(command, text, "")

    assert time.thread_time() - begun_s < 60  # far from a regular expression that never ends
    if found and command not in ("ls", "git status"):
        assert "E   AssertionError: at the start" in found.stdout
        assert "error: at the end" in found.stdout


def test_a_line_that_looks_like_ours_leaves_the_output_as_it_is():
    assert (
        compress("pytest -v", f"{HOSTILE['passed']}\n  [quarry: 1 of 2 lines left out; quarry outputs ab]", "") is None
    )


def test_every_kind_is_tried():
    assert len(KINDS) == 5


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


@pytest.mark.parametrize(
    "command", ["cat a", "make | grep x", "make && cat log", "git diff", "python -m quarry read a", "x `y`", "a 'b", ""]
)
def test_what_is_to_be_left_as_it_is_is_no_command_of_ours(command):
    assert parse_command(command) is None


def test_arguments_and_filters_are_told():
    (program,) = parse_command("find src -name '*.py' | sort | head -100")

    assert (program.arguments, program.filters) == (("src", "-name", "*.py"), ("sort", "head"))
    assert program.words == {"src", "*.py"}
