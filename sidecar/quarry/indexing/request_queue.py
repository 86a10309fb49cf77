"""
Requests for the indexing thread, from any thread, and the log of reported changes, so that an answer can wait for them.

Every reported change has a sequence number, from 1 in the order of the reports. Changes are taken in that order, but a
batch that is taken later may be acknowledged sooner: saved notes overtake the work in hand.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct

from quarry.errors import Cancelled
from quarry.types import VaultChange

MAX_WAITING = 20_000  # changes; more than a moved folder or a checkout reports, and a few megabytes
Request = Literal["rebuild", "repair", "reconcile", "backfill"]
"""
Build the index anew; check all of it, as a search met damage; compare the whole vault with it; take a step of the
contextual backfill. Asking again while one waits changes nothing.
"""


class _Report(Struct, frozen=True):
    """Changes that were reported together; *last* is the sequence number of the last of them."""

    last: int
    at_ms: int


class ChangeBatch(Struct, frozen=True):
    """Changes taken together; *first* is the sequence number of the first of them."""

    first: int
    changes: tuple[VaultChange, ...]


class ChangeLog:
    """A queue of changes that knows which of all reported ones are acknowledged. Its owner guards it with a lock."""

    def __init__(self) -> None:
        self._queue: deque[VaultChange] = deque()
        self._reports: deque[_Report] = deque()  # those not fully acknowledged, oldest first
        self._in_hand: list[int] = []  # the first number of each batch that was taken and is not acknowledged
        self._given_up: list[int] = []  # the first numbers of what only a read of the whole vault brings
        self._last = 0

    def __len__(self) -> int:
        """Changes that wait to be taken."""
        return len(self._queue)

    def add(self, changes: Sequence[VaultChange], at_ms: int) -> None:
        """Queue *changes*, reported at *at_ms*, milliseconds since 1970."""
        self._queue.extend(changes)
        self._last += len(changes)
        if changes:
            self._reports.append(_Report(self._last, at_ms))

    def take(self) -> ChangeBatch:
        """The changes that wait, which are in hand from now on."""
        batch = ChangeBatch(self._first_waiting, tuple(self._queue))
        self._queue.clear()
        if batch.changes:
            self._in_hand.append(batch.first)
        return batch

    def put_back(self, batch: ChangeBatch) -> None:
        """Queue *batch* again, before all others: it could not be applied. If later ones were given up, so is it."""
        self._in_hand.remove(batch.first)
        if self._given_up:
            self._given_up.append(batch.first)
        else:
            self._queue.extendleft(reversed(batch.changes))

    def give_up_waiting(self) -> None:
        """Forget the changes that wait: a comparison of the whole vault with the index finds them."""
        self._given_up.append(self._first_waiting)
        self._reports = deque([_Report(self._last, self._reports[0].at_ms)])
        self._queue.clear()

    def begin_whole_read(self) -> None:
        """The whole vault is about to be read: changes that were given up are in hand."""
        self._in_hand += self._given_up
        self._given_up.clear()

    def acknowledge(self, batch: ChangeBatch) -> None:
        """*batch* is in the index."""
        if batch.first in self._in_hand:
            self._in_hand.remove(batch.first)
        self._forget_old_reports()

    def acknowledge_all(self) -> None:
        """Every batch in hand is in the index: the whole vault was read."""
        self._in_hand.clear()
        self._forget_old_reports()

    @property
    def acknowledged(self) -> int:
        """All changes up to this sequence number are in the index."""
        return min([*self._in_hand, *self._given_up], default=self._first_waiting) - 1

    @property
    def lag(self) -> int:
        """Changes from the first one that is not acknowledged to the last reported one."""
        return self._last - self.acknowledged

    def sequence_at(self, at_ms: int | None) -> int:
        """The number of the last change reported up to *at_ms* (None: up to now), or of an acknowledged one."""
        if at_ms is None:
            return self._last
        return max((report.last for report in self._reports if report.at_ms <= at_ms), default=0)

    @property
    def _first_waiting(self) -> int:
        return self._last - len(self._queue) + 1

    def _forget_old_reports(self) -> None:
        while self._reports and self._reports[0].last <= self.acknowledged:
            self._reports.popleft()


class RequestQueue:
    """Requests for the indexing thread, and whether it should begin, pause or stop."""

    def __init__(self) -> None:
        self.condition = threading.Condition()  # notified of every request
        self.may_begin = threading.Event()  # set: the first job, if it still waits, gives way to no first answer
        self._changes = ChangeLog()
        self._requests: set[Request] = set()
        self.is_paused = False  # work is held up
        self.is_stopping = False  # the indexing thread is to end
        self.first_request_s = math.inf  # when something was first asked for since `forget_requests`, as `monotonic`

    # --- for any thread ------------------------------------------------------------------------

    def submit(self, changes: Sequence[VaultChange]) -> None:
        """
        Queue *changes*; they interrupt everything but the notes in hand.

        Beyond `MAX_WAITING`, the vault is compared with the index instead, so that no client can fill the memory.
        """
        with self.condition:
            self._changes.add(changes, time.time_ns() // 1_000_000)
            if len(self._changes) > MAX_WAITING:
                self._changes.give_up_waiting()
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
    def lag(self) -> int:
        """Changes reported and not yet in the index, including those that are being indexed."""
        with self.condition:
            return self._changes.lag

    @property
    def acknowledged(self) -> int:
        """All changes up to this sequence number are in the index."""
        with self.condition:
            return self._changes.acknowledged

    def sequence_at(self, at_ms: int | None = None) -> int:
        """The number of the last change reported up to *at_ms*, milliseconds since 1970; None: up to now."""
        with self.condition:
            return self._changes.sequence_at(at_ms)

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
            if found and what in ("reconcile", "rebuild"):
                self._changes.begin_whole_read()
        return found

    def take_changes(self) -> ChangeBatch:
        """The changes that wait, which are queued no longer."""
        with self.condition:
            return self._changes.take()

    def acknowledge_all(self) -> None:
        """A job has succeeded: what was taken for it, or for one that failed before, is in the index."""
        with self.condition:
            self._changes.acknowledge_all()

    @contextmanager
    def checkpoint(self, flush: Callable[[], None], take: bool) -> Iterator[Sequence[VaultChange]]:
        """
        Wait while paused, after *flush*, which makes what was done so far visible; then take the changes that wait.

        They are acknowledged when the context ends, and wait again where it fails.

        Args:
            take: False leaves them in the queue.

        Raises:
            Cancelled: The indexing thread is to end.
        """
        if self.is_paused:
            flush()
        with self.condition:
            self.condition.wait_for(lambda: not self.is_paused or self.is_stopping)
            if self.is_stopping:
                raise Cancelled("the index worker was asked to stop")
            batch = self._changes.take() if take else ChangeBatch(0, ())
        try:
            yield batch.changes
        except BaseException:
            with self.condition:
                if batch.changes:
                    self._changes.put_back(batch)
            raise
        with self.condition:
            self._changes.acknowledge(batch)

    def _notify(self) -> None:
        self.first_request_s = min(self.first_request_s, time.monotonic())
        self.condition.notify_all()
