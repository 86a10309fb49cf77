"""The connection, with websockets' own server at the other end, and with servers that mean harm."""

import base64
import contextlib
import hashlib
import socket
import threading
import time

import pytest
from websockets.sync.server import serve

from quarry.client.websocket_client import (
    MAX_HEADER_BYTES,
    ConnectionLost,
    HandshakeRefused,
    WebSocketConnection,
)

PATIENCE_S = 30.0
SHORT_S = 0.2
LIMIT = 300_000


def connected(port, timeout_s=PATIENCE_S):
    return contextlib.closing(WebSocketConnection(port, timeout_s=timeout_s, max_message_bytes=LIMIT))


@pytest.fixture
def served():
    """Serve a handler with websockets; gives the port."""
    with contextlib.ExitStack() as open_servers:

        def begin(handler):
            server = open_servers.enter_context(serve(handler, "127.0.0.1", 0, compression=None))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            open_servers.callback(thread.join)
            open_servers.callback(server.shutdown)
            return server.socket.getsockname()[1]

        yield begin


@pytest.fixture
def hostile():
    """Serve one connection with a function of a socket and the request's key; gives the port."""
    threads, listeners = [], []

    def begin(behave):
        listener = socket.create_server(("127.0.0.1", 0))

        def run():
            stream, _ = listener.accept()
            with stream, contextlib.suppress(OSError):
                stream.settimeout(PATIENCE_S)
                request = b""
                while b"\r\n\r\n" not in request:
                    request += stream.recv(4096)
                key = request.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
                behave(stream, key)

        listeners.append(listener)
        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return listener.getsockname()[1]

    yield begin
    for listener in listeners:
        listener.close()
    for thread in threads:
        thread.join(PATIENCE_S)


def accept_of(key):
    return base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())


def switching(key, *more):
    head = [b"HTTP/1.1 101 Switching Protocols", b"Upgrade: websocket", b"Connection: Upgrade"]
    return b"\r\n".join([*head, b"Sec-WebSocket-Accept: " + accept_of(key), *more, b"", b""])


def saying(*pieces):
    """A server that opens the WebSocket, sends *pieces* and waits for the client to leave."""

    def behave(stream, key):
        stream.sendall(switching(key))
        for piece in pieces:
            stream.sendall(piece)
        while stream.recv(4096):
            pass

    return behave


def answering(head):
    """A server that answers the handshake with *head*, in which KEY stands for the right answer."""

    def behave(stream, key):
        stream.sendall(head.replace(b"KEY", accept_of(key)))
        stream.recv(4096)

    return behave


@pytest.mark.parametrize("size", [0, 5, 200, 70_000])
def test_messages_go_both_ways(served, size):
    def echo(server):
        for message in server:
            server.send(message[::-1])

    with connected(served(echo)) as client:
        for number in range(3):
            client.send(f"{number}{'é' * size}", PATIENCE_S)
            assert client.receive(PATIENCE_S) == f"{'é' * size}{number}"


def test_fragments_are_put_together(served):
    with connected(served(lambda server: server.send(["soft-", "boiled ", "", "eggs"]))) as client:
        assert client.receive(PATIENCE_S) == "soft-boiled eggs"


def test_a_ping_is_answered_while_we_wait(served):
    def handler(server):
        if server.ping().wait(PATIENCE_S):
            server.send("answered")

    with connected(served(handler)) as client:
        assert client.receive(PATIENCE_S) == "answered"


def test_what_the_server_closes_with_is_told(served):
    with (
        connected(served(lambda server: server.close(4401, "no token"))) as client,
        pytest.raises(ConnectionLost, match="4401 no token") as lost,
    ):
        client.receive(PATIENCE_S)

    assert lost.value.code == 4401


def test_the_server_sees_that_we_leave(served):
    codes = []
    left = threading.Event()

    def handler(server):
        with contextlib.suppress(Exception):
            server.recv()
        codes.append(server.close_code)
        left.set()

    with connected(served(handler)):
        pass

    assert left.wait(PATIENCE_S)
    assert codes == [1000]


def test_waiting_has_an_end_and_what_came_until_then_is_kept(hostile):
    go_on = threading.Event()

    def behave(stream, key):
        stream.sendall(switching(key) + b"\x81\x05so")
        go_on.wait(PATIENCE_S)
        stream.sendall(b"ft!")

    with connected(hostile(behave)) as client:
        with pytest.raises(TimeoutError):
            client.receive(SHORT_S)
        go_on.set()

        assert client.receive(PATIENCE_S) == "soft!"


