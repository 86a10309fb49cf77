"""A failed command: the error as a person reads it on standard error, and as a program reads it on standard output."""

from typing import Any

from quarry.cli.installation import extra_command
from quarry.cli.parser import BadUsage
from quarry.cli.terminal import print_caret, print_json_line, print_stderr
from quarry.client.client import RequestFailed
from quarry.errors import BadQuery, ExtraMissing, QuarryError
from quarry.server.failures import exit_code_of, presentation_of


def report(error: QuarryError, *, as_json: bool = False) -> int:
    """Print *error* and what to do next; with *as_json* also as one line of JSON. Gives the exit code."""
    if as_json:
        print_json_line({"error": error_value(error)})
    print_stderr(str(error))
    if isinstance(error, RequestFailed) and error.query is not None and error.position is not None:
        print_caret(error.query, error.position)
    print_stderr(_next_step(error))
    return exit_code(error)


def error_value(error: QuarryError) -> dict[str, Any]:
    """*error* as `{kind, message, next, position}`; the position, in UTF-16 units of the query, may be None."""
    position = error.position if isinstance(error, RequestFailed | BadQuery) else None
    kind = error.kind if isinstance(error, RequestFailed) else presentation_of(error).kind
    return {"kind": kind, "message": str(error), "next": _next_step(error), "position": position}


def exit_code(error: QuarryError) -> int:
    """The exit code of a command that *error* ended."""
    return exit_code_of(error.kind) if isinstance(error, RequestFailed) else presentation_of(error).exit_code


def _next_step(error: QuarryError) -> str:
    if isinstance(error, ExtraMissing) and error.extra:
        return f"run `{extra_command(error.extra)}`"
    return error.next if isinstance(error, RequestFailed | BadUsage) else presentation_of(error).next
