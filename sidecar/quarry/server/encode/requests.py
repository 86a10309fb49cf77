"""Parameters of requests, translated into the engine's values."""

from quarry import protocol as wire
from quarry.errors import BadRequest
from quarry.index import NoteFilter
from quarry.search import Source
from quarry.search.answer import ELLIPSIS
from quarry.types import Retriever, Scope, SearchRequest, VaultChange
from quarry.vault.capture import Draft

MAX_LIMIT = 100  # hits of a search
SCAN_WIDTH = 120  # characters: two lines of a sidebar
FULL_WIDTH = 300
SHOWN_BEFORE = 12  # more hits where those of a conversation are not quoted again: a subject of which much was said
QUOTE_CHARACTERS = 500  # of a passage in a context block, with the dots of one that was cut


def search_request(params: wire.RankedParams) -> SearchRequest:
    """The search that a client asks for, or whose hit it asks about."""
    return SearchRequest(
        query=params.query,
        limit=params.limit,
        offset=params.offset if isinstance(params, wire.SearchParams) else 0,
        sort=params.sort if isinstance(params, wire.SearchParams) else "relevance",
        mode=params.mode,
        fusion=params.fusion,
        typing=params.typing,
        snippet_width=params.snippet_width or (SCAN_WIDTH if params.detail == "scan" else FULL_WIDTH),
        max_tokens=params.max_tokens,
        scope=scope(params.filters),
        weights=_weights(params.weights),
        show_all_when_few=params.guard,
        with_text=params.detail == "full",
        expand=isinstance(params, wire.SearchParams) and params.expand,
        extract=isinstance(params, wire.SearchParams) and params.extract,
    )


def context_request(params: wire.ContextParams) -> SearchRequest:
    """The search behind a context block: its snippets are what may be quoted; the budget is filled from these."""
    limit = min(MAX_LIMIT, params.limit + len(params.exclude) + (SHOWN_BEFORE if params.conversation else 0))
    return SearchRequest(
        query=params.query,
        limit=limit,
        snippet_width=QUOTE_CHARACTERS - len(ELLIPSIS),
        max_tokens=limit * QUOTE_CHARACTERS,
        scope=scope(params.filters),
        show_all_when_few=False,
        with_text=False,
    )


def explain_request(params: wire.ExplainParams) -> SearchRequest:
    """The search whose answer is to be explained."""
    return SearchRequest(
        query=params.query,
        limit=params.limit,
        mode=params.mode,
        fusion=params.fusion,
        typing=params.typing,
        scope=scope(params.filters),
        weights=_weights(params.weights),
    )


def related_source(params: wire.RelatedParams) -> Source:
    """
    The source to find similar notes for.

    Raises:
        BadRequest: Neither `path` nor `text` is given; or `line` is given without `path`, or beside `text`; or `text`
            is empty.
    """
    if params.path is None and params.text is None:
        raise BadRequest("related: `path` or `text` says what to find the like of, and neither was given")
    if params.line is not None and params.path is None:
        raise BadRequest("related: `line` is a line of the note at `path`, and only `text` was given")
    if params.line is not None and params.text is not None:
        raise BadRequest("related: `line` and `text` both say what to compare with; give one of them")
    if params.text is not None and not params.text.strip():
        raise BadRequest("related: `text` is empty, and nothing is like it")
    return Source(path=params.path, line=params.line, text=params.text)


def listing(params: wire.ListNotesParams) -> NoteFilter:
    """Which notes to list."""
    return NoteFilter(
        scope=Scope(folders=(params.folder,) if params.folder else (), tags=(params.tag,) if params.tag else ()),
        type=params.type,
        domain=params.domain,
        status=params.status,
        modified_from_ms=params.modified_after_ms,
        modified_until_ms=params.modified_before_ms,
    )


def draft(params: wire.CaptureParams) -> Draft:
    """The note to capture, as the engine takes it."""
    return Draft(
        text=params.text,
        title=params.title,
        domain=params.domain,
        tags=tuple(params.tags),
        type=params.type,
        source=params.source,
    )


def vault_change(change: wire.Change) -> VaultChange:
    """A change as the engine takes it."""
    return VaultChange(change.kind, change.path, change.old_path)


def scope(filters: wire.Filters) -> Scope:
    """Filters as the engine takes them."""
    return Scope(
        notes=tuple(filters.notes),
        not_notes=tuple(filters.not_notes),
        folders=tuple(filters.folders),
        not_folders=tuple(filters.not_folders),
        paths=tuple(filters.paths),
        not_paths=tuple(filters.not_paths),
        tags=tuple(filters.tags),
        not_tags=tuple(filters.not_tags),
    )


def _weights(weights: wire.Weights | None) -> dict[Retriever, float] | None:
    return {"lexical": weights.lexical, "dense": weights.dense} if weights else None
