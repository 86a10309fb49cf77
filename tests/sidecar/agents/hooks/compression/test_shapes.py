"""Listings, `git status` and stack traces: the first and the last of them, and nothing that was not understood."""

import pytest

from quarry.agents.hooks.compression import parse_command
from quarry.agents.hooks.compression.shapes import SHOWN, shorten_git_status, shorten_listing, shorten_traces

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


def test_every_conflict_is_named():
    lines = [
        "You have unmerged paths.",
        "Unmerged paths:",
        *[f"\tboth modified:   a{n}" for n in range(9)],
        "Untracked files:",
        *LONG[4:],
    ]

    found = shorten_git_status(parse_command("git status"), lines).lines

    assert found[:2] == ["You have unmerged paths.", "unmerged, both modified: 9"]
    assert found[2:11] == [f"\ta{n}" for n in range(9)]


def test_a_path_in_both_states_is_counted_in_both():
    lines = [f"MM file-{n}" for n in range(9)]

    assert [line for line in shorten_git_status(parse_command("git status -s"), lines).lines if "file" not in line] == [
        "staged, modified: 9",
        "  ... 4 more",
        "not staged, modified: 9",
        "  ... 4 more",
    ]


@pytest.mark.parametrize(
    "command", ["git branch", "git status && make", "git status -z", "git status --porcelain=v2", "git status -v"]
)
def test_other_forms_are_left_as_they_are(command):
    assert shorten_git_status(parse_command(command), LONG) is None


@pytest.mark.parametrize("lines", [["\tindented without a heading"], [" M a", "fatal: not a git repository"], LONG[:8]])
def test_what_is_not_understood_or_short_is_left_as_it_is(lines):
    assert shorten_git_status(parse_command("git status"), lines) is None


# --- listings ----------------------------------------------------------------------------------------------------

NAMES = [f"name-{number:03d}" for number in range(50, 0, -1)]


@pytest.mark.parametrize("command", ["find . -delete", "find . -exec rm {} ;", "ls && make", "make"])
def test_other_commands_are_none(command):
    assert shorten_listing(parse_command(command), NAMES) is None


def test_twenty_entries_are_left_as_they_are():
    assert shorten_listing(parse_command("ls"), NAMES[:SHOWN]) is None


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


def test_causes_are_traces_of_their_own():
    frames = [f"\tat shop.A.f{number}(A.java:{number})" for number in range(6)]

    assert left("E: a", *frames, "Caused by: b", *frames, "\t... 4 more") == [
        "E: a",
        frames[0],
        "\t... 4 frames",
        frames[5],
        "Caused by: b",
        frames[0],
        "\t... 4 frames",
        frames[5],
        "\t... 4 more",
    ]


def test_how_long_a_goroutine_waited_is_no_matter():
    frames = [line for number in range(5) for line in (f"main.f{number}(0x1)", f"\t/a/main.go:{number + 1} +0x1")]

    assert left("goroutine 7 [chan receive, 12 minutes]:", *frames)[0] == "goroutine 7 [chan receive]:"
