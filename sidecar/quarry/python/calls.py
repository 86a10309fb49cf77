"""
Requests of the Python API: keyword arguments in, a method of the wire and its parameters out.

Both `Notes` and `AsyncNotes` are made of these, so that they cannot differ in what they ask.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from quarry.python import answers
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

SearchMode = Literal["hybrid", "keyword", "semantic"]
Fusion = Literal["convex", "rrf", "six-signals"]
SortOrder = Literal["relevance", "modified", "created", "name"]
Detail = Literal["scan", "full"]
NoteType = Literal["note", "signal", "project", "moc", "daily"]
RetrieverName = Literal["lexical", "dense"]
Names = str | Sequence[str]
"""One name, or several."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request: the *method* of the wire, its parameters by their names there, and what makes a value of its reply."""

    method: str
    params: Mapping[str, object]
    result: Callable[[Any], T]
    as_owner: bool = False  # it changes the vault, and needs the owner's token


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteScope:
    """Which notes may be hits. Each field takes one name or several."""

    folders: Names = ()
    not_folders: Names = ()
    paths: Names = ()
    not_paths: Names = ()
    tags: Names = ()
    not_tags: Names = ()

    @property
    def params(self) -> Mapping[str, object]:
        """The parameter `filters` of the wire."""
        return {
            "folders": _names(self.folders),
            "notFolders": _names(self.not_folders),
            "paths": _names(self.paths),
            "notPaths": _names(self.not_paths),
            "tags": [name.removeprefix("#") for name in _names(self.tags)],
            "notTags": [name.removeprefix("#") for name in _names(self.not_tags)],
        }


def search(
    query: str,
    scope: NoteScope,
    *,
    limit: int,
    offset: int,
    sort: SortOrder,
    mode: SearchMode,
    fusion: Fusion | None,
    detail: Detail,
    expand: bool,
    max_tokens: int,
    snippet_width: int | None,
    weights: Mapping[RetrieverName, float] | None,
    expand_small_results: bool,
    wait_ms: int,
    after_ms: int | None,
) -> Call[FoundNotes]:
    """Find notes."""
    params = {
        "query": query,
        "limit": limit,
        "offset": offset,
        "sort": sort,
        "mode": mode,
        "fusion": fusion,
        "detail": detail,
        "expand": expand,
        "maxTokens": max_tokens,
        "snippetWidth": snippet_width,
        "filters": scope.params,
        "weights": dict(weights) if weights is not None else None,
        "expandSmallResults": expand_small_results,
        "waitMs": wait_ms,
        "afterMs": after_ms,
    }
    return Call("search", params, answers.found_notes)


def context(
    query: str,
    scope: NoteScope,
    *,
    max_tokens: int,
    limit: int,
    min_confidence: float,
    exclude: Names,
    conversation: str | None,
    peek: bool,
    wait_ms: int,
    after_ms: int | None,
) -> Call[QuotedContext]:
    """Quote passages about a question."""
    params = {
        "query": query,
        "maxTokens": max_tokens,
        "limit": limit,
        "minConfidence": min_confidence,
        "exclude": _names(exclude),
        "conversation": conversation,
        "peek": peek,
        "filters": scope.params,
        "waitMs": wait_ms,
        "afterMs": after_ms,
    }
    return Call("context", params, answers.quoted_context)


def read(path: str, *, start_line: int, max_tokens: int, wait_ms: int, after_ms: int | None) -> Call[NoteDocument]:
    """Read a note."""
    params = {
        "path": path,
        "startLine": start_line,
        "maxTokens": max_tokens,
        "waitMs": wait_ms,
        "afterMs": after_ms,
    }
    return Call("note/read", params, answers.note_document)


def list_notes(
    *,
    folder: str | None,
    tag: str | None,
    type: str | None,  # noqa: A002  as on the wire
    domain: str | None,
    status: str | None,
    modified_after: datetime | None,
    modified_before: datetime | None,
    limit: int,
    offset: int,
    wait_ms: int,
    after_ms: int | None,
) -> Call[NoteListing]:
    """List notes."""
    params = {
        "folder": folder,
        "tag": tag.removeprefix("#") if tag else tag,
        "type": type,
        "domain": domain,
        "status": status,
        "modifiedAfterMs": _time_ms(modified_after),
        "modifiedBeforeMs": _time_ms(modified_before),
        "limit": limit,
        "offset": offset,
        "waitMs": wait_ms,
        "afterMs": after_ms,
    }
    return Call("notes/list", params, answers.note_listing)


def related(
    path: str | None,
    scope: NoteScope,
    *,
    line: int | None,
    text: str | None,
    limit: int,
    wait_ms: int,
    after_ms: int | None,
) -> Call[SimilarNotes]:
    """Find similar notes."""
    params = {
        "path": path,
        "line": line,
        "text": text,
        "limit": limit,
        "filters": scope.params,
        "waitMs": wait_ms,
        "afterMs": after_ms,
    }
    return Call("related", params, answers.similar_notes)


def capture(
    text: str,
    *,
    title: str | None,
    domain: str,
    tags: Names,
    type: NoteType,  # noqa: A002  as on the wire
    source: str,
    folder: str | None,
    wait_ms: int,
) -> Call[CapturedNote]:
    """Write a note."""
    params = {
        "text": text,
        "title": title,
        "domain": domain,
        "tags": _names(tags),
        "type": type,
        "source": source,
        "folder": folder,
        "waitMs": wait_ms,
    }
    return Call("capture", params, answers.captured_note, as_owner=True)


def status() -> Call[VaultStatus]:
    """Ask for the state of the index."""
    return Call("index/status", {}, answers.vault_status)


def await_index(wait_ms: int) -> Call[NoteListing]:
    """Wait *wait_ms* at most until the index is complete; the listing is as short as one can be."""
    return Call("notes/list", {"limit": 1, "waitMs": wait_ms}, answers.note_listing)


def _names(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _time_ms(time: datetime | None) -> int | None:
    return None if time is None else round(time.timestamp() * 1000)
