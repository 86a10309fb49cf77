"""
Paths of other programs' files on this system.

A template is a path with a base in braces, such as `{home}/.cursor/mcp.json`. The bases follow the clients'
documentation, with the environment variables by which each of them moves its folder.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

System = Literal["linux", "macos", "windows"]


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
