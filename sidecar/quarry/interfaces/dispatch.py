"""
Messages in, engine calls, messages out. No socket is in sight: a `Conversation` is fed frames and gives back frames.

The envelope is decoded first and the parameters only when the method is known, so that every bad request that has an
id gets an answer under it, naming what was wrong.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import Any, ParamSpec, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from quarry.engine import Engine
from quarry.errors import BadQuery, ProtocolMismatch, QuarryError, Unauthorized
from quarry.interfaces import protocol, translate
from quarry.interfaces.envelope import (
    Error,
    ErrorData,
    ErrorResponse,
    Incoming,
    Notification,
    RequestId,
    Response,
)
from quarry.interfaces.failures import error_of
from quarry.interfaces.gate import UNAUTHORIZED, Gate
from quarry.search import Answer
from quarry.text.offsets import utf16_offset
from quarry.types import SearchRequest

_log = logging.getLogger(__name__)
MAX_IN_FLIGHT = 16  # requests of one client in progress at once; a pane has two or three

P = ParamSpec("P")
T = TypeVar("T")

_ONE_OBJECT = "send one JSON object a text frame"

_envelope_decoder = msgspec.json.Decoder(Incoming)
_request_id_decoder = msgspec.json.Decoder(RequestId)
_encoder = msgspec.json.Encoder()


class Request(Struct):
    """A request in progress; `cancel` may be set from any thread."""

    cancel: threading.Event = field(default_factory=threading.Event)

    def is_cancelled(self) -> bool:
        """Whether the client no longer wants the answer."""
        return self.cancel.is_set()


class Service(Struct):
    """Shared by all conversations: the engine, the executors of its calls, and how to stop the sidecar."""

    engine: Engine
    executor: Executor
    vault_executor: Executor  # for what touches the vault's own files: where its drive hangs, searches go on
    gate: Gate
    vault: protocol.Vault
    version: str
    stop: Callable[[], None]


class Conversation(Struct):
    """One client's messages, from its first to its last."""

    service: Service
    client: str | None = None  # None until it has authenticated
    in_flight: dict[int | str, Request] = field(default_factory=dict)

    @property
    def is_authenticated(self) -> bool:
        """Whether the client has shown the token."""
        return self.client is not None

    async def answer(self, frame: str | bytes) -> bytes | None:
        """The answer to one frame, or None where none is due: a notification gets none."""
        if isinstance(frame, bytes):
            return _failure(None, _invalid_request("the frame is binary", _ONE_OBJECT))
        try:
            incoming = _envelope_decoder.decode(frame)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return _failure(_id_of(frame), _unreadable(error))
        if isinstance(incoming.id, msgspec.UnsetType):
            self._handle_notification(incoming)
            return None
        if refusal := self._refusal(incoming):
            return _failure(incoming.id, refusal)
        return await self._answer_request(incoming.id, incoming)

    def cancel_all(self) -> None:
        """Cancel all requests in progress: the client has disconnected."""
        for request in self.in_flight.values():
            request.cancel.set()

    # --- steps ---------------------------------------------------------------------------------

    def _refusal(self, incoming: Incoming) -> Error | None:
        """The error for a request that cannot be processed; None where it can."""
        assert not isinstance(incoming.id, msgspec.UnsetType)
        if not self.is_authenticated and incoming.method != "initialize":
            return UNAUTHORIZED
        if self.is_authenticated and incoming.method == "initialize":
            return _invalid_request("this connection is already initialized", "send requests other than `initialize`")
        if incoming.method not in protocol.REQUESTS:
            return Error(
                code=Error.METHOD_NOT_FOUND,
                message=f"there is no method {incoming.method!r}",
                data=ErrorData(kind="method-not-found", next="docs/PROTOCOL.md lists the methods of this version"),
            )
        if incoming.id in self.in_flight:
            return _invalid_request(
                f"request {incoming.id!r} is still being processed", "give every request its own id"
            )
        if len(self.in_flight) >= MAX_IN_FLIGHT:
            return Error(
                code=Error.BUSY,
                message=f"{MAX_IN_FLIGHT} requests of this client are already being processed",
                data=ErrorData(kind="busy", next="wait for an answer, or cancel a request with $/cancel"),
            )
        return None

    async def _answer_request(self, request_id: int | str, incoming: Incoming) -> bytes:
        params_type, _ = protocol.REQUESTS[incoming.method]
        try:
            params = msgspec.json.decode(incoming.params, type=params_type)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return _failure(request_id, _bad_params(incoming.method, params_type, error))
        request = self.in_flight[request_id] = Request()
        try:
            result = await self._run(incoming.method, params, request)
            return _encoder.encode(Response(id=request_id, result=result))
        except QuarryError as error:
            return _failure(request_id, error_of(error))
        except Exception as error:  # a defect of ours: the client hears of it, and the next request is served
            _log.exception("%s failed", incoming.method)
            return _failure(request_id, error_of(error))
        finally:
            del self.in_flight[request_id]

    def _handle_notification(self, incoming: Incoming) -> None:
        if not self.is_authenticated or incoming.method not in protocol.CLIENT_NOTIFICATIONS:
            return  # JSON-RPC: a notification is never answered, not even to say that it is unknown
        try:
            params = msgspec.json.decode(incoming.params, type=protocol.CancelParams)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return  # nobody waits to be told
        self._cancel(params.id)

    def _cancel(self, request_id: int | str | None) -> None:
        if request_id is not None and (request := self.in_flight.get(request_id)):
            request.cancel.set()

    async def _run(self, method: str, params: Any, request: Request) -> protocol.Value:
        return await _HANDLERS[method](self, params, request)

    async def _call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run *function* on a thread of the pool, so that the next frame of this client is read meanwhile."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.service.executor, partial(function, *args, **kwargs))

    async def _in_vault_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like `_call`, for a *function* that opens files of the vault."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.service.vault_executor, partial(function, *args, **kwargs))

    # --- methods, one each ---------------------------------------------------------------------

    async def _initialize(self, params: protocol.InitializeParams, _: Request) -> protocol.Value:
        gate = self.service.gate
        if not gate.accepts(params.token):
            await asyncio.sleep(gate.delay_s)
            raise Unauthorized
        if params.protocol != protocol.PROTOCOL_VERSION:
            raise ProtocolMismatch(
                f"the client speaks protocol {params.protocol}, this sidecar (version {self.service.version}) speaks "
                f"{protocol.PROTOCOL_VERSION}; update the older of the two"
            )
        status = await self._status()
        self.client = params.client.name
        return protocol.InitializeResult(
            protocol=protocol.PROTOCOL_VERSION,
            version=self.service.version,
            vault=self.service.vault,
            status=status,
        )

    async def _search(self, params: protocol.SearchParams, request: Request) -> protocol.Value:
        self._cancel(params.supersedes)
        result = partial(translate.search_result, with_text=params.detail == "full")
        return await self._search_for(translate.search_request(params), request, result)

    async def _context(self, params: protocol.ContextParams, request: Request) -> protocol.Value:
        result = partial(translate.context_result, max_tokens=params.max_tokens)
        return await self._search_for(translate.context_request(params), request, result)

    async def _search_for(
        self, wanted: SearchRequest, request: Request, result: Callable[[Answer], protocol.Value]
    ) -> protocol.Value:
        """Search, and build the *result* on the same thread: handing over to another costs as much as building it."""

        def found() -> protocol.Value:
            return result(self.service.engine.search(wanted, request.is_cancelled))

        with _utf16_position(wanted.query):
            return await self._call(found)

    async def _further_passages(self, params: protocol.PassagesParams, request: Request) -> protocol.Value:
        wanted = translate.search_request(params)

        def found() -> protocol.Value:
            passages = self.service.engine.further_passages(wanted, params.path, request.is_cancelled)
            return translate.passages_result(passages, with_text=wanted.with_text)

        with _utf16_position(params.query):
            return await self._call(found)

    async def _explain(self, params: protocol.ExplainParams, request: Request) -> protocol.Value:
        explain, wanted = self.service.engine.explain, translate.explain_request(params)
        with _utf16_position(params.query):  # of a note that is not indexed, the file is looked for
            explanation = await self._in_vault_thread(explain, wanted, params.path, request.is_cancelled)
        return await self._call(translate.explain_result, explanation)

    async def _related(self, params: protocol.RelatedParams, request: Request) -> protocol.Value:
        source, scope = translate.related_source(params), translate.scope(params.filters)
        related = await self._call(
            self.service.engine.related, source, scope, params.limit, translate.SCAN_WIDTH, request.is_cancelled
        )
        return await self._call(translate.related_result, related)

    async def _read_note(self, params: protocol.ReadNoteParams, _: Request) -> protocol.Value:
        note = await self._in_vault_thread(self.service.engine.read_note, params.path)
        return await self._call(translate.note_text, note, params)

    async def _list_notes(self, params: protocol.ListNotesParams, _: Request) -> protocol.Value:
        engine = self.service.engine
        page = await self._call(engine.list_notes, translate.listing(params), params.limit, params.offset)
        return await self._call(translate.note_list, page)

    async def _vault_changed(self, params: protocol.VaultChangedParams, _: Request) -> protocol.Value:
        self.service.engine.vault_changed([translate.vault_change(change) for change in params.changes])
        return protocol.Accepted(accepted=len(params.changes))

    async def _index_status(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        return await self._status()

    async def _index_rebuild(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        self.service.engine.rebuild()
        return await self._status()

    async def _index_pause(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        self.service.engine.pause()
        return await self._status()

    async def _index_resume(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        self.service.engine.resume()
        return await self._status()

    async def _read_settings(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        return translate.settings(self.service.engine.settings)

    async def _write_settings(self, params: protocol.SettingsWriteParams, _: Request) -> protocol.Value:
        changes = {name: value for name, value in asdict(params).items() if value is not msgspec.UNSET}
        return translate.settings(await self._in_vault_thread(self.service.engine.write_settings, changes))

    async def _shutdown(self, _: protocol.NoParams, __: Request) -> protocol.Value:
        self.service.stop()
        return protocol.Done()

    async def _status(self) -> protocol.IndexStatus:
        return translate.index_status(await self._call(self.service.engine.status))


_HANDLERS: Mapping[str, Callable[[Conversation, Any, Request], Awaitable[protocol.Value]]] = {
    "initialize": Conversation._initialize,
    "search": Conversation._search,
    "search/passages": Conversation._further_passages,
    "explain": Conversation._explain,
    "related": Conversation._related,
    "context": Conversation._context,
    "note/read": Conversation._read_note,
    "notes/list": Conversation._list_notes,
    "vault/changed": Conversation._vault_changed,
    "index/status": Conversation._index_status,
    "index/rebuild": Conversation._index_rebuild,
    "index/pause": Conversation._index_pause,
    "index/resume": Conversation._index_resume,
    "settings/read": Conversation._read_settings,
    "settings/write": Conversation._write_settings,
    "shutdown": Conversation._shutdown,
}


def notification(method: str, params: protocol.Value) -> bytes:
    """The frame of a notification."""
    assert isinstance(params, protocol.SERVER_NOTIFICATIONS[method]), f"{method} carries something else"
    return _encoder.encode(Notification(method=method, params=params))


@contextmanager
def _utf16_position(query: str) -> Iterator[None]:
    """Convert the position in a `BadQuery` from code points of *query* to UTF-16 code units, as clients count."""
    try:
        yield
    except BadQuery as error:
        raise BadQuery(str(error), utf16_offset(query, error.position)) from error


def _failure(request_id: int | str | None, error: Error) -> bytes:
    return _encoder.encode(ErrorResponse(id=request_id, error=error))


def _invalid_request(message: str, way_out: str) -> Error:
    return Error(code=Error.INVALID_REQUEST, message=message, data=ErrorData(kind="invalid-request", next=way_out))


def _id_of(frame: str) -> int | str | None:
    """The id of a request whose envelope is otherwise invalid, so that the client can match the error to it."""
    try:
        return _request_id_decoder.decode(frame).id
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _unreadable(error: Exception) -> Error:
    if isinstance(error, msgspec.ValidationError):
        return _invalid_request(f"this is not a JSON-RPC 2.0 request: {error}", "send {jsonrpc, id, method, params}")
    return Error(code=Error.PARSE, message="the frame is not JSON", data=ErrorData(kind="parse", next=_ONE_OBJECT))


def _bad_params(method: str, params_type: type[protocol.Params], error: Exception) -> Error:
    known = ", ".join(field.encode_name for field in msgspec.structs.fields(params_type)) or "none"
    return Error(
        code=Error.INVALID_PARAMS,
        message=f"{method}: {error}",
        data=ErrorData(kind="invalid-params", next=f"{method} takes these parameters: {known}"),
    )
