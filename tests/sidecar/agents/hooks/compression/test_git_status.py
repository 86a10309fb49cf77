"""`git status`: nothing is counted that was not understood."""

import pytest

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.git_status import reduce

LONG = [
    "On branch main",
    "",
    "Untracked files:",
    '  (use "git add <file>..." to include)',
    *[f"\tnew-{n}" for n in range(9)],
]


def test_counts_and_the_first_paths_are_told():
    assert reduce(parse_command("git status"), LONG).lines == [
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

    found = reduce(parse_command("git status"), lines).lines

    assert found[:2] == ["You have unmerged paths.", "unmerged, both modified: 9"]
    assert found[2:11] == [f"\ta{n}" for n in range(9)]


def test_a_path_in_both_states_is_counted_in_both():
    lines = [f"MM file-{n}" for n in range(9)]

    assert [line for line in reduce(parse_command("git status -s"), lines).lines if "file" not in line] == [
        "staged, modified: 9",
        "  ... 4 more",
        "not staged, modified: 9",
        "  ... 4 more",
    ]


@pytest.mark.parametrize(
    "command", ["git branch", "git status && make", "git status -z", "git status --porcelain=v2", "git status -v"]
)
def test_other_forms_are_left_as_they_are(command):
    assert reduce(parse_command(command), LONG) is None


@pytest.mark.parametrize("lines", [["\tindented without a heading"], [" M a", "fatal: not a git repository"], LONG[:8]])
def test_what_is_not_understood_or_short_is_left_as_it_is(lines):
    assert reduce(parse_command("git status"), lines) is None
