"""
What of a command's output does an agent need? Five kinds of output are shortened, everything else is left as it is.

    suites      test runs: counts, and everything about failures
    listings    ls, find, tree: the first 20 entries and a count
    git_status  counts by state, with the first paths of each
    builds      everything but lines that only inform
    traces      the first and the last frame, the message, the causes

A line is left out only where it is recognised as one that says nothing of a failure: what is not recognised stays.
Pure, and of the standard library alone, as an agent waits for it.
"""

from typing import NamedTuple

from quarry.agents.hooks.compression import builds, git_status, listings, suites, traces
from quarry.agents.hooks.compression.cleaning import cleaned_lines
from quarry.agents.hooks.compression.command import Command, parse_command
from quarry.agents.hooks.compression.reduction import Reduction

MIN_CHARACTERS = 2_000  # shorter outputs are untouched
MAX_SHARE = 0.9  # of the characters that may be left: less is not worth a line that says so
OWN_LINE = "[quarry: "  # how our last line begins

KINDS = (git_status.reduce, listings.reduce, suites.reduce, builds.reduce, traces.reduce)
"""Tried in this order: a test run may hold a trace, and a build that failed in a test run is one of that."""


class Compressed(NamedTuple):
    """A shortened output, without the line that we append."""

    stdout: str
    stderr: str
    left_out: int  # lines
    total: int

    def closing_line(self, output_id: str) -> str:
        """The line that says what was left out, and how the whole output *output_id* is read."""
        return f"{OWN_LINE}{self.left_out} of {self.total} lines left out; quarry outputs {output_id}]"


def compress(command: str, stdout: str, stderr: str) -> Compressed | None:
    """Shorten the output of *command*; None if it should stay as it is."""
    if len(stdout) + len(stderr) < MIN_CHARACTERS or _is_ours(stdout) or _is_ours(stderr):
        return None
    parsed = parse_command(command)
    if parsed is None:
        return None
    out, err = _reduced(parsed, stdout), _reduced(parsed, stderr)
    if out is None and err is None:
        return None
    new_stdout, new_stderr = (
        given if found is None else "\n".join(found.lines) for given, found in ((stdout, out), (stderr, err))
    )
    if len(new_stdout) + len(new_stderr) > MAX_SHARE * (len(stdout) + len(stderr)):
        return None
    left_out = sum(found.left_out for found in (out, err) if found)
    return Compressed(new_stdout, new_stderr, left_out, _count(stdout) + _count(stderr))


def _reduced(command: Command, text: str) -> Reduction | None:
    """Shorten one stream by the first kind that recognises it."""
    if not text.strip():
        return None
    lines = cleaned_lines(text)
    for reduce in KINDS:
        if (lines_left := reduce(command, lines)) is not None:
            return lines_left.of(_count(text))
    return None


def _is_ours(text: str) -> bool:
    """Whether *text* holds a line like our last one: it was shortened before, or pretends to be."""
    return any(line.strip().startswith(OWN_LINE) for line in text.split("\n")) if OWN_LINE in text else False


def _count(text: str) -> int:
    return len(text.rstrip("\n").split("\n")) if text.strip() else 0
