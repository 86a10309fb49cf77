"""A time limit for a query, which may also be cancelled before."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw
from msgspec import Struct

from quarry.errors import Cancelled, DeadlineExceeded

CHECK_EVERY_STEPS = 1000  # of SQLite's machine: 20 to 100 us apart, while one check costs under 1 us


def never() -> bool:
    """False: the query is never cancelled."""
    return False


class Deadline(Struct, frozen=True):
    """Stops a query at a point in time, or as soon as `cancelled` returns True."""

    at: float  # time.monotonic() seconds
    cancelled: Callable[[], bool] = never  # called often, on the thread of the query

    @classmethod
    def after(cls, timeout_s: float) -> "Deadline":
        """A deadline *timeout_s* seconds from now."""
        return cls(time.monotonic() + timeout_s)

    def check(self) -> None:
        """
        Return if there is time left.

        Raises:
            Cancelled: The answer is no longer wanted.
            DeadlineExceeded: Time is up.
        """
        if self.cancelled():
            raise Cancelled("the search was cancelled")
        if time.monotonic() >= self.at:
            raise DeadlineExceeded("the search took longer than it may; use fewer words or a narrower filter")

    @contextmanager
    def over(self, connection: apsw.Connection) -> Iterator[None]:
        """
        Apply this deadline to every statement that runs on *connection* inside the block.

        A statement raises what `check` raises: apsw carries an exception through SQLite's progress handler.
        """
        self.check()
        block = object()  # of its own, as a block may stand inside another
        connection.set_progress_handler(self._keep_going, CHECK_EVERY_STEPS, id=block)
        try:
            yield
        finally:
            connection.set_progress_handler(None, id=block)

    def _keep_going(self) -> bool:
        self.check()
        return False


NO_DEADLINE = Deadline(math.inf)
"""For queries of known cost."""
