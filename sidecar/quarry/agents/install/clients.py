"""
AI clients with their configuration files and their own commands; `clients.toml` is the table.

A path in it is a template with a base in braces, such as `{home}/.cursor/mcp.json`. The bases follow the clients'
documentation, with the environment variables by which each of them moves its folder.
"""

import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

Scope = Literal["user", "project"]
System = Literal["linux", "macos", "windows"]
SCOPES: tuple[Scope, ...] = ("user", "project")
HOOK_TIMEOUT_S = 2  # a hook answers in a fraction of it, or says nothing; a client waits no longer


class Hooks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hooks of a client: the files, and the events at which Quarry runs, with the matcher of tools for each."""

    files: Mapping[Scope, str]
    events: Mapping[str, str]  # empty for no matcher
    output_event: str | None = None  # of *events*, the one that only the settings for outputs of commands need
    grouped: bool = True  # an event has groups of handlers, with a matcher each; else handlers
    exec_form: bool = False  # a program and its arguments; else a line for the shell
    timeout: int = HOOK_TIMEOUT_S  # in the client's unit
    scaffold: Mapping[str, object] = {}  # content of a new file besides the hooks
    afterwards: str = ""


class ClientCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """
    A client's own command that adds and removes servers.

    In the arguments, `{scope}`, `{name}`, `{command}` and `{json}` (the entry) are replaced; `{env}` and `{args}` by
    any number of arguments, `{named_json}` by the entry with its name. Without *remove*, we edit the file.
    """

    program: str
    scopes: tuple[Scope, ...] = SCOPES
    add: tuple[str, ...]
    remove: tuple[str, ...] = ()


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client of MCP: the files that it reads, and what a person has to do when they have changed."""

    name: str
    title: str
    servers: Mapping[Scope, tuple[str, ...]]
    servers_path: tuple[str, ...] = ("mcpServers",)
    file_format: Literal["json", "toml"] = "json"
    command: ClientCommand | None = None
    has_transport: bool = False  # an entry says that it is of `type` stdio
    found_by: tuple[str, ...]
    hooks: Hooks | None = None
    instructions: Mapping[Scope, str] = {}
    afterwards: str
    documentation: str


_TABLE = tomllib.loads(Path(__file__).with_name("clients.toml").read_text(encoding="utf-8"))
CLIENTS: Mapping[str, Client] = {name: msgspec.convert({"name": name, **row}, Client) for name, row in _TABLE.items()}
"""Client by name, in the order in which they are listed."""


# --- paths on this system --------------------------------------------------------------------------


class Host(NamedTuple):
    """The environment that determines the paths; *project* is the folder with the project's configuration."""

    system: System
    home: Path
    project: Path
    environment: Mapping[str, str]


def current_host(project: Path | None = None) -> Host:
    """The environment of this process; the project is the nearest Git repository, else the working directory."""
    systems: Mapping[str, System] = {"darwin": "macos", "win32": "windows"}
    return Host(systems.get(sys.platform, "linux"), Path.home(), project or _project(Path.cwd()), dict(os.environ))


def config_paths(templates: Sequence[str], host: Host, name: str = "") -> list[Path]:
    """
    The paths for *templates* whose folders exist; if none does, the first path.

    A client that has moved its file is written to in both folders: which of the two it reads depends on its version.

    Args:
        name: Of the server, for a client with one file for each server; `*` for all existing files.
    """
    candidates = [path for template in templates for path in _matches(template, host, name)]
    return [path for path in candidates if path.parent.is_dir()] or candidates[:1]


def is_present(templates: Sequence[str], host: Host) -> bool:
    """Whether a file or folder exists for any of *templates*."""
    return any(path.exists() for template in templates for path in _matches(template, host, ""))


def _matches(template: str, host: Host, name: str) -> list[Path]:
    base, _, rest = template.removeprefix("{").partition("}")
    folder, rest = Path(_bases(host)[base]), rest.lstrip("/").replace("{name}", name)
    return sorted(folder.glob(rest)) if "*" in rest else [folder / rest]


def _bases(host: Host) -> dict[str, str]:
    home = str(host.home)

    def moved(variable: str, usual: str) -> str:
        value = host.environment.get(variable, "")
        return value if Path(value).is_absolute() else usual  # XDG: a relative path counts for nothing

    dot_config = moved("XDG_CONFIG_HOME", f"{home}/.config") if host.system == "linux" else f"{home}/.config"
    app_data = f"{home}/Library/Application Support" if host.system == "macos" else dot_config
    if host.system == "windows":
        dot_config = app_data = moved("APPDATA", f"{home}/AppData/Roaming")
    return {
        "home": home,
        "project": str(host.project),
        "dot_config": dot_config,
        "app_data": app_data,
        "local_app_data": moved("LOCALAPPDATA", f"{home}/AppData/Local"),
        "claude": moved("CLAUDE_CONFIG_DIR", f"{home}/.claude"),
        "claude_state": moved("CLAUDE_CONFIG_DIR", home),
        "codex": moved("CODEX_HOME", f"{home}/.codex"),
        "gemini": f"{moved('GEMINI_CLI_HOME', home)}/.gemini",
        "continue": moved("CONTINUE_GLOBAL_DIR", f"{home}/.continue"),
    }


def _project(here: Path) -> Path:
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
