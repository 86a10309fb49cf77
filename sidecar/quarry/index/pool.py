"""A pool of connections for readers: opened when first needed, each lent to one thread at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

from quarry.errors import IndexUnavailable

MAX_READERS = 8  # more searches at once than this only take turns on the processor; each holds half a MB of cache
WAIT_S = 30.0  # a search may take a second; a longer wait is for something that hangs


class ReaderPool:
    """Lends connections that *open_connection* makes, to at most *max_readers* threads at a time."""

    def __init__(
        self, open_connection: Callable[[], apsw.Connection], max_readers: int = MAX_READERS, wait_s: float = WAIT_S
    ) -> None:
        self._max_readers = max_readers
        self._wait_s = wait_s
        self._open = open_connection
        self._changed = threading.Condition()
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._is_held = False
        self.is_closed = False  # for good

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """
        A connection that sees the index as it was when this began, whatever is written meanwhile.

        Raises:
            IndexUnavailable: No connection became free in time.
        """
        connection = self._take()
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT 1 FROM meta LIMIT 1").fetchall()  # only a read takes the snapshot
            yield connection
        finally:
            self._give_back(connection)

    @contextmanager
    def emptied(self, *, for_good: bool = False) -> Iterator[None]:
        """
        Wait for all readers to end and close their connections; new ones wait until the block ends, or are refused.

        Raises:
            IndexUnavailable: A reader did not end in time.
        """
        with self._changed:
            self._wait_for(lambda: not self._is_held)
            self._is_held = True
            try:
                self._wait_for(lambda: self._lent == 0)
            except IndexUnavailable:
                self._release()
                raise
            while self._idle:
                self._idle.pop().close()
        try:
            yield
        finally:
            with self._changed:
                self.is_closed = for_good
                self._release()

    def _take(self) -> apsw.Connection:
        with self._changed:
            self._wait_for(lambda: self.is_closed or (not self._is_held and self._lent < self._max_readers))
            if self.is_closed:
                raise IndexUnavailable("the index was closed")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._open()
        except BaseException:
            with self._changed:
                self._lent -= 1
                self._changed.notify_all()
            raise

    def _give_back(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        finally:
            with self._changed:
                self._lent -= 1
                self._idle.append(connection)
                self._changed.notify_all()

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        if not self._changed.wait_for(condition, self._wait_s):
            raise IndexUnavailable(f"the index was busy for {self._wait_s:.0f} s; try again")

    def _release(self) -> None:
        self._is_held = False
        self._changed.notify_all()
