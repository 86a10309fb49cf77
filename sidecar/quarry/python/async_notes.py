"""The notes of a vault for asyncio: the methods of `Notes`, each run on a thread and awaited."""

import asyncio
import contextvars
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from quarry import errors
from quarry.client.vault_folder import vault_root
from quarry.python.notes import FIRST_WAIT_S, Notes
from quarry.python.notes import open as open_notes
from quarry.python.pool import GIVEN_UP, MAX_CONNECTIONS_EACH

P = ParamSpec("P")
T = TypeVar("T")


def _awaited(
    method: Callable[Concatenate[Notes, P], T],
) -> Callable[Concatenate["AsyncNotes", P], Coroutine[Any, Any, T]]:
    @functools.wraps(method)
    async def call(self: "AsyncNotes", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._in_thread(functools.partial(method, self._opened(), *args, **kwargs))

    return call


class AsyncNotes:
    """
    The notes of one vault for asyncio. `async with quarry.open_async(...)` makes it and closes it.

    Its methods are those of `Notes`, awaited. Several tasks may ask at once; cancelling a task has the sidecar stop
    working on its request. Errors are those of `quarry.errors`.
    """

    def __init__(self, opening: Callable[[], Notes]) -> None:
        self._opening = opening
        self._notes: Notes | None = None
        self._threads = ThreadPoolExecutor(MAX_CONNECTIONS_EACH, "quarry-async")

    async def __aenter__(self) -> Self:
        opening = asyncio.ensure_future(self._in_thread(self._opening))
        try:
            self._notes = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_opened)
            self._threads.shutdown(wait=False)
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections. The sidecar keeps running for other programs."""
        notes, self._notes = self._notes, None
        if notes:
            notes.close()
        self._threads.shutdown(wait=False)

    search = _awaited(Notes.search)
    context = _awaited(Notes.context)
    read = _awaited(Notes.read)
    related = _awaited(Notes.related)
    capture = _awaited(Notes.capture)
    list = _awaited(Notes.list)
    status = _awaited(Notes.status)
    wait = _awaited(Notes.wait)

    def _opened(self) -> Notes:
        if self._notes is None:
            raise errors.ConnectionFailed(
                "the vault is not open here; open it with `async with quarry.open_async(...)`"
            )
        return self._notes

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """The result of *work* on another thread, whose request is cancelled with this task."""
        given_up = threading.Event()
        context = contextvars.copy_context()
        context.run(GIVEN_UP.set, given_up)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, work)
        finally:
            given_up.set()


def open_async(vault: str | os.PathLike[str], *, start: bool = True, wait_s: float = FIRST_WAIT_S) -> AsyncNotes:
    """
    Open a vault for asyncio: `async with quarry.open_async("~/Notes") as notes`.

    Arguments and errors are those of `open`; it attaches, and raises, where the block is entered.
    """
    root = vault_root(vault)
    return AsyncNotes(functools.partial(open_notes, root, start=start, wait_s=wait_s))


def _close_opened(opening: "asyncio.Future[Notes]") -> None:
    """Close notes whose opening was cancelled before it was done."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
