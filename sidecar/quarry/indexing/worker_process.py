"""
A child process of our own, both ends of it: start it, send to it, receive from it, end it.

A plain child with two pipes, and not `multiprocessing`: that would import the program's main module again, which is
the whole command line here and a test runner elsewhere, and leave a process behind that tracks resources we have none
of. The pipe is also the lifeline: the system closes it when the serving process ends, by `kill -9` as well, and the
child ends with it, in the middle of whatever it does.

Values cross the pipes pickled, in frames. Only a process that we started, from our own code, holds the other ends, so
that unpickling is safe.
"""

import contextlib
import logging
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from quarry.errors import QuarryError
from quarry.indexing.limits import ProcessLimits

_log = logging.getLogger(__name__)
_LENGTH = struct.Struct("<Q")
_IN, _OUT = 0, 1
MAX_WAITING = 4  # messages of up to 2 MB of text, kept while the writer is busy; behind them the process waits
END_S = 10.0  # a killed process is gone in milliseconds, unless the system itself hangs
WAIT_S = 0.02  # a saved note overtakes at most this much later while the writer waits for a message

# Nice before the first import: loading is a third of a second of work itself. Where Linux shares the processor out
# among sessions (autogroup), nice counts within one only, and the session has a niceness of its own, of which it lets
# users set ten a second.
_BOOT = """
import os, sys, time
niceness, alive_every_s, module, *sys.path[:] = sys.argv[1:]
if hasattr(os, "nice"): os.nice(int(niceness))
for attempt in range(3):
    try:
        with open("/proc/self/autogroup", "w") as group: group.write(niceness)
        break
    except BlockingIOError: time.sleep(0.12)
    except OSError: break
from importlib import import_module
from quarry.indexing.worker_process import run_child
run_child(import_module(module).main, float(alive_every_s))
"""
# One thread each: the processes are as many as there are cores for them, and helpers of helpers would not be nice.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


class ProcessUnavailable(QuarryError):
    """No process can be had here; the message says why."""


class WorkerDied(Exception):
    """The process ended in the middle, or stopped answering and was ended; the message says how."""


class Finished(Struct, frozen=True):
    """The process ended with exit code 0: all that it was to do is done."""


class _Heartbeat(Struct, frozen=True):
    pass


class _LogLine(Struct, frozen=True):
    """A line for the log, which only the serving process writes."""

    name: str
    level: int
    line: str


class _Failure(Struct, frozen=True):
    """The process cannot go on, and ends."""

    error: QuarryError


# --- the serving process's end ----------------------------------------------------------------------


