"""The threads that calls run on, so that a slow one delays no other."""

import contextlib
import queue
import threading
from collections.abc import Callable

MAX_THREADS = 8  # twice the connections of a pool: several vaults may be asked at a time
MAX_WAITING = 64  # calls; a client has a handful, more is a flood


class Full(Exception):
    """As many calls wait as may."""


class Workers:
    """A few threads that are started when they are needed, and do not keep the process alive."""

    def __init__(self, max_threads: int = MAX_THREADS, max_waiting: int = MAX_WAITING) -> None:
        self._jobs: queue.Queue[Callable[[], None]] = queue.Queue(max_waiting)
        self._max_threads = max_threads
        self._threads = 0
        self._busy = 0
        self._changed = threading.Condition()

    def submit(self, job: Callable[[], None]) -> None:
        """
        Have *job* run on one of the threads.

        Raises:
            Full: As many wait as may.
        """
        with self._changed:
            try:
                self._jobs.put_nowait(job)
            except queue.Full:
                raise Full from None
            self._busy += 1
            if self._threads < min(self._max_threads, self._busy):
                self._threads += 1
                threading.Thread(target=self._work, name="quarry-mcp", daemon=True).start()

    def drain(self, timeout_s: float) -> bool:
        """Wait until all jobs are done; whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: self._busy == 0, timeout_s)

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            with contextlib.suppress(Exception):  # a job reports its own failures; the thread goes on to the next
                job()
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()
