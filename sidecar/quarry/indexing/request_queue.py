"""
Requests for the indexing thread, from any thread, and the log of reported changes, so that an answer can wait for them.

Every reported change has a sequence number, from 1 in the order of the reports. Changes are taken in that order, but a
batch that is taken later may be acknowledged sooner: saved notes overtake the work in hand.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from quarry.errors import Cancelled
from quarry.types import VaultChange

MAX_WAITING = 20_000  # changes; more than a moved folder or a checkout reports, and a few megabytes
Request = Literal["rebuild", "repair", "reconcile", "backfill"]
"""
Build the index anew; check all of it, as a search met damage; compare the whole vault with it; take a step of the
contextual backfill. Asking again while one waits changes nothing.
"""
Apply: TypeAlias = Callable[[Sequence[VaultChange]], None]
"""Brings changes into the index."""


class _Report(Struct, frozen=True):
    """Changes that were reported together; *last* is the sequence number of the last of them."""

    last: int
    at_ms: int


class RequestQueue:
    """The changes and requests that wait for the indexing thread, and whether it should begin, pause or stop."""

    def __init__(self) -> None:
        self.condition = threading.Condition()  # notified of every request
        self.may_begin = threading.Event()  # set: the first job, if it still waits, gives way to no first answer
        self._changes: deque[VaultChange] = deque()  # those that wait to be taken
        self._last = 0  # the sequence number of the last reported change
        self._reports: deque[_Report] = deque()  # those not fully acknowledged, oldest first
        self._in_hand: list[int] = []  # the first number of each batch that was taken and is not acknowledged
        self._given_up: list[int] = []  # the first numbers of what only a read of the whole vault brings
        self._requests: set[Request] = set()
        self.is_paused = False  # work is held up
        self.is_stopping = False  # the indexing thread is to end
        self.first_request_s = math.inf  # when something was first asked for since `forget_requests`, as `monotonic`

    # --- for any thread ------------------------------------------------------------------------

    def submit(self, changes: Sequence[VaultChange], at_ms: int | None = None) -> None:
        """
        Queue *changes*, reported at *at_ms* (None: now); they interrupt everything but the notes in hand.

        Beyond `MAX_WAITING`, the vault is compared with the index instead, so that no client can fill the memory.
        """
        with self.condition:
            self._changes.extend(changes)
            self._last += len(changes)
            if changes:
                self._reports.append(_Report(self._last, time.time_ns() // 1_000_000 if at_ms is None else at_ms))
            if len(self._changes) > MAX_WAITING:
                self._given_up.append(self._first_waiting)
                self._reports = deque([_Report(self._last, self._reports[0].at_ms)])
                self._changes.clear()
                self._requests.add("reconcile")
            self._notify()

    def request(self, what: Request) -> None:
        """Queue *what*; a rebuild ends a pause."""
        with self.condition:
            self._requests.add(what)
            if what == "rebuild":
                self.is_paused = False
            if what in ("rebuild", "reconcile"):  # the others are asked for by Quarry itself
                self.first_request_s = min(self.first_request_s, time.monotonic())
            self.condition.notify_all()

    def pause(self) -> None:
        """Hold everything up after the notes in hand; changes are remembered."""
        with self.condition:
            self.is_paused = True

    def resume(self) -> None:
        """Go on."""
        with self.condition:
            self.is_paused = False
            self._notify()

    def stop(self) -> None:
        """Have the indexing thread finish the notes in hand, then end."""
        with self.condition:
            self.is_stopping = True
            self.condition.notify_all()
        self.may_begin.set()

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits; the backfill does not count, which goes on for hours."""
        return not (self._changes or self._requests - {"backfill"})

    def has(self, what: Request) -> bool:
        """Whether *what* waits."""
        return what in self._requests

    @property
    def change_count(self) -> int:
        """Changes that wait to be taken."""
        return len(self._changes)

    @property
    def acknowledged(self) -> int:
        """All changes up to this sequence number are in the index."""
        with self.condition:
            return min([*self._in_hand, *self._given_up], default=self._first_waiting) - 1

    @property
    def lag(self) -> int:
        """Changes from the first one that is not in the index to the last reported one."""
        with self.condition:
            return self._last - self.acknowledged

    def sequence_at(self, at_ms: int | None = None) -> int:
        """
        The number of the last change reported up to *at_ms*, milliseconds since 1970 (None: up to now).

        Where all of those are in the index, that of any of them.
        """
        with self.condition:
            if at_ms is None:
                return self._last
            return max((report.last for report in self._reports if report.at_ms <= at_ms), default=0)

    @property
    def interrupts_idle_work(self) -> bool:
        """Whether idle work should give way: there are changes to index, or the thread is to end."""
        return bool(self._changes) or self.is_stopping

    # --- for the indexing thread ---------------------------------------------------------------

    def forget_requests(self) -> None:
        """Begin to look out for the next request; see `first_request_s`."""
        with self.condition:
            self.first_request_s = math.inf

    def take(self, what: Request) -> bool:
        """Whether *what* was asked for; it waits no longer."""
        with self.condition:
            found = what in self._requests
            self._requests.discard(what)
            if found and what in ("reconcile", "rebuild"):  # which read the whole vault
                self._in_hand += self._given_up
                self._given_up.clear()
        return found

    def take_changes(self) -> tuple[VaultChange, ...]:
        """The changes that wait, which are in hand from now on."""
        with self.condition:
            changes = tuple(self._changes)
            if changes:
                self._in_hand.append(self._first_waiting)
                self._changes.clear()
            return changes

    def acknowledge_all(self) -> None:
        """A job has succeeded: what was taken for it, or for one that failed before, is in the index."""
        with self.condition:
            self._in_hand.clear()
            self._forget_old_reports()

    def checkpoint(self, flush: Callable[[], None], apply: Apply | None) -> Sequence[VaultChange]:
        """
        Wait while paused, after *flush*, which makes what was done so far visible; then *apply* the changes that wait.

        They wait again, before all others, where that fails.

        Args:
            apply: None leaves them in the queue.

        Returns:
            The changes that were applied.

        Raises:
            Cancelled: The indexing thread is to end.
        """
        if self.is_paused:
            flush()
        with self.condition:
            self.condition.wait_for(lambda: not self.is_paused or self.is_stopping)
            if self.is_stopping:
                raise Cancelled("the index worker was asked to stop")
            first, changes = self._first_waiting, self.take_changes() if apply else ()
        if not (apply and changes):
            return ()
        try:
            apply(changes)
        except BaseException:
            with self.condition:
                self._in_hand.remove(first)
                if self._given_up:  # with later ones, so that these cannot be queued before them
                    self._given_up.append(first)
                else:
                    self._changes.extendleft(reversed(changes))
            raise
        with self.condition:
            self._in_hand.remove(first)
            self._forget_old_reports()
        return changes

    @property
    def _first_waiting(self) -> int:
        return self._last - len(self._changes) + 1

    def _forget_old_reports(self) -> None:
        while self._reports and self._reports[0].last <= self.acknowledged:
            self._reports.popleft()

    def _notify(self) -> None:
        self.first_request_s = min(self.first_request_s, time.monotonic())
        self.condition.notify_all()
