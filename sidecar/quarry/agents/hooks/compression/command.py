"""What does a shell command run, and does it show the output of that as it is?"""

import re
import shlex
from typing import NamedTuple

from quarry.lazy_pattern import lazy_pattern

MAX_COMMAND = 4_000  # characters; a longer one is a script, and what it prints is unknown
_LAUNCHERS = frozenset(
    {"sudo", "env", "command", "exec", "nohup", "time", "nice", "npx", "bunx", "uvx", "pnpx", "xvfb-run", "stdbuf"}
)
_LAUNCHERS_OF = {  # the words behind which they name the program
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "hatch": ("run",),
    "pdm": ("run",),
    "rye": ("run",),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "bun": ("x",),
    "npm": ("exec",),
    "python": ("-m",),
    "python3": ("-m",),
    "py": ("-m",),
}
_WITH_VALUE = frozenset({"-n", "-u", "--with", "--python", "--project", "--directory"})  # of launchers
_QUIET = frozenset(
    {"cd", "pushd", "popd", "export", "set", "source", ".", "true", "false", ":", "mkdir", "sleep", "wait"}
)
_FILTERS = frozenset({"cat", "head", "tail", "tee", "sort"})  # behind a pipe: they show lines as they are
READERS = frozenset(
    """cat bat head tail less more sed awk gawk grep egrep fgrep rg ag ack jq yq xxd od hexdump strings cut paste column
    diff cmp comm echo printf base64 sqlite3 psql mysql curl wget gh glab tar unzip zcat xargs""".split()  # noqa: SIM905
)
"""Programs whose output was asked for to the letter, or of which nothing is known by their name."""
_READING_GIT = frozenset({"diff", "show", "log", "blame", "grep", "cat-file", "stash", "reflog", "ls-files", "ls-tree"})
_OWN = frozenset({"quarry", "quarry.exe"})
_REDIRECTION = lazy_pattern(r"(?:\d?>&[\d-]|&>>?\s*[^\s;|&]+|\d?>>?\s*[^\s;|&]+|<\s*[^\s;|&<]+)")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=")
_SEPARATORS = frozenset({"&&", "||", ";", "\n", "&", ";;"})


class Program(NamedTuple):
    """One program that is run: its name without folders, its arguments, and what its output is piped through."""

    name: str
    arguments: tuple[str, ...]
    filters: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """The arguments that are no options."""
        return frozenset(argument for argument in self.arguments if not argument.startswith("-"))


class Command(NamedTuple):
    """The programs of a command that print something, in order."""

    programs: tuple[Program, ...]

    @property
    def only(self) -> Program | None:
        """The one program that prints; None where there are several."""
        return self.programs[0] if len(self.programs) == 1 else None


def parse_command(command: str) -> Command | None:
    """
    The programs that *command* runs; None where its output is to be left as it is.

    That is so where it prints files or selected lines, runs `quarry`, or cannot be read.
    """
    if len(command) > MAX_COMMAND or "<<" in command or "$(" in command or "`" in command:
        return None
    programs: list[Program] = []
    for pipeline in _pipelines(command):
        first, *behind = (_program(words) for words in pipeline)
        if first is None or first.name in _QUIET:
            continue
        if _prints_files(first) or not all(program and program.name in _FILTERS for program in behind):
            return None
        programs.append(first._replace(filters=tuple(program.name for program in behind if program)))
    return Command(tuple(programs)) if programs else None


def _prints_files(program: Program) -> bool:
    if program.name in READERS or program.name in _OWN:
        return True
    return program.name == "git" and not _READING_GIT.isdisjoint(program.arguments)


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
        name = _base(rest[0])
        if _ASSIGNMENT.match(rest[0]) or name in _LAUNCHERS:
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
        words = words[2:] if words[0] in _WITH_VALUE else words[1:]
    return words


def _base(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower()
