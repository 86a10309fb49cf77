"""
The one thread that writes the index: takes jobs in turn, lets saved notes apply_urgent, tidies up when idle.

At every moment one thread of one process writes (the vault lock sees to the process). Searches never wait for it.
"""

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from quarry.errors import Cancelled, IndexDamaged, QuarryError
from quarry.types import VaultChange

_log = logging.getLogger(__name__)
RETRY_S = 1.0  # after a failure: a file that was just being written is there by then; doubled with every further one
RETRY_MAX_S = 60.0  # a full disk or a lost drive is noticed within a minute of its return
DEEP_CHECK_AFTER_S = 30.0  # idle this long: hash every note, check rows, give room back
DEEP_CHECK_EVERY_S = 6 * 3600.0
POLL_EVERY_S = 2.0  # how often the settings and ignore files are looked at
FIRST_POLL_S = 0.25  # after the first job: the first answers come first, the first saved note later


class Jobs(Protocol):
    """What the worker can do; each runs on its thread and may raise `Cancelled` to stop early."""

    def initial_sync(self) -> None:
        """Once, first: make the index equal the vault."""

    def apply(self, changes: Sequence[VaultChange]) -> None:
        """Carry out changes that someone saw."""

    def apply_urgent(self, changes: Sequence[VaultChange]) -> None:
        """The same in the middle of another job."""

    def flush(self) -> None:
        """The work in hand is held up: what it did so far is to be found."""

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
    """Runs jobs one after another until it is stopped."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._wake = threading.Condition()
        self._changes: deque[VaultChange] = deque()
        self._wants_rebuild = False
        self._wants_reconcile = False
        self._wants_repair = False
        self._paused = False
        self._stopping = False
        self._is_busy = True  # the first job is due from the start
        self._is_applying_urgent = False
        self._again: Callable[[], None] | None = None  # what failed; nothing else is begun until it succeeds
        self._again_at_s = 0.0
        self._retry_s = 0.0
        self._deep_checked_s = -math.inf
        self._worked_s = time.monotonic()  # when a job ended that was more than a look
        self._poll_after_s = FIRST_POLL_S
        self._thread = threading.Thread(target=self._run, name="quarry-index", daemon=True)

    def start(self) -> None:
        """Begin; the first job makes the index equal the vault."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the notes in hand, then end. Returns when the thread has ended."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def submit(self, changes: Sequence[VaultChange]) -> None:
        """Queue *changes*; they apply_urgent everything but the notes in hand."""
        with self._wake:
            self._changes.extend(changes)
            self._hurry()

    def request_rebuild(self) -> None:
        """Queue a rebuild; asking again while one waits changes nothing."""
        with self._wake:
            self._wants_rebuild = True
            self._paused = False
            self._hurry()

    def request_reconcile(self) -> None:
        """Queue a comparison of the whole vault with the index."""
        with self._wake:
            self._wants_reconcile = True
            self._hurry()

    def request_repair(self) -> None:
        """Queue a check of the whole index; asking again while one waits changes nothing."""
        with self._wake:
            self._wants_repair = True
            self._wake.notify_all()

    def pause(self) -> None:
        """Hold everything up after the notes in hand; changes are remembered."""
        with self._wake:
            self._paused = True

    def resume(self) -> None:
        """Go on."""
        with self._wake:
            self._paused = False
            self._hurry()

    @property
    def is_paused(self) -> bool:
        """Whether work is held up."""
        return self._paused

    @property
    def is_busy(self) -> bool:
        """Whether a job is at work or waits for its turn; one that failed and will be tried again does not count."""
        with self._wake:
            return self._is_busy or self._has_requests()

    @property
    def queued(self) -> int:
        """Changes seen and not yet carried out."""
        return len(self._changes)

    @property
    def is_wanted(self) -> bool:
        """Whether something has come that tidying up should give way to."""
        return bool(self._changes) or self._stopping

    def yield_point(self) -> None:
        """
        Called by a long job where stopping is safe: waits while paused, lets changes apply_urgent.

        Raises:
            Cancelled: The worker is to end.
        """
        if self._paused:
            self._jobs.flush()
        with self._wake:
            self._wake.wait_for(lambda: not self._paused or self._stopping)
            if self._stopping:
                raise Cancelled("the index worker was asked to stop")
        # What overtakes is not superseded in its turn: a stream of saves would nest without end.
        if self._is_applying_urgent or not (changes := self._take_changes()):
            return
        self._is_applying_urgent = True
        try:
            self._jobs.apply_urgent(changes)
        except BaseException:
            self._put_back(changes)
            raise
        finally:
            self._is_applying_urgent = False

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
        self._retry_s = min(max(RETRY_S, 2 * self._retry_s), RETRY_MAX_S)
        self._again = job
        self._again_at_s = time.monotonic() + (0 if at_once else self._retry_s)

    def _hurry(self) -> None:
        """Someone gave a sign of life, so what failed may work now; still not oftener than every `RETRY_S`."""
        self._again_at_s = min(self._again_at_s, time.monotonic() + RETRY_S)
        self._wake.notify_all()

    def _next_job(self) -> Callable[[], None] | None:
        """Wait for something to do; None when the worker is to end."""
        with self._wake:
            self._is_busy = False
            poll_at_s = time.monotonic() + self._poll_after_s
            while not self._stopping:
                if not self._paused and (job := self._due(poll_at_s)):
                    self._is_busy = True
                    return job
                self._wake.wait(self._until_next(poll_at_s))
            return None

    def _due(self, poll_at_s: float) -> Callable[[], None] | None:
        """What to do now, if there is anything."""
        now_s = time.monotonic()
        if self._wants_rebuild:
            self._wants_rebuild = False
            return self._jobs.rebuild  # makes good whatever failed before
        if self._again:
            return self._again if now_s >= self._again_at_s else None
        if self._wants_repair:
            self._wants_repair = False
            return self._jobs.repair
        if self._wants_reconcile:
            self._wants_reconcile = False
            return self._jobs.reconcile
        if changes := self._take_changes():
            return lambda: self._jobs.apply(changes)
        if now_s >= self._deep_check_at_s:
            self._deep_checked_s = now_s
            return self._jobs.deep_check
        if now_s < poll_at_s:
            return None
        self._poll_after_s = POLL_EVERY_S
        return self._jobs.poll

    def _until_next(self, poll_at_s: float) -> float | None:
        """Seconds until something is due by itself; None while only a word from outside helps."""
        if self._paused:
            return None
        at_s = self._again_at_s if self._again else min(poll_at_s, self._deep_check_at_s)
        return max(0.0, at_s - time.monotonic())

    @property
    def _deep_check_at_s(self) -> float:
        return max(self._deep_checked_s + DEEP_CHECK_EVERY_S, self._worked_s + DEEP_CHECK_AFTER_S)

    def _has_requests(self) -> bool:
        if self._again:
            return self._wants_rebuild
        return bool(self._changes or self._wants_rebuild or self._wants_reconcile or self._wants_repair)

    def _take_changes(self) -> list[VaultChange]:
        with self._wake:
            changes = list(self._changes)
            self._changes.clear()
        return changes

    def _put_back(self, changes: Sequence[VaultChange]) -> None:
        with self._wake:
            self._changes.extendleft(reversed(changes))
