"""What does one `quarry` command cost? A process as a shell starts it: its CPU and wall time, and what it printed."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from msgspec import Struct

from benchmark.measurement import PartFailed, Percentiles, cpu_s, percentiles


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
