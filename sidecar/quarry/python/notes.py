"""The notes of a vault as an object, for programs that wait for each answer."""

import os
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Self, TypedDict, Unpack, cast

from quarry import errors
from quarry import protocol as wire
from quarry.client.vault_folder import vault_root
from quarry.python.pool import ConnectionPool, Transport

FIRST_WAIT_S = 5.0  # as the command line: better complete after a second than half of it at once
WAIT_STEP_MS = 1_000  # of `wait`: the sidecar does not wait for work that it expects to take longer than it may
WAIT_PAUSE_S = 0.05

Names = str | Sequence[str]
"""One name, or several."""


class WaitOptions(TypedDict, total=False):
    """What a request waits for before it reads the index."""

    wait_ms: int
    """Wait at most this long until everything reported so far is indexed (default 0)."""
    after_ms: int | None
    """Answer only when all changes reported up to this time are indexed."""


class ScopeOptions(WaitOptions, total=False):
    """Which notes may be hits. Each argument takes one name or several."""

    folders: Names
    """Only notes in any of these folders, or below."""
    not_folders: Names
    paths: Names
    """Only notes with each of these in their path."""
    not_paths: Names
    tags: Names
    """Only notes with all of these tags, or tags nested in them."""
    not_tags: Names


class SearchOptions(ScopeOptions, total=False):
    """Which notes a search returns, in which order, and how they are quoted."""

    limit: int
    """Maximum number of notes, 1 to 100 (default 10)."""
    offset: int
    """How many notes to skip (default 0)."""
    sort: wire.SortOrder
    """Best first, last changed first, last created first, or by file name."""
    mode: wire.Mode
    """By words and meaning (`hybrid`, the default), by words, or by meaning."""
    fusion: wire.Fusion | None
    """How the two rankings are combined; None: the vault's setting."""
    detail: Literal["scan", "full"]
    """`full` gives the text of the passages besides their snippets."""
    expand: bool
    """All matching passages of each note, not the best one alone."""
    max_tokens: int
    """Budget for all passages, 4 characters per token (default 4,000)."""
    snippet_width: int | None
    """Maximum length of a snippet, 40 to 1,000 characters; None: 120, with `full` 300."""
    weights: Mapping[Literal["keyword", "dense"], float] | None
    """How much each retriever counts; None: the vault's setting."""
    expand_small_results: bool
    """If few passages match, return every note with a word of the query, however many (default False)."""


class ContextOptions(ScopeOptions, total=False):
    """Which passages a context quotes."""

    max_tokens: int
    """Budget for the whole block, 50 to 100,000; 4 characters per token (default 2,000)."""
    limit: int
    """Maximum number of quotes, one per note (default 8)."""
    min_confidence: float
    """Quote only notes that are at least this likely to answer, 0 to 1."""
    exclude: Names
    """Paths of notes not to quote, such as those that were shown before."""
    conversation: str | None
    """A name for a conversation, in which no passage is quoted twice within 12 hours."""
    peek: bool
    """With *conversation*: do not count what is quoted now."""


class ListOptions(WaitOptions, total=False):
    """Which notes are listed."""

    folder: str | None
    """Only those in it or below."""
    tag: str | None
    type: str | None
    """Only those with this value of the property `type`; likewise *domain* and *status*."""
    domain: str | None
    status: str | None
    limit: int
    """Maximum number, 1 to 1,000 (default 20)."""
    offset: int
    """How many to skip, for the next page."""


class CaptureOptions(TypedDict, total=False):
    """How a new note is written."""

    title: str | None
    """None: the first line of the text. The file is named after it."""
    domain: str
    """Its subject, for `domain:` in queries."""
    tags: Names
    """With or without `#`."""
    type: wire.NoteType
    """The property `type` (default `note`)."""
    source: str
    """Where the text comes from: a program, an address, a book."""
    folder: str | None
    """Below the vault; None: the vault's setting, `00-inbox` by default."""
    wait_ms: int
    """Wait at most this long until the note can be found (default 1,000)."""


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

    def search(self, query: str, **options: Unpack[SearchOptions]) -> wire.SearchResult:
        """
        Find notes by word and by meaning, best first.

        Args:
            query: Words, and operators as in the search pane: `"rate limit" -draft tag:idea modified:7d`.
            options: See `SearchOptions`.

        Raises:
            BadQuery: The query cannot be read; `position` says where.
        """
        params: dict[str, Any] = {"expand_small_results": False, **_scoped(options), "query": query}
        if weights := params.get("weights"):
            params["weights"] = wire.Weights(**weights)
        return cast("wire.SearchResult", self._transport.ask("search", wire.SearchOptions(**params)))

    def context(self, query: str, **options: Unpack[ContextOptions]) -> wire.ContextResult:
        """
        Quote passages about a question as one block for a language model; empty if no note is likely to answer.

        Args:
            query: As for `search`.
            options: See `ContextOptions`.
        """
        params = _scoped(options)
        params["exclude"] = _names(params.get("exclude", ()))
        return cast("wire.ContextResult", self._transport.ask("context", wire.ContextParams(query=query, **params)))

    def read(
        self, path: str, *, start_line: int = 0, max_tokens: int = 10_000, **waiting: Unpack[WaitOptions]
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
        **scope: Unpack[ScopeOptions],
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

    def capture(self, text: str, **options: Unpack[CaptureOptions]) -> wire.CaptureResult:
        """
        Write a new note, which can be found when this returns.

        Credentials in it are redacted, and front matter is added.

        Args:
            text: Markdown, at most 256 KiB.
            options: See `CaptureOptions`.

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
        **options: Unpack[ListOptions],
    ) -> wire.NoteList:
        """
        List notes, newest first.

        Args:
            modified_after: Only those whose file changed later. A time without a zone is local.
            modified_before: Only those whose file changed before.
            options: See `ListOptions`.
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
    """*options* with the arguments of `ScopeOptions` as the parameter `filters`."""
    params = dict(options)
    scope = {name: tuple(_names(params.pop(name))) for name in wire.Filters.__struct_fields__ if name in params}
    for tags in scope.keys() & {"tags", "not_tags"}:
        scope[tags] = tuple(tag.removeprefix("#") for tag in scope[tags])
    return {**params, "filters": wire.Filters(**scope)}


def _names(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _time_ms(time: datetime | None) -> int | None:
    return None if time is None else round(time.timestamp() * 1000)
