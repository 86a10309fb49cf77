"""
A child process of Quarry, both ends of it: start it, send values, receive values, end it.

Values cross its standard input and output, pickled. Only a process that we started, from our own code, has the other
ends, so unpickling is safe. The input is also the lifeline: the system closes it when the serving process ends, by
`kill -9` as well, and the child ends with it, in the middle of whatever it does.

`concurrent.futures.ProcessPoolExecutor` is not used: a worker that is killed while it sends a result leaves the
executor waiting for good (6 of 12 kills, CPython 3.11), and its workers outlive a killed parent (decision 008).
"""

import contextlib
import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from quarry.errors import QuarryError

_log = logging.getLogger(__name__)
T = TypeVar("T")

END_S = 10.0  # a killed process is gone in milliseconds, unless the system itself hangs
WAIT_S = 0.02  # a saved note overtakes at most this much later while the writer waits for a message
_BOOT = (
    "import sys; sys.path[:] = sys.argv[3:]; from quarry.indexing.process import run_child; run_child(*sys.argv[1:3])"
)
# One thread each: the processes are as many as there are cores for them, and helpers of helpers would not be nice.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


class ProcessLimits(Struct, frozen=True):
    """Priority of a child process, and how long one message may take."""

    niceness: int = 10
    silence_s: float = 300.0  # a process that runs behind everything else on the machine is late, not dead


class PlanLimits(Struct, frozen=True):
    """From which size on processes prepare a plan, and how many notes are prepared together."""

    many_notes: int = 200  # a process takes a third of a second to begin, in which a hundred notes are prepared here
    many_bytes: int = 4 * 1024 * 1024  # the size of 1,000 usual notes
    many_stamps: int = 2_000  # reading and hashing alone is twenty times quicker
    many_texts: int = 256
    batch_notes: int = 64  # enough texts for one call of the encoder, few enough for pausing to feel immediate


class WorkerTiming(Struct, frozen=True):
    """Intervals of the worker, in seconds."""

    head_start_s: float = 0.0  # of the first searches before the first job, which begins when one was by meaning
    retry_s: float = 1.0  # after a failure: a file that was being written is there by then; see `backoff_s`
    retry_max_s: float = 60.0  # a full disk or a lost drive is noticed within a minute of its return
    retry_asked_s: float = 1.0  # after a failure, where something was asked for since: it may work now
    deep_check_after_s: float = 30.0  # idle this long: hash every note, check rows, give room back
    deep_check_every_s: float = 6 * 3600.0
    first_poll_s: float = 0.25  # after the first job: the first answers come first, the first saved note later
    poll_every_s: float = 2.0  # how often the settings and ignore files, and the index file, are looked at

    def backoff_s(self, previous_s: float) -> float:
        """Seconds to wait before a job is tried again, where the wait before was *previous_s*, or 0."""
        return min(max(self.retry_s, 2 * previous_s), self.retry_max_s)


class IndexingLimits(Struct, frozen=True):
    """Times and sizes that an engine keeps to."""

    head_start_s: float = 0.25
    """The first answer, and finding that nothing changed (.17 s in a vault of 17,000 notes), come before the model is
    loaded, which keeps the interpreter busy for 20 ms on end, .05 s in all."""
    model_wait_s: float = 5.0  # a model on disk is in before that; one that is downloaded is not worth waiting for
    timing: WorkerTiming = WorkerTiming()
    plan: PlanLimits = PlanLimits()
    process: ProcessLimits = ProcessLimits()


class ProcessUnavailable(QuarryError):
    """No child process can be started; the message says why."""


class ProcessDied(Exception):
    """The process ended in the middle of its work, or stopped answering and was killed; the message says how."""


class Finished(Struct, frozen=True):
    """The process ended with exit code 0: its work is done."""


class _LogLine(Struct, frozen=True):
    """A line for the log, which only the serving process writes."""

    name: str
    level: int
    line: str


# --- the serving process's end ----------------------------------------------------------------------


