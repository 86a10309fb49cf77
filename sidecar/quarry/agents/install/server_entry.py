"""Entries that start Quarry in a client's configuration: how they are written, recognised and tried."""

import json
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
NAME = re.compile(
    rf"(?!-)[A-Za-z0-9_-]{{1,{MAX_NAME}}}"
)  # every client takes it, and no command takes it for an option
_TEMPORARY = ("archive-v0", "environments-v2")  # folders of uv's cache, which is emptied now and then


class Launcher(NamedTuple):
    """The command that starts this Quarry: an absolute path, and its first arguments."""

    command: str
    arguments: tuple[str, ...] = ()


def running_launcher() -> Launcher:
    """
    The command that starts the running program again, from any folder.

    Raises:
        BadConfiguration: It runs from a cache that will be emptied.
    """
    found = _script()
    if found and any(part in _TEMPORARY for part in Path(os.path.realpath(found)).parts):
        raise BadConfiguration(
            f"{found} is in a cache and will be removed; install Quarry first, with `uv tool install` or pipx"
        )
    return Launcher(str(found)) if found else Launcher(str(Path(sys.executable).absolute()), ("-m", PROGRAM))


def _script() -> Path | None:
    """The running script `quarry`, or the one of this Python; a link is kept, as updates change its target."""
    started = Path(sys.argv[0])
    installed = Path(sysconfig.get_path("scripts")) / (f"{PROGRAM}.exe" if sys.platform == "win32" else PROGRAM)
    candidates = [started.with_suffix(".exe")] if sys.platform == "win32" else [started]
    candidates += [Path(found)] if (found := shutil.which(sys.argv[0])) else []
    for candidate in (*candidates, installed):
        if candidate.stem == PROGRAM and candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate.absolute()
    return None


def server_name(vault: Path) -> str:
    """The name of a server for *vault*, from its folder: `notes` for `Notes`, and for a name without Latin letters."""
    ascii_only = unicodedata.normalize("NFKD", vault.name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:MAX_NAME].strip("-") or DEFAULT_NAME


def checked_name(name: str) -> str:
    """
    Check that every client takes *name*.

    Raises:
        BadConfiguration: It has other characters than ASCII letters, digits, `-` and `_`, begins with `-`, or is too
            long.
    """
    if not NAME.fullmatch(name):
        raise BadConfiguration(f"--name is {name!r}; it takes up to {MAX_NAME} letters, digits, - and _")
    return name


def server_entry(client: Client, launcher: Launcher, vault: str) -> dict[str, object]:
    """The entry of an MCP server for the vault at the path *vault*, in the form that *client* reads."""
    entry: dict[str, object] = {"type": "stdio"} if client.has_transport else {}
    entry |= {"command": launcher.command, "args": [*launcher.arguments, "mcp", "--vault", vault]}
    if home := _own_home():
        entry["env"] = {"QUARRY_HOME": home}
    return entry


def hook_entries(
    client: Client, hooks: Hooks, launcher: Launcher, vault: str, *, outputs: bool
) -> dict[str, dict[str, object]]:
    """
    The entry for each event of *hooks*.

    Args:
        outputs: Whether the vault's settings need the event after a command; otherwise it would only cost time.
    """
    home = _own_home()
    arguments = [*launcher.arguments, "hook", client.name, "--vault", vault, *(["--home", home] if home else [])]
    events = {event: matcher for event, matcher in hooks.events.items() if outputs or event != hooks.output_event}
    handler: dict[str, object] = {"command": launcher.command, "args": arguments}
    if not hooks.exec_form:
        handler = {"command": _shell_line([launcher.command, *arguments])}
    handler["timeout"] = hooks.timeout
    if not hooks.grouped:
        return dict.fromkeys(events, handler)
    handler = {"type": "command", **handler}
    return {
        event: {**({"matcher": matcher} if matcher else {}), "hooks": [handler]} for event, matcher in events.items()
    }


