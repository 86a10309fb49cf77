"""Which programs does a shell command run, and does it show their output as it is?"""

import re
import shlex

from quarry.agents.hooks.compression.lines import PATTERNS, Program, pattern
from quarry.lazy_pattern import lazy_pattern

MAX_COMMAND = 4_000  # characters; a longer one is a script, and what it prints is unknown
_WORDS = {name: frozenset(text.split()) for name, text in PATTERNS["command"].items() if isinstance(text, str)}
_LAUNCHERS_OF = {name: words.split() for name, words in PATTERNS["command"]["launchers_of"].items()}
_REDIRECTION = pattern(PATTERNS["command"]["redirection"])
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "\n", "&", ";;"})


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
