"""
A WebSocket connection to a port of this machine, of the standard library alone.

It goes to 127.0.0.1 and nowhere else: no name is looked up, no proxy is asked, nothing is encrypted or compressed.
Whatever answers may be anything: every wait has a deadline and everything read a bound.
"""

import binascii
import contextlib
import hashlib
import os
import socket
import time

from quarry.client.websocket_frames import (
    NORMAL_CLOSURE,
    Closing,
    FrameError,
    FrameReader,
    close_frame,
    text_frame,
)

MAX_HEADER_BYTES = 16 * 1024  # a sidecar's answer to the handshake has 130
_READ_BYTES = 64 * 1024
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3


class ConnectionLost(Exception):
    """The connection is no more. `code` is that of the server's close frame, None where there was none."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class HandshakeRefused(Exception):
    """The server at the port refused the handshake. `status` is its HTTP status, None if it does not speak HTTP."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class WebSocketConnection:
    """One connection, for one thread."""

    def __init__(self, port: int, *, timeout_s: float, max_message_bytes: int) -> None:
        """
        Connect to *port* of 127.0.0.1 and open the WebSocket.

        Raises:
            OSError: Nothing listens there; `TimeoutError` where it does not answer in *timeout_s*.
            HandshakeRefused: What answers opens no WebSocket.
        """
        deadline_s = time.monotonic() + timeout_s
        self._reader = FrameReader(max_message_bytes)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout_s)
            self._socket.connect(("127.0.0.1", port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._shake_hands(port, deadline_s)
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: str, timeout_s: float) -> None:
        """
        Send *message*.

        Raises:
            ConnectionLost: The connection is no more.
            TimeoutError: The server does not take it in *timeout_s*; the connection cannot be used any more.
        """
        self._send(text_frame(message), timeout_s)

    def receive(self, timeout_s: float) -> str:
        """
        The next message.

        Raises:
            ConnectionLost: There is none: the connection was closed, or broke, or the server broke the protocol.
            TimeoutError: None came whole in *timeout_s*. What came of it is kept for the next call.
        """
        deadline_s = time.monotonic() + timeout_s
        while (message := self._next_message()) is None:
            self._reader.feed(self._read(deadline_s))
        return message

    def close(self) -> None:
        """Say that we leave, and leave; what the server still wants to say is not waited for."""
        with contextlib.suppress(OSError):
            self._socket.settimeout(0)
            self._socket.send(close_frame(NORMAL_CLOSURE))
        self._socket.close()

    def abandon(self) -> None:
        """Let go of the connection without a word: after a fork, it is the parent's."""
        self._socket.close()

    def _next_message(self) -> str | None:
        try:
            return self._reader.next_message()
        except Closing as closing:
            self._leave()
            raise ConnectionLost(f"the sidecar closed the connection ({closing})", closing.code) from None
        except FrameError as error:
            self._reader.outgoing += close_frame(error.code)
            self._leave()
            raise ConnectionLost(f"the answer does not follow the WebSocket protocol: {error}") from None
        finally:
            self._send_outgoing()

    def _send_outgoing(self) -> None:
        """Send what the frames read so far call for, such as an answer to a ping."""
        if self._reader.outgoing:
            pending = bytes(self._reader.outgoing)
            self._reader.outgoing.clear()
            self._send(pending, 1.0)

    def _leave(self) -> None:
        """Send what is due, without waiting for it, and close."""
        with contextlib.suppress(OSError):
            self._socket.settimeout(0)
            self._socket.send(self._reader.outgoing)
        self._reader.outgoing.clear()
        self._socket.close()

    def _send(self, data: bytes, timeout_s: float) -> None:
        try:
            self._socket.settimeout(timeout_s)
            self._socket.sendall(data)
        except TimeoutError:
            raise
        except OSError as error:
            raise ConnectionLost(f"the connection broke: {error.strerror or error}") from None

    def _read(self, deadline_s: float) -> bytes:
        """Read the bytes that have arrived, at least one."""
        left_s = deadline_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        try:
            self._socket.settimeout(left_s)
            data = self._socket.recv(_READ_BYTES)
        except TimeoutError:
            raise
        except OSError as error:
            raise ConnectionLost(f"the connection broke: {error.strerror or error}") from None
        if not data:
            raise ConnectionLost("the connection broke: the other side closed it")
        return data

    # --- handshake: RFC 6455, section 4.1 --------------------------------------------------------

    def _shake_hands(self, port: int, deadline_s: float) -> None:
        key = binascii.b2a_base64(os.urandom(16), newline=False)
        request = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key.decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        try:
            self._send(request.encode(), max(0.001, deadline_s - time.monotonic()))
            head = self._read_head(deadline_s)
        except ConnectionLost as lost:
            raise HandshakeRefused(str(lost)) from None
        _verify(head, key)

    def _read_head(self, deadline_s: float) -> bytes:
        """The status line and the headers; what follows them is the first frames."""
        received = bytearray()
        while (end := received.find(b"\r\n\r\n")) < 0:
            if len(received) > MAX_HEADER_BYTES:
                raise HandshakeRefused(f"more than {MAX_HEADER_BYTES} bytes of headers")
            received += self._read(deadline_s)
        self._reader.feed(bytes(received[end + 4 :]))
        return bytes(received[:end])


def _verify(head: bytes, key: bytes) -> None:
    """Raise `HandshakeRefused` unless *head* opens the WebSocket that was asked for with *key*."""
    status_line, *lines = head.decode("latin-1").split("\r\n")
    version, _, rest = status_line.partition(" ")
    status = rest[:3]
    if not (version.startswith("HTTP/1.") and status.isascii() and status.isdigit()):
        raise HandshakeRefused("the answer is not HTTP")
    if status != "101":
        raise HandshakeRefused(f"HTTP status {status}", int(status))
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    digest = hashlib.sha1(key + _GUID, usedforsecurity=False).digest()
    accept = binascii.b2a_base64(digest, newline=False).decode()
    tokens = [token.strip() for token in headers.get("connection", "").lower().split(",")]
    if (
        headers.get("upgrade", "").lower() != "websocket"
        or "upgrade" not in tokens
        or headers.get("sec-websocket-accept") != accept
        or "sec-websocket-extensions" in headers  # none was asked for
        or "sec-websocket-protocol" in headers
    ):
        raise HandshakeRefused("the answer does not open a WebSocket", 101)
