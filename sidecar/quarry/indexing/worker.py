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
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.indexing.process import WorkerTiming
from quarry.indexing.request_queue import RequestQueue
from quarry.indexing.sync import Synchronizer

_log = logging.getLogger(__name__)

Job: TypeAlias = Callable[[], None]


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

    def __init__(self, jobs: Synchronizer, requests: RequestQueue, timing: WorkerTiming = WorkerTiming()) -> None:  # noqa: B008
        self._jobs = jobs
        self._requests = requests
        self._timing = timing
        self._state: State = Working(jobs.initial_sync)  # due from the start
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
        self._requests.may_begin.wait(self._timing.head_start_s)
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
        except Exception as error:  # a defect must not end indexing for good without a word
            if isinstance(error, QuarryError | OSError):  # what may pass: a full disk, a lost drive, broken settings
                _log.warning("indexing stopped: %s", type(error).__name__)
            else:
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
        if changes := requests.take_changes():
            return Working(partial(jobs.apply, changes))
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