def test_what_comes_with_the_handshake_is_read(hostile):
    with connected(hostile(lambda stream, key: stream.sendall(switching(key) + b"\x81\x03tea"))) as client:
        assert client.receive(PATIENCE_S) == "tea"
        with pytest.raises(ConnectionLost, match="closed it"):
            client.receive(PATIENCE_S)


@pytest.mark.parametrize("dripping", [b"\x89\x00", b"\x01\x00" + b"\x00\x00" * 4])
def test_a_server_that_keeps_us_busy_does_not_put_the_end_off(hostile, dripping):
    stop = threading.Event()

    def behave(stream, key):
        stream.sendall(switching(key) + dripping)
        while not stop.wait(0.01):
            stream.sendall(dripping[-2:])

    with connected(hostile(behave)) as client, pytest.raises(TimeoutError):
        client.receive(SHORT_S)
    stop.set()


@pytest.mark.parametrize(
    "frames",
    [b"\x82\x00", b"\x81\x80abcd", b"\xc1\x00", b"\x81\x7f" + (2**40).to_bytes(8, "big"), b"\x81\x01\xff", b"\x80\x00"],
)
def test_a_server_that_breaks_the_protocol_is_left(hostile, frames):
    with connected(hostile(saying(frames))) as client:
        with pytest.raises(ConnectionLost, match="does not follow the WebSocket protocol"):
            client.receive(PATIENCE_S)
        with pytest.raises(ConnectionLost):
            client.send("still there?", PATIENCE_S)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"220 smtp ready\r\n\r\n", "not HTTP"),
        (b"\x00" * 100 + b"\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "status 200"),
        (b"HTTP/1.1 101 Yes\r\n\r\n", "does not open"),
        (b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "does not open"),
        (
            b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: aaaa\r\n\r\n",
            "does not open",
        ),
        (
            b"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: KEY\r\n"
            b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
            "does not open",
        ),
        (b"HTTP/1.1 101 Yes\r\nX: " + b"x" * (MAX_HEADER_BYTES + 1), "bytes of headers"),
        (b"", "closed it"),
    ],
)
def test_what_opens_no_websocket_is_refused(hostile, head, reason):
    behave = answering(head) if head else lambda stream, key: None
    with pytest.raises(HandshakeRefused, match=reason):
        WebSocketConnection(hostile(behave), timeout_s=PATIENCE_S, max_message_bytes=LIMIT)


def test_the_status_of_a_refusal_is_told(hostile):
    with pytest.raises(HandshakeRefused) as refused:
        WebSocketConnection(
            hostile(answering(b"HTTP/1.1 503 Busy\r\n\r\n")), timeout_s=PATIENCE_S, max_message_bytes=LIMIT
        )

    assert refused.value.status == 503


def test_a_server_that_never_answers_is_given_up_on(hostile):
    stop = threading.Event()
    port = hostile(lambda stream, key: stop.wait(PATIENCE_S))

    with pytest.raises(TimeoutError):
        WebSocketConnection(port, timeout_s=SHORT_S, max_message_bytes=LIMIT)
    stop.set()


def test_headers_that_never_end_are_given_up_on(hostile):
    stop = threading.Event()

    def behave(stream, key):
        while not stop.wait(0.01):
            stream.sendall(b"X: y\r\n")

    with pytest.raises(TimeoutError):
        WebSocketConnection(hostile(behave), timeout_s=SHORT_S, max_message_bytes=LIMIT)
    stop.set()


def test_a_port_where_nobody_listens_is_an_error_of_the_system():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(ConnectionRefusedError):
        WebSocketConnection(port, timeout_s=PATIENCE_S, max_message_bytes=LIMIT)


def test_a_server_that_reads_nothing_does_not_hold_us_for_ever(hostile):
    stop = threading.Event()

    def behave(stream, key):
        stream.sendall(switching(key))
        stop.wait(PATIENCE_S)

    with connected(hostile(behave)) as client:
        began_s = time.monotonic()
        with pytest.raises(TimeoutError):
            client.send("x" * 50_000_000, SHORT_S)
        assert time.monotonic() - began_s < PATIENCE_S
    stop.set()
