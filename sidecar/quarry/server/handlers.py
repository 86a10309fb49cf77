"""What each method does: parameters in, one or two engine calls, a result out. No connection is in sight."""

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from quarry import protocol
from quarry.documents.decoding import utf16_offset
from quarry.errors import BadQuery, Cancelled
from quarry.indexing.freshness import Freshness
from quarry.options import SCAN_WIDTH, HitOptions, SearchOptions
from quarry.search import Answer
from quarry.server import encode as translate
from quarry.server.blocks.block_reader import Blocks
from quarry.server.service import Request, Service
from quarry.server.turns import Lane
from quarry.server.waiting import wait_for_changes

T = TypeVar("T")


async def _answer(
    service: Service, ask: Callable[[], T], result: Callable[[T, Freshness], protocol.Value], lane: Lane = "search"
) -> protocol.Value:
    """
    Ask, and build the *result* on the same thread: handing over to another costs as much as building it.

    The answer and its `index` are read from one snapshot.
    """

    def answered() -> protocol.Value:
        with service.engine.freshness.snapshot() as index:
            return result(ask(), index)

    return await service.call(lane, answered)


async def _search(service: Service, params: SearchOptions, request: Request) -> protocol.Value:
    return await _search_for(service, params, request, partial(translate.search_result, options=params))


async def _context(service: Service, params: protocol.ContextParams, request: Request) -> protocol.Value:
    result = partial(_context_result, service, params, request)
    return await _search_for(service, translate.context_request(params), request, result)


def _context_result(
    service: Service, params: protocol.ContextParams, request: Request, answer: Answer, index: Freshness
) -> protocol.ContextResult:
    """
    The quotes, and those of a conversation kept in its ledger: by the request that still waits for them.

    Raises:
        Cancelled: Nobody does; what comes too late to be read has not been shown.
        IndexUnavailable: The ledger cannot be written, so nothing is quoted that might be again.
    """
    if params.conversation is None:
        return translate.context_result(answer, index, params)
    with service.ledgers.of(params.conversation) as shown:
        result = translate.context_result(answer, index, params, shown)
        if request.is_cancelled():
            raise Cancelled("the request was cancelled")
        if not params.dry_run:
            shown.save()
        return result


async def _search_for(
    service: Service, wanted: SearchOptions, request: Request, result: Callable[[Answer, Freshness], protocol.Value]
) -> protocol.Value:
    with _utf16_position(wanted.query):
        return await _answer(service, partial(service.engine.search, wanted, request.is_cancelled), result)


async def _further_passages(service: Service, params: HitOptions, request: Request) -> protocol.Value:
    ask = partial(service.engine.further_passages, params, params.path, request.is_cancelled)
    with _utf16_position(params.query):
        return await _answer(service, ask, partial(translate.passages_result, with_text=params.with_text))


async def _examples(service: Service, params: protocol.ExamplesParams, request: Request) -> protocol.Value:
    ask = partial(service.engine.examples, params.templates, params.limit, request.is_cancelled)
    return await _answer(service, ask, lambda found, _: translate.examples_result(found))


async def _explain(service: Service, params: HitOptions, request: Request) -> protocol.Value:
    first_page = replace(params, offset=0, sort="relevance")
    ask = partial(service.engine.explain, first_page, params.path, request.is_cancelled, for_owner=request.is_owner)
    with _utf16_position(params.query):  # of a note that is not indexed, the file is looked for
        return await _answer(service, ask, translate.explain_result, "vault")


async def _related(service: Service, params: protocol.RelatedParams, request: Request) -> protocol.Value:
    source, width = translate.related_source(params), params.snippet_width or SCAN_WIDTH
    ask = partial(service.engine.related, source, params.filters, params.limit, width, request.is_cancelled)
    return await _answer(service, ask, translate.related_result)


async def _read_blocks(service: Service, params: protocol.BlocksReadParams, request: Request) -> protocol.Value:
    return await service.call("vault", _blocks_result, service, params, request)  # the settings are read for it


def _blocks_result(service: Service, params: protocol.BlocksReadParams, request: Request) -> protocol.BlocksResult:
    """The blocks; what they quote is kept in the ledger of a conversation. Raises as `_context_result`."""
    quoted: list[tuple[str, str]] = []
    blocks = Blocks(service.engine, service.blocks, service.clock)
    result = blocks.read(params, request.is_cancelled, lambda path, passage: quoted.append((path, passage)))
    if params.conversation is not None and not params.dry_run:
        with service.ledgers.of(params.conversation) as shown:  # not earlier: all conversations wait for it
            if request.is_cancelled():
                raise Cancelled("the request was cancelled")
            for path, passage in quoted:
                shown.add(path, passage)
            shown.save()
    return result


async def _check_blocks(service: Service, _: protocol.BlocksCheckParams, request: Request) -> protocol.Value:
    blocks = Blocks(service.engine, service.blocks, service.clock)
    return await service.call("vault", blocks.check, request.is_cancelled)


async def _read_note(service: Service, params: protocol.ReadNoteParams, _: Request) -> protocol.Value:
    ask = partial(service.engine.read_note, params.path)
    return await _answer(service, ask, partial(translate.note_text, params=params), "vault")


async def _list_notes(service: Service, params: protocol.ListNotesParams, _: Request) -> protocol.Value:
    ask = partial(service.engine.list_notes, translate.listing(params), params.limit, params.offset)
    return await _answer(service, ask, translate.note_list)


