"""
The one thread that writes the index: takes jobs in turn, tries again what failed, checks and tidies up when idle.

At every moment one thread of one process writes (the vault lock sees to the process). Searches never wait for it. Any
thread asks for work in the `RequestQueue`; the indexing thread takes it between two jobs, and lets saved notes in where
a job can be interrupted (`RequestQueue.yield_point`).
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.indexing.limits import WorkerTiming
from quarry.indexing.reports import ReportedChanges, TakenChanges
from quarry.types import VaultChange

_log = logging.getLogger(__name__)


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

    def deepen(self) -> None:
        """Store the contextual vectors that are made, and have the next ones made; takes milliseconds."""

    def recreate(self, error: IndexDamaged) -> None:
        """Go on with a new index in place of the damaged one."""

    def failed(self, error: Exception) -> None:
        """A job could not be finished; it is tried again in a while. Must not raise."""


class RequestQueue:
    """Requests in the order in which they are served: rebuild, repair, reconcile, changes, deepening."""

    def __init__(self) -> None:
        self.condition = threading.Condition()  # notified of every request
        self._changes = ReportedChanges()
        self._wants_rebuild = False
        self._wants_reconcile = False
        self._wants_repair = False
        self._wants_deepening = False
        self._is_paused = False
        self._is_stopping = False
        self._is_applying_urgent = False
        self._first_request_s = math.inf

    # --- for any thread ------------------------------------------------------------------------

    def submit(self, changes: Sequence[VaultChange]) -> None:
        """Queue *changes*; they interrupt everything but the notes in hand."""
        with self.condition:
            self._changes.add(changes, time.time_ns() // 1_000_000)
            self._notify()

    def request_rebuild(self) -> None:
        """Queue a rebuild, which ends a pause; asking again while one waits changes nothing."""
        with self.condition:
            self._wants_rebuild = True
            self._is_paused = False
            self._notify()

    def request_reconcile(self) -> None:
        """Queue a comparison of the whole vault with the index."""
        with self.condition:
            self._wants_reconcile = True
            self._notify()

    def request_repair(self) -> None:
        """Queue a check of the whole index; asking again while one waits changes nothing."""
        with self.condition:
            self._wants_repair = True
            self.condition.notify_all()

    def request_deepening(self) -> None:
        """Queue a step of deepening, behind everything else; asking again while one waits changes nothing."""
        with self.condition:
            self._wants_deepening = True
            self.condition.notify_all()

    def pause(self) -> None:
        """Hold everything up after the notes in hand; changes are remembered."""
        with self.condition:
            self._is_paused = True

    def resume(self) -> None:
        """Go on."""
        with self.condition:
            self._is_paused = False
            self._notify()

    def stop(self) -> None:
        """Have the indexing thread finish the notes in hand, then end."""
        with self.condition:
            self._is_stopping = True
            self.condition.notify_all()

    @property
    def is_paused(self) -> bool:
        """Whether work is held up."""
        return self._is_paused

    @property
    def is_stopping(self) -> bool:
        """Whether the indexing thread is to end."""
        return self._is_stopping

    @property
    def wants_rebuild(self) -> bool:
        """Whether a rebuild waits."""
        return self._wants_rebuild

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits; deepening does not count, which goes on for hours."""
        return not (self._changes or self._wants_rebuild or self._wants_reconcile or self._wants_repair)

    @property
    def change_count(self) -> int:
        """Changes seen and not yet carried out."""
        return len(self._changes)

    @property
    def outstanding(self) -> int:
        """Changes reported and not yet in the index, those that are being indexed among them."""
        with self.condition:
            return self._changes.outstanding

    def last_report(self, until_ms: int | None = None) -> int:
        """The number of the last change reported up to *until_ms*, milliseconds since 1970; None: up to now."""
        with self.condition:
            return self._changes.last_until(until_ms)

    def is_carried_out(self, number: int) -> bool:
        """Whether all changes up to *number* are in the index."""
        with self.condition:
            return self._changes.is_carried_out(number)

    @property
    def interrupts_idle_work(self) -> bool:
        """Whether idle work should give way: there are changes to index, or the thread is to end."""
        return bool(self._changes) or self._is_stopping

    @property
    def first_request_s(self) -> float:
        """When something was first asked for since `forget_requests`, by `time.monotonic`; infinity: nothing was."""
        return self._first_request_s

    # --- for the indexing thread ---------------------------------------------------------------

    def forget_requests(self) -> None:
        """Begin to look out for the next request; see `first_request_s`."""
        with self.condition:
            self._first_request_s = math.inf

    def take_rebuild(self) -> bool:
        """Whether a rebuild was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_rebuild = self._wants_rebuild, False
        return found

    def take_repair(self) -> bool:
        """Whether a check of the whole index was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_repair = self._wants_repair, False
        return found

    def take_reconcile(self) -> bool:
        """Whether a comparison of the whole vault was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_reconcile = self._wants_reconcile, False
        return found

    def take_deepening(self) -> bool:
        """Whether a step of deepening was asked for; it waits no longer."""
        with self.condition:
            found, self._wants_deepening = self._wants_deepening, False
        return found

    def take_changes(self) -> list[VaultChange]:
        """The changes that wait, which are queued no longer."""
        return list(self._take_batch().changes)

    def all_carried_out(self) -> None:
        """A job has succeeded: what was taken for it, or for one that failed before, is in the index."""
        with self.condition:
            self._changes.all_carried_out()

    def yield_point(self, flush: Callable[[], None], apply_urgent: Callable[[Sequence[VaultChange]], None]) -> None:
        """
        Called by a long job where it can be interrupted: waits while paused, then has changes that wait carried out.

        Args:
            flush: Called before waiting: what the job has done so far is to be found.
            apply_urgent: Carries changes out. It is not interrupted itself, or a stream of saves would nest without
                end. Where it fails, its changes wait again.

        Raises:
            Cancelled: The indexing thread is to end.
        """
        if self._is_paused:
            flush()
        with self.condition:
            self.condition.wait_for(lambda: not self._is_paused or self._is_stopping)
            if self._is_stopping:
                raise Cancelled("the index worker was asked to stop")
        if self._is_applying_urgent or not self._changes:
            return
        batch = self._take_batch()
        self._is_applying_urgent = True
        try:
            apply_urgent(list(batch.changes))
        except BaseException:
            with self.condition:
                self._changes.put_back(batch)
            raise
        finally:
            self._is_applying_urgent = False
        with self.condition:
            self._changes.carried_out(batch)

    def _take_batch(self) -> TakenChanges:
        with self.condition:
            return self._changes.take()

    def _notify(self) -> None:
        self._first_request_s = min(self._first_request_s, time.monotonic())
        self.condition.notify_all()


class Worker:
    """Runs *jobs* one after another, as *requests* ask for them, until it is stopped."""

    def __init__(self, jobs: Jobs, requests: RequestQueue, timing: WorkerTiming = WorkerTiming()) -> None:  # noqa: B008
        self._jobs = jobs
        self._requests = requests
        self._timing = timing
        self._is_busy = True  # the first job is due from the start
        self._may_begin = threading.Event()
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
        """Whether a job is at work or waits for its turn; one that failed and will be tried again does not count."""
        with self._requests.condition:
            return self._is_busy or (self._requests.wants_rebuild if self._again else not self._requests.is_empty)

    @property
    def is_retrying(self) -> bool:
        """Whether a job failed and waits to be tried again."""
        return self._again is not None

    # --- the thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        self._may_begin.wait(self._timing.head_start_s)
        job: Callable[[], None] | None = self._jobs.initial_sync
        while job:
            self._try(job)
            if job not in (self._jobs.poll, self._jobs.deepen):
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
            self._requests.all_carried_out()

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
        """The job to run now, if there is one."""
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
        if requests.take_deepening():
            return self._jobs.deepen
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
