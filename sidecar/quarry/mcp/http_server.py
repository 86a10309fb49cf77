"""
MCP over streamable HTTP, by the official SDK, which comes with the extra `mcp-http`.

A request needs a token: on 127.0.0.1 that of this user, with `--listen` one of `named_tokens`. It is checked
before the body of a request is read; the SDK checks that `Host` is this server and that there is no `Origin`. There are
no CORS headers, so that a browser gives no page an answer. Every request is independent: there are no sessions that
could fill up, or that another token could continue.

Uvicorn limits neither the time in which a request arrives nor the number of connections that have not shown the token;
`BoundedConnection` adds both.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from quarry.client.discovery import new_token
from quarry.config import runtime_dir
from quarry.errors import ConnectionFailed, ExtraMissing
from quarry.mcp.address import LOOPBACK, PATH, Address
from quarry.mcp.principals import Owner, Principals, TokenHolders
from quarry.mcp.server import INSTRUCTIONS, METHODS, SERVER_INFO, answered, instructions
from quarry.mcp.vaults import PendingCall, ProtocolError, Vaults
from quarry.private_files import read_private, write_atomically
from quarry.vault.paths import vault_id

try:
    import anyio
    import h11
    import uvicorn
    from mcp.server.lowlevel import Server
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_REQUEST, RequestParams
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise ExtraMissing(
        "MCP over HTTP needs the official SDK, which comes with the extra `mcp-http`", "mcp-http"
    ) from error

MAX_CONNECTIONS = 64  # as many as a sidecar serves
MAX_THREADS = 8  # of a principal, so that none keeps others waiting
MAX_HEAD_BYTES = 64 * 1024
MAX_TOKEN_FILE = 1024  # bytes; it is 80
RECEIVE_S = 5.0  # from the first byte of a request, or the beginning of its connection, to its last byte
IDLE_S = 60  # between two requests
LEAVE_S = 5  # for requests that run when this process is stopped

REVOKED = "this token was revoked; ask whoever runs this server for another"

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


def serve_http(vaults: Vaults, roots: Sequence[Path], port: int) -> None:
    """
    Serve this user until interrupted; the first line on standard output has the URL and the file of the token.

    Raises:
        ConnectionFailed: The port is taken, or the token cannot be stored.
    """
    path = token_path(roots)
    owner = Owner(stored_token(path), vaults)
    _serve(owner, Address(LOOPBACK[0], port, None), {"tokenFile": str(path)}, instructions(vaults))


def serve_shared(roots: Sequence[Path], address: Address) -> None:
    """
    Serve the holders of named tokens until interrupted; the first line on standard output has the URL.

    Raises:
        BadRequest: There are no such tokens.
        ConnectionFailed: The address cannot be used.
    """
    _serve(TokenHolders(roots), address, {}, INSTRUCTIONS)


def _serve(principals: Principals, address: Address, about: dict[str, str], described: str) -> None:
    host, port, _ = address
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=MAX_CONNECTIONS)
    except OSError as failed:
        where = f"port {port}" if host == LOOPBACK[0] else f"{host}, port {port},"
        raise ConnectionFailed(f"{where} cannot be used: {failed.strerror}; choose another with --port") from failed
    address = address._replace(port=listener.getsockname()[1])
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its errors quote what was sent
    config = uvicorn.Config(
        TokenGate(sdk_app(principals, address.hosts, described), principals),
        http=BoundedConnection,
        ws="none",
        log_config=None,
        log_level=logging.CRITICAL,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=LEAVE_S,
    )
    print(json.dumps({"url": address.url, "port": address.port, **about}), flush=True)
    principals.warm_up()
    try:
        uvicorn.Server(config).run([listener])
    finally:
        principals.close()


def sdk_app(principals: Principals, hosts: list[str], described: str) -> Any:
    """
    The ASGI application of the SDK that serves *principals*.

    Args:
        hosts: The values of `Host` that requests may have.
        described: The description of the server as a whole, for a model.
    """
    server: Server[Any] = Server(
        SERVER_INFO["name"],
        title=SERVER_INFO["title"],
        version=SERVER_INFO["version"],
        instructions=described,
    )
    threads: dict[Vaults, anyio.CapacityLimiter] = {}

    async def answer(context: Any, _: RequestParams) -> dict[str, Any]:
        def report(elapsed_s: float, message: str) -> None:
            anyio.from_thread.run(context.session.report_progress, elapsed_s, None, message)

        token = context.request.state.token
        vaults = principals.served_to(token, is_use=False)
        if vaults is None:  # it was revoked since the request came in
            raise MCPError(INVALID_REQUEST, REVOKED)
        limiter = threads.setdefault(vaults, anyio.CapacityLimiter(MAX_THREADS))
        call = PendingCall(context.protocol_version, report)
        work = partial(answered, vaults, context.method, context.params or {}, call)
        try:
            answer = await anyio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)
        except ProtocolError as refused:
            raise MCPError(refused.code, str(refused), refused.data) from None
        finally:
            call.cancel()  # where the client has left, its thread gives up
        if principals.served_to(token, is_use=False) is not vaults:
            raise MCPError(INVALID_REQUEST, REVOKED)
        return answer

    for method in METHODS:
        server.add_request_handler(method, RequestParams, answer)
    security = TransportSecuritySettings(allowed_hosts=hosts)
    return server.streamable_http_app(streamable_http_path=PATH, stateless_http=True, transport_security=security)


class TokenGate:
    """An ASGI application that passes to *app* only `POST` requests that show the token of one of *principals*."""

    def __init__(self, app: Any, principals: Principals) -> None:
        self._app = app
        self._principals = principals

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before its body is read."""
        if scope["type"] == "lifespan" or not (status := self._refusal(scope)):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-length", b"0"), (b"connection", b"close"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body"})

    def _refusal(self, scope: Any) -> int:
        """The HTTP status with which a request is refused; 0 where it may pass."""
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, given = (values[0] if len(values) == 1 else b"").partition(b" ")
        token = given.strip()
        if scheme.lower() != b"bearer" or self._principals.served_to(token) is None:
            return 401
        scope["state"]["token"] = token
        names = [name for name, _ in scope["headers"]]
        if {b"content-length", b"transfer-encoding"} <= set(names) or names.count(b"origin") > 1:
            return 400  # two lengths or origins: another program may read something else than this one
        return 0 if scope["method"] == "POST" or scope["path"] != PATH else 405  # nothing is sent unasked


