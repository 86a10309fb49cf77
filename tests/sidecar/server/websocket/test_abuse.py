"""The socket under abuse: raw frames against a real sidecar."""

import contextlib
import json
import os
import socket
import struct
import sys
from pathlib import Path

import pytest

from quarry.server.websocket import MAX_FRAME_BYTES

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
PATIENCE_S = 30.0
NO_MASK = b"\0\0\0\0"  # a mask that changes nothing


class Wire:
    """A WebSocket connection of which every byte is ours."""

    def __init__(self, port, *headers):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        lines = [
            "GET / HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version: 13",
            *headers,
        ]
        self.stream.sendall("\r\n".join([*lines, "", ""]).encode())
        self.response = b""
        while b"\r\n\r\n" not in self.response:
            self.response += self.stream.recv(4096)

    def send(self, opcode, payload=b"", *, claimed=None, final=True, masked=True, reserved=0):
        length = len(payload) if claimed is None else claimed
        first = opcode | (0x80 if final else 0) | reserved
        mask = 0x80 if masked else 0
        if length < 126:
            head = bytes([first, mask | length])
        elif length < 65536:
            head = bytes([first, mask | 126]) + struct.pack("!H", length)
        else:
            head = bytes([first, mask | 127]) + struct.pack("!Q", length)
        with contextlib.suppress(ConnectionError):  # closed while we are still sending, as it should be
            self.stream.sendall(head + (NO_MASK if masked else b"") + payload)

    def close_code(self):
        """The code of the close frame that came; None where the connection just ended."""
        received = b""
        with contextlib.suppress(ConnectionError):
            while piece := self.stream.recv(65536):
                received += piece
        while len(received) >= 2:
            length = received[1] & 0x7F
            start = {126: 4, 127: 10}.get(length, 2)
            length = int.from_bytes(received[2:start], "big") if start > 2 else length
            if received[0] & 0x0F == 8:
                return struct.unpack("!H", received[start : start + 2])[0]
            received = received[start + length :]
        return None


@pytest.fixture
def wire(shared):
    """Open raw connections to the shared sidecar, let in or not."""
    opened = []

    def dial(*headers, known=True):
        connection = Wire(shared.port, *headers)
        opened.append(connection.stream)
        if known:
            params = {"token": shared.token, "protocol": 1, "client": {"name": "raw"}}
            hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            connection.send(1, json.dumps(hello).encode())
            assert b'"result"' in connection.stream.recv(65536)
        return connection

    yield dial
    for stream in opened:
        stream.close()


def rss_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_compression_is_not_agreed_to(wire):
    connection = wire("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits", known=False)

    assert b" 101 " in connection.response
    assert b"sec-websocket-extensions" not in connection.response.lower()


@pytest.mark.parametrize("known", [True, False])
def test_a_frame_that_claims_a_terabyte_ends_the_connection_at_once(wire, known):
    connection = wire(known=known)

    connection.send(1, b"x" * 100, claimed=1 << 40)

    assert connection.close_code() == 1009


def test_a_frame_over_the_limit_ends_the_connection(wire):
    connection = wire()

    connection.send(1, b"x" * 100, claimed=MAX_FRAME_BYTES + 1)

    assert connection.close_code() == 1009


def test_fragments_that_add_up_to_too_much_end_the_connection(wire):
    connection = wire()

    for number in range(5):
        connection.send(1 if number == 0 else 0, b"x" * (MAX_FRAME_BYTES // 4), final=False)

    assert connection.close_code() == 1009


def test_a_message_in_countless_fragments_ends_the_connection(wire):
    connection = wire()
    fragments = b"".join(bytes([0x01 if n == 0 else 0x00, 0x81]) + NO_MASK + b"x" for n in range(9000))

    with contextlib.suppress(ConnectionError):
        connection.stream.sendall(fragments)

    assert connection.close_code() == 1009


@pytest.mark.parametrize(
    ("opcode", "payload", "options", "code"),
    [
        (1, b"\xff\xfe", {}, 1007),
        (1, b"\xed\xa0\x80", {}, 1007),
        (3, b"x", {}, 1002),
        (1, b"x", {"masked": False}, 1002),
        (1, b"x", {"reserved": 0x40}, 1002),
        (0, b"x", {}, 1002),
        (9, b"x" * 126, {}, 1002),
    ],
    ids=["not UTF-8", "a surrogate", "unknown opcode", "unmasked", "compressed", "continues nothing", "fat ping"],
)
def test_what_is_no_websocket_ends_the_connection(wire, opcode, payload, options, code):
    connection = wire()

    connection.send(opcode, payload, **options)

    assert connection.close_code() == code


def test_an_endless_request_line_is_refused(raw):
    response = raw(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n")

    assert b" 101 " not in response


def test_endless_headers_are_refused(shared, raw):
    response = raw(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n")

    assert b" 101 " not in response


def test_a_binary_frame_is_answered_with_what_to_send_instead(talk):
    talk.send_text(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "index/status"}).encode())

    answer = talk.receive()
    assert answer["id"] is None
    assert answer["error"]["code"] == -32600
    assert "text frame" in answer["error"]["data"]["next"]
    assert talk.result("index/status")


@ON_LINUX
def test_after_all_that_the_sidecar_answers_and_has_not_grown(shared, wire, talk):
    before = rss_bytes(shared.pid)
    for _ in range(20):
        wire().send(1, b"x" * 100, claimed=1 << 40)
        wire().send(1, b"x" * (MAX_FRAME_BYTES - 10))

    assert talk.result("search", query="accordion")["hits"]
    assert rss_bytes(shared.pid) - before < 40e6
