"""
One client's conversation: its messages in, answers and notifications out. No transport is in sight.

A request that asks a sidecar runs on a thread of its own; all others are answered at once. A request that is cancelled
gets no answer.
"""

import sys
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from quarry.mcp import messages, versions
from quarry.mcp.calls import CallCancelled, PendingCall, Send
from quarry.mcp.messages import Id, McpNotification, McpRequest, Message, ProtocolError
from quarry.mcp.resources import parsed_uri
from quarry.mcp.server import AT_WORK, BEGINNINGS, HANDSHAKE_ONLY, STATELESS_ONLY, Server, finished
from quarry.mcp.watching import MAX_SUBSCRIPTIONS, Interest, VaultReport
from quarry.mcp.workers import Full

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
MAX_BATCH = 64  # messages: as many as may wait


class Exchange(Protocol):
    """Where what belongs to one message of a client goes."""

    def send(self, message: Message) -> None:
        """Send a notification that belongs to it."""

    def finish(self, answer: Message | list[Message] | None) -> None:
        """Send the answer, or None where none is due. Called once."""


class Peer:
    """The state of a conversation. Its methods may be called from several threads."""

    def __init__(self, server: Server, send: Send) -> None:
        """
        Begin one.

        Args:
            send: Where notifications go that belong to no request.
        """
        self._server = server
        self._send = send
        self.version: str | None = None  # of the handshake
        self._log_level = "warning"
        self._calls: dict[Id, PendingCall] = {}
        self._interest = Interest()  # of the handshake's subscriptions
        self._listening: dict[Id, tuple[Exchange, Interest]] = {}
        self._lock = threading.Lock()

    def receive(self, raw: bytes, exchange: Exchange) -> None:
        """Take in what a client sent: a message, or several where its revision allows that."""
        try:
            value = messages.parsed(raw)
            if isinstance(value, list):
                self._receive_batch(value, exchange)
            else:
                self.take(messages.envelope(value), exchange)
        except ProtocolError as error:
            exchange.finish(messages.error_message(error))

    def take(self, message: McpRequest | McpNotification | None, exchange: Exchange) -> None:
        """Take in one message."""
        if isinstance(message, McpRequest):
            try:
                self._take_request(message, exchange)
            except ProtocolError as error:
                exchange.finish(messages.error_message(error, message.id))
            return
        if message:
            self._take_notification(message)
        exchange.finish(None)

    def close(self) -> None:
        """End the subscriptions, as the client or this process leaves."""
        self._server.watch.forget(self._tell)
        with self._lock:
            listening, self._listening = self._listening, {}
        for request_id, (exchange, _) in listening.items():
            meta = {"_meta": {versions.SUBSCRIPTION_KEY: request_id}}
            result = finished(meta, "subscriptions/listen", versions.LATEST_STATELESS)
            exchange.finish(messages.result_message(request_id, result))

    def cancel_all(self) -> None:
        """Give up everything at work: nobody takes an answer any more."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()

    def cancel(self, request_id: Any) -> None:
        """Give up one request, if it is at work; `initialize` never is."""
        is_id = isinstance(request_id, str | int) and not isinstance(request_id, bool)
        with self._lock:
            call = self._calls.get(request_id) if is_id else None
            listening = self._listening.pop(request_id, None) if is_id else None
        if call:
            call.cancel()
        if listening:
            listening[0].finish(None)

    # --- messages ------------------------------------------------------------------------------

    def _receive_batch(self, values: list[Any], exchange: Exchange) -> None:
        if not versions.has_batches(self.version):
            raise ProtocolError(
                messages.INVALID_REQUEST, "send one message at a time: only revision 2025-03-26 has batches"
            )
        if not 0 < len(values) <= MAX_BATCH:
            raise ProtocolError(messages.INVALID_REQUEST, f"a batch has 1 to {MAX_BATCH} messages, not {len(values)}")
        batch = _Batch(exchange, len(values))
        for value in values:
            try:
                message = messages.envelope(value)
                if isinstance(message, McpRequest) and message.method == "initialize":
                    raise ProtocolError(messages.INVALID_REQUEST, "`initialize` stands alone", request_id=message.id)
                self.take(message, batch)
            except ProtocolError as error:
                batch.finish(messages.error_message(error))

    def _take_notification(self, notification: McpNotification) -> None:
        if notification.method == "notifications/cancelled":
            self.cancel(notification.params.get("requestId"))

    def _take_request(self, request: McpRequest, exchange: Exchange) -> None:
        meta = request.params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        version = self._version_of(request, meta)
        method = request.method
        wrong_era = HANDSHAKE_ONLY if versions.is_stateless(version) else STATELESS_ONLY
        if method in wrong_era or not self._is_known(method):
            raise ProtocolError(messages.METHOD_NOT_FOUND, f"there is no method {method[:60]!r} in revision {version}")
        if method == "resources/list" and not versions.is_stateless(version):
            self._server.watch.follow(self._tell, list(self._server.vaults.by_name.values()))
        if method in AT_WORK:
            self._begin(request, PendingCall(request.id, version, exchange.send, meta), exchange)
        elif method == "subscriptions/listen":
            self._listen(request, exchange)
        else:
            result = self._answered_at_once(request, version)
            exchange.finish(messages.result_message(request.id, finished(result, method, version)))
            if method in BEGINNINGS:
                self._server.warm_up(version)

    def _is_known(self, method: str) -> bool:
        return (
            method in AT_WORK
            or method in HANDSHAKE_ONLY
            or method in STATELESS_ONLY
            or self._server.constant(method, versions.LATEST_HANDSHAKE) is not None
        )

    def _version_of(self, request: McpRequest, meta: Mapping[str, Any]) -> str:
        """
        The revision that *request* is of: its own, or that of the handshake.

        Raises:
            ProtocolError: There was no handshake, or it names a revision that is not spoken.
        """
        if request.method == "initialize":
            return versions.LATEST_HANDSHAKE
        if versions.VERSION_KEY in meta or request.method in STATELESS_ONLY:
            return stateless_version(meta)
        if self.version is None and request.method != "ping":
            raise ProtocolError(
                messages.INVALID_REQUEST,
                f"send `initialize` first, or name the revision in `_meta` as of {versions.LATEST_STATELESS}",
            )
        return self.version or versions.LATEST_HANDSHAKE

    def _answered_at_once(self, request: McpRequest, version: str) -> dict[str, Any]:
        method, params = request.method, request.params
        if method == "initialize":
            return self._initialize(params)
        if method == "logging/setLevel":
            return self._set_log_level(params)
        if method == "resources/subscribe":
            return self._subscribe(params, version)
        if method == "resources/unsubscribe":
            self._interest.uris.discard(str(params.get("uri")))
            return {}
        result = self._server.constant(method, version)
        assert result is not None, method
        return result

    def _initialize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        requested = params.get("protocolVersion")
        if not isinstance(requested, str):
            raise ProtocolError(messages.INVALID_PARAMS, "`protocolVersion` is a string such as 2025-11-25")
        self.version = versions.negotiated(requested)
        self._interest.lists = True  # sent to a client that has listed or subscribed to anything
        return self._server.greeting(self.version)

    def _set_log_level(self, params: Mapping[str, Any]) -> dict[str, Any]:
        level = params.get("level")
        if level not in LOG_LEVELS:
            raise ProtocolError(messages.INVALID_PARAMS, f"`level` is one of {', '.join(LOG_LEVELS)}")
        self._log_level = level
        return {}

    # --- requests at work ----------------------------------------------------------------------

    def _begin(self, request: McpRequest, call: PendingCall, exchange: Exchange) -> None:
        with self._lock:
            if request.id in self._calls or request.id in self._listening:
                raise ProtocolError(messages.INVALID_REQUEST, f"request {request.id!r} is still at work; use a new id")
            self._calls[request.id] = call
        try:
            self._server.workers.submit(partial(self._work, request, call, exchange))
        except Full:
            self._end(call)
            raise ProtocolError(
                messages.INTERNAL_ERROR, "too many requests wait; wait for an answer, or cancel one", {"kind": "busy"}
            ) from None

    def _work(self, request: McpRequest, call: PendingCall, exchange: Exchange) -> None:
        answer = None if call.is_cancelled else self._answer(request, call)
        self._end(call)
        exchange.finish(None if call.is_cancelled else answer)

    def _answer(self, request: McpRequest, call: PendingCall) -> Message | None:
        try:
            result = AT_WORK[request.method](self._server.vaults, request.params, call)
            if result.get("isError"):
                self._log_failure(result["structuredContent"], call)
            return messages.result_message(request.id, finished(result, request.method, call.version))
        except CallCancelled:
            return None
        except ProtocolError as error:
            return messages.error_message(error, request.id)
        except Exception as error:  # a defect of ours: the client hears of it without its message, which may quote
            print(f"quarry: {request.method} failed ({type(error).__name__})", file=sys.stderr)
            failed = ProtocolError(messages.INTERNAL_ERROR, f"the server failed ({type(error).__name__})")
            return messages.error_message(failed, request.id)

    def _end(self, call: PendingCall) -> None:
        with self._lock:
            self._calls.pop(call.id, None)

    def _log_failure(self, told: Mapping[str, Any], call: PendingCall) -> None:
        """Log that an engine cannot be reached, where the client wants to know of warnings."""
        wanted = call.meta.get(versions.LOG_LEVEL_KEY) if versions.is_stateless(call.version) else self._log_level
        is_wanted = wanted in LOG_LEVELS and LOG_LEVELS.index(wanted) <= LOG_LEVELS.index("warning")
        if is_wanted and told["kind"] in ("connection-failed", "busy", "protocol-mismatch", "vault-missing"):
            params = {"level": "warning", "logger": "quarry", "data": told["error"]}
            call.send(messages.notification_message("notifications/message", params))

    # --- subscriptions -------------------------------------------------------------------------

    def _subscribe(self, params: Mapping[str, Any], version: str) -> dict[str, Any]:
        uri = params.get("uri")
        address = parsed_uri(self._server.vaults, uri, version)
        if len(self._interest.uris) >= MAX_SUBSCRIPTIONS:
            raise ProtocolError(messages.INVALID_PARAMS, f"at most {MAX_SUBSCRIPTIONS} resources can be subscribed to")
        self._interest.uris.add(str(uri))
        self._server.watch.follow(self._tell, [address.vault])
        return {}

    def _listen(self, request: McpRequest, exchange: Exchange) -> None:
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(messages.INVALID_PARAMS, "`notifications` says what to be told of, such as {}")
        uris = wanted.get("resourceSubscriptions") or []
        if not isinstance(uris, list) or len(uris) > MAX_SUBSCRIPTIONS:
            raise ProtocolError(
                messages.INVALID_PARAMS, f"`resourceSubscriptions` is a list of at most {MAX_SUBSCRIPTIONS} URIs"
            )
        vaults = {parsed_uri(self._server.vaults, uri, versions.LATEST_STATELESS).vault for uri in uris}
        interest = Interest(set(map(str, uris)), lists=wanted.get("resourcesListChanged") is True)
        if interest.lists:
            vaults.update(self._server.vaults.by_name.values())
        with self._lock:
            if request.id in self._listening or request.id in self._calls:
                raise ProtocolError(messages.INVALID_REQUEST, f"request {request.id!r} is still at work; use a new id")
            self._listening[request.id] = exchange, interest
        agreed: dict[str, Any] = {"resourcesListChanged": True} if interest.lists else {}
        if uris:
            agreed["resourceSubscriptions"] = uris
        params = {"_meta": {versions.SUBSCRIPTION_KEY: request.id}, "notifications": agreed}
        exchange.send(messages.notification_message("notifications/subscriptions/acknowledged", params))
        self._server.watch.follow(self._tell, list(vaults))

    def _tell(self, report: VaultReport) -> None:
        """Tell the client of a *report* on a vault, as far as it wants to know."""
        for method, params in report.notifications(self._server.vaults, self._interest):
            self._send(messages.notification_message(method, params))
        with self._lock:
            listening = list(self._listening.items())
        for request_id, (exchange, interest) in listening:
            for method, params in report.notifications(self._server.vaults, interest):
                stamped = {"_meta": {versions.SUBSCRIPTION_KEY: request_id}, **params}
                exchange.send(messages.notification_message(method, stamped))


def stateless_version(meta: Mapping[str, Any]) -> str:
    """
    The revision that a stateless request names in its `_meta`.

    Raises:
        ProtocolError: It names none, or one that is not spoken.
    """
    lacking = [key for key in (versions.VERSION_KEY, versions.CAPABILITIES_KEY) if key not in meta]
    if lacking:
        raise ProtocolError(messages.INVALID_PARAMS, f"`_meta` lacks {' and '.join(lacking)}")
    version = meta[versions.VERSION_KEY]
    if not isinstance(version, str):
        raise ProtocolError(messages.INVALID_PARAMS, f"{versions.VERSION_KEY} is a string")
    if not versions.is_stateless(version):
        data = {"supported": list(versions.STATELESS_VERSIONS), "requested": version}
        raise ProtocolError(messages.UNSUPPORTED_VERSION, f"revision {version[:60]!r} is not spoken", data)
    return version


class _Batch:
    """Collects the answers to the messages of a batch, and sends them together."""

    def __init__(self, exchange: Exchange, count: int) -> None:
        self._exchange = exchange
        self._left = count
        self._answers: list[Message] = []
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a notification that belongs to one of them at once."""
        self._exchange.send(message)

    def finish(self, answer: Message | list[Message] | None) -> None:
        """Keep an answer; with the last one, send all."""
        with self._lock:
            if isinstance(answer, dict):
                self._answers.append(answer)
            self._left -= 1
            is_last = self._left == 0
        if is_last:
            self._exchange.finish(self._answers or None)
