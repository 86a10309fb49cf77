"""Makes a request wait for the index before it is answered: `waitMs` and `afterMs`."""

import asyncio
import time
from collections.abc import Callable

from quarry.errors import IndexBehind
from quarry.indexing.freshness import BLOCKED, IndexFreshness
from quarry.protocol import ReadParams

POLL_S = 0.01  # at first: a saved note is found within a few of them
MAX_POLL_S = 0.1  # later: a tenth of what was waited already is nothing to add, and many may wait


async def wait_for_index(index: IndexFreshness, params: ReadParams) -> None:
    """
    Wait until *index* contains what *params* ask for, at most `waitMs`; on no thread of the pools that answer.

    Raises:
        IndexBehind: Changes reported up to `afterMs` are still not in it.
        IndexUnavailable, IndexDamaged: It cannot be read.
    """
    if params.after_ms is not None:
        if not await wait_for_changes(index, index.sequence_at(params.after_ms), params.wait_ms):
            state = index.state
            why = f": indexing is {state}" if state in BLOCKED else f" after {params.wait_ms} ms; state: {state}"
            raise IndexBehind(f"changes reported up to {params.after_ms} are not indexed{why}")
    elif params.wait_ms:
        begun_s, wanted = time.monotonic(), index.sequence_at()
        while await asyncio.to_thread(index.is_worth_waiting, wanted, _left_s(params.wait_ms, begun_s)):
            await _pause(params.wait_ms, begun_s)


async def wait_for_changes(
    index: IndexFreshness, sequence: int, wait_ms: int, is_cancelled: Callable[[], bool] = lambda: False
) -> bool:
    """Wait at most *wait_ms* until *index* has the changes up to *sequence*; returns whether it does."""
    begun_s = time.monotonic()
    while not (found := index.includes(sequence)) and index.state not in BLOCKED and not is_cancelled():
        if _left_s(wait_ms, begun_s) <= 0:
            break
        await _pause(wait_ms, begun_s)
    return found


def _left_s(wait_ms: int, begun_s: float) -> float:
    return begun_s + wait_ms / 1000 - time.monotonic()


async def _pause(wait_ms: int, begun_s: float) -> None:
    """Sleep until the next look, the longer the longer the wait has been, and not beyond its end."""
    pause_s = min(MAX_POLL_S, max(POLL_S, (time.monotonic() - begun_s) / 10))
    await asyncio.sleep(max(0.0, min(pause_s, _left_s(wait_ms, begun_s))))
