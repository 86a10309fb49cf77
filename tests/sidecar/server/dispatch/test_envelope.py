"""Frames in, frames out: what is let in, and how whatever is wrong with a message is answered."""

import json

import pytest

from quarry import __version__, protocol

# --- the envelope -------------------------------------------------------------------------------


def test_every_method_of_the_protocol_is_answered(owner):
    params = {
        "search": {"query": "tea"},
        "search/passages": {"query": "tea", "path": "Tea.md"},
        "search/examples": {},
        "explain": {"query": "tea", "path": "Tea.md"},
        "related": {"path": "Tea.md"},
        "context": {"query": "tea"},
        "note/read": {"path": "Tea.md"},
        "inspect/note": {"path": "Tea.md"},
        "capture": {"text": "Rinse the pot first."},
        "vault/changed": {"changes": []},
        "index/forgetModel": {"id": "none"},
        "models/use": {"model": "bundled", "confirmed": []},
        "feedback": {"query": "tea", "path": "Tea.md", "kind": "opened"},
        "tiers/search": {"query": "tea"},
        "tiers/answer": {"query": "tea"},
    }
    others = [method for method in protocol.REQUESTS if method != "initialize"]

    answers = {method: owner.ask(method, **params.get(method, {})) for method in others}

    assert {method: answer["error"] for method, answer in answers.items() if "error" in answer} == {}
    assert owner.stopped
    owner.service.engine.resume()


def test_an_unknown_method_is_refused_with_a_next_step(session):
    error = session.error("divine")

    assert error["code"] == -32601
    assert "divine" in error["message"]
    assert "PROTOCOL" in error["data"]["next"]


@pytest.mark.parametrize("method", protocol.REQUESTS)
def test_an_unknown_parameter_is_refused_by_its_name(owner, stranger, frames, method):
    asker = stranger if method == "initialize" else owner
    given = {"token": frames.token, "protocol": 1, "client": {"name": "t"}} if method == "initialize" else {}

    error = asker.error(method, **given, colour="blue")

    assert error["code"] == -32602
    assert error["message"].startswith(f"{method}: ")
    assert method in error["data"]["next"]
    needs = (
        "search",
        "search/passages",
        "search/examples",
        "explain",
        "context",
        "note/read",
        "vault/changed",
        "feedback",
        "tiers/search",
        "tiers/answer",
    )
    if method not in needs:
        assert "colour" in error["message"]


def test_the_refusal_of_a_parameter_lists_those_that_there_are(session):
    error = session.error("note/read", path="Tea.md", colour="blue")

    assert "`colour`" in error["message"]
    assert error["data"]["next"] == "note/read takes these parameters: waitMs, afterMs, path, startLine, maxTokens"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("search", {}),
        ("search", {"query": None}),
        ("search", {"query": 7}),
        ("search", {"query": "a" * 4097}),
        ("search", {"query": "tea", "limit": 0}),
        ("search", {"query": "tea", "limit": 101}),
        ("search", {"query": "tea", "limit": "10"}),
        ("search", {"query": "tea", "limit": True}),
        ("search", {"query": "tea", "limit": 1.5}),
        ("search", {"query": "tea", "mode": "psychic"}),
        ("search", {"query": "tea", "maxTokens": 10}),
        ("search", {"query": "tea", "filters": {"folder": "x"}}),
        ("search", {"query": "tea", "filters": {"tags": ["x"] * 101}}),
        ("search", {"query": "tea", "weights": {"keyword": -1}}),
        ("search", {"query": "tea", "weights": {"dense": 101}}),
        ("search", {"query": "tea", "filters": None}),
        ("search", {"query": "tea", "fusion": "cold"}),
        ("search", {"query": "tea", "typing": 1}),
        ("explain", {"query": "tea"}),
        ("explain", {"query": "tea", "path": "x" * 4097}),
        ("explain", {"query": "a" * 4097, "path": "Tea.md"}),
        ("related", {"path": "Tea.md", "line": -1}),
        ("related", {"path": "Tea.md", "limit": 0}),
        ("related", {"text": "a" * 100_001}),
        ("settings/write", {"fusion": "cold"}),
        ("feedback", {"query": "tea", "path": "Tea.md", "kind": "liked"}),
        ("feedback", {"query": "a" * 4097, "path": "Tea.md", "kind": "used"}),
        ("search", {"query": "tea", "waitMs": -1}),
        ("search", {"query": "tea", "waitMs": 60_001}),
        ("context", {"query": "tea", "minConfidence": 1.5}),
        ("context", {"query": "tea", "exclude": ["x"] * 51}),
        ("note/read", {"path": ["Tea.md"]}),
        ("note/read", {"path": "x" * 4097}),
        ("note/read", {"path": "Tea.md", "startLine": -1}),
        ("notes/list", {"limit": 1001}),
        ("notes/list", {"offset": -1}),
        ("vault/changed", {"changes": [{"kind": "moved", "path": "x"}]}),
        ("vault/changed", {"changes": [{"kind": "created", "path": "x"}] * 5001}),
        ("settings/write", {"denseWeight": 1000}),
        ("settings/write", {"model": 3}),
    ],
)
def test_a_parameter_of_the_wrong_kind_or_size_is_refused(owner, method, params):
    error = owner.error(method, **params)

    assert error["code"] == -32602
    assert error["data"]["kind"] == "invalid-params"


