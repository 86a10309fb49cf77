"""Is everything in the index as it was written? Notes whose rows are not are read anew."""

import logging
import math
from collections.abc import Callable, Sequence

from quarry.errors import Cancelled
from quarry.index import Deadline, Index

_log = logging.getLogger(__name__)
VERIFY_NOTES = 200  # checked at a time: milliseconds, so that a saved note waits no longer


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
            _log.warning("%d notes had damaged rows and are read anew", len(damaged))
            refresh(damaged)
        if cursor is None:
            break
        yield_point()
    try:
        index.check(Deadline(math.inf, is_wanted))
    except Cancelled:
        _log.info("the check of the whole index is put off: there is something else to do")
