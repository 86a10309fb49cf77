"""`quarry mcp` over a pipe: only messages, no call lost, no process left, and nothing a client sends ends it."""

import io
import json
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import version as sdk

from quarry.mcp import stdio
from quarry.mcp.server import METHODS as METHOD_TABLE
from quarry.mcp.server import TOOLS
from quarry.mcp.stdio import MAX_LINE_BYTES, STATELESS_VERSION, Session
from quarry.mcp.vaults import Vaults


@pytest.fixture
def answer(tmp_path):
    """What a new conversation answers to one line, without a process of its own: the messages."""

    def answered(line):
        sink = io.BytesIO()
        Session(Vaults([tmp_path]), sink).receive(line if isinstance(line, bytes) else json.dumps(line).encode())
        return [json.loads(written) for written in sink.getvalue().splitlines()]

    return answered


def test_the_revisions_are_those_that_the_sdk_speaks():
    assert stdio.HANDSHAKE_VERSIONS == sdk.HANDSHAKE_PROTOCOL_VERSIONS
    assert (stdio.STATELESS_VERSION,) == sdk.MODERN_PROTOCOL_VERSIONS


@pytest.mark.parametrize(
    "value",
    [
        {"jsonrpc": "2.0", "method": "note", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}},
        b"  \t ",
    ],
)
def test_notifications_and_answers_are_not_answered(answer, value):
    assert answer(value) == []


@pytest.mark.parametrize(
    ("value", "code", "request_id"),
    [
        (5, -32600, None),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], -32600, None),
        ({}, -32600, None),
        ({"jsonrpc": "1.0", "id": 3, "method": "ping"}, -32600, 3),
        ({"jsonrpc": "2.0", "id": 3}, -32600, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": 7}, -32600, 3),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]}, -32602, 3),
        ({"jsonrpc": "2.0", "id": 0, "method": "no/such"}, -32600, 0),
        *((raw, -32700, None) for raw in (b"{", b"nonsense", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b"1" * 5000)),
    ],
)
def test_an_invalid_message_is_refused_under_its_id_where_that_can_be_read(answer, value, code, request_id):
    (refused,) = answer(value)

    assert (refused["error"]["code"], refused["id"]) == (code, request_id)


def test_a_message_is_one_line_of_utf_8_whatever_it_quotes():
    lines = [stdio.encoded({"text": text}) for text in ("a\nb\u2028c", "🌱", "\ud800")]

    assert [json.loads(line.decode())["text"] for line in lines] == ["a\nb\u2028c", "🌱", "\ud800"]
    assert not any(b"\n" in line for line in lines)
    assert "🌱".encode() in lines[1]


# --- in a process of its own -----------------------------------------------------------------------


METHODS = [*METHOD_TABLE, "initialize", "ping", "server/discover", "notifications/cancelled", "no/such/method", ""]
TOOL_NAMES = [*TOOLS, "kickoff", "no-such-tool"]
KEYS = ["name", "arguments", "uri", "cursor", "_meta", "query", "path", "paths", "limit", "topic", "ref", "argument"]
LEAVES = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 5, 2**70, 1.5, 1e308, "Home.md", "quarry://status", "quarry://note/%", STATELESS_VERSION])
    | st.text('ab"\\/:(){}[]\n\x00\u202e\ud800🌱', max_size=30)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
)
CALLS = st.fixed_dictionaries({"name": st.sampled_from(TOOL_NAMES) | LEAVES, "arguments": VALUES})
MESSAGES = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0") | st.just("2.0") | LEAVES,
        "method": st.sampled_from(METHODS) | st.just("tools/call") | LEAVES,
        "params": CALLS | VALUES,
    },
    optional={"id": st.integers(10**6) | VALUES},
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, derandomize=True)
@given(MESSAGES)
def test_odd_messages_end_nothing_and_every_request_is_answered_once(spoken, message):
    request_id = message.get("id")
    is_request = message["jsonrpc"] == "2.0" and isinstance(message["method"], str) and type(request_id) is int
    spoken.news.clear()

    spoken.send(message)
    answer = spoken.answer(request_id) if is_request else None
    spoken.ask("ping")

    assert not is_request or ("result" in answer) != ("error" in answer)
    assert [found for found in spoken.news if is_request and found.get("id") == request_id] == []
    assert spoken.process.poll() is None


@pytest.mark.slow
def test_before_the_handshake_only_a_ping_is_answered(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home, greet=None)

    assert speaker.ask("ping")["result"] == {}
    assert "initialize" in speaker.ask("tools/list")["error"]["message"]
    assert speaker.greet("2031-01-01")["protocolVersion"] == "2025-11-25"


