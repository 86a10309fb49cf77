"""
Shortens the output of a command for an agent. Five kinds of output are recognised, everything else stays as it is.

    listings    ls, find, tree: the first 20 entries and a count
    git status  counts by state, with the first paths of each
    test runs   counts, and everything about failures
    builds      everything but lines that only inform
    traces      the first and the last frame, the message, the causes

`patterns.toml` has the programs and the patterns. Pure, and of the standard library alone, as an agent waits for it.
"""

from typing import NamedTuple

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.lines import Program, cleaned_lines, shorten_build, shorten_test_run
from quarry.agents.hooks.compression.shapes import shorten_git_status, shorten_listing, shorten_traces

MIN_CHARACTERS = 2_000  # shorter outputs are untouched
MAX_SHARE = 0.9  # of the characters that may be left: less is not worth a line that says so
OWN_LINE = "[quarry: "  # how our last line begins

KINDS = (shorten_git_status, shorten_listing, shorten_test_run, shorten_build, shorten_traces)
"""Tried in this order: a test run may contain a trace, and a build that failed in a test run is one of that."""


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
    programs = parse_command(command)
    if programs is None:
        return None
    out, err = _shortened(programs, stdout), _shortened(programs, stderr)
    if out is None and err is None:
        return None
    new_stdout, new_stderr = (given if found is None else found[0] for given, found in ((stdout, out), (stderr, err)))
    if len(new_stdout) + len(new_stderr) > MAX_SHARE * (len(stdout) + len(stderr)):
        return None
    left_out = sum(found[1] for found in (out, err) if found)
    return Compressed(new_stdout, new_stderr, left_out, _count(stdout) + _count(stderr))


def _shortened(programs: tuple[Program, ...], text: str) -> tuple[str, int] | None:
    """*text* by the first kind that recognises it, and how many of its lines are left out."""
    if not text.strip():
        return None
    lines = cleaned_lines(text)
    for shorten in KINDS:
        if (found := shorten(programs, lines)) is not None:
            return "\n".join(found.lines), max(0, _count(text) - len(found.lines) + found.own)
    return None


def _is_ours(text: str) -> bool:
    """Whether *text* has a line like our last one: it was shortened before, or pretends to be."""
    return any(line.strip().startswith(OWN_LINE) for line in text.split("\n")) if OWN_LINE in text else False


def _count(text: str) -> int:
    return len(text.rstrip("\n").split("\n")) if text.strip() else 0