def _own_home() -> str | None:
    """`QUARRY_HOME`, absolute: a client that is not started from a terminal does not have the variable."""
    home = os.environ.get("QUARRY_HOME")
    return str(Path(home).expanduser().absolute()) if home else None


def _shell_line(arguments: Sequence[str]) -> str:
    return subprocess.list2cmdline(arguments) if sys.platform == "win32" else shlex.join(arguments)


def vault_of(entry: object, *call: str) -> str | None:
    """
    The path of the vault that *entry*, of a server or a hook, names; None if it does not start Quarry.

    Args:
        call: The subcommand: `mcp`, or `hook` and the name of the client.
    """
    command = command_of(entry)
    rest = command[1:]
    if rest[:2] == ["-m", PROGRAM]:
        rest = rest[2:]
    elif not command or _stem(command[0]) != PROGRAM:
        return None
    if rest[: len(call)] != [*call] or "--vault" not in rest[:-1]:
        return None
    return rest[rest.index("--vault") + 1]


def is_same_vault(one: str | None, other: str) -> bool:
    """Whether two paths lead to one folder."""
    return one is not None and _real(one) == _real(other)


def _real(path: str) -> str:
    try:
        return os.path.normcase(os.path.realpath(path))
    except ValueError:  # a character that no path has
        return path


def _stem(command: str) -> str:
    """The name of a program without its folder and `.exe`, for paths of every system."""
    kind: type[PurePath] = PureWindowsPath if "\\" in command else PurePosixPath
    return kind(command).name.removesuffix(".exe")


def command_of(entry: object) -> list[str]:
    """The command line of an entry, which another program may have written in another form; empty if it has none."""
    if not isinstance(entry, Mapping) or not isinstance(command := entry.get("command"), str):
        return []
    if isinstance(arguments := entry.get("args"), list):
        return [command, *map(str, arguments)]
    is_posix = "\\" not in command
    try:
        parts = shlex.split(command, posix=is_posix)
    except ValueError:  # a quote that is not closed
        return []
    return parts if is_posix else [part.strip('"') for part in parts]


# --- trying a configured server --------------------------------------------------------------------

PROTOCOL_REVISION = "2025-06-18"  # of MCP; every client of the table speaks it, or a later one that begins alike
TIMEOUT_S = 20.0  # Codex gives a server 10; a cold disk and a busy machine
MAX_WORDS = 300  # characters of the end of an error message
_CLIENT = {"name": "quarry-install", "version": "1"}
_HELLO = {"protocolVersion": PROTOCOL_REVISION, "capabilities": {}, "clientInfo": _CLIENT}
_REQUESTS: tuple[dict[str, Any], ...] = (
    {"id": 1, "method": "initialize", "params": _HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)


class Verification(NamedTuple):
    """The names of the tools that a server listed, or what was wrong with it."""

    tools: tuple[str, ...]
    problem: str | None = None


def verify(
    command: Sequence[str], environment: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S
) -> Verification:
    """Start *command*, an MCP server on standard input and output, and list its tools; it ends with its input."""
    try:
        ended = subprocess.run(  # noqa: S603 - the command that the client starts, without a shell
            command,
            input=b"".join(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n" for request in _REQUESTS),
            capture_output=True,
            env={**os.environ, **(environment or {})},
            cwd=Path.home(),
            timeout=timeout_s,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows: no console window
        )
    except (OSError, ValueError) as error:
        return Verification((), f"`{command[0]}` cannot be started: {error}")
    except subprocess.TimeoutExpired:
        return Verification((), "it does not answer in time")
    tools = next((tools for line in ended.stdout.splitlines() if (tools := _tools(line)) is not None), None)
    if tools is None:
        words = " ".join(ended.stderr.decode(errors="replace").split())[-MAX_WORDS:]
        return Verification((), f"it does not list its tools{f' ({words})' if words else ''}")
    return Verification(tools)


def _tools(line: bytes) -> tuple[str, ...] | None:
    """The names of the tools in an answer; None for another message."""
    try:
        message: Any = json.loads(line)
        return tuple(str(tool["name"]) for tool in message["result"]["tools"]) if message["id"] == 2 else None
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
