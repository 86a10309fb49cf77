"""Parameters of requests, translated into the engine's values."""

from quarry import protocol as wire
from quarry.errors import BadRequest
from quarry.index import NoteFilter
from quarry.limits import MAX_LIMIT
from quarry.options import Scope, SearchOptions
from quarry.search import Source
from quarry.search.answer import ELLIPSIS
from quarry.types import VaultChange
from quarry.vault.capture import Draft

SHOWN_BEFORE = 12  # more hits where those of a conversation are not quoted again: a subject of which much was said
QUOTE_CHARACTERS = 500  # of a passage in a context block, with the dots of one that was cut


def context_request(params: wire.ContextParams) -> SearchOptions:
    """The search behind a context block: its snippets are what may be quoted; the budget is filled from these."""
    limit = min(MAX_LIMIT, params.limit + len(params.exclude) + (SHOWN_BEFORE if params.conversation else 0))
    return SearchOptions(
        query=params.query,
        limit=limit,
        snippet_width=QUOTE_CHARACTERS - len(ELLIPSIS),
        max_tokens=limit * QUOTE_CHARACTERS,
        filters=params.filters,
        expand_small_results=False,
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
