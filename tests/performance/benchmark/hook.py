"""
What does an agent's hook cost at each prompt? `quarry hook`, run as an agent runs it: a process for each event.

CPU time is that of the process alone; what the sidecar spends on its answer is not in it. Wall time is what the agent
waits, the start of the interpreter included. Hooks are measured warm, with a sidecar that runs and has answered, and
cold, where the hook starts one and says nothing.
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from benchmark.commands import CommandCost, CommandRun, cost_of, run_command
from benchmark.measurement import PartFailed
from benchmark.server_cost import serving
from quarry.client.discovery import discovery_path, read_discovery
from quarry.config import runtime_dir
from quarry.vault.paths import vault_id

PROMPTS = 20  # as a published system reports
WARM_UP = 3  # the first answers read parts of the index
DEADLINE_MS = "10000"  # a busy machine is to be measured, not met with silence
SIDECAR_TIMEOUT_S = 60.0
POLL_S = 0.02


class HookCost(Struct, frozen=True):
    """Many runs of the hook."""

    cost: CommandCost
    answered: int  # with context


def measure_hook(vault: Path, prompts: Sequence[str]) -> dict[str, HookCost]:
    """
    The cost of the hook at each of *prompts*: `warm`, and `cold`, at the first of them in a home of its own each time.

    Quarry's own folders must be those of a measurement (QUARRY_HOME): sidecars of *vault* are started and ended.

    Raises:
        PartFailed: The hook ended with another code than 0, or no sidecar came up.
    """
    return {"warm": measure_warm(vault, prompts), "cold": measure_cold(vault, prompts[0])}


def measure_warm(vault: Path, prompts: Sequence[str]) -> HookCost:
    """The cost at each of *prompts*, each the first of a conversation, so that nothing was shown before."""
    with serving(vault):
        _warm_up(vault, prompts)
        return _summary([run_hook(vault, prompt, f"warm-{number}") for number, prompt in enumerate(prompts)])


def measure_cold(vault: Path, prompt: str, times: int = 5) -> HookCost:
    """The cost where no sidecar runs: each of the *times* starts one, which is ended again."""
    runs = []
    for number in range(times):
        _forget_starts()
        runs.append(run_hook(vault, prompt, f"cold-{number}"))
        with _started(vault) as pid:
            os.kill(pid, signal.SIGTERM)
    return _summary(runs)


def run_hook(vault: Path, prompt: str, session: str) -> CommandRun:
    """Run the hook at *prompt* in the conversation *session*, as Claude Code does."""
    event = {"session_id": session, "cwd": str(vault), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    command = ["hook", "claude-code", "--vault", str(vault)]
    return run_command(command, json.dumps(event).encode(), {"QUARRY_HOOK_DEADLINE_MS": DEADLINE_MS})


def _warm_up(vault: Path, prompts: Sequence[str]) -> None:
    """Have the sidecar read its notes and its model, and ask a few times."""
    run_command(["index", "--vault", str(vault)])
    for number, prompt in enumerate(prompts[:WARM_UP]):
        run_hook(vault, prompt, f"warm-up-{number}")


@contextlib.contextmanager
def _started(vault: Path) -> Iterator[int]:
    """The process id of the sidecar that a hook started; on exit, it has ended."""
    deadline_s = time.monotonic() + SIDECAR_TIMEOUT_S
    while not (pid := _pid_of(vault)) or _has_ended(pid):  # the file of one that was killed while it started stays
        if time.monotonic() > deadline_s:
            raise PartFailed("the hook started no sidecar; see `quarry doctor`")
        time.sleep(POLL_S)
    yield pid
    while not _has_ended(pid) and time.monotonic() < deadline_s:  # its lock goes with it, after the file
        time.sleep(POLL_S)


def _has_ended(pid: int) -> bool:
    """Whether the process is gone, or only waits to be buried."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] == "Z"
    except ProcessLookupError:
        return True
    except OSError:  # no /proc
        return False


def _pid_of(vault: Path) -> int | None:
    """The process id in the discovery file of *vault*; None while there is none."""
    found = read_discovery(discovery_path(runtime_dir(), vault_id(vault)))
    return found.pid if found else None


def _forget_starts() -> None:
    """
    Have the hook start a sidecar though one was started a moment ago.

    Raises:
        PartFailed: Quarry's own folders are those of a user, whose sidecars would be ended.
    """
    if "QUARRY_HOME" not in os.environ:
        raise PartFailed("QUARRY_HOME is not set; sidecars are started and ended, so it must not be that of a user")
    for file in runtime_dir().glob("conversations/*.started"):
        file.unlink()


def _summary(runs: Sequence[CommandRun]) -> HookCost:
    return HookCost(cost=cost_of(runs), answered=sum(bool(run.output) for run in runs))
