"""The commands together, and what the process ends with."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence

from quarry import __version__
from quarry.errors import QuarryError
from quarry.interfaces.cli import (
    benching,
    evaluating,
    explaining,
    indexing,
    inspecting,
    notes,
    relating,
    searching,
    serving,
)
from quarry.interfaces.cli.common import Command, tell
from quarry.interfaces.cli.terminal import complain
from quarry.interfaces.client import RequestFailed
from quarry.interfaces.failures import exit_code_of, form_of
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    _speak_utf8()
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(searching.protect_exclusions(given))
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
        tell(failed)
        return exit_code_of(failed.error.data.kind)
    except QuarryError as error:
        complain(str(error))
        complain(form_of(error).next)
        return form_of(error).exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quarry",
        description="Find notes by word and by meaning at once. Nothing leaves this machine.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"quarry {__version__} (protocol {PROTOCOL_VERSION})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for group in (searching, explaining, relating, indexing, notes, inspecting, serving, evaluating, benching):
        group.add_commands(commands)
    return parser


def _speak_utf8() -> None:
    """Notes hold every script; a terminal of another encoding shows `?` rather than ending us."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # replaced by something without an encoding
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
