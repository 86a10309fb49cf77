"""The commands together, and what the process ends with."""

import argparse
import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import quarry
from quarry.errors import QuarryError
from quarry.interfaces.cli.common import Command, print_failure
from quarry.interfaces.cli.exclusions import protect_exclusions
from quarry.interfaces.cli.importing import without_gc
from quarry.interfaces.cli.terminal import print_stderr
from quarry.interfaces.failures import RequestFailed, exit_code_of, presentation_of
from quarry.interfaces.protocol import PROTOCOL_VERSION

EXIT_CODES = """exit codes:
    0  done (also when nothing was found)
    1  failed; the message says why
    2  bad usage, query or setting
    3  another sidecar serves this vault (serve)
    4  no such vault folder
    5  a newer version of Quarry wrote the index
    6  sidecar and tool speak different protocol versions
  130  interrupted with Ctrl-C; what was indexed until then stays"""
INTERRUPTED = 130

# Which module adds which commands, in the order of the help. Only the one that is wanted is imported: all of them
# take as long as everything else that a search from the command line does.
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "searching": ("search",),
    "explaining": ("explain",),
    "relating": ("related",),
    "indexing": ("index",),
    "notes": ("read", "list"),
    "inspecting": ("status", "doctor"),
    "serving": ("serve", "mcp"),
    "evaluating": ("eval",),
    "benching": ("bench",),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    _replace_unencodable()
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser(given).parse_args(protect_exclusions(given))
    command: Command = options.run
    try:
        exit_code = command(options)
        sys.stdout.flush()  # a pipe that was closed is an everyday thing here, and a crash at the end
        return exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `quarry list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except RequestFailed as failed:
        print_failure(failed)
        return exit_code_of(failed.error.data.kind)
    except QuarryError as error:
        print_stderr(str(error))
        print_stderr(presentation_of(error).next)
        return presentation_of(error).exit_code


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    """What reads *given*: with the commands of the module that it names, or where it names none, with all."""
    parser = argparse.ArgumentParser(
        prog="quarry",
        description="Find notes by word and by meaning at once. Nothing leaves this machine.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    wanted = [group for group, names in _COMMANDS.items() if given and given[0] in names] or _COMMANDS
    with without_gc():
        for group in wanted:
            import_module(f"quarry.interfaces.cli.{group}").add_commands(commands)
    return parser


class _Version(argparse.Action):
    """Prints the version, which is not looked up before somebody asks."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"quarry {quarry.__version__} (protocol {PROTOCOL_VERSION})")
        parser.exit()


def _replace_unencodable() -> None:
    """Notes hold every script; a terminal of another encoding shows `?` rather than ending us."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # replaced by something without an encoding
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
