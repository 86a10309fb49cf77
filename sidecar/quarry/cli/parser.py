"""The parser of the command line: argparse, with messages that name the option, the value and what it takes."""

import argparse
import re
from difflib import get_close_matches
from typing import Any, Never

from quarry.errors import BadRequest

_ARGUMENT = re.compile(r"argument (?P<name>[^:]+): (?P<problem>.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: '(?P<given>.*)' \(choose from (?P<choices>.*)\)", re.DOTALL)
SIMILAR = 0.6  # share of letters in common from which a mistyped command is taken for another


class BadUsage(BadRequest):
    """The command line cannot be read; `next` says where its usage is described."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.next = next_step


class Parser(argparse.ArgumentParser):
    """Raises `BadUsage` where argparse would print its usage and exit."""

    command = ""  # the command that the line names; its parser leaves unknown arguments to that of all commands
    is_intermixed = False  # whether words may come behind options: `search git --limit 1 draft`

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[argparse.Namespace, list[str]]:  # type: ignore[override]
        """See `argparse`."""
        if not self.is_intermixed:
            return super().parse_known_args(args, namespace)
        self.is_intermixed = False  # argparse comes back here, first for the options and then for the words
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_intermixed = True

    def error(self, message: str) -> Never:
        """Raise *message* in the words of this command line."""
        program = f"{self.prog} {self.command}".strip()
        raise BadUsage(_worded(message, program), f"see `{program} --help`")


class Once(argparse.Action):
    """Stores a value, and refuses a second one."""

    def __call__(  # noqa: D102 - argparse's
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, f"has_{self.dest}", False):
            parser.error(f"{option or self.dest} is given twice; one command asks one vault")
        setattr(namespace, f"has_{self.dest}", True)
        setattr(namespace, self.dest, values)


def _worded(message: str, program: str) -> str:
    """argparse's *message* as a sentence about the options and values of *program*."""
    if found := _ARGUMENT.fullmatch(message):
        return _about(found["name"].split("/")[0], found["problem"])
    kind, _, names = message.partition(": ")
    if kind == "unrecognized arguments":
        return f"`{program}` does not take {names}"
    if kind == "the following arguments are required":
        return f"`{program}` needs {names.replace('COMMAND', 'a command')}"
    return message


def _about(name: str, problem: str) -> str:
    """A sentence on the *problem* with the value of the argument *name*."""
    if choice := _CHOICE.fullmatch(problem):
        choices = choice["choices"].replace("'", "").split(", ")
        if name == "COMMAND":
            return _unknown_command(choice["given"], choices)
        return f"{name} is {choice['given']!r}; it takes {', '.join(choices[:-1])} or {choices[-1]}"
    if problem == "expected one argument":
        return f"{name} needs a value"
    if problem.startswith("not allowed with argument "):
        return f"give either {name} or {problem.removeprefix('not allowed with argument ').split('/')[0]}"
    return f"{name} {problem}"


def _unknown_command(given: str, commands: list[str]) -> str:

    similar = get_close_matches(given, commands, 1, SIMILAR)
    return f"there is no command {given!r}" + (f"; did you mean {similar[0]!r}?" if similar else "")
