"""
A one-shot client of the sidecar for hooks, of the standard library alone, as an agent waits for them.

It speaks WebSocket (RFC 6455) to 127.0.0.1 and nowhere else. All waits end with the deadline of the process, and
replies have a maximum size.
"""

import binascii
import hashlib
import json
import os
import socket
import time
from collections.abc import Mapping
from typing import Any, Self

from quarry import __version__
from quarry.agents.hooks.events import NoContext
from quarry.client.discovery import NO_PORT, Discovery, discovery_path, read_discovery
from quarry.config import runtime_dir
from quarry.limits import PROTOCOL_VERSION

PATIENCE_S = 10.0  # for a sidecar that starts or does not answer; the deadline of the hook comes before
POLL_S = 0.02
MAX_REPLY_BYTES = 4 * 2**20  # three quotes and the context blocks have 40 KB
_READ_BYTES = 64 * 1024
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3


class Refused(Exception):
    """The sidecar answered a request with an error."""


class SidecarConnection:
    """A connection to the sidecar of one vault, which is not started."""

    def __init__(self, vault: str, patience_s: float = PATIENCE_S) -> None:
        """
        Connect to the sidecar that serves the vault with the id *vault*.

        Raises:
            NoContext: It is `busy`, `unreachable`, or of another version (`refused`).
        """
        self._received = bytearray()
        self._requests = 0
        self._deadline_s = time.monotonic() + patience_s
        discovery = self._discovery(vault)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._open(discovery)
            params = {"token": discovery.token, "protocol": PROTOCOL_VERSION}
            hello = self.ask("initialize", {**params, "client": {"name": "hook", "version": __version__}})
        except Refused:
            self.close()
            raise NoContext("refused") from None
        except BaseException:
            self.close()
            raise
        if hello["vault"]["id"] != vault:  # the file of another vault is in this one's place
            self.close()
            raise NoContext("unreachable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the sidecar keeps running."""
        self._socket.close()

    def ask(self, method: str, params: Mapping[str, object]) -> Any:
        """
        The result of *method*.

        Raises:
            Refused: The sidecar refuses it.
            NoContext: The connection broke.
        """
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        try:
            self._send(_TEXT, json.dumps(request).encode())
            while (reply := dict(json.loads(self._message()))).get("id") != self._requests:
                pass  # a notification
        except (OSError, ValueError, TypeError) as error:  # it does not follow the protocol
            raise NoContext("unreachable") from error
        if reply.get("error") is not None:
            raise Refused(method)
        return reply["result"]

    # --- connecting --------------------------------------------------------------------------------

    def _discovery(self, vault: str) -> Discovery:
        """The discovery file, which a sidecar that starts writes when it can answer."""
        path = discovery_path(runtime_dir(), vault)
        while (found := read_discovery(path)) is None and time.monotonic() < self._deadline_s:
            time.sleep(POLL_S)
        if found is None or found.port == NO_PORT:
            raise NoContext("unreachable")
        if found.protocol != PROTOCOL_VERSION:
            raise NoContext("refused")
        return found

    def _open(self, discovery: Discovery) -> None:
        key = binascii.b2a_base64(os.urandom(16), newline=False)
        host = f"127.0.0.1:{discovery.port}"
        head = (
            f"GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
        )
        accepted = binascii.b2a_base64(hashlib.sha1(key + _GUID, usedforsecurity=False).digest(), newline=False)
        try:
            self._socket.settimeout(max(POLL_S, self._deadline_s - time.monotonic()))
            self._socket.connect(("127.0.0.1", discovery.port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.sendall(head.encode() + b"\r\nSec-WebSocket-Key: " + key + b"\r\n\r\n")
            while (end := self._received.find(b"\r\n\r\n")) < 0:
                self._read()
        except OSError as error:
            raise NoContext("unreachable") from error
        answer = bytes(self._received[:end])
        del self._received[: end + 4]
        if answer.startswith(b"HTTP/1.1 503"):
            raise NoContext("busy")
        if not answer.startswith(b"HTTP/1.1 101") or accepted not in answer:
            raise NoContext("unreachable")

    # --- frames ------------------------------------------------------------------------------------

    def _send(self, opcode: int, payload: bytes) -> None:
        """Send a final frame, masked as a client's must be (section 5.3)."""
        size, mask = len(payload), os.urandom(4)
        if size < 126:
            length = bytes([0x80 | size])
        else:
            length = b"\xfe" + size.to_bytes(2, "big") if size < 0x1_0000 else b"\xff" + size.to_bytes(8, "big")
        repeated = (mask * (size // 4 + 1))[:size]
        masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
        self._socket.sendall(bytes([0x80 | opcode]) + length + mask + masked.to_bytes(size, "big"))

    def _message(self) -> bytes:
        """The next text message, whole. Raises `OSError`."""
        message = bytearray()
        while True:
            first, payload = self._frame()
            opcode, is_final = first & 0x0F, first & 0x80
            if opcode == _CLOSE:
                raise ConnectionError("the sidecar closed the connection")
            if opcode == _PING:
                self._send(_PONG, payload)
            elif opcode != _PONG:
                message += payload
                if is_final:
                    return bytes(message)

    def _frame(self) -> tuple[int, bytes]:
        """The first byte and the payload of the next frame."""
        self._fill(2)
        first, size = self._received[0], self._received[1]
        start = 2 + {126: 2, 127: 8}.get(size, 0)
        self._fill(start)
        if size >= 126:
            size = int.from_bytes(self._received[2:start], "big")
        if size > MAX_REPLY_BYTES:
            raise ConnectionError("a frame that no sidecar sends")
        self._fill(start + size)
        payload = bytes(self._received[start : start + size])
        del self._received[: start + size]
        return first, payload

    def _fill(self, size: int) -> None:
        while len(self._received) < size:
            self._read()

    def _read(self) -> None:
        self._socket.settimeout(max(POLL_S, self._deadline_s - time.monotonic()))
        data = self._socket.recv(_READ_BYTES)
        if not data or len(self._received) > 2 * MAX_REPLY_BYTES:
            raise ConnectionError("the connection ended")
        self._received += data