class BoundedConnection(H11Protocol):
    """A connection whose client has so long for a request, and makes room for others, first if it shows no token."""

    _begun_s = 0.0
    _token: bytes | None = None  # the last that was shown and accepted
    _deadline: asyncio.TimerHandle | None = None
    scope: Any  # None until the first request

    def connection_made(self, transport: Any) -> None:
        """Begin. Where there are too many, one without a token is closed, else the oldest of whoever has most."""
        super().connection_made(transport)
        self._begun_s = self.loop.time()
        self._set_deadline()
        others = [one for one in self.connections if isinstance(one, BoundedConnection) and one is not self]
        if len(others) >= MAX_CONNECTIONS:
            held = Counter(one.token for one in others)
            closed = min(others, key=lambda one: (one.token is not None, -held[one.token], one._begun_s))
            self.connections.discard(closed)
            closed.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        self._token = self.token
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._clear_deadline()
        elif not self._deadline:
            self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._clear_deadline()
        super().connection_lost(exc)

    @property
    def token(self) -> bytes | None:
        """The token that was shown and accepted last, if any."""
        return (self.scope and self.scope["state"].get("token")) or self._token

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(RECEIVE_S, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def token_path(roots: Sequence[Path]) -> Path:
    """The file of the token for these vaults: no other vaults have it."""
    return runtime_dir() / ("+".join(sorted(map(vault_id, roots)))[:180] + ".mcp-token")


def stored_token(path: Path) -> str:
    """
    The token in the file *path*, readable by this user alone; a new one where there is none.

    It survives restarts, as clients have it in their configuration.

    Raises:
        ConnectionFailed: The file cannot be written.
    """
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        token = json.loads(read_private(path, MAX_TOKEN_FILE) or b"")["token"]
        is_private = os.name == "nt" or not path.lstat().st_mode & 0o077
        if is_private and isinstance(token, str) and len(token) >= 32 and token.isascii():
            return token
    token = new_token()
    try:
        write_atomically(path, json.dumps({"token": token}).encode())
    except OSError as failed:
        raise ConnectionFailed(f"the file {path} cannot be written: {failed.strerror}; move it away") from failed
    return token
