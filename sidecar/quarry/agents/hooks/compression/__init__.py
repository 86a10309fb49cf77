"""
Shortens the output of a command for an agent. Five kinds of output are recognised, everything else stays as it is.

    listings    ls, find, tree: the first 20 entries and a count
    git status  counts by state, with the first paths of each
    test runs   counts, and everything about failures
    builds      everything but lines that only inform
    traces      the first and the last frame, the message, the causes

`patterns.toml` has the programs and the patterns. Pure, and of the standard library alone, as an agent waits for it.
"""

import re
import shlex
from typing import NamedTuple

from quarry.agents.hooks.compression.lines import (
    PATTERNS,
    Program,
    cleaned_lines,
    pattern,
    shorten_build,
    shorten_test_run,
)
from quarry.agents.hooks.compression.shapes import shorten_git_status, shorten_listing, shorten_traces
from quarry.lazy_pattern import lazy_pattern

MAX_COMMAND = 4_000  # characters; a longer one is a script, and what it prints is unknown
_WORDS = {name: frozenset(text.split()) for name, text in PATTERNS["command"].items() if isinstance(text, str)}
_LAUNCHERS_OF = {name: words.split() for name, words in PATTERNS["command"]["launchers_of"].items()}
_REDIRECTION = pattern(PATTERNS["command"]["redirection"])
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "\n", "&", ";;"})
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


# --- commands ----------------------------------------------------------------------------------


def parse_command(command: str) -> tuple[Program, ...] | None:
    """
    The programs of *command* that print something, in order; None where its output is to be left as it is.

    That is so where it prints files or selected lines, runs `quarry`, or cannot be read.
    """
    if len(command) > MAX_COMMAND or "<<" in command or "$(" in command or "`" in command:
        return None
    programs: list[Program] = []
    for pipeline in _pipelines(command):
        first, *behind = (_program(words) for words in pipeline)
        if first is None or first.name in _WORDS["quiet"]:
            continue
        if _prints_files(first) or not all(program and program.name in _WORDS["filters"] for program in behind):
            return None
        programs.append(first._replace(filters=tuple(program.name for program in behind if program)))
    return tuple(programs) or None


def _prints_files(program: Program) -> bool:
    if program.name == "git":
        return not _WORDS["reading_git"].isdisjoint(program.arguments)
    return program.name in _WORDS["readers"]


def _pipelines(command: str) -> list[list[list[str]]]:
    """*command* as pipelines of programs, each as its words; none where it cannot be split."""
    plain = _REDIRECTION.sub(" ", command.replace("\\\n", " ")).replace("\n", " ; ")
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:  # a quotation that is not closed
        return []
    pipelines: list[list[list[str]]] = [[[]]]
    for token in tokens:
        if token in _SEPARATORS:
            pipelines.append([[]])
        elif token in ("|", "|&"):
            pipelines[-1].append([])
        elif token not in ("(", ")"):
            pipelines[-1][-1].append(token)
    return [pipeline for pipeline in pipelines if pipeline[0]]


def _program(words: list[str]) -> Program | None:
    """The program that *words* run, behind assignments and launchers; None where there is none."""
    rest = list(words)
    while rest:
        name = rest[0].replace("\\", "/").rpartition("/")[2].lower()
        if _ASSIGNMENT.match(rest[0]) or name in _WORDS["launchers"]:
            rest = _behind_options(rest[1:])
        elif name == "timeout":
            rest = _behind_options(rest[1:])[1:]
        elif len(rest) > 2 and rest[1] in _LAUNCHERS_OF.get(re.sub(r"[\d.]+$", "", name), ()):
            rest = _behind_options(rest[2:])
        else:
            return Program(name, tuple(rest[1:]))
    return None


def _behind_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _WORDS["with_value"] else words[1:]
    return words
