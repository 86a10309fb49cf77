"""
One HTTP connection: requests in, answers and events out. h11 reads and writes HTTP/1.1.

Every wait has a deadline and everything that is read a bound: a client that is slow, or says too much, loses its
connection and delays no other.
"""

import select
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

import h11

from quarry.mcp import messages, versions
from quarry.mcp.http_gate import refused
from quarry.mcp.http_requests import (
    MAX_BODY_BYTES,
    STATUS_OF,
    HttpRefusal,
    HttpRequest,
    check_headers,
    id_of,
    is_stateless,
)
from quarry.mcp.http_sessions import HttpSession, Item, Outgoing, Sessions
from quarry.mcp.messages import Message, ProtocolError, encoded, error_message
from quarry.mcp.peer import Peer
from quarry.mcp.server import Server

PATH = "/mcp"
READ_S = 10.0  # for the first head on a connection, and for the body of a request
IDLE_S = 60.0  # between two requests on a connection that has shown the token
WRITE_S = 10.0  # until a client has taken what it is sent
LINGER_S = 1.0  # for a client that is refused while it is still sending
KEEPALIVE_S = 15.0  # between comments on a stream that has nothing to say
POLL_S = 0.05  # how often it is looked whether a client that waits is still there
_BLOCK_BYTES = 64 * 1024


