"""
The one thread that writes the index: runs jobs in turn, tries again what failed, checks and tidies up when idle.

At every moment one thread of one process writes (the vault lock sees to the process). Searches never wait for it.

    Working(initial_sync) ──> Idle ──> Working(job) ──> Idle ...
                    │ failed    ^          │ failed
                    └───────────┼──────────┴──> Retrying(job, at) ── due, or a rebuild asked for ──> Working
                                └── done ──────────────────────────────────────────────────────────────┘
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, TypeAlias

from msgspec import Struct

from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.indexing.request_queue import RequestQueue
from quarry.types import VaultChange

_log = logging.getLogger(__name__)

Job: TypeAlias = Callable[[], None]


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


class Jobs(Protocol):
    """The worker's jobs; each runs on its thread and may raise `Cancelled` to stop early."""

    def initial_sync(self) -> None:
        """Once, first: make the index equal the vault."""

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Make the reported notes equal the disk."""

    def rebuild(self) -> None:
        """Build the index anew beside the old one."""

    def reconcile(self) -> None:
        """Compare the whole vault with the index."""

    def poll(self) -> None:
        """Look for changes that are not reported, and do what is due."""

    def deep_check(self) -> None:
        """Check everything, in idle time."""

    def repair(self) -> None:
        """Check the whole index, as a search met damage in it."""

    def backfill(self) -> None:
        """Store the contextual vectors that are made, and have the next ones made; takes milliseconds."""

    def recreate(self, error: IndexDamaged) -> None:
        """Go on with a new index in place of the damaged one."""

    def failed(self, error: Exception) -> None:
        """A job could not be finished; it is tried again in a while. Must not raise."""


class Idle(Struct, frozen=True):
    """No job is due."""


class Working(Struct, frozen=True):
    """*job* runs; before it failed *waited_s* ago the last time, it was waited for so long. 0: it has not failed."""

    job: Job
    waited_s: float = 0.0


class Retrying(Struct, frozen=True):
    """*job* failed and is tried again at *at_s*, by `time.monotonic`; nothing but a rebuild is begun before."""

    job: Job
    at_s: float
    waited_s: float


State: TypeAlias = Idle | Working | Retrying


class Worker:
    """Runs *jobs* one after another, as *requests* ask for them, until it is stopped."""

    def __init__(self, jobs: Jobs, requests: RequestQueue, timing: WorkerTiming = WorkerTiming()) -> None:  # noqa: B008
        self._jobs = jobs
        self._requests = requests
        self._timing = timing
        self._state: State = Working(jobs.initial_sync)  # due from the start
        self._may_begin = threading.Event()
        self._deep_checked_s = -math.inf
        self._worked_s = time.monotonic()  # when a job ended that was more than a poll
        self._poll_after_s = timing.first_poll_s
        self._thread = threading.Thread(target=self._run, name="quarry-index", daemon=True)

    def start(self) -> None:
        """Begin; the first job makes the index equal the vault."""
        self._thread.start()

    def end_head_start(self) -> None:
        """Begin the first job, if it waits."""
        self._may_begin.set()

    def stop(self) -> None:
        """Finish the notes in hand, then end. Returns when the thread has ended."""
        self._requests.stop()
        self._may_begin.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def is_busy(self) -> bool:
        """Whether a job runs or waits for its turn; one that failed and will be tried again does not count."""
        with self._requests.condition:
            match self._state:
                case Working():
                    return True
                case Retrying():
                    return self._requests.has("rebuild")
                case Idle():
                    return not self._requests.is_empty

    @property
    def is_retrying(self) -> bool:
        """Whether a job failed and waits to be tried again."""
        return isinstance(self._state, Retrying)

    # --- the thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        self._may_begin.wait(self._timing.head_start_s)
        while isinstance(state := self._state, Working):
            after = self._carry_out(state)
            if state.job not in (self._jobs.poll, self._jobs.backfill):
                self._worked_s = time.monotonic()
            self._await_job(after)

    def _carry_out(self, work: Working) -> Idle | Retrying:
        """Run the job; returns the state that it leaves."""
        try:
            work.job()
        except Cancelled:
            return Idle()
        except IndexDamaged as damage:
            _log.warning("the index is damaged: %s", damage)
            self._jobs.failed(damage)
            return self._retrying(partial(self._jobs.recreate, damage), work.waited_s, at_once=work.waited_s == 0)
        except (QuarryError, OSError) as error:  # what may pass: a full disk, a lost drive, a broken settings file
            _log.warning("indexing stopped: %s", type(error).__name__)
            self._jobs.failed(error)
            return self._retrying(work.job, work.waited_s)
        except Exception as error:  # a defect must not end indexing for good without a word
            _log.exception("indexing failed")
            self._jobs.failed(error)
            return self._retrying(work.job, work.waited_s)
        self._requests.acknowledge_all()
        return Idle()

    def _retrying(self, job: Job, waited_s: float, *, at_once: bool = False) -> Retrying:
        self._requests.forget_requests()
        wait_s = self._timing.backoff_s(waited_s)
        return Retrying(job, time.monotonic() + (0 if at_once else wait_s), wait_s)

    def _await_job(self, state: Idle | Retrying) -> None:
        """Enter *state*, and `Working` as soon as a job is due; return without one when the worker is to end."""
        requests = self._requests
        with requests.condition:
            self._state = state
            poll_at_s = time.monotonic() + self._poll_after_s
            while not requests.is_stopping:
                if not requests.is_paused and (work := self._due(state, poll_at_s)):
                    self._state = work
                    return
                requests.condition.wait(self._until_next(state, poll_at_s))

    def _due(self, state: Idle | Retrying, poll_at_s: float) -> Working | None:
        """The work to begin now, if there is some."""
        now_s, requests, jobs = time.monotonic(), self._requests, self._jobs
        if requests.take("rebuild"):
            return Working(jobs.rebuild, state.waited_s if isinstance(state, Retrying) else 0.0)
        if isinstance(state, Retrying):
            return Working(state.job, state.waited_s) if now_s >= self._retry_at_s(state) else None
        if requests.take("repair"):
            return Working(jobs.repair)
        if requests.take("reconcile"):
            return Working(jobs.reconcile)
        if batch := requests.take_changes().changes:
            return Working(partial(jobs.apply, batch))
        if requests.take("backfill"):
            return Working(jobs.backfill)
        if now_s >= self._deep_check_at_s:
            self._deep_checked_s = now_s
            return Working(jobs.deep_check)
        if now_s < poll_at_s:
            return None
        self._poll_after_s = self._timing.poll_every_s
        return Working(jobs.poll)

    def _until_next(self, state: Idle | Retrying, poll_at_s: float) -> float | None:
        """Seconds until something is due by itself; None while only a request helps."""
        if self._requests.is_paused:
            return None
        idle_s = min(poll_at_s, self._deep_check_at_s)
        at_s = self._retry_at_s(state) if isinstance(state, Retrying) else idle_s
        return max(0.0, at_s - time.monotonic())

    def _retry_at_s(self, state: Retrying) -> float:
        return min(state.at_s, self._requests.first_request_s + self._timing.retry_asked_s)

    @property
    def _deep_check_at_s(self) -> float:
        timing = self._timing
        return max(self._deep_checked_s + timing.deep_check_every_s, self._worked_s + timing.deep_check_after_s)
