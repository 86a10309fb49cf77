"""What a request waits for before it is answered: `waitMs` and `afterMs`."""

import asyncio
import time

from quarry.errors import IndexBehind
from quarry.indexing.freshness import BLOCKED, IndexFreshness
from quarry.interfaces.protocol import ReadParams

POLL_S = 0.01  # nothing to a wait for an index, and a look takes microseconds


async def wait_for_index(index: IndexFreshness, params: ReadParams) -> None:
    """
    Wait until *index* holds what *params* ask for, at most `waitMs`; on no thread of the pools that answer.

    Raises:
        IndexBehind: Changes reported up to `afterMs` are still not in it.
        IndexUnavailable, IndexDamaged: It cannot be read.
    """
    deadline_s = time.monotonic() + params.wait_ms / 1000
    if params.after_ms is not None:
        await _wait_for_reports(index, params, index.last_report(params.after_ms), deadline_s)
    elif params.wait_ms:
        wanted = index.last_report()
        while await asyncio.to_thread(index.is_worth_waiting, wanted, deadline_s - time.monotonic()):
            await asyncio.sleep(POLL_S)


async def _wait_for_reports(index: IndexFreshness, params: ReadParams, report: int, deadline_s: float) -> None:
    while not index.holds(report):
        state = index.state
        if state in BLOCKED:
            raise IndexBehind(f"changes reported up to {params.after_ms} are not indexed: indexing is {state}")
        if time.monotonic() >= deadline_s:
            raise IndexBehind(
                f"changes reported up to {params.after_ms} are not indexed after {params.wait_ms} ms; state: {state}"
            )
        await asyncio.sleep(POLL_S)
