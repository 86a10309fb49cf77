"""
One preparing process, seen from the serving one: started, given tasks, listened to, ended.

A plain child with two pipes, and not `multiprocessing`: that would import the program's main module again, which is
the whole command line here and a test runner elsewhere, and leave a process behind that tracks resources we have none
of. The pipe is also the lifeline: the system closes it when the serving process ends, by `kill -9` as well.
"""

import contextlib
import os
import queue
import subprocess
import sys
import threading

from quarry.errors import QuarryError
from quarry.indexing.errands import Employment, Reply, Task, read_frame, write_frame

MAX_WAITING = 4  # replies of up to 2 MB of text, kept while the writer is busy; behind them the process waits
END_S = 10.0  # a killed process is gone in milliseconds, unless the system itself hangs

# Nice before the first import: loading is a third of a second of work itself.
_BOOT = """
import os, sys
if hasattr(os, "nice"): os.nice(10)
sys.path[:] = sys.argv[1:]
from quarry.indexing.preparer_process import main
main()
"""
# One thread each: the processes are as many as there are cores for them, and helpers of helpers would not be nice.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")


class CannotPrepare(QuarryError):
    """No process can be had here; the message says why."""


class PreparerDied(Exception):
    """The process ended in the middle; the message says how."""


class PreparerLink:
    """
    A process at work for *employment*.

    Raises:
        CannotPrepare: The system would not start one, or what it is to be told cannot be sent.
    """

    def __init__(self, employment: Employment) -> None:
        if getattr(sys, "frozen", False) or not sys.executable:
            raise CannotPrepare("this program was packed without an interpreter that could be started")
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter, our own code
                [sys.executable, "-I", "-c", _BOOT, *(path or os.getcwd() for path in sys.path)],  # noqa: PTH109
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # ours may be a pipe that someone reads to its end
                env={**os.environ, **_ONE_THREAD, "TOKENIZERS_PARALLELISM": "false"},
                start_new_session=True,  # Ctrl-C in a terminal reaches a whole group
                creationflags=_windows_flags(),
            )
        except OSError as error:
            raise CannotPrepare(f"the system does not start processes ({error.strerror})") from error
        self._replies: queue.Queue[Reply | None] = queue.Queue(MAX_WAITING)
        self._is_closing = False
        self._reader = threading.Thread(target=self._read, name="quarry-replies", daemon=True)
        self._reader.start()
        self._write(employment)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def give(self, task: Task) -> None:
        """Queue *task*. That the process is gone is learnt from `take`."""
        self._write(task)

    def take(self, timeout_s: float) -> Reply | None:
        """
        The next reply, None if there was none in time.

        Raises:
            PreparerDied: There will be none.
        """
        try:
            reply = self._replies.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if reply is None:
            raise PreparerDied(self._how_it_ended())
        return reply

    def close(self) -> None:
        """End the process; it holds nothing that could be lost."""
        self._is_closing = True
        self._process.kill()
        with contextlib.suppress(queue.Empty):  # the reader may stand in front of a full queue
            while True:
                self._replies.get_nowait()
        self._reader.join(END_S)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what was never sent
                pipe.close()

    def _write(self, value: Employment | Task) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it is gone, which `take` tells
            write_frame(self._process.stdin, value)

    def _read(self) -> None:
        assert self._process.stdout is not None
        reply: object | None = ...
        while reply is not None and not self._is_closing:
            try:
                reply = read_frame(self._process.stdout)
            except (OSError, ValueError):  # closed under our hands
                reply = None
            self._replies.put(reply)  # type: ignore[arg-type]  # the pipe carries no types

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            return "it stopped answering"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _windows_flags() -> int:
    if sys.platform != "win32":
        return 0
    return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
