"""
Messages in, engine calls, messages out. No socket is in sight: a `ClientSession` is fed frames and gives back frames.

The envelope is decoded first and the parameters only when the method is known, so that every bad request that has an
id gets an answer under it, naming what was wrong.
"""

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import Any

import msgspec
from msgspec import Struct, field

from quarry import __version__, protocol
from quarry.errors import ProtocolMismatch, QuarryError, Unauthorized
from quarry.protocol.envelope import (
    ClientMessage,
    Error,
    ErrorData,
    ErrorResponse,
    Notification,
    RequestId,
    Response,
)
from quarry.server.encode import state
from quarry.server.failures import error_of
from quarry.server.gate import UNAUTHORIZED
from quarry.server.handlers import HANDLERS
from quarry.server.service import Request, Service
from quarry.server.waiting import wait_for_index

_log = logging.getLogger(__name__)
MAX_IN_FLIGHT = 16  # requests of one client, at work or waiting for a turn; a pane has two or three
SEARCHES = ("search", "tiers/search")  # that are asked anew with each key

_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
_ONE_OBJECT = "send one JSON object a text frame"

_envelope_decoder = msgspec.json.Decoder(ClientMessage)
_request_id_decoder = msgspec.json.Decoder(RequestId)
_encoder = msgspec.json.Encoder()


class ClientSession(Struct, eq=False):
    """One client's messages, from its first to its last."""

    service: Service
    client: str | None = None  # None until it has authenticated
    access: protocol.Access = "reader"
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
        except _UNREADABLE as error:
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
            request.cancel()

    # --- steps ---------------------------------------------------------------------------------

    def _refusal(self, incoming: ClientMessage) -> Error | None:
        """The error for a request that cannot be processed; None where it can."""
        assert not isinstance(incoming.id, msgspec.UnsetType)
        if not self.is_authenticated and incoming.method != "initialize":
            return UNAUTHORIZED
        if self.is_authenticated and incoming.method == "initialize":
            return _invalid_request("this connection is already initialized", "send requests other than `initialize`")
        if incoming.method not in protocol.REQUESTS:
            message, way_out = f"there is no method {incoming.method!r}", "docs/PROTOCOL.md lists those of this version"
            return _error(Error.METHOD_NOT_FOUND, "method-not-found", message, way_out)
        if not self._may_ask(incoming.method):
            return _forbidden(incoming.method)
        if incoming.id in self.in_flight:
            return _invalid_request(
                f"request {incoming.id!r} is still being processed", "give every request its own id"
            )
        if len(self.in_flight) >= MAX_IN_FLIGHT:
            message = f"{MAX_IN_FLIGHT} requests of this client are being processed or wait for their turn"
            return _error(Error.BUSY, "busy", message, "wait for an answer, or cancel a request with $/cancel")
        return None

    def _may_ask(self, method: str) -> bool:
        """Whether the token that this client has shown allows *method*."""
        if method not in protocol.OWNER_METHODS or self.access == "owner":
            return True
        return method == "capture" and self.service.engine.settings.capture_by_agents

    async def _answer_request(self, request_id: int | str, incoming: ClientMessage) -> bytes:
        params_type, _ = protocol.REQUESTS[incoming.method]
        try:
            params = msgspec.json.decode(incoming.params, type=params_type)
        except _UNREADABLE as error:
            return _failure(request_id, _bad_params(incoming.method, params_type, error))
        request = self.in_flight[request_id] = Request(is_owner=self.access == "owner")
        try:
            result = await self._run(incoming.method, params, request)
            return _encoder.encode(Response(id=request_id, result=result))
        except Exception as error:
            if not isinstance(error, QuarryError):  # a defect: the client is told, and the next request is served
                _log.exception("%s failed", incoming.method)
            return _failure(request_id, error_of(error, getattr(params, "query", "")))
        finally:
            del self.in_flight[request_id]

    def _handle_notification(self, incoming: ClientMessage) -> None:
        if not self.is_authenticated or incoming.method not in protocol.CLIENT_NOTIFICATIONS:
            return  # JSON-RPC: a notification is never answered, not even to say that it is unknown
        try:
            params = msgspec.json.decode(incoming.params, type=protocol.CancelParams)
        except _UNREADABLE:
            return  # nobody waits to be told
        self._cancel(params.id)

    def _cancel(self, request_id: int | str | None) -> None:
        if request_id is not None and (request := self.in_flight.get(request_id)):
            request.cancel()

    async def _run(self, method: str, params: Any, request: Request) -> protocol.Value:
        """Answer, once the index contains what is asked for and this client has a slot."""
        if method == "initialize":
            return await self._initialize(params)
        if method == "shutdown":
            self.service.stop()
            return protocol.Done()
        if method in SEARCHES:
            self._cancel(params.supersedes)
        handler = HANDLERS[method]
        async with AsyncExitStack() as slot:
            with request.interruptible():
                if isinstance(params, protocol.ReadParams):
                    await wait_for_index(self.service.engine.freshness, params)
                is_urgent = method in SEARCHES and params.typing
                await slot.enter_async_context(self.service.scheduler.slot(self, handler.pool, urgent=is_urgent))
            if handler.begin:
                handler.begin(self.service.engine, params)
            result = await self.service.call(handler.pool, handler.answer, self.service, params, request)
        return await handler.finish(self.service, params, request, result) if handler.finish else result

    async def _initialize(self, params: protocol.InitializeParams) -> protocol.Value:
        gate = self.service.gate
        access = gate.access_of(params.token)
        if access is None:
            await asyncio.sleep(gate.delay_s)
            raise Unauthorized("the token is not one of this vault's sidecar")
        if params.protocol != protocol.PROTOCOL_VERSION:
            raise ProtocolMismatch(
                f"the client speaks protocol {params.protocol}, this sidecar (version {__version__}) speaks "
                f"{protocol.PROTOCOL_VERSION}; update the older of the two"
            )
        async with self.service.scheduler.slot(self, "search", urgent=True):
            status = state.index_status(await self.service.call("search", self.service.engine.status))
        self.client, self.access = params.client.name, access
        return protocol.InitializeResult(
            protocol=protocol.PROTOCOL_VERSION,
            version=__version__,
            vault=self.service.vault,
            access=access,
            status=status,
        )


