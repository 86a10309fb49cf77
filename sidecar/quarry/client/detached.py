"""
The command and environment of a sidecar that outlives the process that starts it, and a start without waiting.

Of the standard library alone: a hook starts a sidecar in a few milliseconds and does not wait for it.
"""

import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

IDLE_S = 600  # a sidecar that a tool started exits after so long without a request
AGENT_MARKERS = ("CLAUDECODE", "CLAUDE_", "CODEX_", "CURSOR_", "GEMINI_CLI", "COPILOT_", "AI_AGENT")
"""Prefixes of the variables by which agents mark their child processes; a sidecar belongs to no agent."""


def serve_command(root: Path, only: Sequence[str] = ()) -> list[str]:
    """
    The command of a sidecar for the vault at *root*, or for its part in the folders *only*.

    `-I`: neither PYTHONPATH nor the working directory may add modules. The path is made absolute here, as the sidecar
    runs in another folder.
    """
    absolute = os.path.realpath(root)
    part = [f"--only={folder}" for folder in only]
    return [sys.executable, "-I", "-m", "quarry", "serve", "--vault", absolute, "--idle", str(IDLE_S), *part]


def sidecar_environment(own: Mapping[str, str] = os.environ) -> dict[str, str]:
    """*own* environment without an agent's markers, and QUARRY_HOME absolute: both processes must use one folder."""
    found = {name: value for name, value in own.items() if not name.startswith(AGENT_MARKERS)}
    home = own.get("QUARRY_HOME")
    return {**found, "QUARRY_HOME": str(Path(home).expanduser().absolute())} if home else found


def detached_options() -> dict[str, Any]:
    """Options of `Popen` for a session of its own, so that Ctrl-C in the terminal does not end the sidecar."""
    if sys.platform == "win32":
        import subprocess  # here, as a hook elsewhere starts a sidecar without it

        return {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def start_detached(root: Path, folder: Path) -> None:
    """
    Start a sidecar for the vault at *root* in *folder*, in a session of its own, and do not wait for it.

    Its standard streams are closed: whoever reads the output of this process must not wait for the sidecar.

    Raises:
        OSError: It cannot be started.
    """
    command, environment = serve_command(root), sidecar_environment()
    if sys.platform == "win32":
        _popen(command, environment, folder)
        return
    os.chdir(folder)  # which always exists; this process ends now
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
    """Keep open descriptors from the child: a pipe that a client left open would stay open for hours."""
    with contextlib.suppress(OSError):
        for number in os.listdir("/dev/fd"):  # noqa: PTH208 - numbers, not paths
            if number.isdigit() and int(number) > 2:
                with contextlib.suppress(OSError):  # the descriptor of the listing, which is closed by now
                    os.set_inheritable(int(number), False)


def _popen(command: list[str], environment: dict[str, str], folder: Path) -> None:
    import subprocess  # here, as importing it takes longer than the rest of a start

    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    subprocess.Popen(command, cwd=folder, env=environment, **streams, **detached_options())  # type: ignore[call-overload]  # noqa: S603
