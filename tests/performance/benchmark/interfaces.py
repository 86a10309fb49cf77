"""
What does each interface cost, measured on real processes: `quarry hook`, `quarry search`, `quarry capture`, MCP server?

CPU time is that of the process alone; what the sidecar spends on its answer is not in it. Wall time is what a person or
an agent waits, the start of the interpreter included. Hooks are run as an agent runs them, a process for each event:
warm, with a sidecar that runs and has answered, and cold, where the hook starts one and says nothing.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from benchmark.mcp_server import measure_mcp
from benchmark.measurement import PartFailed, Percentiles, cpu_s, percentiles
from benchmark.server_cost import serving
from quarry.client.discovery import discovery_path, read_discovery
from quarry.config import runtime_dir
from quarry.vault.paths import vault_id

PROMPTS = 20  # as a published system reports
WARM_UP = 3  # the first answers read parts of the index
DEADLINE_MS = "10000"  # a busy machine is to be measured, not met with silence
SIDECAR_TIMEOUT_S = 60.0
POLL_S = 0.02
CAPTURE_FOLDER = "quarry-bench"


class CommandRun(Struct, frozen=True):
    """One run of a command."""

    wall_ms: float
    cpu_ms: float
    output: bytes  # its standard output


class CommandCost(Struct, frozen=True):
    """Many runs of a command."""

    runs: int
    wall_ms: Percentiles
    cpu_ms: Percentiles


def run_command(
    arguments: Sequence[str], document: bytes = b"", environment: Mapping[str, str] | None = None
) -> CommandRun:
    """
    Run `quarry` with *arguments* and *document* on its standard input; *environment* is added to that of this process.

    Raises:
        PartFailed: It ended with another code than 0; its error output goes to standard error.
    """
    before_s, own_before_s, begun_s = cpu_s(), time.process_time(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "quarry", *arguments],
        input=document,
        stdout=subprocess.PIPE,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    wall_s, own_s = time.perf_counter() - begun_s, time.process_time() - own_before_s
    if done.returncode:
        raise PartFailed(f"quarry {arguments[0]} ended with code {done.returncode}; its error output is above")
    return CommandRun(wall_s * 1000, (cpu_s() - before_s - own_s) * 1000, done.stdout)


def cost_of(runs: Sequence[CommandRun]) -> CommandCost:
    """The cost of *runs* together."""
    return CommandCost(
        runs=len(runs),
        wall_ms=percentiles([run.wall_ms for run in runs]),
        cpu_ms=percentiles([run.cpu_ms for run in runs]),
    )


# --- the hook ----------------------------------------------------------------------------------


class HookCost(Struct, frozen=True):
    """Many runs of the hook."""

    cost: CommandCost
    answered: int  # with context


def measure_hook(vault: Path, prompts: Sequence[str], repeats: int) -> dict[str, HookCost]:
    """
    The cost of the hook at each of *prompts*: `warm`, and `cold`, at the first of them in a home of its own each time.

    Quarry's own folders must be those of a measurement (QUARRY_HOME): sidecars of *vault* are started and ended.

    Raises:
        PartFailed: The hook ended with another code than 0, or no sidecar came up.
    """
    return {"warm": measure_warm(vault, prompts), "cold": measure_cold(vault, prompts[0], repeats)}


def measure_warm(vault: Path, prompts: Sequence[str]) -> HookCost:
    """The cost at each of *prompts*, each the first of a conversation, so that nothing was shown before."""
    with serving(vault):
        _warm_up(vault, prompts)
        return _summary([run_hook(vault, prompt, f"warm-{number}") for number, prompt in enumerate(prompts)])


def measure_cold(vault: Path, prompt: str, times: int) -> HookCost:
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


# --- commands and the MCP server ---------------------------------------------------------------


def measure_search(vault: Path, texts: Sequence[str]) -> CommandCost:
    """The cost of `quarry search` for each of *texts*."""
    with serving(vault):
        for text in texts[:WARM_UP]:
            _search(vault, text)
        return cost_of([run_command(_search_arguments(vault, text)) for text in texts])


def measure_capture(vault: Path, count: int) -> CommandCost:
    """
    The cost of `quarry capture` for *count* notes, each of which is then searched for by a word of its own.

    The command returns when its note can be found. The notes are deleted in the end, so *vault* must be a copy.

    Raises:
        PartFailed: A captured note was not found.
    """
    with serving(vault):
        _search(vault, "warm up")
        runs, paths = [], []
        try:
            for number in range(count):
                word = f"quarrybench{number}x{count}"
                named = ["--title", f"Benchmark {number}", "--folder", CAPTURE_FOLDER, "--vault", str(vault)]
                runs.append(run_command(["capture", f"A note about {word}.", "--json", *named]))
                paths.append(str(json.loads(runs[-1].output)["path"]))
                if paths[-1] not in _search(vault, word):
                    raise PartFailed(f"the captured note {paths[-1]} was not found by its word {word}")
        finally:
            for path in paths:
                (vault / path).unlink(missing_ok=True)
    return cost_of(runs)


def _search(vault: Path, text: str) -> list[str]:
    """The paths of the hits for *text*."""
    found = json.loads(run_command([*_search_arguments(vault, text), "--json"]).output)
    return [str(hit["path"]) for hit in found["hits"]]


def _search_arguments(vault: Path, text: str) -> list[str]:
    return ["search", "--vault", str(vault), text]


def measure_interfaces(vault: Path, texts: Sequence[str], repeats: int) -> dict[str, Any]:
    """
    The cost of each interface for *texts*. *vault* must be a copy: notes are captured in it, two in each of *repeats*.

    Raises:
        PartFailed: One of them failed.
    """
    asked = list(texts[:PROMPTS])
    measured = {
        "hook": measure_hook(vault, asked, repeats),
        "search": measure_search(vault, asked),
        "capture": measure_capture(vault, 2 * repeats),
        "mcp": measure_mcp(vault, asked[0], repeats),
    }
    figures: dict[str, Any] = to_builtins(measured)
    return figures