class ChildProcess:
    """
    A child process that runs `main(parent)` of a *module* of this package; *first* is the first message to it.

    Raises:
        ProcessUnavailable: The system does not start one, or *first* cannot be sent to it.
    """

    def __init__(self, module: str, first: object, limits: ProcessLimits = ProcessLimits()) -> None:  # noqa: B008
        if getattr(sys, "frozen", False) or not sys.executable:
            raise ProcessUnavailable("this program was packed without an interpreter that could be started")
        try:
            opening = pickle.dumps(first, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, AttributeError, TypeError) as error:  # everything else is of our own modules
            raise ProcessUnavailable("the model cannot be loaded in another process") from error
        import_path = [path or str(Path.cwd()) for path in sys.path]
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter, our own code
                [sys.executable, "-I", "-c", _BOOT, module, str(limits.niceness), *import_path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # ours may be a pipe that is read to its end
                env={**os.environ, **_ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"},
                start_new_session=True,  # Ctrl-C in a terminal reaches a whole group
                creationflags=_windows_flags(),
            )
        except OSError as error:
            raise ProcessUnavailable(f"the system does not start processes ({error.strerror})") from error
        _lower_priority(self._process.pid, limits.niceness)
        self._silence_s = limits.silence_s
        self._was_silent = False
        self._thread = ThreadPoolExecutor(1, "quarry-child")  # reads while another thread waits for it
        self._write(opening)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, value: object) -> None:
        """Send *value* to the process. If the process has ended, `receive` raises."""
        self._write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def receive(self, on_wait: Callable[[], None] | None = None) -> Any:
        """
        The next value that the process sends, `Finished` at the end.

        Args:
            on_wait: Called every `WAIT_S` until there is one; may raise, after which only `close` is of use.

        Raises:
            ProcessDied: It ended, or was killed because it sent nothing for `ProcessLimits.silence_s`.
            QuarryError: It failed with this error.
        """
        return wait_for(self._thread.submit(self._receive), on_wait) if on_wait else self._receive()

    def kill(self) -> None:
        """Kill the process; a thread that waits in `receive` gets `ProcessDied`."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process, whose unfinished work is lost, and wait until it is gone."""
        self.kill()
        self._thread.shutdown()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was never sent
                pipe.close()

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError), self._killed_if_silent():  # it is gone, which `receive` reports
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        while True:
            try:
                with self._killed_if_silent():
                    value = pickle.load(self._process.stdout)  # noqa: S301  from our own process, see above
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # its end, perhaps in the middle of a value
                return self._how_it_ended()
            if isinstance(value, _LogLine):
                logging.getLogger(value.name).log(value.level, "%s", value.line)
            elif isinstance(value, QuarryError):
                raise value
            else:
                return value

    @contextlib.contextmanager
    def _killed_if_silent(self) -> Iterator[None]:
        timer = threading.Timer(self._silence_s, self._kill_silent)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _kill_silent(self) -> None:
        self._was_silent = True
        self.kill()  # works on a stopped process, too

    def _how_it_ended(self) -> Finished:
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            raise ProcessDied("it stopped answering") from None
        if self._was_silent:
            raise ProcessDied(f"it said nothing for {self._silence_s:g} s")
        if code:
            raise ProcessDied(f"signal {-code}" if code < 0 else f"exit code {code}")
        return Finished()


def wait_for(future: Future[T], on_wait: Callable[[], None]) -> T:
    """The result of *future*; *on_wait* is called every `WAIT_S` until it is there, and may raise."""
    while not wait((future,), WAIT_S).done:
        on_wait()
    return future.result()


def _lower_priority(pid: int, niceness: int) -> None:
    """Make the process nice before it imports anything: loading is a third of a second of work itself."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):  # it has ended
            os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + niceness)


def _windows_flags() -> int:
    if sys.platform != "win32":
        return 0
    return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP


# --- the child's end --------------------------------------------------------------------------------


class ParentConnection:
    """
    The child's connection to the serving process, made once, before anything else reads or writes our standard streams.

    A thread reads the input all the time, and its end ends the process.
    """

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the serving process, which ends us
        self._input, self._output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)  # for whatever prints or reads by habit
        os.dup2(nowhere, 1)
        self._writing = threading.Lock()
        self._received: queue.SimpleQueue[object] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def receive(self) -> Any:
        """The next value that the serving process sends, however long that takes."""
        return self._received.get()

    def send(self, value: object) -> None:
        """Send *value*; if no process reads it any more, this ends ours."""
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        try:
            with self._writing:
                self._output.write(data)
                self._output.flush()
        except OSError:
            os._exit(1)

    def _read(self) -> None:
        try:
            while True:
                self._received.put(pickle.load(self._input))  # noqa: S301  from the process that started us
        finally:
            os._exit(1)  # a thread cannot end a process otherwise


class _ToParent(logging.Handler):
    def __init__(self, parent: ParentConnection) -> None:
        super().__init__()
        self._parent = parent

    def emit(self, record: logging.LogRecord) -> None:
        self._parent.send(_LogLine(record.name, record.levelno, self.format(record)))


def run_child(module: str, niceness: str) -> None:
    """Run `main` of *module* as a child process does, and exit; its log and a `QuarryError` go to the parent."""
    parent = ParentConnection()
    _lower_group_priority(niceness)
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[_ToParent(parent)])
    main: Callable[[ParentConnection], None] = import_module(module).main
    exit_code = 1
    try:
        main(parent)
        exit_code = 0
    except QuarryError as error:
        parent.send(error)
    except Exception:
        _log.exception("a process of Quarry failed")
    os._exit(exit_code)  # at once: Python's own way out would wait for the thread that reads


def _lower_group_priority(niceness: str) -> None:
    """
    Make our session nice, too.

    Where Linux divides the processor among sessions (autogroup), niceness counts within one only; a session has one of
    its own, which users may set ten times per second.
    """
    group = Path("/proc/self/autogroup")
    for _ in range(3):
        try:
            group.write_text(niceness)
            return
        except BlockingIOError:
            time.sleep(0.12)
        except OSError:
            return
