"""What is written into a client's configuration, and how is it recognised later?"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any, NamedTuple

from quarry.agents.install.clients import Client, Hooks
from quarry.errors import BadConfiguration

PROGRAM = "quarry"
MAX_NAME = 40  # letters; clients put the name before that of every tool, of which 64 letters count
DEFAULT_NAME = "notes"
_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{MAX_NAME}}}")
_TEMPORARY = ("archive-v0", "environments-v2")  # folders of uv's cache; a program in them is gone some day


class Launcher(NamedTuple):
    """How this Quarry is started: an absolute path, and the arguments that come first."""

    command: str
    arguments: tuple[str, ...] = ()


def running_launcher() -> Launcher:
    """
    How the running program can be started again from anywhere.

    Raises:
        BadConfiguration: It runs from a cache, and would not be found for long.
    """
    found = _script()
    if found and any(part in _TEMPORARY for part in Path(os.path.realpath(found)).parts):
        raise BadConfiguration(
            f"{found} lies in a cache and will be removed; install Quarry first, with `uv tool install` or pipx"
        )
    return Launcher(str(found)) if found else Launcher(str(Path(sys.executable).absolute()), ("-m", PROGRAM))


def _script() -> Path | None:
    """The script `quarry` that runs, or the one of this Python; a link is kept, as updates change its target."""
    started = Path(sys.argv[0])
    installed = Path(sysconfig.get_path("scripts")) / (f"{PROGRAM}.exe" if sys.platform == "win32" else PROGRAM)
    candidates = [started.with_suffix(".exe")] if sys.platform == "win32" else [started]
    candidates += [Path(found)] if (found := shutil.which(sys.argv[0])) else []
    for candidate in (*candidates, installed):
        if candidate.stem == PROGRAM and candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.absolute()
    return None


def entry_name(vault: Path) -> str:
    """The name of the vault's folder as the name of a server: `notes` for `Notes`, and where no letter is left."""
    ascii_only = unicodedata.normalize("NFKD", vault.name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MAX_NAME].strip("-") or DEFAULT_NAME


def checked_name(name: str) -> str:
    """
    *name*, which every client takes.

    Raises:
        BadConfiguration: It has other characters than ASCII letters, digits, `-` and `_`, or is too long.
    """
    if not _NAME.fullmatch(name):
        raise BadConfiguration(f"--name is {name!r}; it takes up to {MAX_NAME} letters, digits, - and _")
    return name


# --- what is written --------------------------------------------------------------------------


def server_entry(client: Client, launcher: Launcher, vault: str) -> dict[str, object]:
    """The entry of an MCP server, as *client* reads it, that serves the vault at the path *vault*."""
    entry: dict[str, object] = {"type": "stdio"} if client.has_transport else {}
    entry |= {"command": launcher.command, "args": [*launcher.arguments, "mcp", "--vault", vault]}
    if home := os.environ.get("QUARRY_HOME"):  # a client that is not started from a terminal has no such variable
        entry["env"] = {"QUARRY_HOME": str(Path(home).expanduser().absolute())}
    return entry


def hook_entries(client: Client, hooks: Hooks, launcher: Launcher, vault: str) -> dict[str, dict[str, object]]:
    """Event -> what is added to its hooks."""
    arguments = [*launcher.arguments, "hook", client.name, "--vault", vault]
    handler: dict[str, object] = {"command": launcher.command, "args": arguments}
    if not hooks.exec_form:
        handler = {"command": _shell_line([launcher.command, *arguments])}
    handler["timeout"] = hooks.timeout
    if not hooks.grouped:
        return dict.fromkeys(hooks.events, handler)
    handler = {"type": "command", **handler}
    return {
        event: {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
        for event, matcher in hooks.events.items()
    }


def _shell_line(arguments: Sequence[str]) -> str:
    return subprocess.list2cmdline(arguments) if sys.platform == "win32" else shlex.join(arguments)


# --- what is recognised -----------------------------------------------------------------------


def served_vault(entry: object) -> str | None:
    """The path of the vault that *entry*, of an MCP server, serves; None where it does not start Quarry."""
    return _named_vault(_arguments(entry), ["mcp"])


def hooked_vault(handler: object, client: str) -> str | None:
    """The path of the vault that *handler* looks into for *client*; None where it is no hook of Quarry."""
    return _named_vault(_arguments(handler), ["hook", client])


def is_same_vault(one: str | None, other: str) -> bool:
    """Whether two paths lead to one folder."""
    return one is not None and _real(one) == _real(other)


def command_of(entry: Mapping[str, Any]) -> list[str]:
    """The command line of *entry*, program first."""
    return _arguments(entry) or []


def _real(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except ValueError:  # a character that no path has
        return path


def _named_vault(arguments: list[str] | None, call: list[str]) -> str | None:
    """The vault in *arguments*, the command line of a Quarry that is called as *call* says."""
    if not arguments:
        return None
    rest = arguments[1:]
    if rest[:2] == ["-m", PROGRAM]:
        rest = rest[2:]
    elif _stem(arguments[0]) != PROGRAM:
        return None
    if rest[: len(call)] != call or "--vault" not in rest[:-1]:
        return None
    return rest[rest.index("--vault") + 1]


def _stem(command: str) -> str:
    """The name of a program without its folder and `.exe`, whichever system the path is of."""
    kind: type[PurePath] = PureWindowsPath if "\\" in command else PurePosixPath
    return kind(command).name.removesuffix(".exe")


def _arguments(entry: object) -> list[str] | None:
    """The command line of an entry that another program may have written, in whatever form; None where it has none."""
    if not isinstance(entry, Mapping) or not isinstance(command := entry.get("command"), str):
        return None
    if isinstance(arguments := entry.get("args"), list):
        return [command, *map(str, arguments)]
    is_posix = "\\" not in command
    try:
        parts = shlex.split(command, posix=is_posix)
    except ValueError:  # a quote that is not closed
        return None
    return parts if is_posix else [part.strip('"') for part in parts]
