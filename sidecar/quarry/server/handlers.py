"""
What each method does: parameters in, one or two calls of the engine, a result out. No connection is involved.

An answer and its `index` are read from one snapshot. A result is built on the thread that asked the engine: handing it
to another costs as much as building it.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from quarry import protocol
from quarry.engine import Engine
from quarry.errors import BadRequest, Cancelled
from quarry.index import NoteFilter
from quarry.options import SCAN_WIDTH, HitOptions, Scope, SearchOptions
from quarry.search import Source
from quarry.server.blocks.block_reader import Blocks
from quarry.server.encode import answers, context, state
from quarry.server.encode.model_choices import model_choices
from quarry.server.scheduler import Pool
from quarry.server.service import Request, Service
from quarry.server.waiting import wait_for_changes
from quarry.types import VaultChange
from quarry.vault.capture import Draft

# --- searching ---------------------------------------------------------------------------------


def _search(service: Service, params: SearchOptions, request: Request) -> protocol.SearchResult:
    with service.engine.freshness.snapshot() as index:
        return answers.search_result(service.engine.search(params, request.is_cancelled), index, params)


def _further_passages(service: Service, params: HitOptions, request: Request) -> protocol.PassagesResult:
    with service.engine.freshness.snapshot() as index:
        found = service.engine.further_passages(params, params.path, request.is_cancelled)
        return answers.passages_result(found, index, with_text=params.with_text)


def _examples(service: Service, params: protocol.ExamplesParams, request: Request) -> protocol.ExamplesResult:
    return answers.examples_result(service.engine.examples(params.language, params.limit, request.is_cancelled))


def _explain(service: Service, params: HitOptions, request: Request) -> protocol.ExplainResult:
    first_page = replace(params, offset=0, sort="relevance")
    with service.engine.freshness.snapshot() as index:
        explanation = service.engine.explain(first_page, params.path, request.is_cancelled, for_owner=request.is_owner)
        return answers.explain_result(explanation, index)


def _related(service: Service, params: protocol.RelatedParams, request: Request) -> protocol.RelatedResult:
    source, width = _source(params), params.snippet_width or SCAN_WIDTH
    with service.engine.freshness.snapshot() as index:
        found = service.engine.related(source, params.filters, params.limit, width, request.is_cancelled)
        return answers.related_result(found, index)


def _source(params: protocol.RelatedParams) -> Source:
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


# --- quoting -----------------------------------------------------------------------------------


def _context(service: Service, params: protocol.ContextParams, request: Request) -> protocol.ContextResult:
    """
    Quotes; those of a conversation are recorded in its ledger if the client still waits for them.

    Raises:
        Cancelled: It does not: what arrives too late to be read has not been shown.
        IndexUnavailable: The ledger cannot be written, so nothing is quoted that might be quoted again.
    """
    with service.engine.freshness.snapshot() as index:
        options = context.search_options(params)
        answer = service.engine.search_request(options, params.earlier, request.is_cancelled)
        if params.conversation is None:
            return context.context_result(answer, index, params)
        total = service.engine.settings.conversation_tokens
        with service.ledgers.of(params.conversation) as shown:
            left = shown.left(total)
            within = replace(params, max_tokens=min(params.max_tokens, left))
            result = context.context_result(answer, index, within, shown)
            if result.abstained == "budget" and left < params.max_tokens:
                result = replace(result, abstained="used-up")
            result = replace(result, left_tokens=shown.left(total))
            _raise_if_cancelled(request)
            if not params.dry_run:
                shown.save()
            return result


def _read_blocks(service: Service, params: protocol.BlocksReadParams, request: Request) -> protocol.BlocksResult:
    """The blocks; their quotes are recorded in the ledger of a conversation. Raises as `_context`."""
    blocks, shown_before = Blocks(service.engine, service.blocks, service.clock), None
    if params.conversation is not None:
        with service.ledgers.of(params.conversation) as shown_before:
            left = shown_before.left(service.engine.settings.conversation_tokens)
            params = replace(params, max_tokens=min(params.max_tokens, left))
    result, quotes = blocks.read(params, request.is_cancelled, shown_before)
    if params.conversation is not None and not params.dry_run:
        with service.ledgers.of(params.conversation) as shown:  # not earlier: all conversations wait for it
            _raise_if_cancelled(request)
            shown.spend(result.tokens)
            for quote in quotes:
                for sentence in quote.sentences:
                    shown.add(quote.source.path, sentence)
            shown.save()
    return result


def _raise_if_cancelled(request: Request) -> None:
    if request.is_cancelled():
        raise Cancelled("the request was cancelled")


def _check_blocks(service: Service, _: protocol.BlocksCheckParams, request: Request) -> protocol.BlocksCheckResult:
    return Blocks(service.engine, service.blocks, service.clock).check(request.is_cancelled)


# --- notes -------------------------------------------------------------------------------------


def _read_note(service: Service, params: protocol.ReadNoteParams, _: Request) -> protocol.NoteText:
    with service.engine.freshness.snapshot() as index:
        return state.note_text(service.engine.read_note(params.path), index, params)


def _list_notes(service: Service, params: protocol.ListNotesParams, _: Request) -> protocol.NoteList:
    wanted = NoteFilter(
        scope=Scope(folders=(params.folder,) if params.folder else (), tags=(params.tag,) if params.tag else ()),
        type=params.type,
        domain=params.domain,
        status=params.status,
        modified_from_ms=params.modified_after_ms,
        modified_until_ms=params.modified_before_ms,
    )
    with service.engine.freshness.snapshot() as index:
        return state.note_list(service.engine.list_notes(wanted, params.limit, params.offset), index)


def _capture(service: Service, params: protocol.CaptureParams, _: Request) -> protocol.CaptureResult:
    draft = Draft(
        text=params.text,
        title=params.title,
        domain=params.domain,
        tags=tuple(params.tags),
        type=params.type,
        source=params.source,
    )
    with service.engine.freshness.snapshot() as index:
        return state.capture_result(service.engine.capture(draft, params.folder), index)


async def _until_searchable(
    service: Service, params: protocol.CaptureParams, request: Request, result: protocol.CaptureResult
) -> protocol.CaptureResult:
    """*result*, once the note can be found, or `waitMs` is over."""
    index = service.engine.freshness
    is_searchable = await wait_for_changes(index, index.sequence_at(), params.wait_ms, request.is_cancelled)
    now = state.freshness(await service.call("search", index.now))
    return replace(result, searchable=is_searchable, index=now)


def _report_changes(engine: Engine, params: protocol.VaultChangedParams) -> None:
    engine.vault_changed([VaultChange(each.kind, each.path, each.old_path) for each in params.changes])


def _accepted(service: Service, params: protocol.VaultChangedParams, _: Request) -> protocol.Accepted:
    return protocol.Accepted(accepted=len(params.changes), reported_ms=service.clock())


def _feedback(service: Service, params: protocol.FeedbackParams, _: Request) -> protocol.Done:
    service.feedback.add(params.query, params.path, params.kind, service.clock())
    return protocol.Done()


# --- the index and its settings ----------------------------------------------------------------


def _index_status(service: Service, _: protocol.NoParams, __: Request) -> protocol.IndexStatus:
    return state.index_status(service.engine.status())


def _inspect_folders(
    service: Service, params: protocol.InspectFoldersParams, _: Request
) -> protocol.InspectFoldersResult:
    inspector = service.engine.inspector
    return state.folder_states(inspector.folders(params.folder, params.state, params.offset, params.limit))


def _inspect_notes(service: Service, params: protocol.InspectNotesParams, _: Request) -> protocol.InspectNotesResult:
    inspector = service.engine.inspector
    found = inspector.notes(params.folder, params.state, params.offset, params.limit, below=params.below)
    return state.note_states(found)


def _inspect_note(service: Service, params: protocol.InspectNoteParams, _: Request) -> protocol.NoteReport:
    return state.note_report(service.engine.inspector.note(params.path))


def _read_settings(service: Service, _: protocol.NoParams, __: Request) -> protocol.Settings:
    return state.settings(service.engine.settings)


def _write_settings(service: Service, params: protocol.Params, _: Request) -> protocol.Settings:
    changes = {name: value for name, value in asdict(params).items() if value is not msgspec.UNSET}
    return state.settings(service.engine.write_settings(changes))


def _write_folders(service: Service, params: protocol.FoldersWriteParams, _: Request) -> protocol.Settings:
    return state.settings(service.engine.change_folders(params.exclude, params.include))


def _list_models(service: Service, params: protocol.ModelsListParams, _: Request) -> protocol.ModelsListResult:
    with service.engine.reader() as reader:
        return model_choices(service.engine.settings.model, params.model, reader)


def _use_model(service: Service, params: protocol.ModelsUseParams, _: Request) -> protocol.Settings:
    return state.settings(service.engine.use_model(params.model, params.confirmed))


# --- the table ---------------------------------------------------------------------------------


class Handler(Struct, frozen=True):
    """How a method is answered, once its client has a slot of the pool."""

    answer: Callable[[Service, Any, Request], Any]  # on a thread of the pool
    pool: Pool = "search"
    begin: Callable[[Engine, Any], object] | None = None  # before, on the event loop: in the order of the requests
    finish: Callable[[Service, Any, Request, Any], Awaitable[protocol.Value]] | None = None  # when the slot is free


def _command(begin: Callable[[Engine], None]) -> Handler:
    """A command to the indexer, answered with the status after it."""
    return Handler(_index_status, begin=lambda engine, _: begin(engine))


def _forget_model(engine: Engine, params: protocol.ForgetModelParams) -> None:
    engine.forget_model(params.id)


def _tiers() -> ModuleType:
    """Loaded with the first request for several tiers."""
    from quarry.server import tier_search

    return tier_search


_in_vault = partial(Handler, pool="vault")

HANDLERS: Mapping[str, Handler] = {
    "search": Handler(_search),
    "search/passages": Handler(_further_passages),
    "search/examples": Handler(_examples),
    "explain": _in_vault(_explain),  # the file of a note that is not indexed is looked for
    "related": Handler(_related),
    "context": Handler(_context),
    "blocks/read": _in_vault(_read_blocks),  # the settings are read for it
    "blocks/check": _in_vault(_check_blocks),
    "note/read": _in_vault(_read_note),
    "notes/list": Handler(_list_notes),
    "capture": _in_vault(_capture, finish=_until_searchable),
    "vault/changed": Handler(_accepted, begin=_report_changes),
    "feedback": Handler(_feedback),
    "index/status": Handler(_index_status),
    "index/reconcile": _command(Engine.reconcile),
    "index/rebuild": _command(Engine.rebuild),
    "index/forgetModel": Handler(_index_status, begin=_forget_model),
    "index/pause": _command(Engine.pause),
    "index/resume": _command(Engine.resume),
    "inspect/folders": _in_vault(_inspect_folders),
    "inspect/notes": _in_vault(_inspect_notes),
    "inspect/note": _in_vault(_inspect_note),
    "settings/read": Handler(_read_settings),
    "settings/write": _in_vault(_write_settings),
    "settings/folders": _in_vault(_write_folders),
    "models/list": _in_vault(_list_models),
    "models/use": _in_vault(_use_model),
    "tiers/search": Handler(lambda *asked: _tiers().begin(*asked), finish=lambda *asked: _tiers().finish(*asked)),
    "tiers/answer": Handler(lambda *asked: _tiers().answer(*asked)),
    "tiers/list": _in_vault(lambda *asked: _tiers().states(*asked)),
}
"""Every method but `initialize` and `shutdown`, which concern the connection and the process."""