def notification(method: str, params: protocol.Value) -> bytes:
    """The frame of a notification."""
    assert isinstance(params, protocol.SERVER_NOTIFICATIONS[method]), f"{method} carries something else"
    return _encoder.encode(Notification(method=method, params=params))


def _forbidden(method: str) -> Error:
    next_step = (
        "connect with the token in the file that `owner` in the discovery file names, or ask whoever owns the vault to "
        "do it in Obsidian or with `quarry`"
    )
    if setting := protocol.SETTING_FOR_READERS.get(method):
        next_step += f", or to set {setting[1]} = true under [{setting[0]}] in the vault's .quarry.toml"
    message = f"{method!r} needs the owner's token; this connection has that of the discovery file"
    return _error(Error.FORBIDDEN, "forbidden", message, next_step)


def _failure(request_id: int | str | None, error: Error) -> bytes:
    return _encoder.encode(ErrorResponse(id=request_id, error=error))


def _invalid_request(message: str, way_out: str) -> Error:
    return _error(Error.INVALID_REQUEST, "invalid-request", message, way_out)


def _error(code: int, kind: str, message: str, way_out: str) -> Error:
    return Error(code=code, message=message, data=ErrorData(kind=kind, next=way_out))


def _id_of(frame: str) -> int | str | None:
    """The id of a request whose envelope is otherwise invalid, so that the client can match the error to it."""
    try:
        return _request_id_decoder.decode(frame).id
    except _UNREADABLE:
        return None


def _unreadable(error: Exception) -> Error:
    if isinstance(error, msgspec.ValidationError):
        return _invalid_request(f"this is not a JSON-RPC 2.0 request: {error}", "send {jsonrpc, id, method, params}")
    return _error(Error.PARSE, "parse", "the frame is not JSON", _ONE_OBJECT)


def _bad_params(method: str, params_type: type[protocol.Params], error: Exception) -> Error:
    known = ", ".join(field.encode_name for field in msgspec.structs.fields(params_type)) or "none"
    way_out = f"{method} takes these parameters: {known}"
    return _error(Error.INVALID_PARAMS, "invalid-params", f"{method}: {error}", way_out)
