"""
When is an index compacted, and how is it checked and repaired?

It is compacted when no note was saved for a while, and never so often that it shows. Text that a save replaced stays in
the files until then: in rows that SQLite has marked as free, and in the keyword index, which merges nothing while notes
are being saved.
"""

import ctypes
import logging
import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from quarry.errors import Cancelled, IndexUnavailable
from quarry.index import Deadline, Index

_log = logging.getLogger(__name__)

QUIET_S = 5.0  # without a change; a writer who pauses that long is reading, not typing
VERIFY_NOTES = 200  # checked at a time: milliseconds, so that a saved note waits no longer
REST = 100  # times as long as the last compaction took: at most a hundredth of the time goes into it


class IdleSchedule:
    """When the index is to be compacted, by what changed and how long it took. Times are `time.monotonic()` seconds."""

    def __init__(self) -> None:
        self._is_wanted = False
        self._earliest_s = 0.0

    def changed(self, now_s: float) -> None:
        """Something was stored or removed."""
        self._is_wanted = True
        self._earliest_s = max(self._earliest_s, now_s + QUIET_S)

    def is_due(self, now_s: float) -> bool:
        """Whether there is something to compact, and nothing was saved for a while."""
        return self._is_wanted and now_s >= self._earliest_s

    def compacted(self, begun_s: float, ended_s: float, *, is_done: bool) -> None:
        """The index was compacted, or could not be: what a full disk does not let through is tried again, later."""
        self._is_wanted = not is_done
        self._earliest_s = ended_s + max(QUIET_S, REST * (ended_s - begun_s))


def compact(index: Index, deadline: Deadline) -> bool:
    """
    Merge the keyword index, write its postings of this moment, empty the WAL; whether all of it could be done.

    Raises:
        IndexDamaged: The index has to be set aside.
    """
    try:
        index.optimize()
        try:
            index.flush_postings(deadline)
        finally:  # what keeps the segment file from being written must not let the WAL grow
            index.checkpoint()
    except Cancelled:
        return False
    except IndexUnavailable as error:  # a full disk, or a reader at work
        _log.info("what notes said before leaves the index later: %s", error)
        return False
    _give_memory_back()
    return True


def restore_postings(index: Index, deadline: Deadline) -> None:
    """Write the keyword postings of *index* where a search found none; what cannot be written waits for `compact`."""
    try:
        index.flush_postings(deadline)
    except (Cancelled, IndexUnavailable) as error:
        _log.info("the keyword postings are written later: %s", error)


def _give_memory_back() -> None:
    """Return freed memory that the allocator keeps to the system: 70 MB after a full index. Only glibc can be asked."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def repair(
    index: Index,
    refresh: Callable[[Sequence[str]], object],
    yield_point: Callable[[], None],
    is_wanted: Callable[[], bool],
) -> None:
    """
    Check every row of *index*, then what holds it together.

    Args:
        refresh: Reads the notes at these paths anew.
        yield_point: Called where stopping is safe.
        is_wanted: Whether there is something else to do than the last check, which holds writing up for seconds.

    Raises:
        IndexDamaged: Reading notes anew does not help.
        Cancelled: `yield_point` said so.
    """
    cursor: str | None = None
    while True:
        damaged, cursor = index.verify(cursor, VERIFY_NOTES)
        if damaged:
            _log.warning("%d notes had damaged rows and are read again", len(damaged))
            refresh(damaged)
        if cursor is None:
            break
        yield_point()
    try:
        index.check(Deadline(math.inf, is_wanted))
    except Cancelled:
        _log.info("the check of the whole index is put off: there is something else to do")
