"""
One process of our own, seen from the serving one: started, told things, listened to, ended.

A plain child with two pipes, and not `multiprocessing`: that would import the program's main module again, which is
the whole command line here and a test runner elsewhere, and leave a process behind that tracks resources we have none
of. The pipe is also the lifeline: the system closes it when the serving process ends, by `kill -9` as well.
"""

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from quarry.errors import QuarryError
from quarry.indexing.frames import Heartbeat, encode_frame, read_frame

MAX_WAITING = 4  # messages of up to 2 MB of text, kept while the writer is busy; behind them the process waits
END_S = 10.0  # a killed process is gone in milliseconds, unless the system itself hangs
SILENCE_S = 120.0  # it says every second that it is alive; one that starts behind everything else is late, not dead
NICENESS = 10
WAIT_S = 0.02  # a saved note overtakes at most this much later while the writer waits for a message

# Nice before the first import: loading is a third of a second of work itself. Where Linux shares the processor out
# among sessions (autogroup), nice counts within one only, and the session has a niceness of its own, of which it lets
# users set ten a second.
_BOOT = """
import os, sys, time
niceness, module, *sys.path[:] = sys.argv[1:]
if hasattr(os, "nice"): os.nice(int(niceness))
for attempt in range(3):
    try:
        with open("/proc/self/autogroup", "w") as group: group.write(niceness)
        break
    except BlockingIOError: time.sleep(0.12)
    except OSError: break
from importlib import import_module
import_module(module).main()
"""
# One thread each: the processes are as many as there are cores for them, and helpers of helpers would not be nice.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


class ProcessUnavailable(QuarryError):
    """No process can be had here; the message says why."""


class WorkerDied(Exception):
    """The process ended in the middle, or stopped answering and was ended; the message says how."""


class WorkerProcess:
    """
    A process that runs `main` of a *module* of ours, and is told *first* what it is for.

    Raises:
        ProcessUnavailable: The system would not start one, or *first* cannot be sent to it.
    """

    def __init__(self, module: str, first: object) -> None:
        if getattr(sys, "frozen", False) or not sys.executable:
            raise ProcessUnavailable("this program was packed without an interpreter that could be started")
        try:
            opening = encode_frame(first)
        except (pickle.PicklingError, AttributeError, TypeError) as error:  # all else is of our own modules
            raise ProcessUnavailable("the model cannot be loaded in another process") from error
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter, our own code
                [sys.executable, "-I", "-c", _BOOT, str(NICENESS), module, *_import_path()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # ours may be a pipe that someone reads to its end
                env={**os.environ, **_ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"},
                start_new_session=True,  # Ctrl-C in a terminal reaches a whole group
                creationflags=_windows_flags(),
            )
        except OSError as error:
            raise ProcessUnavailable(f"the system does not start processes ({error.strerror})") from error
        self._said: queue.Queue[object | None] = queue.Queue(MAX_WAITING)
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._silent_s = 0.0
        self._is_closing = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._send)]
        for thread in self._threads:
            thread.start()
        self._to_send.put(opening)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def give(self, value: object) -> None:
        """Tell it *value*, when it listens. That the process is gone is learnt from `take`."""
        self._to_send.put(encode_frame(value))

    def take(self) -> Any:
        """
        The next thing it says; None if it said nothing within `WAIT_S`.

        Raises:
            WorkerDied: It will say nothing any more.
        """
        try:
            said = self._said.get(timeout=WAIT_S)
        except queue.Empty:
            self._silent_s += WAIT_S  # not by the clock, which goes on in some systems while the machine sleeps
            if self._silent_s < SILENCE_S:
                return None
            self._process.kill()  # also where it is stopped
            raise WorkerDied(f"it said nothing for {SILENCE_S:.0f} s") from None
        if said is None:
            raise WorkerDied(self._how_it_ended())
        return said

    def close(self) -> None:
        """End the process; whatever it had in hand is lost."""
        self._is_closing = True
        self._process.kill()
        self._to_send.put(None)
        with contextlib.suppress(queue.Empty):  # the reader may stand in front of a full queue
            while True:
                self._said.get_nowait()
        for thread in self._threads:
            thread.join(END_S)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was never sent
                pipe.close()

    def _send(self) -> None:
        """On a thread of its own: a process that is stopped reads nothing, and a pipe holds little."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it is gone, which `take` tells
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
            if not isinstance(said, Heartbeat):
                self._said.put(said)

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _import_path() -> list[str]:
    """From where we are imported: it is isolated from whatever the environment would add."""
    return [path or str(Path.cwd()) for path in sys.path]


def _windows_flags() -> int:
    if sys.platform != "win32":
        return 0
    return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
