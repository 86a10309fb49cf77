"""
The socket: accepts connections on 127.0.0.1, passes frames to sessions, and notifies all clients of changes.

websockets closes what is too large, too slow or not WebSocket at all; the gate refuses what may not speak. Nothing is
compressed: a query is short, and compression costs 50 KiB a connection and invites bombs.
"""

import asyncio
import contextlib
import http
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HandshakeRequest
from websockets.http11 import Response as HandshakeResponse

from quarry import protocol
from quarry.limits import MAX_CONNECTIONS
from quarry.server.dispatch import MAX_IN_FLIGHT, ClientSession, notification
from quarry.server.gate import AUTH_TIMEOUT_S, Gate, refuses_host, refuses_origin
from quarry.server.service import Service

MAX_FRAME_BYTES = 2**20
MAX_UNANSWERED = 2 * MAX_IN_FLIGHT  # frames taken in and not yet answered; past it a client's next frames wait unread
MAX_OUTBOX_BYTES = 2**20  # of news for a client that reads none; past it the client is gone, or should be
PING_S = 20.0  # a laptop that slept, a dead peer: noticed within 40 s
CLOSE_TIMEOUT_S = 1.0
BUSY_TEXT = f"busy: {MAX_CONNECTIONS} clients are connected; close one of them, or try again in a moment\n"
UNAUTHORIZED_CLOSE = 4401  # application range of RFC 6455; the number recalls HTTP's 401

# websockets logs every peer that misbehaves with a traceback; a refused client is not worth a log line.
_quiet = logging.getLogger("quarry.websockets")
_quiet.setLevel(logging.CRITICAL)


class SocketServer:
    """Serves clients and broadcasts notifications. Lives on one event loop."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._gate = service.gate
        self._clients: set[ServerConnection] = set()
        self._joining: dict[ServerConnection, str | None] = {}  # with the newest notification that each has missed
        self._heard_s = time.monotonic()
        self._port = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Accept connections inside the block; gives the port, which the system chose."""
        async with serve(
            self._serve_connection,
            "127.0.0.1",
            0,
            process_request=self._admit,
            create_connection=_connection_type(self._gate),
            compression=None,
            max_size=MAX_FRAME_BYTES,
            open_timeout=AUTH_TIMEOUT_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_TIMEOUT_S,
            server_header=None,
            logger=_quiet,
        ) as server:
            self._port = _port_of(server)
            yield self._port

    def broadcast(self, method: str, params: protocol.Value) -> None:
        """
        Send a notification to every authenticated client; disconnect clients that have long stopped reading.

        A client whose `initialize` is being answered gets it behind that answer, whose status may be the older one.
        """
        frame = notification(method, params).decode()
        self._joining = dict.fromkeys(self._joining, frame)
        for client in [client for client in self._clients if _is_stalled(client)]:
            client.transport.abort()  # when it comes back it asks anew, which tells it all that it missed
            self._clients.discard(client)
        broadcast(self._clients, frame)

    @property
    def client_count(self) -> int:
        """Clients now connected: authenticated, or on the way there."""
        return len(self._clients) + len(self._joining)

    @property
    def last_heard_s(self) -> float:
        """When a client was last connected, on the monotonic clock: now, while one is."""
        return time.monotonic() if self._clients else self._heard_s

    def _admit(self, connection: ServerConnection, request: HandshakeRequest) -> HandshakeResponse | None:
        """The gate's first two checks, and its bound; None lets the handshake go on."""
        headers = request.headers
        if refuses_host(headers.get_all("Host"), self._port):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "this address is not served under that name\n")
        if refuses_origin(headers.get_all("Origin")):
            return connection.respond(http.HTTPStatus.FORBIDDEN, "web pages may not ask\n")
        if self._gate.is_full:
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, BUSY_TEXT)
        return None

    async def _serve_connection(self, connection: ServerConnection) -> None:
        session = ClientSession(self._service)
        self._joining[connection] = None
        try:
            if await self._authenticate(connection, session):
                self._gate.admit(connection)
                missed = self._joining.pop(connection)
                self._clients.add(connection)
                if missed is not None:
                    await connection.send(missed, text=True)
                await self._answer_all(connection, session)
        except ConnectionClosed:
            pass  # the client left, as clients do
        finally:
            if session.is_authenticated:
                self._heard_s = time.monotonic()
            self._joining.pop(connection, None)
            self._clients.discard(connection)

    async def _authenticate(self, connection: ServerConnection, session: ClientSession) -> bool:
        try:
            async with asyncio.timeout(AUTH_TIMEOUT_S):
                frame = await connection.recv()
        except TimeoutError:
            await connection.close(UNAUTHORIZED_CLOSE, "no token came in time")
            return False
        await self._reply(connection, session, frame)
        if not session.is_authenticated:
            await connection.close(UNAUTHORIZED_CLOSE, "not authenticated")
        return session.is_authenticated

    async def _answer_all(self, connection: ServerConnection, session: ClientSession) -> None:
        """Answer each frame in a task of its own until the client leaves; then let go of what it asked for."""
        room = asyncio.Semaphore(MAX_UNANSWERED)

        async def answer(frame: str | bytes) -> None:
            try:
                await self._reply(connection, session, frame)
            finally:
                room.release()

        async with asyncio.TaskGroup() as answers:
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await room.acquire()
                    answers.create_task(answer(await connection.recv()))
            session.cancel_all()

    async def _reply(self, connection: ServerConnection, session: ClientSession, frame: str | bytes) -> None:
        answer = await session.answer(frame)
        if answer is not None:
            with contextlib.suppress(ConnectionClosed):  # the client is gone, and no other waits for this answer
                await connection.send(answer, text=True)


def _connection_type(gate: Gate) -> type[ServerConnection]:
    """Connections that *gate* knows of from their first byte, long before anything was said over them."""

    class Connection(ServerConnection):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            gate.register_pending(self, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            gate.leave(self)
            super().connection_lost(exc)

    return Connection


def _is_stalled(client: ServerConnection) -> bool:
    return client.transport.get_write_buffer_size() > MAX_OUTBOX_BYTES


def _port_of(server: Server) -> int:
    return int(next(iter(server.sockets)).getsockname()[1])
