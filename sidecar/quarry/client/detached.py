"""
How a sidecar is started that outlives its starter: its command, its environment, and a start without waiting.

Of the standard library alone, as a hook starts one this way: in a few milliseconds, deaf to what becomes of it.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

IDLE_S = 600  # a sidecar that a tool started leaves when nobody asked for so long
AGENT_MARKERS = ("CLAUDECODE", "CLAUDE_", "CODEX_", "CURSOR_", "GEMINI_CLI", "COPILOT_", "AI_AGENT")
"""How the variables begin by which an agent tells its children apart: a sidecar is the child of none."""


def serve_command(root: Path) -> list[str]:
    """
    The command of a sidecar for the vault at *root*.

    `-I`: neither PYTHONPATH nor the working directory may put a module of their own in our way. The path is made whole
    here, because over there it would be relative to another folder.
    """
    whole = os.path.realpath(root)
    return [sys.executable, "-I", "-m", "quarry", "serve", "--vault", whole, "--idle", str(IDLE_S)]


def sidecar_environment(own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """*own* environment without an agent's markers, and QUARRY_HOME whole: both processes must use the same folder."""
    found = {name: value for name, value in own.items() if not name.startswith(AGENT_MARKERS)}
    home = own.get("QUARRY_HOME")
    return {**found, "QUARRY_HOME": str(Path(home).expanduser().absolute())} if home else found


def start_detached(root: Path, folder: Path) -> None:
    """
    Start a sidecar for the vault at *root* in *folder*, in a session of its own, and do not wait for it.

    Its standard streams lead nowhere: a reader of ours must not wait for a process that stays.

    Raises:
        OSError: It cannot be started.
    """
    command, environment = serve_command(root), sidecar_environment()
    if sys.platform == "win32":
        _popen(command, environment, folder)
        return
    os.chdir(folder)  # a working directory of ours, which is always there; the process that starts it ends now
    _keep_descriptors()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        os.posix_spawn(command[0], command, environment, file_actions=actions, setsid=True)
    except NotImplementedError:  # a C library without POSIX_SPAWN_SETSID
        _popen(command, environment, folder)


def _keep_descriptors() -> None:
    """Let no descriptor of ours pass to the child: one that a client left open would keep its pipe open for hours."""
    try:
        numbers = os.listdir("/dev/fd")  # noqa: PTH208 - numbers are wanted, not paths
    except OSError:
        return
    for number in numbers:
        if number.isdigit() and int(number) > 2:
            try:
                os.set_inheritable(int(number), False)
            except OSError:  # the listing's own, which is closed by now
                continue


def _popen(command: list[str], environment: dict[str, str], folder: Path) -> None:
    import subprocess  # here, as it takes longer to import than the rest of a start

    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    subprocess.Popen(  # noqa: S603 - our own program with a fixed argument list, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        **detached,
    )