async def _capture(service: Service, params: protocol.CaptureParams, _: Request) -> protocol.Value:
    write = partial(service.engine.capture, translate.draft(params), params.folder)
    return await _answer(service, write, translate.capture_result, "vault")


async def _until_searchable(
    service: Service, params: protocol.CaptureParams, request: Request, result: protocol.Value
) -> protocol.Value:
    """*result*, once the note can be found, or `waitMs` is over."""
    index = service.engine.freshness
    is_searchable = await wait_for_changes(index, index.sequence_at(), params.wait_ms, request.is_cancelled)
    now = translate.freshness(await service.call("search", index.now))
    return replace(result, searchable=is_searchable, index=now)


async def _vault_changed(service: Service, params: protocol.VaultChangedParams, _: Request) -> protocol.Value:
    service.engine.vault_changed([translate.vault_change(change) for change in params.changes])
    return protocol.Accepted(accepted=len(params.changes), reported_ms=time.time_ns() // 1_000_000)


async def _feedback(service: Service, params: protocol.FeedbackParams, _: Request) -> protocol.Value:
    now_ms = time.time_ns() // 1_000_000
    await service.call("search", service.feedback.add, params.query, params.path, params.kind, now_ms)
    return protocol.Done()


async def _index_reconcile(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    service.engine.reconcile()
    return await index_status(service)


async def _index_rebuild(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    service.engine.rebuild()
    return await index_status(service)


async def _index_pause(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    service.engine.pause()
    return await index_status(service)


async def _index_resume(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    service.engine.resume()
    return await index_status(service)


async def _inspect_folders(service: Service, params: protocol.InspectFoldersParams, _: Request) -> protocol.Value:
    def answered() -> protocol.Value:
        page = service.engine.inspector.folders(params.folder, params.state, params.offset, params.limit)
        return translate.folder_states(page)

    return await service.call("vault", answered)


async def _inspect_notes(service: Service, params: protocol.InspectNotesParams, _: Request) -> protocol.Value:
    def answered() -> protocol.Value:
        page = params.offset, params.limit
        found = service.engine.inspector.notes(params.folder, params.state, *page, below=params.below)
        return translate.note_states(found)

    return await service.call("vault", answered)


async def _inspect_note(service: Service, params: protocol.InspectNoteParams, _: Request) -> protocol.Value:
    def answered() -> protocol.Value:
        return translate.note_report(service.engine.inspector.note(params.path))

    return await service.call("vault", answered)


async def _write_folders(service: Service, params: protocol.FoldersWriteParams, _: Request) -> protocol.Value:
    change = partial(service.engine.change_folders, params.exclude, params.include)
    return translate.settings(await service.call("vault", change))


async def _read_settings(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    return translate.settings(service.engine.settings)


async def _write_settings(service: Service, params: protocol.SettingsWriteParams, _: Request) -> protocol.Value:
    changes = {name: value for name, value in asdict(params).items() if value is not msgspec.UNSET}
    return translate.settings(await service.call("vault", service.engine.write_settings, changes))


async def _shutdown(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    service.stop()
    return protocol.Done()


async def index_status(service: Service) -> protocol.IndexStatus:
    """The status of the index."""
    return translate.index_status(await service.call("search", service.engine.status))


async def _index_status(service: Service, _: protocol.NoParams, __: Request) -> protocol.Value:
    return await index_status(service)


HANDLERS: Mapping[str, Callable[[Service, Any, Request], Awaitable[protocol.Value]]] = {
    "search": _search,
    "search/passages": _further_passages,
    "search/examples": _examples,
    "explain": _explain,
    "related": _related,
    "context": _context,
    "blocks/read": _read_blocks,
    "blocks/check": _check_blocks,
    "note/read": _read_note,
    "notes/list": _list_notes,
    "capture": _capture,
    "vault/changed": _vault_changed,
    "feedback": _feedback,
    "index/status": _index_status,
    "index/reconcile": _index_reconcile,
    "index/rebuild": _index_rebuild,
    "index/pause": _index_pause,
    "index/resume": _index_resume,
    "inspect/folders": _inspect_folders,
    "inspect/notes": _inspect_notes,
    "inspect/note": _inspect_note,
    "settings/read": _read_settings,
    "settings/write": _write_settings,
    "settings/folders": _write_folders,
    "shutdown": _shutdown,
}
"""Every method but `initialize`, which makes a connection what it is."""

AFTER_TURN: Mapping[str, Callable[[Service, Any, Request, Any], Awaitable[protocol.Value]]] = {
    "capture": _until_searchable
}
"""What is left to do of a method when its turn is over, so that nobody else waits for it meanwhile."""

LANES: Mapping[str, Lane] = {
    "capture": "vault",
    "explain": "vault",
    "blocks/read": "vault",
    "blocks/check": "vault",
    "note/read": "vault",
    "inspect/folders": "vault",
    "inspect/notes": "vault",
    "inspect/note": "vault",
    "settings/write": "vault",
    "settings/folders": "vault",
}
"""Methods that open files of the vault; all others need a thread for searches."""

WITHOUT_TURN = frozenset({"shutdown"})
"""Methods that are answered at once, whatever else waits."""


@contextmanager
def _utf16_position(query: str) -> Iterator[None]:
    """Convert the position in a `BadQuery` from code points of *query* to UTF-16 code units, as clients count."""
    try:
        yield
    except BadQuery as error:
        raise BadQuery(error.message, utf16_offset(query, error.position)) from error