@pytest.mark.parametrize(
    "frame",
    [
        '{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"x","limit":1e999}}',
        '{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"x","limit":' + "9" * 5000 + "}}",
        '{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":1,"method":"search","params":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"x","filters":{"tags":'
        + "[" * 100_000
        + "]" * 100_000
        + "}}}",
        "[" * 1_000_000,
        '{"a":' * 150_000,
        '{"jsonrpc":"2.0","id":' + "9" * 5000 + ',"method":"search"}',
        '{"jsonrpc":"2.0","id":1e999,"method":"search"}',
        '{"jsonrpc":"2.0","id":"\\ud800","method":"search"}',
        '{"jsonrpc":"2.0","id":1,"method":"' + "x" * 101 + '"}',
        '{"jsonrpc":"1.0","id":1,"method":"search"}',
        '{"jsonrpc":"2.0","id":1.5,"method":"search"}',
        '{"jsonrpc":"2.0","id":null,"method":"search"}',
        '{"jsonrpc":"2.0","id":true,"method":"search"}',
        '{"jsonrpc":"2.0","id":1}',
        '{"jsonrpc":"2.0","id":1,"method":"search","params":null}',
        '{"jsonrpc":"2.0","id":1,"method":"search","params":[]}',
        '{"jsonrpc":"2.0","id":1,"method":"search","params":"x"}',
        '[{"jsonrpc":"2.0","id":1,"method":"index/status"}]',
        "[]",
        "null",
        "0",
        '"x"',
        "",
        "{",
        "{}",
        "\x00",
        '{"jsonrpc":"2.0","id":1,"method":"index/status"} trailing',
        "NaN",
    ],
)
def test_no_frame_however_odd_goes_without_an_error_or_ends_the_conversation(session, frame):
    answer = session.say(frame)

    assert answer["error"]["code"] in (-32700, -32600, -32602)
    assert answer["error"]["data"]["next"]
    assert session.result("index/status")["state"]


def test_the_last_of_two_keys_counts_as_json_says(session):
    frame = '{"jsonrpc":"2.0","id":1,"id":2,"method":"notes/list","params":{"limit":5,"limit":1}}'

    answer = session.say(frame)

    assert answer["id"] == 2
    assert len(answer["result"]["notes"]) == 1


@pytest.mark.parametrize(
    ("frame", "request_id"),
    [
        ('{"jsonrpc":"1.0","id":7,"method":"search"}', 7),
        ('{"id":"seven","method":"search"}', "seven"),
        ('{"jsonrpc":"2.0","id":7,"method":3}', 7),
        ('{"jsonrpc":"2.0","id":[7],"method":"search"}', None),
    ],
)
def test_a_bad_envelope_is_answered_under_its_id_where_that_can_be_read(session, frame, request_id):
    answer = session.say(frame)

    assert answer["id"] == request_id
    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize("method", ["index/status", "search", "$/cancel", "nothing/at/all", "initialize"])
def test_a_notification_is_never_answered(session, method):
    assert session.say(json.dumps({"jsonrpc": "2.0", "method": method, "params": {"nonsense": 1}})) is None


def test_an_answer_carries_the_id_as_it_came(session, frames):
    assert session.say(frames.request("a-1", "index/status"))["id"] == "a-1"
    assert session.say(frames.request(-(2**62), "index/status"))["id"] == -(2**62)


# --- coming in ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [method for method in protocol.REQUESTS if method != "initialize"])
def test_nothing_is_answered_before_the_token(stranger, frames, method):
    error = stranger.error(method)

    assert error["code"] == -32001
    assert not stranger.stopped


def test_a_client_of_another_protocol_is_told_which_side_to_update(stranger, frames):
    error = stranger.error("initialize", token=frames.token, protocol=0, client={"name": "old"})

    assert error["code"] == -32002
    assert "protocol 0" in error["message"]
    assert __version__ in error["message"]
    assert not stranger.conversation.is_authenticated


def test_the_protocol_is_told_to_nobody_without_the_token(stranger, frames):
    error = stranger.error("initialize", token="0" * 64, protocol=0, client={"name": "old"})

    assert error["code"] == -32001


def test_an_open_connection_is_no_place_to_try_tokens(session):
    error = session.error("initialize", token="0" * 64, protocol=1, client={"name": "t"})

    assert error["code"] == -32600
    assert session.service.gate.failures == 0
