"""
Where do the files of other programs lie on this system?

A place is a path with a base in braces, such as `{home}/.cursor/mcp.json`. The bases follow the clients' documentation,
with the environment variables by which each of them moves its folder.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

System = Literal["linux", "macos", "windows"]


class Host(NamedTuple):
    """The environment that decides where files lie; *project* is the folder with the project's configuration."""

    system: System
    home: Path
    project: Path
    environment: Mapping[str, str]


def current_host(project: Path | None = None) -> Host:
    """Where this process runs: the project is the nearest folder of a Git repository, else the working directory."""
    systems: Mapping[str, System] = {"darwin": "macos", "win32": "windows"}
    return Host(systems.get(sys.platform, "linux"), Path.home(), project or _project(Path.cwd()), dict(os.environ))


def paths_at(places: Sequence[str], host: Host, name: str = "") -> list[Path]:
    """
    The files at *places*, of which those count whose folder is there; without any, the first place.

    A client that has moved its file is written to in both places: which of the two it reads depends on its version.

    Args:
        name: Of the entry, for a client that has a file for each; `*` for all that are there.
    """
    candidates = [path for place in places for path in _matches(place, host, name)]
    return [path for path in candidates if path.parent.is_dir()] or candidates[:1]


def is_present(places: Sequence[str], host: Host) -> bool:
    """Whether any of *places* is there."""
    return any(path.exists() for place in places for path in _matches(place, host, ""))


def _matches(place: str, host: Host, name: str) -> list[Path]:
    base, _, rest = place.removeprefix("{").partition("}")
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
