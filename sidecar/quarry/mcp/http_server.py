"""
MCP over streamable HTTP, on 127.0.0.1: `POST /mcp` takes messages, `GET` streams what was not asked for, `DELETE` ends.

A connection has a thread, of which there are few.
"""

import contextlib
import json
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import h11

from quarry.errors import ConnectionFailed
from quarry.mcp.http_connection import PATH, HttpConnection
from quarry.mcp.http_gate import check_host, kept_token, token_path
from quarry.mcp.http_sessions import Sessions
from quarry.mcp.server import Server
from quarry.mcp.vaults import Vaults

MAX_CONNECTIONS = 64  # as many as a sidecar serves
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def serve_http(vaults: Vaults, roots: Sequence[Path], host: str, port: int) -> None:
    """
    Serve until interrupted; the first line on standard output says where, and which file has the token.

    Raises:
        BadRequest: *host* is not this machine.
        ConnectionFailed: The port is taken, or the token cannot be kept.
    """
    check_host(host)
    path = token_path(roots)
    server = Server(vaults)
    http = HttpServer(server, port, kept_token(path))
    print(json.dumps({"url": f"http://127.0.0.1:{http.port}{PATH}", "tokenFile": str(path)}), flush=True)
    try:
        http.serve()
    finally:
        http.stop()
        server.close()


class HttpServer:
    """Listens on 127.0.0.1 and serves until it is stopped."""

    def __init__(self, server: Server, port: int, token: str) -> None:
        """
        Begin to listen.

        Args:
            port: 0 for any that is free.

        Raises:
            ConnectionFailed: The port is taken.
        """
        self._server = server
        self._token = token
        self._sessions = Sessions(server)
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._stopped = threading.Event()
        try:
            self._listener = socket.create_server(("127.0.0.1", port), backlog=MAX_CONNECTIONS)
        except OSError as error:
            raise ConnectionFailed(
                f"port {port} cannot be used: {error.strerror}; choose another with --port"
            ) from error
        self.port: int = self._listener.getsockname()[1]

    def serve(self) -> None:
        """Serve until `stop`."""
        while not self._stopped.is_set():
            try:
                stream, _ = self._listener.accept()
            except OSError:
                break  # closed by `stop`
            if not self._places.acquire(blocking=False):
                with contextlib.suppress(OSError):
                    stream.sendall(
                        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    )
                stream.close()
                continue
            threading.Thread(target=self._serve_stream, args=(stream,), name="quarry-mcp-http", daemon=True).start()

    def stop(self) -> None:
        """Stop listening, and end all sessions."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._sessions.close()

    def _serve_stream(self, stream: socket.socket) -> None:
        try:
            with stream, contextlib.suppress(OSError, h11.RemoteProtocolError, h11.LocalProtocolError):
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                HttpConnection(stream, self._sessions, self._server, self._token, self.port, self._stopped).run()
        finally:
            self._places.release()
