"""`quarry mcp` over a pipe: nothing but messages, no call lost, no process left."""

import json
import subprocess
import sys

import pytest

from quarry.mcp.stdio import MAX_LINE_BYTES

pytestmark = pytest.mark.slow  # starts processes


def test_what_is_no_message_is_answered_once_and_the_next_is_served(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)

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


def test_calls_at_work_are_answered_when_the_input_ends(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet()

    ids = [speaker.request("tools/call", name="search", arguments={"query": f"sleep {n}"}) for n in range(12)]
    rest, code = speaker.leave()

    assert code == 0
    assert {message["id"] for message in rest if "result" in message} == set(ids)


def test_a_subscription_is_ended_with_its_result_when_the_input_ends(at_shared, speak, rpc):
    speaker = speak(at_shared.vault, home=at_shared.home)
    wanted = {"resourcesListChanged": True, "toolsListChanged": True}

    listening = speaker.request("subscriptions/listen", _meta=rpc.ENVELOPE, notifications=wanted)
    acknowledged = speaker.receive()
    rest, code = speaker.leave()

    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["notifications"] == {"resourcesListChanged": True}
    assert code == 0
    assert [message["id"] for message in rest] == [listening]
    assert rest[0]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listening


def test_a_client_that_reads_no_more_ends_it(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet()

    speaker.process.stdout.close()
    for _ in range(50):
        try:
            speaker.request("tools/list")
        except BrokenPipeError:
            break

    speaker.process.stdin.close()
    assert speaker.process.wait(60) == 0


def test_the_engine_is_made_ready_before_the_first_question(vault, home, speak, found, tools):
    speaker = speak(vault, home=home)

    speaker.greet()

    assert tools.eventually(lambda: found(home, vault), "a sidecar")


def test_without_a_vault_it_says_so_on_stderr_only(tmp_path, home, speak):
    speaker = speak(tmp_path / "nowhere", home=home)

    rest, code = speaker.leave()

    assert (rest, code) == ([], 4)
    assert b"nowhere" in speaker.process.stderr.read()


def test_one_folder_is_no_two_vaults(vault, home, speak):
    speaker = speak(vault, vault / ".." / vault.name, home=home)

    rest, code = speaker.leave()

    assert (rest, code) == ([], 2)
    assert b"twice" in speaker.process.stderr.read()


GREETING = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
)


def test_a_handshake_imports_no_engine(at_shared, tools):
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
    assert not imported & {"numpy", "apsw", "asyncio", "mcp", "h11", "pydantic", "tomlkit"}
