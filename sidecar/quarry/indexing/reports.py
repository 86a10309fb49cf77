"""
Changes that were reported and are not yet carried out, numbered, so that an answer can wait for some of them.

Reports are numbered from 1 in the order in which they come. Changes are taken in that order, but a batch that is taken
later may be carried out sooner: saved notes overtake the work in hand.
"""

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from quarry.types import VaultChange


class _Report(Struct, frozen=True):
    """Changes that were reported at once; the last of them has the number *last*."""

    last: int
    at_ms: int


class TakenChanges(Struct, frozen=True):
    """Changes taken at once; *first* is the number of the first of them."""

    first: int
    changes: tuple[VaultChange, ...]


class ReportedChanges:
    """A queue of changes that knows which of all reported ones are carried out. Its owner guards it with a lock."""

    def __init__(self) -> None:
        self._queue: deque[VaultChange] = deque()
        self._reports: deque[_Report] = deque()  # those of which something is not carried out, oldest first
        self._in_hand: list[int] = []  # the first number of each batch that was taken and is not carried out
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

    def take(self) -> TakenChanges:
        """The changes that wait, which are in hand from now on."""
        batch = TakenChanges(self._first_waiting, tuple(self._queue))
        self._queue.clear()
        if batch.changes:
            self._in_hand.append(batch.first)
        return batch

    def put_back(self, batch: TakenChanges) -> None:
        """Queue *batch* again, before all others: it could not be carried out."""
        self._queue.extendleft(reversed(batch.changes))
        self._in_hand.remove(batch.first)

    def carried_out(self, batch: TakenChanges) -> None:
        """*batch* can be found."""
        if batch.first in self._in_hand:
            self._in_hand.remove(batch.first)
        self._forget_old_reports()

    def all_carried_out(self) -> None:
        """Whatever was in hand can be found: the whole vault was read."""
        self._in_hand.clear()
        self._forget_old_reports()

    @property
    def outstanding(self) -> int:
        """Changes from the first one that is not carried out to the last reported one."""
        return self._last - self._done

    def is_carried_out(self, number: int) -> bool:
        """Whether all changes up to *number* can be found."""
        return number <= self._done

    def last_until(self, until_ms: int | None) -> int:
        """The number of the last change reported up to *until_ms* (None: up to now), or of one carried out before."""
        if until_ms is None:
            return self._last
        return max((report.last for report in self._reports if report.at_ms <= until_ms), default=0)

    @property
    def _first_waiting(self) -> int:
        return self._last - len(self._queue) + 1

    @property
    def _done(self) -> int:
        """All changes up to this number are carried out."""
        return min(self._in_hand, default=self._first_waiting) - 1

    def _forget_old_reports(self) -> None:
        while self._reports and self._reports[0].last <= self._done:
            self._reports.popleft()