class HttpConnection:
    """One connection of a client, with one request after the other."""

    def __init__(
        self,
        stream: socket.socket,
        sessions: Sessions,
        server: Server,
        token: str,
        port: int,
        stopped: threading.Event,
    ) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER)
        self._sessions = sessions
        self._server = server
        self._token = token
        self._port = port
        self._stopped = stopped
        self._has_shown_token = False

    def run(self) -> None:
        """
        Answer requests until the client leaves, or breaks the rules.

        Raises:
            OSError: The client has left while it was read or written to.
        """
        while not self._stopped.is_set():
            try:
                asked = self._read()
                if asked is None:
                    return
                self._answer(asked)
            except HttpRefusal as refusal:
                self._respond(refusal.status, str(refusal).encode(), "documents/plain", close=True)
                self._linger()
            except h11.RemoteProtocolError as error:
                self._respond(error.error_status_hint, b"this is not HTTP/1.1", "documents/plain", close=True)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    # --- reading -------------------------------------------------------------------------------

    def _read(self) -> HttpRequest | None:
        """The next request; None where the client has left. It is refused before its body is read."""
        head = self._next_event(time.monotonic() + (IDLE_S if self._has_shown_token else READ_S))
        if not isinstance(head, h11.Request):
            return None
        deadline_s = time.monotonic() + READ_S
        headers: dict[str, list[str]] = {}
        for name, value in head.headers:
            headers.setdefault(name.decode("ascii"), []).append(value.decode("latin-1"))
        self._check(head, headers)
        body = bytearray()
        while True:
            event = self._next_event(deadline_s)
            if isinstance(event, h11.EndOfMessage):
                return HttpRequest(head.method.decode("ascii"), headers, bytes(body))
            if not isinstance(event, h11.Data):
                return None
            body += event.data
            if len(body) > MAX_BODY_BYTES:
                raise HttpRefusal(413)

    def _check(self, head: h11.Request, headers: Mapping[str, list[str]]) -> None:
        hosts, origins, authorizations = (headers.get(name, []) for name in ("host", "origin", "authorization"))
        if status := refused(hosts, origins, authorizations, self._port, self._token):
            raise HttpRefusal(status)
        self._has_shown_token = True
        if head.target.decode("latin-1").partition("?")[0] != PATH:
            raise HttpRefusal(404)
        if head.method not in (b"POST", b"GET", b"DELETE"):
            raise HttpRefusal(405)
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        if head.method == b"POST" and kind != "application/json":
            raise HttpRefusal(415)
        length = headers.get("content-length", ["0"])[0]
        if length.isdigit() and int(length[:12]) > MAX_BODY_BYTES:
            raise HttpRefusal(413)
        if b"100-continue" in dict(head.headers).get(b"expect", b""):
            self._send(h11.InformationalResponse(status_code=100, headers=[]))

    def _next_event(self, deadline_s: float) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            left_s = deadline_s - time.monotonic()
            if left_s <= 0:
                if self._http.their_state is h11.IDLE:
                    return None
                raise HttpRefusal(408)
            self._stream.settimeout(left_s)
            try:
                self._http.receive_data(self._stream.recv(_BLOCK_BYTES))
            except TimeoutError:
                continue
        return event

    # --- answering -----------------------------------------------------------------------------

    def _answer(self, asked: HttpRequest) -> None:
        if asked.method == "POST":
            self._answer_post(asked)
        elif asked.method == "GET":
            self._stream_unasked(self._session_of(asked))
        else:
            self._sessions.end(self._session_of(asked).id)
            self._respond(204)

    def _answer_post(self, asked: HttpRequest) -> None:
        try:
            value = messages.parsed(asked.body)
        except ProtocolError as error:
            return self._respond_json(400, error_message(error))
        version = asked.header("mcp-protocol-version")
        if is_stateless(value, version):
            return self._answer_stateless(asked, value)
        if version is not None and version not in versions.HANDSHAKE_VERSIONS:
            spoken = {"supported": list(versions.ALL_VERSIONS), "requested": version}
            refusal = ProtocolError(messages.UNSUPPORTED_VERSION, "this revision is not spoken", spoken)
            return self._respond_json(400, error_message(refusal))
        if isinstance(value, dict) and value.get("method") == "initialize":
            return self._greet(asked)
        session = self._session_of(asked)
        outgoing = Outgoing()
        session.peer.receive(asked.body, outgoing)
        return self._deliver(outgoing, asked, {})

    def _greet(self, asked: HttpRequest) -> None:
        """Begin a session, if its handshake succeeds."""
        session = self._sessions.begin()
        outgoing = Outgoing()
        session.peer.receive(asked.body, outgoing)
        if session.peer.version is None:
            self._sessions.end(session.id)
            return self._deliver(outgoing, asked, {})
        return self._deliver(outgoing, asked, {"Mcp-Session-Id": session.id})

    def _answer_stateless(self, asked: HttpRequest, value: Any) -> None:
        """Answer a request that stands for itself; its connection is its life."""
        if isinstance(value, dict) and "id" not in value:
            return self._respond(202)
        try:
            request = messages.envelope(value)
            if not isinstance(request, messages.McpRequest):
                raise ProtocolError(messages.INVALID_REQUEST, "send one request")
            check_headers(asked, request)
        except ProtocolError as error:
            return self._respond_json(STATUS_OF.get(error.code, 400), error_message(error, id_of(value)))
        outgoing = Outgoing()
        peer = Peer(self._server, outgoing.send)
        try:
            peer.take(request, outgoing)
            self._deliver(outgoing, asked, {}, statuses=STATUS_OF, giver=peer)
        finally:
            peer.cancel_all()
            peer.close()
        return None

    def _session_of(self, asked: HttpRequest) -> HttpSession:
        session_id = asked.header("mcp-session-id")
        if session_id is None:
            if asked.method == "POST":
                raise HttpRefusal(400, "send `initialize` first, then its Mcp-Session-Id with every request")
            raise HttpRefusal(405)
        session = self._sessions.find(session_id)
        if session is None:
            raise HttpRefusal(404)
        return session

    def _deliver(
        self,
        outgoing: Outgoing,
        asked: HttpRequest,
        headers: Mapping[str, str],
        *,
        statuses: Mapping[int, int] | None = None,
        giver: Peer | None = None,
    ) -> None:
        """
        Send what comes: one JSON object, or events where notifications come before it and the client takes them.

        Args:
            statuses: HTTP statuses of errors.
            giver: Whose work is given up when the client leaves.
        """
        takes_events = "documents/event-stream" in (asked.header("accept") or "")
        first = self._first(outgoing, giver, takes_events=takes_events)
        if first is None:
            return None
        item, is_last = first
        if is_last:
            if item is None:
                return self._respond(202)
            code = item["error"]["code"] if isinstance(item, dict) and "error" in item else None
            return self._respond_json((statuses or {}).get(code or 0, 200), item, headers)
        self._begin_events(headers)
        self._send_event(item)
        self._send_events(outgoing)
        return None

    def _first(self, outgoing: Outgoing, giver: Peer | None, *, takes_events: bool) -> tuple[Item, bool] | None:
        """The first message to send; None where a stateless client has left, which gives its request up."""
        while True:
            found = outgoing.next(POLL_S)
            if found and (found[1] or takes_events):
                return found
            if self._stopped.is_set() or (giver and self._has_left()):
                return None

    def _stream_unasked(self, session: HttpSession) -> None:
        """Stream what the session has to say, until it ends or the client leaves."""
        if not session.is_streaming.acquire(blocking=False):
            raise HttpRefusal(409)
        try:
            self._begin_events({"Mcp-Session-Id": session.id})
            self._send_comment()
            self._send_events(session.unasked)
        finally:
            session.is_streaming.release()

    def _send_events(self, outgoing: Outgoing) -> None:
        quiet_since_s = time.monotonic()
        while not self._stopped.is_set() and not self._has_left():
            found = outgoing.next(POLL_S)
            if found:
                item, is_last = found
                if item is not None:
                    self._send_event(item)
                if is_last:
                    break
                quiet_since_s = time.monotonic()
            elif time.monotonic() - quiet_since_s > KEEPALIVE_S:
                self._send_comment()
                quiet_since_s = time.monotonic()
        self._send(h11.EndOfMessage())

    def _has_left(self) -> bool:
        """Whether the client has closed the connection."""
        readable, _, _ = select.select([self._stream], [], [], 0)
        if not readable:
            return False
        self._stream.settimeout(WRITE_S)
        try:
            return not self._stream.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    # --- writing -------------------------------------------------------------------------------

    def _begin_events(self, headers: Mapping[str, str]) -> None:
        about = {"Content-Type": "documents/event-stream", "Cache-Control": "no-cache, no-transform", **headers}
        about |= {"X-Accel-Buffering": "no", "Connection": "close"}
        self._send(h11.Response(status_code=200, headers=list(about.items())))

    def _send_event(self, item: Item) -> None:
        assert item is not None
        self._send(h11.Data(data=b"event: message\ndata: " + encoded(item) + b"\n\n"))

    def _send_comment(self) -> None:
        self._send(h11.Data(data=b":\n\n"))

    def _respond_json(
        self, status: int, item: Message | list[Message], headers: Mapping[str, str] | None = None
    ) -> None:
        self._respond(status, encoded(item), "application/json", headers=headers)

    def _respond(
        self,
        status: int,
        body: bytes = b"",
        kind: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        close: bool = False,
    ) -> None:
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        about = {"Content-Length": str(len(body)), "Cache-Control": "no-store", **(headers or {})}
        if kind:
            about |= {"Content-Type": kind, "X-Content-Type-Options": "nosniff"}
        if close:
            about["Connection"] = "close"
        if status == 401:
            about["WWW-Authenticate"] = "Bearer"
        if status == 204:
            del about["Content-Length"]
        self._send(h11.Response(status_code=status, headers=list(about.items())))
        if body:
            self._send(h11.Data(data=body))
        self._send(h11.EndOfMessage())

    def _linger(self) -> None:
        """Let a client that is still sending read why it is refused: closing now would take the answer from it."""
        deadline_s, left = time.monotonic() + LINGER_S, MAX_BODY_BYTES * 2
        self._stream.shutdown(socket.SHUT_WR)
        while left > 0 and (remaining_s := deadline_s - time.monotonic()) > 0:
            self._stream.settimeout(remaining_s)
            data = self._stream.recv(_BLOCK_BYTES)
            if not data:
                return
            left -= len(data)

    def _send(self, event: Any) -> None:
        data = self._http.send(event)
        if data:
            self._stream.settimeout(WRITE_S)
            self._stream.sendall(data)
