"""The notes of a vault, for an asyncio program."""

import asyncio
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Self, TypeVar

from quarry.python import calls
from quarry.python.async_connection import AsyncConnection
from quarry.python.calls import (
    Call,
    Detail,
    Fusion,
    Names,
    NoteScope,
    NoteType,
    RetrieverName,
    SearchMode,
    SortOrder,
)
from quarry.python.notes import MIN_CONFIDENCE, WAIT_PAUSE_S, is_ready, wait_step_ms
from quarry.python.results import (
    CapturedNote,
    FoundNotes,
    NoteDocument,
    NoteListing,
    QuotedContext,
    SimilarNotes,
    VaultStatus,
)

T = TypeVar("T")


class AsyncNotes:
    """
    The notes of one vault for asyncio. `async with quarry.open_async(...)` makes it and closes it.

    Its methods are those of `Notes`, awaited. Several tasks may ask at once; cancelling a task has the sidecar stop
    working on its request. Errors are those of `quarry.errors`.
    """

    def __init__(self, connection: AsyncConnection, first_wait_s: float) -> None:
        self._connection = connection
        self._first_wait_s = first_wait_s

    async def __aenter__(self) -> Self:
        await self._connection.open()
        if self._connection.is_new and self._first_wait_s > 0:
            await self._ask(calls.await_index(round(self._first_wait_s * 1000)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the vault. Its sidecar keeps running for other programs."""
        await self._connection.close()

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        sort: SortOrder = "relevance",
        mode: SearchMode = "hybrid",
        fusion: Fusion | None = None,
        detail: Detail = "scan",
        expand: bool = False,
        max_tokens: int = 4000,
        snippet_width: int | None = None,
        folders: Names = (),
        not_folders: Names = (),
        paths: Names = (),
        not_paths: Names = (),
        tags: Names = (),
        not_tags: Names = (),
        weights: Mapping[RetrieverName, float] | None = None,
        expand_small_results: bool = False,
        wait_ms: int = 0,
        after_ms: int | None = None,
    ) -> FoundNotes:
        """
        Find notes by word and by meaning, best first.

        Args:
            query: Words, and operators as in the search pane: `"rate limit" -draft tag:idea modified:7d`.
            limit: Maximum number of notes, 1 to 100.
            offset: How many notes stand before the first that is returned.
            sort: Best first, last changed first, last created first, or by file name. All but relevance sort the notes
                that hold every word, and those that are likely to answer.
            mode: By words and meaning at once, or by one of them alone.
            fusion: How the two rankings become one; None: the vault's setting.
            detail: `full` gives the text of the passages besides their snippets.
            expand: All matching passages of each note, not the best one alone.
            max_tokens: Budget for all passages, 4 characters a token.
            snippet_width: Maximum length of a snippet, 40 to 1,000 characters; None: 120, with `full` 300.
            folders: Only notes in any of these folders, or below.
            paths: Only notes with each of these in their path.
            tags: Only notes with all of these tags, or tags nested in them.
            weights: How much each retriever counts; None: the vault's setting.
            expand_small_results: Where few passages match, return every note with a word of the query, however many,
                rather than drop most of them for the limit.

        Raises:
            BadQuery: The query cannot be read; `position` says where.
        """
        scope = NoteScope(
            folders=folders,
            not_folders=not_folders,
            paths=paths,
            not_paths=not_paths,
            tags=tags,
            not_tags=not_tags,
        )
        return await self._ask(
            calls.search(
                query,
                scope,
                limit=limit,
                offset=offset,
                sort=sort,
                mode=mode,
                fusion=fusion,
                detail=detail,
                expand=expand,
                max_tokens=max_tokens,
                snippet_width=snippet_width,
                weights=weights,
                expand_small_results=expand_small_results,
                wait_ms=wait_ms,
                after_ms=after_ms,
            )
        )

    async def context(
        self,
        query: str,
        *,
        max_tokens: int = 2000,
        limit: int = 8,
        min_confidence: float = MIN_CONFIDENCE,
        exclude: Names = (),
        conversation: str | None = None,
        peek: bool = False,
        folders: Names = (),
        not_folders: Names = (),
        paths: Names = (),
        not_paths: Names = (),
        tags: Names = (),
        not_tags: Names = (),
        wait_ms: int = 0,
        after_ms: int | None = None,
    ) -> QuotedContext:
        """
        Quote passages about a question as one block for a language model; empty where no note is likely to answer.

        Args:
            max_tokens: Budget for the whole block, 50 to 100,000; 4 characters a token.
            limit: Maximum number of quotes, one a note.
            min_confidence: Quote no note that is less likely to answer, 0 to 1.
            exclude: Paths of notes not to quote, such as those that were shown before.
            conversation: A name for a conversation, in which no passage is quoted twice within 12 hours.
            peek: With *conversation*: do not count what is quoted now.
        """
        scope = NoteScope(
            folders=folders,
            not_folders=not_folders,
            paths=paths,
            not_paths=not_paths,
            tags=tags,
            not_tags=not_tags,
        )
        return await self._ask(
            calls.context(
                query,
                scope,
                max_tokens=max_tokens,
                limit=limit,
                min_confidence=min_confidence,
                exclude=exclude,
                conversation=conversation,
                peek=peek,
                wait_ms=wait_ms,
                after_ms=after_ms,
            )
        )

    async def read(
        self,
        path: str,
        *,
        start_line: int = 0,
        max_tokens: int = 10_000,
        wait_ms: int = 0,
        after_ms: int | None = None,
    ) -> NoteDocument:
        """
        Read a note, its credentials redacted.

        Args:
            path: As a hit names it, or a title, an alias, or what a link to it says.
            start_line: The first line, from 0.
            max_tokens: Budget for the text, 4 characters a token.

        Raises:
            NoteNotFound: It is not in the index; the message names what may be meant.
        """
        return await self._ask(
            calls.read(path, start_line=start_line, max_tokens=max_tokens, wait_ms=wait_ms, after_ms=after_ms)
        )

    async def related(
        self,
        path: str | None = None,
        *,
        line: int | None = None,
        text: str | None = None,
        limit: int = 10,
        folders: Names = (),
        not_folders: Names = (),
        paths: Names = (),
        not_paths: Names = (),
        tags: Names = (),
        not_tags: Names = (),
        wait_ms: int = 0,
        after_ms: int | None = None,
    ) -> SimilarNotes:
        """
        Find the notes most similar to a note, to the passage at a line of it, or to any text.

        Args:
            path: The note; or give *text*.
            line: Compare with the passage at this line, from 0, instead of the whole note.

        Raises:
            BadRequest: Neither a note nor a text is given, or both are.
            NoteNotFound: The note is not in the index.
        """
        scope = NoteScope(
            folders=folders,
            not_folders=not_folders,
            paths=paths,
            not_paths=not_paths,
            tags=tags,
            not_tags=not_tags,
        )
        return await self._ask(
            calls.related(path, scope, line=line, text=text, limit=limit, wait_ms=wait_ms, after_ms=after_ms)
        )

    async def capture(
        self,
        text: str,
        *,
        title: str | None = None,
        domain: str = "",
        tags: Names = (),
        type: NoteType = "note",  # noqa: A002  the property's name
        source: str = "",
        folder: str | None = None,
        wait_ms: int = 1000,
    ) -> CapturedNote:
        """
        Write a new note, which can be found when this returns.

        Credentials in it are redacted, and front matter is added.

        Args:
            text: Markdown, at most 256 KiB.
            title: None: the first line of the text. The file is named after it.
            domain: Its subject, for `domain:` in queries.
            tags: With or without `#`.
            source: Where the text comes from: a program, an address, a book.
            folder: Below the vault; None: the vault's setting, `00-inbox` unless it says otherwise.
            wait_ms: Wait at most so long until the note can be found.

        Raises:
            BadRequest: The text is empty, or the folder cannot be used; nothing was written.
        """
        return await self._ask(
            calls.capture(
                text,
                title=title,
                domain=domain,
                tags=tags,
                type=type,
                source=source,
                folder=folder,
                wait_ms=wait_ms,
            )
        )

    async def status(self) -> VaultStatus:
        """Look up what the index holds and what it is doing."""
        return await self._ask(calls.status())

    async def wait(self, timeout_s: float = 60.0) -> VaultStatus:
        """
        Wait until every note can be found, after a change or the first time a vault is opened.

        Raises:
            IndexBehind: Not within *timeout_s*; search goes on with what there is.
            IndexUnavailable: Indexing is paused or has failed; the message says why.
        """
        deadline_s = time.monotonic() + timeout_s
        while True:
            left_s = deadline_s - time.monotonic()
            await self._ask(calls.await_index(wait_step_ms(left_s)))
            if is_ready(status := await self.status(), left_s):
                return status
            await asyncio.sleep(WAIT_PAUSE_S)

    async def list(
        self,
        *,
        folder: str | None = None,
        tag: str | None = None,
        type: str | None = None,  # noqa: A002  the property's name
        domain: str | None = None,
        status: str | None = None,
        modified_after: datetime | None = None,
        modified_before: datetime | None = None,
        limit: int = 20,
        offset: int = 0,
        wait_ms: int = 0,
        after_ms: int | None = None,
    ) -> NoteListing:
        """
        List notes, newest first.

        Args:
            folder: Only those in it or below.
            type: Only those with this value of the property `type`; likewise *domain* and *status*.
            modified_after: Only those whose file changed later. A time without a zone is local.
            limit: Maximum number, 1 to 1,000.
            offset: How many to skip, for the next page.
        """
        return await self._ask(
            calls.list_notes(
                folder=folder,
                tag=tag,
                type=type,
                domain=domain,
                status=status,
                modified_after=modified_after,
                modified_before=modified_before,
                limit=limit,
                offset=offset,
                wait_ms=wait_ms,
                after_ms=after_ms,
            )
        )

    async def _ask(self, call: Call[T]) -> T:
        if not call.as_owner:
            return call.result(await self._connection.ask(call.method, call.params))
        owner = self._connection.for_owner()
        try:
            return call.result(await owner.ask(call.method, call.params))
        finally:
            await owner.close()
