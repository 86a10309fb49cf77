"""One connection by itself: a client that is slow, silent or gone costs it its connection, and nothing else."""

import contextlib
import socket
import threading

import pytest

from quarry.mcp import http_connection
from quarry.mcp.http_connection import HttpConnection
from quarry.mcp.http_sessions import Sessions
from quarry.mcp.server import Server
from quarry.mcp.vaults import Vaults

PATIENCE_S = 30.0
TOKEN = "t" * 64
HEAD = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:5\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\n"
    b"Content-Type: application/json\r\n"
)
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
GREETING = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'


@pytest.fixture
def client(tmp_path):
    """A socket whose other end is served."""
    ours, theirs = socket.socketpair()
    server = Server(Vaults([tmp_path]))
    connection = HttpConnection(theirs, Sessions(server), server, TOKEN, 5, threading.Event())

    def serve():
        with theirs, contextlib.suppress(OSError):
            connection.run()

    thread = threading.Thread(target=serve, daemon=True)
    ours.settimeout(PATIENCE_S)
    thread.start()
    yield ours
    ours.close()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


def said(client, *, until):
    received = b""
    while until not in received:
        piece = client.recv(65536)
        if not piece:
            break
        received += piece
    return received


def body(content):
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content


def test_requests_follow_each_other_on_one_connection(client):
    client.sendall(body(GREETING))
    first = said(client, until=b"}}")
    session = first.split(b"Mcp-Session-Id: ")[1].split(b"\r\n")[0]

    client.sendall(HEAD + b"Mcp-Session-Id: " + session + b"\r\nContent-Length: %d\r\n\r\n" % len(PING) + PING)

    assert first.startswith(b"HTTP/1.1 200")
    assert said(client, until=b'"result":{}').startswith(b"HTTP/1.1 200")


def test_a_request_that_never_comes_whole_is_given_up(client, monkeypatch):
    monkeypatch.setattr(http_connection, "READ_S", 0.05)
    monkeypatch.setattr(http_connection, "LINGER_S", 0.05)

    client.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")

    assert said(client, until=b"in time").startswith(b"HTTP/1.1 408")


@pytest.fixture
def briefly(monkeypatch):
    """Whoever is unknown has little time."""
    monkeypatch.setattr(http_connection, "READ_S", 0.05)


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\nHost:"])
def test_who_has_not_shown_the_token_may_not_be_idle(briefly, client, begun):
    client.sendall(begun)

    assert said(client, until=b"never") == b""  # closed; `IDLE_S` is longer than the patience of this test


def test_a_refused_request_is_answered_before_its_body_is_read(client, monkeypatch):
    monkeypatch.setattr(http_connection, "LINGER_S", 0.05)

    client.sendall(HEAD.replace(b"Bearer t", b"Bearer x") + b"Content-Length: 1000000\r\n\r\n")

    answer = said(client, until=b"Bearer TOKEN")
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"WWW-Authenticate: Bearer" in answer
    assert said(client, until=b"never") == b""


def test_a_client_that_waits_for_leave_to_send_gets_it(client):
    client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(GREETING))
    leave = said(client, until=b"\r\n\r\n")

    client.sendall(GREETING)

    assert leave.startswith(b"HTTP/1.1 100")
    assert b"HTTP/1.1 200" in said(client, until=b"}}")


def test_a_client_that_leaves_in_the_middle_ends_it(client):
    client.sendall(HEAD)
    client.close()
