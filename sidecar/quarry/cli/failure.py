"""
How a command ends: the exit codes, and the error that a person reads on standard error, a program on standard output.

`quarry --help` and `quarry help exit-codes` print the table of the codes.
"""

import json
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

from quarry.cli.parser import BadUsage
from quarry.cli.terminal import print_caret, print_json_line, print_stderr
from quarry.client.codec import RequestFailed
from quarry.errors import BadQuery, ExtraMissing, QuarryError
from quarry.server.failures import presentation_of

OK = 0
FAILED = 1
BAD_USAGE = 2
LOCKED = 3
NO_VAULT = 4
TOO_NEW = 5
OTHER_PROTOCOL = 6
NOT_INDEXED_YET = 7
INTERRUPTED = 130

MEANINGS = {
    OK: "success, also when nothing was found",
    FAILED: "failure; the message gives the reason",
    BAD_USAGE: "invalid usage, query or setting; of several queries, at least one failed",
    LOCKED: "another sidecar serves this vault (serve), or a program has opened it exclusively",
    NO_VAULT: "no such vault folder",
    TOO_NEW: "the index was written by a newer version of Quarry",
    OTHER_PROTOCOL: "the sidecar and this tool speak different protocol versions",
    NOT_INDEXED_YET: "nothing found, and the vault is not fully indexed yet; see --wait",
    INTERRUPTED: "interrupted with Ctrl-C; everything indexed until then is kept",
}


def exit_code_table() -> str:
    """All codes with their meanings, one on a line."""
    return "\n".join(f"  {code:>3}  {meaning}" for code, meaning in MEANINGS.items())


def report(error: QuarryError, *, as_json: bool = False) -> int:
    """Print *error* and what to do next; with *as_json* also as one line of JSON. Gives the exit code."""
    if as_json:
        print_json_line({"error": error_value(error)})
    print_stderr(str(error))
    if isinstance(error, RequestFailed) and error.query is not None and error.position is not None:
        print_caret(error.query, error.position)
    print_stderr(_next_step(error))
    return presentation_of(error).exit_code


def error_value(error: QuarryError) -> dict[str, Any]:
    """*error* as `{kind, message, next, position}`; the position, in UTF-16 units of the query, may be None."""
    position = error.position if isinstance(error, RequestFailed | BadQuery) else None
    return {"kind": presentation_of(error).kind, "message": str(error), "next": _next_step(error), "position": position}


def _next_step(error: QuarryError) -> str:
    if isinstance(error, ExtraMissing) and error.extra:
        return f"run `{extra_command(error.extra)}`"
    return error.next if isinstance(error, BadUsage) else presentation_of(error).next


# --- the command for an extra ----------------------------------------------------------------------

DISTRIBUTION = "quarry-search"


def extra_command(extra: str) -> str:
    """The command that installs this program again with *extra*, by the tool and from the place that it came from."""
    return install_command(extra, _source(), sys.prefix, sys.executable)


def install_command(extra: str, source: str | None, prefix: str, python: str) -> str:
    """
    The command for a program that lies in *prefix*.

    Args:
        source: The folder or address it was installed from; None for a package index.
        python: The interpreter, for pip.
    """
    wanted = f"{source}[{extra}]" if source else f"{DISTRIBUTION}[{extra}]"
    parts = PurePath(prefix).parts
    if "uv" in parts and "tools" in parts:
        return shlex.join(["uv", "tool", "install", "--force", wanted])
    if "pipx" in parts:
        return shlex.join(["pipx", "install", "--force", wanted])
    return shlex.join([python, "-m", "pip", "install", wanted])


def _source() -> str | None:
    """Where the installed package came from (PEP 610); None where that is not recorded."""
    try:
        recorded = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "null")
        url = str(recorded["url"])
    except (PackageNotFoundError, ValueError, TypeError, KeyError, OSError):
        return None
    parts = urlsplit(url)
    return unquote(parts.path) if parts.scheme == "file" else url
