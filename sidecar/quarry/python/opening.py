"""Opening a vault: attach to its sidecar, or start one."""

import os
from typing import TYPE_CHECKING

from quarry.client.vault_root import vault_root
from quarry.python import calls
from quarry.python.notes import Notes
from quarry.python.pool import ConnectionPool

if TYPE_CHECKING:
    from quarry.python.async_notes import AsyncNotes

FIRST_WAIT_S = 5.0  # as the command line: better whole after a second than half at once


def open(  # noqa: A001  as `gzip.open` and `dbm.open` are called
    vault: str | os.PathLike[str], *, start: bool = True, wait_s: float = FIRST_WAIT_S
) -> Notes:
    """
    Open a vault through its sidecar, the process that serves Obsidian and the command line too.

    Args:
        vault: Its folder; `~` is the home folder.
        start: Start a sidecar if none runs. It leaves ten minutes after it was last asked.
        wait_s: How long to wait, at most, for a vault that is indexed for the first time or a sidecar that has just
            started. What is not indexed by then is not found yet; `freshness.is_complete` of an answer tells.

    Raises:
        VaultMissing: There is no such folder.
        ConnectionFailed: None runs and none may be started, or it did not come up; the message says why.
    """
    pool = ConnectionPool(vault_root(vault), may_start=start)
    if pool.is_new and wait_s > 0:
        call = calls.await_index(round(wait_s * 1000))
        pool.ask(call.method, call.params)
    return Notes(pool)


def open_async(vault: str | os.PathLike[str], *, start: bool = True, wait_s: float = FIRST_WAIT_S) -> "AsyncNotes":
    """
    Open a vault for asyncio: `async with quarry.open_async("~/Notes") as notes`.

    Arguments and errors are those of `open`; it attaches, and raises, where the block is entered.
    """
    from quarry.python.async_connection import AsyncConnection  # imports asyncio and websockets
    from quarry.python.async_notes import AsyncNotes

    return AsyncNotes(AsyncConnection(vault_root(vault), may_start=start), wait_s)