class WorkerProcess:
    """
    A child process that runs `main(parent)` of a *module* of ours; *first* is its first message.

    Raises:
        ProcessUnavailable: The system would not start one, or *first* cannot be sent to it.
    """

    def __init__(self, module: str, first: object, limits: ProcessLimits = ProcessLimits()) -> None:  # noqa: B008
        if getattr(sys, "frozen", False) or not sys.executable:
            raise ProcessUnavailable("this program was packed without an interpreter that could be started")
        try:
            opening = encode_frame(first)
        except (pickle.PicklingError, AttributeError, TypeError) as error:  # all else is of our own modules
            raise ProcessUnavailable("the model cannot be loaded in another process") from error
        arguments = [str(limits.niceness), str(limits.alive_every_s), module, *_import_path()]
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter, our own code
                [sys.executable, "-I", "-c", _BOOT, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # ours may be a pipe that is read to its end
                env={**os.environ, **_ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"},
                start_new_session=True,  # Ctrl-C in a terminal reaches a whole group
                creationflags=_windows_flags(),
            )
        except OSError as error:
            raise ProcessUnavailable(f"the system does not start processes ({error.strerror})") from error
        self._max_silence_s = limits.silence_s
        self._silent_s = 0.0
        self._received: queue.Queue[object | None] = queue.Queue(MAX_WAITING)
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._is_closing = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._write)]
        for thread in self._threads:
            thread.start()
        self._to_send.put(opening)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, value: object) -> None:
        """Send *value* to the process. If the process has ended, `receive` says so."""
        self._to_send.put(encode_frame(value))

    def receive(self) -> Any:
        """
        The next thing the process says, `Finished` in the end; None if it said nothing within `WAIT_S`.

        Raises:
            WorkerDied: It will say nothing any more.
            QuarryError: It failed with this.
        """
        try:
            said = self._received.get(timeout=WAIT_S)
        except queue.Empty:
            self._silent_s += WAIT_S  # not by the clock, which goes on in some systems while the machine sleeps
            if self._silent_s < self._max_silence_s:
                return None
            self._process.kill()  # also where it is stopped
            raise WorkerDied(f"it said nothing for {self._max_silence_s:.0f} s") from None
        if isinstance(said, _Failure):
            raise said.error
        return self._how_it_ended() if said is None else said

    def close(self) -> None:
        """End the process; whatever it had in hand is lost."""
        self._is_closing = True
        self._process.kill()
        self._to_send.put(None)
        with contextlib.suppress(queue.Empty):  # the reader may stand in front of a full queue
            while True:
                self._received.get_nowait()
        for thread in self._threads:
            thread.join(END_S)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was never sent
                pipe.close()

    def _write(self) -> None:
        """On a thread of its own: a process that is stopped reads nothing, and a pipe holds little."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it is gone, which `receive` tells
            while (frame := self._to_send.get()) is not None:
                self._process.stdin.write(frame)
                self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        said: object | None = ...
        while said is not None and not self._is_closing:
            try:
                said = read_frame(self._process.stdout)
            except (OSError, ValueError):  # closed under our hands
                said = None
            self._silent_s = 0.0
            if isinstance(said, _LogLine):
                logging.getLogger(said.name).log(said.level, "%s", said.line)
            elif not isinstance(said, _Heartbeat):
                self._received.put(said)

    def _how_it_ended(self) -> Finished:
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            raise WorkerDied("it stopped answering") from None
        if code:
            raise WorkerDied(f"signal {-code}" if code < 0 else f"exit code {code}")
        return Finished()


# --- the child's end --------------------------------------------------------------------------------


class ParentConnection:
    """
    The child's connection to the serving process.

    Made once, first of all: from then on nothing else reads or writes our standard input and output. A thread reads the
    input all the time, and the end of it ends the process.
    """

    def __init__(self, alive_every_s: float) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the serving process, which ends us
        self._input, self._output = _take_pipes()
        self._writing = threading.Lock()
        self._received: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._alive_every_s = alive_every_s
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()

    def receive(self) -> Any:
        """The next message of the serving process, waiting for as long as that takes."""
        return self._received.get()

    def send(self, value: object) -> None:
        """Send *value*; if nothing listens any more, this ends the process."""
        frame = encode_frame(value)
        try:
            with self._writing:
                self._output.write(frame)
                self._output.flush()
        except OSError:
            os._exit(1)

    def _read(self) -> None:
        while (value := read_frame(self._input)) is not None:
            self._received.put(value)
        os._exit(1)  # a thread cannot end a process otherwise

    def _beat(self) -> None:
        rest = threading.Event()
        while not rest.wait(self._alive_every_s):
            self.send(_Heartbeat())


def run_child(main: Callable[[ParentConnection], None], alive_every_s: float) -> None:
    """Run *main* as a child does, and exit: what it logs, and a `QuarryError`, are told to the serving process."""
    parent = ParentConnection(alive_every_s)
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[_ToParent(parent)])
    exit_code = 1
    try:
        main(parent)
        exit_code = 0
    except QuarryError as error:
        parent.send(_Failure(error))
    except Exception:
        _log.exception("a process of Quarry failed")
    os._exit(exit_code)  # at once: Python's own way out would wait for the thread that reads


class _ToParent(logging.Handler):
    def __init__(self, parent: ParentConnection) -> None:
        super().__init__()
        self._parent = parent

    def emit(self, record: logging.LogRecord) -> None:
        self._parent.send(_LogLine(record.name, record.levelno, self.format(record)))


# --- both ends --------------------------------------------------------------------------------------


def encode_frame(value: object) -> bytes:
    """
    *value* as it is sent.

    Raises:
        PicklingError, AttributeError, TypeError: It cannot be.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def read_frame(pipe: IO[bytes]) -> object | None:
    """The next value; None when the other end is gone, be it in the middle of one."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    [length] = _LENGTH.unpack(header)
    data = pipe.read(length)
    if len(data) < length:
        return None
    found: object = pickle.loads(data)  # noqa: S301  from our own process, see above
    return found


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Our two pipes, kept from whatever prints or reads by habit."""
    requests, replies = os.fdopen(os.dup(_IN), "rb"), os.fdopen(os.dup(_OUT), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, _IN)
    os.dup2(nowhere, _OUT)
    return requests, replies


def _import_path() -> list[str]:
    """From where we are imported: the child is isolated from whatever the environment would add."""
    return [path or str(Path.cwd()) for path in sys.path]


def _windows_flags() -> int:
    if sys.platform != "win32":
        return 0
    return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
