"""The one-shot client of hooks, at a sidecar, and at servers that mean harm."""

import contextlib
import hashlib
import json
import socket
import threading
from base64 import b64encode

import pytest

from quarry.agents.hooks.events import NoContext
from quarry.agents.hooks.sidecar import Refused, SidecarConnection
from quarry.client.discovery import Discovery, ServedVault, discovery_path, write_discovery
from quarry.config import runtime_dir
from quarry.limits import PROTOCOL_VERSION
from quarry.vault.paths import vault_id

VAULT = "notes-1"
PATIENCE_S = 0.3


def accepted(key):
    digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    return b"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: " + b64encode(digest) + b"\r\n\r\n"


def frame(payload, opcode=1, *, final=True):
    size = len(payload)
    length = bytes([size]) if size < 126 else b"\x7e" + size.to_bytes(2, "big")
    return bytes([(0x80 if final else 0) | opcode]) + length + payload


def reply(request_id, result):
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode()


HELLO = reply(1, {"vault": {"id": VAULT}})


@pytest.fixture
def served(home):
    """Answer the one connection with bytes made from the handshake's key; a discovery file leads there."""
    with contextlib.ExitStack() as stack:

        def begin(answer, protocol=PROTOCOL_VERSION):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            vault = ServedVault(VAULT, "notes", "/notes")
            found = Discovery(1, listener.getsockname()[1], "0" * 64, protocol, "0", vault)
            write_discovery(discovery_path(runtime_dir(), VAULT), found)

            def run():
                with contextlib.suppress(OSError), listener.accept()[0] as stream:
                    stream.settimeout(10)
                    key = stream.recv(4096).partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
                    stream.sendall(answer(key))
                    while stream.recv(4096):
                        pass

            threading.Thread(target=run, daemon=True).start()

        yield begin


def test_a_sidecar_answers_and_what_it_refuses_is_told(at_shared):
    vault = vault_id(at_shared.vault)

    with SidecarConnection(vault) as sidecar:
        assert "Labskaus" in sidecar.ask("context", {"query": "labskaus", "minConfidence": 0})["text"]
        with pytest.raises(Refused):
            sidecar.ask("context", {"query": "x" * 70_000})
        assert sidecar.ask("index/status", {})["notes"] > 0


def test_an_answer_in_pieces_between_pings_and_news_is_read(served):
    news = frame(b'{"jsonrpc":"2.0","method":"index/progress","params":{}}')
    text = reply(2, "x" * 500)
    pieces = frame(text[:200], final=False) + frame(b"?", 9) + frame(text[200:], 0)
    served(lambda key: accepted(key) + frame(HELLO) + news + pieces)

    with SidecarConnection(VAULT) as sidecar:
        assert sidecar.ask("anything", {}) == "x" * 500


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _: b"HTTP/1.1 503 Service Unavailable\r\n\r\n", "busy"),
        (lambda _: b"HTTP/1.1 200 OK\r\n\r\n", "unreachable"),
        (lambda _: accepted(b"another key"), "unreachable"),
        (lambda _: b"x" * 100_000, "unreachable"),
        (lambda _: b"", "unreachable"),
        (accepted, "unreachable"),
        (lambda key: accepted(key) + frame(b"\x03\xe8", 8), "unreachable"),
        (lambda key: accepted(key) + b"\x81\x7f" + b"\xff" * 8, "unreachable"),
        (lambda key: accepted(key) + frame(b"no JSON"), "unreachable"),
        (lambda key: accepted(key) + frame(b"[]"), "unreachable"),
        (lambda key: accepted(key) + frame(reply(1, {"vault": {"id": "another"}})), "unreachable"),
        (lambda key: accepted(key) + frame(b'{"id":1,"error":{"code":1}}'), "refused"),
    ],
)
def test_whatever_answers_there_is_no_context_and_a_reason(served, answer, reason):
    served(answer)

    with pytest.raises(NoContext) as met:
        SidecarConnection(VAULT, PATIENCE_S)

    assert met.value.reason == reason


def test_a_sidecar_of_another_version_is_not_asked(served):
    served(accepted, protocol=PROTOCOL_VERSION + 1)

    with pytest.raises(NoContext, match="refused"):
        SidecarConnection(VAULT, PATIENCE_S)


def test_without_a_discovery_file_it_is_unreachable(home):
    with pytest.raises(NoContext, match="unreachable"):
        SidecarConnection(VAULT, PATIENCE_S)
