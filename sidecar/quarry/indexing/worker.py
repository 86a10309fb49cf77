"""
The one thread that writes the index: takes jobs in turn, tries again what failed, checks and tidies up when idle.

At every moment one thread of one process writes (the vault lock sees to the process). Searches never wait for it.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.indexing.requests import RequestQueue
from quarry.types import VaultChange

_log = logging.getLogger(__name__)


class WorkerTiming(Struct, frozen=True):
    """When the worker does what it does by the clock, in seconds."""

    retry_s: float = 1.0  # after a failure: a file that was being written is there by then; see `backoff_s`
    retry_max_s: float = 60.0  # a full disk or a lost drive is noticed within a minute of its return
    retry_asked_s: float = 1.0  # after a failure, where something was asked for since: it may work now
    deep_check_after_s: float = 30.0  # idle this long: hash every note, check rows, give room back
    deep_check_every_s: float = 6 * 3600.0
    first_poll_s: float = 0.25  # after the first job: the first answers come first, the first saved note later
    poll_every_s: float = 2.0  # how often the settings and ignore files, and the index file, are looked at

    def backoff_s(self, previous_s: float) -> float:
        """How long to wait before a job is tried again, where the wait before the last try was *previous_s*, or 0."""
        return min(max(self.retry_s, 2 * previous_s), self.retry_max_s)


class Jobs(Protocol):
    """What the worker can do; each runs on its thread and may raise `Cancelled` to stop early."""

    def initial_sync(self) -> None:
        """Once, first: make the index equal the vault."""

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw."""

    def rebuild(self) -> None:
        """Build the index anew beside the old one."""

    def reconcile(self) -> None:
        """Compare the whole vault with the index."""

    def poll(self) -> None:
        """Look for what nobody tells of, and do what is due."""

    def deep_check(self) -> None:
        """What idle time is for."""

    def repair(self) -> None:
        """Check the whole index, as someone met damage in it."""

    def recreate(self, error: IndexDamaged) -> None:
        """Go on with a new index in place of the damaged one."""

    def failed(self, error: Exception) -> None:
        """A job could not be finished; it is tried again in a while. Must not raise."""


class Worker:
    """Runs *jobs* one after another, as *requests* ask for them, until it is stopped."""

    def __init__(self, jobs: Jobs, requests: RequestQueue, timing: WorkerTiming = WorkerTiming()) -> None:  # noqa: B008
        self._jobs = jobs
        self._requests = requests
        self._timing = timing
        self._is_busy = True  # the first job is due from the start
        self._again: Callable[[], None] | None = None  # what failed; nothing else is begun until it succeeds
        self._again_at_s = 0.0
        self._retry_s = 0.0
        self._deep_checked_s = -math.inf
        self._worked_s = time.monotonic()  # when a job ended that was more than a poll
        self._poll_after_s = timing.first_poll_s
        self._thread = threading.Thread(target=self._run, name="quarry-index", daemon=True)

    def start(self) -> None:
        """Begin; the first job makes the index equal the vault."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the notes in hand, then end. Returns when the thread has ended."""
        self._requests.stop()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether a job is at work or waits for its turn; one that failed and will be tried again does not count."""
        with self._requests.condition:
            return self._is_busy or (self._requests.wants_rebuild if self._again else not self._requests.is_empty)

    @property
    def is_retrying(self) -> bool:
        """Whether a job failed and waits to be tried again."""
        return self._again is not None

    # --- the thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        job: Callable[[], None] | None = self._jobs.initial_sync
        while job:
            self._try(job)
            if job != self._jobs.poll:
                self._worked_s = time.monotonic()
            job = self._next_job()

    def _try(self, job: Callable[[], None]) -> None:
        """Run *job*; when it fails, see to it that it is tried again."""
        try:
            job()
        except Cancelled:
            return
        except IndexDamaged as damage:
            _log.warning("the index is damaged: %s", damage)
            self._jobs.failed(damage)
            self._try_later(partial(self._jobs.recreate, damage), at_once=self._retry_s == 0)
        except (QuarryError, OSError) as error:  # what may pass: a full disk, a lost drive, a broken settings file
            _log.warning("indexing stopped: %s", type(error).__name__)
            self._jobs.failed(error)
            self._try_later(job)
        except Exception as error:  # a defect must not end indexing for good without a word
            _log.exception("indexing failed")
            self._jobs.failed(error)
            self._try_later(job)
        else:
            self._again, self._retry_s = None, 0.0

    def _try_later(self, job: Callable[[], None], *, at_once: bool = False) -> None:
        self._retry_s = self._timing.backoff_s(self._retry_s)
        self._again_at_s = time.monotonic() + (0 if at_once else self._retry_s)
        self._again = job
        self._requests.forget_requests()

    def _next_job(self) -> Callable[[], None] | None:
        """Wait for something to do; None when the worker is to end."""
        requests = self._requests
        with requests.condition:
            self._is_busy = False
            poll_at_s = time.monotonic() + self._poll_after_s
            while not requests.is_stopping:
                if not requests.is_paused and (job := self._due(poll_at_s)):
                    self._is_busy = True
                    return job
                requests.condition.wait(self._until_next(poll_at_s))
            return None

    def _due(self, poll_at_s: float) -> Callable[[], None] | None:
        """What to do now, if there is anything."""
        now_s, requests = time.monotonic(), self._requests
        if requests.take_rebuild():
            return self._jobs.rebuild  # makes good whatever failed before
        if self._again:
            return self._again if now_s >= self._retry_at_s else None
        if requests.take_repair():
            return self._jobs.repair
        if requests.take_reconcile():
            return self._jobs.reconcile
        if changes := requests.take_changes():
            return partial(self._jobs.apply, changes)
        if now_s >= self._deep_check_at_s:
            self._deep_checked_s = now_s
            return self._jobs.deep_check
        if now_s < poll_at_s:
            return None
        self._poll_after_s = self._timing.poll_every_s
        return self._jobs.poll

    def _until_next(self, poll_at_s: float) -> float | None:
        """Seconds until something is due by itself; None while only a request helps."""
        if self._requests.is_paused:
            return None
        at_s = self._retry_at_s if self._again else min(poll_at_s, self._deep_check_at_s)
        return max(0.0, at_s - time.monotonic())

    @property
    def _retry_at_s(self) -> float:
        return min(self._again_at_s, self._requests.first_request_s + self._timing.retry_asked_s)

    @property
    def _deep_check_at_s(self) -> float:
        timing = self._timing
        return max(self._deep_checked_s + timing.deep_check_every_s, self._worked_s + timing.deep_check_after_s)
