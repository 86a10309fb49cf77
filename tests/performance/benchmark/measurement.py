"""
What did work cost? Percentiles of many times, and the CPU time and memory of a process of its own.

CPU time is what the machine spent on it, whatever else ran; wall time is what a person waits. 1 MB is 10^6 bytes.
"""

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

from msgspec import Struct

from quarry.errors import QuarryError

P = ParamSpec("P")
T = TypeVar("T")

QUERY_PERCENTILES = (50, 95, 99)
SAMPLE_EVERY_S = 0.05  # the memory of processes; a shorter peak is not seen
DIGITS = 4

Percentiles = dict[str, float]
"""`p50`, `p95`, … of a series, in milliseconds."""


class PartFailed(QuarryError):
    """A part of the benchmark, run in a process of its own, ended without a result."""


class Cost(Struct, Generic[T], frozen=True):
    """The result of work in a process of its own, and its cost, the start of the process included."""

    result: T
    cpu_s: float  # with that of its children
    wall_s: float
    peak_rss_mb: float  # the largest sum over it and its children


def percentiles(series_ms: Sequence[float], which: Sequence[int] = QUERY_PERCENTILES) -> Percentiles:
    """
    The percentiles *which* of *series_ms*, by nearest rank: the smallest value that so many percent do not exceed.

    Raises:
        ValueError: The series is empty.
    """
    if not series_ms:
        raise ValueError("an empty series has no percentiles")
    ordered = sorted(series_ms)
    ranks = {p: max(0, -(-len(ordered) * p // 100) - 1) for p in which}
    return {f"p{p}": round(ordered[rank], DIGITS) for p, rank in ranks.items()}


def named_percentiles(
    series_ms: Mapping[str, Sequence[float]], which: Sequence[int] = QUERY_PERCENTILES
) -> dict[str, Percentiles]:
    """The percentiles of each named series that is not empty."""
    return {name: percentiles(series, which) for name, series in series_ms.items() if series}


def median(values: Sequence[float]) -> float:
    """The middle of *values*."""
    return percentiles(values, (50,))["p50"]


def each_ms(work: Callable[[T], object], items: Sequence[T], clock: Callable[[], int]) -> list[float]:
    """Milliseconds that *work* takes on each of *items*, by *clock*, which counts nanoseconds."""
    taken = []
    for item in items:
        begun = clock()
        work(item)
        taken.append((clock() - begun) / 1e6)
    return taken


def cpu_s() -> float:
    """CPU seconds of this process since its start, with those of children that have ended."""
    try:
        import resource
    except ImportError:  # Windows; children are not counted there
        times = os.times()
        return sum(times[:4])
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def memory_mb(pid: int | None = None) -> dict[str, float]:
    """
    The memory of a process: `private` (shared with no other process, mapped files included), `anonymous` (private and
    not backed by a file) and `resident`. Empty where there is no /proc.
    """
    try:
        text = Path(f"/proc/{pid or os.getpid()}/smaps_rollup").read_text("ascii")
    except OSError:
        return {}
    kb = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    private = kb["Private_Clean"] + kb["Private_Dirty"]
    return {
        name: round(value * 1024 / 1e6, 1)
        for name, value in (("private", private), ("anonymous", kb["Anonymous"]), ("resident", kb["Rss"]))
    }


def size_mb(files: Sequence[Path]) -> float:
    """The size of *files* together."""
    return round(sum(file.stat().st_size for file in files) / 1e6, 3)


@contextlib.contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """The folder *given* for copies and indexes, made if it is missing; else a temporary one."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="quarry-bench-", ignore_cleanup_errors=True) as temporary:
        yield Path(temporary).resolve()


# --- a process of its own ------------------------------------------------------------------------


def run_in_subprocess(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Cost[T]:
    """
    Run *work*, a function of a module, in a process of its own and wait for it.

    The interpreter is started, not forked: a fork would count the memory of this process as its own. Its module search
    path is the one of this process.

    Raises:
        QuarryError: *work* raised it.
        PartFailed: The process failed; its error output goes to standard error.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        file = Path(folder, "result")
        command = [sys.executable, "-P", __file__, str(file)]  # -P: the folder of this file must not shadow packages
        begun_s = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.PIPE)
        try:
            with _watched(process.pid) as watch:
                called = pickle.dumps((work.__module__, work.__qualname__, args, kwargs))
                process.communicate(pickle.dumps(sys.path) + called)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_s = time.perf_counter() - begun_s
        if process.returncode:
            raise PartFailed(f"{work.__qualname__} ended with code {process.returncode}; its error output is above")
        result, spent_s, peak_mb = pickle.loads(file.read_bytes())
        if isinstance(result, QuarryError):
            raise result
        return Cost(result, spent_s, wall_s, max(peak_mb, watch.peak_mb))


class _Watch(threading.Thread):
    """Samples the resident memory of a process and its descendants."""

    def __init__(self, pid: int) -> None:
        super().__init__(name="quarry-bench-watch", daemon=True)
        self.peak_mb = 0.0
        self._pid = pid
        self._over = threading.Event()

    def run(self) -> None:
        """Sample until `stop` is called."""
        while not self._over.wait(SAMPLE_EVERY_S):
            self.peak_mb = max(self.peak_mb, sum(map(_resident_mb, process_tree(self._pid))))

    def stop(self) -> None:
        """Stop sampling."""
        self._over.set()
        self.join()


@contextlib.contextmanager
def _watched(pid: int) -> Iterator[_Watch]:
    watch = _Watch(pid)
    watch.start()
    try:
        yield watch
    finally:
        watch.stop()


def process_tree(pid: int) -> list[int]:
    """A process and its descendants, where there is a /proc."""
    found = [pid]
    for one in found:  # grows while it is walked
        with contextlib.suppress(OSError):  # the process has ended: its folder goes while it is listed
            for file in Path(f"/proc/{one}/task").glob("*/children"):
                with contextlib.suppress(OSError):  # a thread of it has
                    found += map(int, file.read_text("ascii").split())
    return found


def _resident_mb(pid: int) -> float:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def _own_peak_mb() -> float:
    """The peak of this process by the kernel's count, which misses no moment."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def _run_here(file: Path) -> None:
    """The child process's side of `run_in_subprocess`."""
    import importlib

    sys.path[:] = pickle.load(sys.stdin.buffer)
    module, name, args, kwargs = pickle.load(sys.stdin.buffer)
    work: Callable[..., Any] = getattr(importlib.import_module(module), name)
    result: object
    try:
        result = work(*args, **kwargs)
    except QuarryError as error:
        result = error
    file.write_bytes(pickle.dumps((result, cpu_s(), _own_peak_mb())))


if __name__ == "__main__":
    _run_here(Path(sys.argv[1]))
