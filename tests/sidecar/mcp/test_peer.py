"""One conversation: what is answered, what is not, and that nothing a client sends ends it."""

import json
import random

import pytest

pytestmark = pytest.mark.slow  # starts a sidecar

FUZZ_MESSAGES = 1000
METHODS = [
    "initialize",
    "ping",
    "server/discover",
    "subscriptions/listen",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "notifications/cancelled",
    "notifications/initialized",
    "no/such/method",
    "",
]
NAMES = ["search", "read_note", "list_notes", "get_context", "find_related", "explain_result", "kickoff", "capture", 5]
KEYS = ["name", "arguments", "uri", "cursor", "_meta", "query", "path", "paths", "limit", "topic", "ref", "argument"]


def odd_value(chance, depth=0):
    kinds = [
        lambda: None,
        lambda: chance.choice([True, False]),
        lambda: chance.choice([0, -1, 5, 2**70, 1.5, 1e308]),
        lambda: "".join(chance.choice('ab"\\/:(){}[]\n\x00\u202e\ud800🌱') for _ in range(chance.randrange(30))),
        lambda: chance.choice(["search", "Home.md", "quarry://status", "quarry://note/%", "2026-07-28", "p"]),
    ]
    if depth < 3:
        kinds += [
            lambda: [odd_value(chance, depth + 1) for _ in range(chance.randrange(4))],
            lambda: {chance.choice(KEYS): odd_value(chance, depth + 1) for _ in range(chance.randrange(4))},
        ]
    return chance.choice(kinds)()


def odd_message(chance, number, envelope):
    method = chance.choice(METHODS)
    params = (
        odd_value(chance, 1) if chance.random() < 0.3 else {key: odd_value(chance) for key in chance.sample(KEYS, 2)}
    )
    if isinstance(params, dict) and chance.random() < 0.6:
        params["name"] = chance.choice(NAMES)
    if isinstance(params, dict) and chance.random() < 0.3:
        params["_meta"] = {**envelope, "progressToken": odd_value(chance)}
    message = {"jsonrpc": "2.0", "id": f"fuzz-{number}", "method": method, "params": params}
    for key in chance.sample(list(message), chance.choice([0, 0, 0, 1])):
        message[key] = odd_value(chance)
    line = json.dumps(message).encode()
    if chance.random() < 0.1:
        at = chance.randrange(len(line))
        line = line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]
    return line.replace(b"\n", b" ")


def due_id(line):
    """The id under which *line* is to be answered; None where it is none of ours, or no answer is due."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    is_request = (
        isinstance(message, dict) and message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str)
    )
    if not is_request or message["method"] in ("subscriptions/listen", ""):
        return None
    found = message.get("id")
    return found if isinstance(found, str) and found.startswith("fuzz-") else None


def is_message(value):
    if isinstance(value, list):
        return bool(value) and all(map(is_message, value))
    if value.get("jsonrpc") != "2.0":
        return False
    return "method" in value or (("result" in value) != ("error" in value) and "id" in value)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_thousand_odd_messages_end_nothing_and_every_request_is_answered(at_shared, speak, rpc, seed):
    chance = random.Random(seed)
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet()
    due, got = set(), []
    for number in range(FUZZ_MESSAGES // 2):
        line = odd_message(chance, number, rpc.ENVELOPE)
        speaker.send(line)
        if due_id(line):
            due.add(due_id(line))
        if number % 20 == 19:  # not more at a time than may wait
            speaker.ask("ping")
            got, speaker.news = got + speaker.news, []

    rest, code = speaker.leave()

    got += speaker.news + rest
    assert code == 0
    assert all(map(is_message, got))
    answered = [message["id"] for message in got if isinstance(message, dict) and "method" not in message]
    named = [found for found in answered if isinstance(found, str) and found.startswith("fuzz-")]
    assert due - set(named) == set()
    assert len(named) == len(set(named))
    assert b"Traceback" not in speaker.process.stderr.read()


def test_before_the_handshake_only_a_ping_is_answered(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)

    assert speaker.ask("ping")["result"] == {}
    assert "initialize" in speaker.ask("tools/list")["error"]["message"]
    assert speaker.greet("2031-01-01")["protocolVersion"] == "2025-11-25"


def test_a_stateless_request_stands_for_itself(at_shared, speak, rpc):
    speaker = speak(at_shared.vault, home=at_shared.home)

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


@pytest.mark.parametrize(
    ("version", "has_batches"), [("2025-03-26", True), ("2024-11-05", False), ("2025-06-18", False)]
)
def test_a_batch_is_answered_together_where_the_revision_has_them(at_shared, speak, version, has_batches):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet(version)

    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_notes"}}
    calls = [{**call, "id": "b1"}, {**call, "id": "b2"}]
    speaker.send([*calls, {"jsonrpc": "2.0", "method": "note"}, 5, {"jsonrpc": "2.0", "id": "p", "method": "ping"}])
    speaker.send([{"jsonrpc": "2.0", "method": "note"}])
    speaker.send([])

    received = [speaker.receive() for _ in range(2 if has_batches else 3)]
    together = [answers for answers in received if isinstance(answers, list)]
    refused = [answer["error"]["code"] for answer in received if isinstance(answer, dict)]
    if has_batches:
        assert [{answer["id"] for answer in answers} for answers in together] == [{"b1", "b2", "p", None}]
        assert refused == [-32600]  # the empty one; of notifications alone there is nothing to say
    else:
        assert (together, refused) == ([], [-32600] * 3)


def test_a_cancelled_call_is_not_answered_and_others_are(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet()

    slow = speaker.request("tools/call", name="search", arguments={"query": "/(a|b)+.*(c|d)+/ " + "word " * 300})
    speaker.notify("notifications/cancelled", requestId=slow, reason="no more")
    speaker.notify("notifications/cancelled", requestId=[])
    speaker.result("tools/call", name="list_notes")
    rest, code = speaker.leave()

    assert code == 0
    assert slow not in [message.get("id") for message in speaker.news + rest]


def test_the_id_of_a_call_at_work_cannot_be_used_again(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet()
    call = {"jsonrpc": "2.0", "id": "same", "method": "tools/call"}
    for _ in range(2):
        speaker.send({**call, "params": {"name": "search", "arguments": {"query": "trouble sleeping"}}})

    answers = [speaker.receive() for _ in range(2)]

    assert {"result", "error"} == {key for answer in answers for key in answer} & {"result", "error"}


def test_a_client_of_an_old_revision_is_sent_text_alone(at_shared, speak):
    speaker = speak(at_shared.vault, home=at_shared.home)
    speaker.greet("2024-11-05")

    result = speaker.tool("search", query="trouble sleeping")

    assert "structuredContent" not in result
    assert "**Health/Lying awake.md:" in result["content"][0]["text"]


def test_a_log_level_is_one_of_the_protocol(spoken):
    assert spoken.result("logging/setLevel", level="error") == {}
    assert spoken.ask("logging/setLevel", level="loud")["error"]["code"] == -32602


def test_an_engine_that_cannot_be_reached_is_an_error_and_a_warning(tmp_path, home, speak):
    (tmp_path / "gone").mkdir()
    speaker = speak(tmp_path / "gone", home=home)
    speaker.greet()
    (tmp_path / "gone").rmdir()

    result = speaker.tool("search", query="x")

    assert result["isError"]
    assert result["structuredContent"]["kind"] == "vault-missing"
    assert [message["method"] for message in speaker.news] == ["notifications/message"]