@pytest.mark.slow
def test_a_stateless_request_stands_for_itself(at_shared, speak, rpc):
    speaker = speak(at_shared.vault, home=at_shared.home, greet=None)

    found = speaker.result("server/discover", _meta=rpc.ENVELOPE)
    listed = speaker.result("tools/list", _meta=rpc.ENVELOPE)
    other = {**rpc.ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}

    assert found["supportedVersions"] == ["2026-07-28"]
    assert (found["resultType"], found["cacheScope"]) == ("complete", "private")
    assert listed["ttlMs"] > 0
    assert listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "quarry"
    refused = speaker.ask("tools/list", _meta=other)["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, ["2026-07-28"])
    assert speaker.ask("ping", _meta=rpc.ENVELOPE)["error"]["code"] == -32601
    assert speaker.ask("server/discover")["error"]["code"] == -32602
    assert speaker.ask("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})["error"]


@pytest.mark.slow
def test_a_cancelled_call_is_not_answered_and_others_are(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)

    slow = speaker.request("tools/call", name="search", arguments={"query": "/(a|b)+.*(c|d)+/ " + "word " * 300})
    speaker.notify("notifications/cancelled", requestId=slow, reason="no more")
    speaker.notify("notifications/cancelled", requestId=[])
    speaker.result("tools/call", name="list_notes")
    rest, code = speaker.leave()

    assert code == 0
    assert slow not in [message.get("id") for message in speaker.news + rest]


@pytest.mark.slow
def test_the_id_of_a_call_at_work_cannot_be_used_again(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    call = {"jsonrpc": "2.0", "id": "same", "method": "tools/call"}
    for _ in range(2):
        speaker.send({**call, "params": {"name": "search", "arguments": {"query": "trouble sleeping"}}})

    answers = [speaker.receive() for _ in range(2)]

    assert {"result", "error"} == {key for answer in answers for key in answer} & {"result", "error"}


@pytest.mark.slow
def test_a_client_of_an_old_revision_is_sent_text_alone(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home, greet="2024-11-05")

    result = speaker.tool("search", query="trouble sleeping")

    assert "structuredContent" not in result
    assert "**Health/Lying awake.md:" in result["content"][0]["text"]


@pytest.mark.slow
def test_what_is_no_message_is_answered_once_and_the_next_is_served(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home, greet=None)

    speaker.send(b"no JSON")
    speaker.send(b"")
    speaker.send(b"  \t ")
    speaker.send(b'{"jsonrpc":"2.0"')
    speaker.send(b"\xff\xfe")
    speaker.send(b"x" * (MAX_LINE_BYTES * 2))
    answers = [speaker.receive() for _ in range(4)]

    assert [answer["error"]["code"] for answer in answers] == [-32700, -32700, -32700, -32600]
    assert all(answer["id"] is None for answer in answers)
    assert speaker.greet()["serverInfo"]["name"] == "quarry"


@pytest.mark.slow
def test_calls_at_work_are_answered_when_the_input_ends(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)

    ids = [speaker.request("tools/call", name="search", arguments={"query": f"sleep {n}"}) for n in range(12)]
    rest, code = speaker.leave()

    assert code == 0
    assert {message["id"] for message in rest if "result" in message} == set(ids)


@pytest.mark.slow
def test_a_client_that_reads_no_more_ends_it(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)

    speaker.process.stdout.close()
    for _ in range(50):
        try:
            speaker.request("tools/list")
        except BrokenPipeError:
            break

    speaker.process.stdin.close()
    assert speaker.process.wait(60) == 0
    assert b"reads no more" in speaker.process.stderr.read()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGSEGV])
def test_an_end_that_is_not_the_clients_is_reported(at_shared, speak, number):
    speaker = speak(at_shared.vault, home=at_shared.home)

    speaker.process.send_signal(number)

    assert speaker.process.wait(60) == -number
    assert (b"SIGTERM" if number == signal.SIGTERM else b"Segmentation fault") in speaker.process.stderr.read()


@pytest.mark.slow
def test_the_engine_is_made_ready_before_the_first_question(vault, home, speak, found, tools):
    speak(vault, home=home)

    assert tools.eventually(lambda: found(home, vault), "a sidecar")


@pytest.mark.slow
def test_without_a_vault_it_says_so_on_stderr_only(tmp_path, home, speak):
    speaker = speak(tmp_path / "nowhere", home=home, greet=None)

    rest, code = speaker.leave()

    assert (rest, code) == ([], 4)
    assert b"nowhere" in speaker.process.stderr.read()


GREETING = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
)


@pytest.mark.slow
def test_a_handshake_imports_no_engine_and_no_sdk(at_shared, tools):
    command = [sys.executable, "-X", "importtime", "-P", "-m", "quarry", "mcp", "--vault", str(at_shared.vault)]

    done = subprocess.run(
        command,
        input=f"{GREETING}\n".encode(),
        capture_output=True,
        check=True,
        env=tools.environment(at_shared.home),
    )

    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.decode().splitlines()}
    assert b'"protocolVersion":"2025-06-18"' in done.stdout.replace(b" ", b"")
    assert "quarry" in imported
    assert not imported & {"numpy", "apsw", "mcp", "h11", "pydantic", "uvicorn", "tomlkit"}
