"""Listings: only of programs that list, and only of those that do nothing else."""

import pytest

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.listings import SHOWN, reduce

NAMES = [f"name-{number:03d}" for number in range(50, 0, -1)]


@pytest.mark.parametrize("command", ["find . -delete", "find . -exec rm {} ;", "ls && make", "make"])
def test_other_commands_are_none(command):
    assert reduce(parse_command(command), NAMES) is None


def test_twenty_entries_are_left_as_they_are():
    assert reduce(parse_command("ls"), NAMES[:SHOWN]) is None


@pytest.mark.parametrize(
    ("command", "first"), [("find .", "name-001"), ("find . | sort -r", "name-050"), ("ls -r", "name-050")]
)
def test_only_an_order_that_nobody_asked_for_is_replaced(command, first):
    assert reduce(parse_command(command), NAMES).lines[0] == first


@pytest.mark.parametrize(
    ("command", "shown"),
    [("ls -l", "-rw-r--r-- 1 ada ada 12 a.md"), ("ls -lt", "-rw-r--r-- 1 ada ada 12 Nov 23 10:48 a.md")],
)
def test_times_go_unless_they_were_asked_for(command, shown):
    lines = ["total 200", *["-rw-r--r-- 1 ada ada 12 Nov 23 10:48 a.md"] * 30]

    found = reduce(parse_command(command), lines).lines

    assert found[0] == shown
    assert found[-2:] == ["... 10 more, 30 entries in all", "total 200"]
