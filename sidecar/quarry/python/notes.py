"""The notes of a vault as an object, for programs that wait for each answer and for asyncio."""

import asyncio
import contextvars
import functools
import os
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack, cast

from quarry import errors
from quarry import protocol as wire
from quarry.client.vault_folder import vault_root
from quarry.python.connection_pool import GIVEN_UP, MAX_CONNECTIONS_EACH, ConnectionPool, Transport
from quarry.python.keywords import (
    CaptureKeywords,
    ContextKeywords,
    ListKeywords,
    Names,
    ScopeKeywords,
    SearchKeywords,
    WaitKeywords,
)

P = ParamSpec("P")
T = TypeVar("T")

FIRST_WAIT_S = 5.0  # as the command line: better complete after a second than half of it at once
WAIT_STEP_MS = 1_000  # of `wait`: the sidecar does not wait for work that it expects to take longer than it may
WAIT_PAUSE_S = 0.05


class Notes:
    """
    The notes of one vault. `quarry.open` makes it; `with` closes it.

    Any thread may call its methods; several requests at once are answered concurrently. Errors are those of
    `quarry.errors`.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The sidecar keeps running for other programs."""
        self._transport.close()

    def search(self, query: str, **options: Unpack[SearchKeywords]) -> wire.SearchResult:
        """
        Find notes by word and by meaning, best first.

        Args:
            query: Words, and operators as in the search pane: `"rate limit" -draft tag:idea modified:7d`.
            options: See `SearchKeywords`. With `tiers` ("all", or names), the tiers that `quarry tiers` lists are
                searched as well, and the result is a `TierSearchResult`, whose hits have an `origin`.

        Raises:
            BadQuery: The query cannot be read; `position` says where.
        """
        params: dict[str, Any] = {"expand_small_results": False, **_scoped(options), "query": query}
        if weights := params.get("weights"):
            params["weights"] = wire.Weights(**weights)
        if "tiers" in params:
            names = () if params["tiers"] == "all" else _names(params["tiers"])
            tiered = wire.TierSearchParams(**{**params, "tiers": names})
            return cast("wire.TierSearchResult", self._transport.ask("tiers/search", tiered, as_owner=True))
        params.pop("deadline_ms", None)
        return cast("wire.SearchResult", self._transport.ask("search", wire.SearchOptions(**params)))

    def context(self, query: str, **options: Unpack[ContextKeywords]) -> wire.ContextResult:
        """
        Quote passages about a question as one block for a language model; empty if no note is likely to answer.

        Args:
            query: As for `search`.
            options: See `ContextKeywords`.
        """
        params = _scoped(options)
        params["exclude"] = _names(params.get("exclude", ()))
        return cast("wire.ContextResult", self._transport.ask("context", wire.ContextParams(query=query, **params)))

    def read(
        self, path: str, *, start_line: int = 0, max_tokens: int = 10_000, **waiting: Unpack[WaitKeywords]
    ) -> wire.NoteText:
        """
        Read a note, its credentials redacted.

        Args:
            path: As a hit names it, or a title, an alias, or the text of a link to it.
            start_line: The first line, from 0.
            max_tokens: Budget for the text, 4 characters per token.

        Raises:
            NoteNotFound: It is not in the index; the message names notes that may be meant.
        """
        params = wire.ReadNoteParams(path=path, start_line=start_line, max_tokens=max_tokens, **waiting)
        return cast("wire.NoteText", self._transport.ask("note/read", params))

    def related(
        self,
        path: str | None = None,
        *,
        line: int | None = None,
        text: str | None = None,
        limit: int = 10,
        **scope: Unpack[ScopeKeywords],
    ) -> wire.RelatedResult:
        """
        Find the notes most similar to a note, to the passage at a line of it, or to any text.

        Args:
            path: The note; or give *text*.
            line: Compare with the passage at this line, from 0, instead of the whole note.

        Raises:
            BadRequest: Neither a note nor a text is given, or both are.
            NoteNotFound: The note is not in the index.
        """
        params = wire.RelatedParams(path=path, line=line, text=text, limit=limit, **_scoped(scope))
        return cast("wire.RelatedResult", self._transport.ask("related", params))

    def capture(self, text: str, **options: Unpack[CaptureKeywords]) -> wire.CaptureResult:
        """
        Write a new note, which can be found when this returns.

        Credentials in it are redacted, and front matter is added.

        Args:
            text: Markdown, at most 256 KiB.
            options: See `CaptureKeywords`.

        Raises:
            BadRequest: The text is empty, or the folder cannot be used; nothing was written.
        """
        given: dict[str, Any] = {"wait_ms": 1000, **options, "tags": _names(options.get("tags", ()))}
        params = wire.CaptureParams(text=text, **given)
        return cast("wire.CaptureResult", self._transport.ask("capture", params, as_owner=True))

    def list(
        self,
        *,
        modified_after: datetime | None = None,
        modified_before: datetime | None = None,
        **options: Unpack[ListKeywords],
    ) -> wire.NoteList:
        """
        List notes, newest first.

        Args:
            modified_after: Only those whose file changed later. A time without a zone is local.
            modified_before: Only those whose file changed before.
            options: See `ListKeywords`.
        """
        if tag := options.get("tag"):
            options["tag"] = tag.removeprefix("#")
        params = wire.ListNotesParams(
            modified_after_ms=_time_ms(modified_after), modified_before_ms=_time_ms(modified_before), **options
        )
        return cast("wire.NoteList", self._transport.ask("notes/list", params))

    def status(self) -> wire.IndexStatus:
        """Look up the contents and the current work of the index."""
        return cast("wire.IndexStatus", self._transport.ask("index/status", wire.NoParams()))

    def wait(self, timeout_s: float = 60.0) -> wire.IndexStatus:
        """
        Wait until every note can be found, after a change or the first time a vault is opened.

        Raises:
            IndexBehind: Not within *timeout_s*; search continues with the notes indexed so far.
            IndexUnavailable: Indexing is paused or has failed; the message says why.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            left_s = deadline_s - time.monotonic()
            self.list(limit=1, wait_ms=max(0, min(WAIT_STEP_MS, round(left_s * 1000))))
            if is_ready(status := self.status(), left_s):
                return status
            time.sleep(WAIT_PAUSE_S)


def open(  # noqa: A001  as `gzip.open` and `dbm.open` are called
    vault: str | os.PathLike[str], *, start: bool = True, wait_s: float = FIRST_WAIT_S
) -> Notes:
    """
    Open a vault through its sidecar, the process that serves Obsidian and the command line too.

    Args:
        vault: Its folder; `~` is the home folder.
        start: Start a sidecar if none is running. It exits ten minutes after its last request.
        wait_s: How long to wait, at most, for a vault that is indexed for the first time or a sidecar that has just
            started. Notes that are not indexed by then cannot be found yet; `index.is_complete` of an answer tells.

    Raises:
        VaultMissing: There is no such folder.
        ConnectionFailed: None is running and none may be started, or it did not come up; the message says why.
    """
    pool = ConnectionPool(vault_root(vault), may_start=start)
    notes = Notes(pool)
    if pool.is_new and wait_s > 0:
        notes.list(limit=1, wait_ms=round(wait_s * 1000))
    return notes


def open_async(vault: str | os.PathLike[str], *, start: bool = True, wait_s: float = FIRST_WAIT_S) -> "AsyncNotes":
    """
    Open a vault for asyncio: `async with quarry.open_async("~/Notes") as notes`.

    Arguments and errors are those of `open`; it attaches, and raises, where the block is entered.
    """
    root = vault_root(vault)
    return AsyncNotes(functools.partial(open, root, start=start, wait_s=wait_s))


def is_ready(status: wire.IndexStatus, left_s: float) -> bool:
    """
    Whether waiting is over.

    Raises:
        IndexBehind: No time is left.
        IndexUnavailable: Nothing is being indexed, so that waiting is in vain.
    """
    if status.state in ("paused", "failed"):
        raise errors.IndexUnavailable(status.message or f"indexing is {status.state}; `quarry status` says more")
    if status.is_complete:
        return True
    if left_s <= 0:
        raise errors.IndexBehind(f"{status.notes} notes can be found so far (state: {status.state}); wait longer")
    return False


def _scoped(options: Mapping[str, Any]) -> dict[str, Any]:
    """*options* with those of `ScopeKeywords` as the parameter `filters`."""
    params = dict(options)
    scope = {name: tuple(_names(params.pop(name))) for name in wire.Filters.__struct_fields__ if name in params}
    for tags in scope.keys() & {"tags", "not_tags"}:
        scope[tags] = tuple(tag.removeprefix("#") for tag in scope[tags])
    return {**params, "filters": wire.Filters(**scope)}


def _names(given: Names) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _time_ms(time: datetime | None) -> int | None:
    return None if time is None else round(time.timestamp() * 1000)


# --- asyncio ---------------------------------------------------------------------------------------


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


def _close_opened(opening: "asyncio.Future[Notes]") -> None:
    """Close notes whose opening was cancelled before it was done."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
