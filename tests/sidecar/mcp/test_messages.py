import json

import pytest

from quarry.mcp import messages
from quarry.mcp.messages import McpNotification, McpRequest, ProtocolError, encoded, envelope, parsed


def test_requests_notifications_and_answers_are_told_apart():
    assert envelope({"jsonrpc": "2.0", "id": "a", "method": "ping"}) == McpRequest("a", "ping", {})
    assert envelope({"jsonrpc": "2.0", "method": "note", "params": {"x": 1}}) == McpNotification("note", {"x": 1})
    assert envelope({"jsonrpc": "2.0", "method": "note", "params": [1]}) == McpNotification("note", {})
    assert envelope({"jsonrpc": "2.0", "id": 1, "result": {}}) is None
    assert envelope({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}) is None


@pytest.mark.parametrize(
    ("value", "code", "request_id"),
    [
        (5, messages.INVALID_REQUEST, None),
        ({}, messages.INVALID_REQUEST, None),
        ({"jsonrpc": "1.0", "id": 3, "method": "ping"}, messages.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": 3}, messages.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": 7}, messages.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, messages.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, messages.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, messages.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]}, messages.INVALID_PARAMS, 3),
    ],
)
def test_what_is_no_message_is_refused_under_its_id_where_that_can_be_read(value, code, request_id):
    with pytest.raises(ProtocolError) as refused:
        envelope(value)

    assert (refused.value.code, refused.value.request_id) == (code, request_id)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"nonsense", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b"1" * 5000, b'"\\ud800']
)
def test_what_is_no_json_is_a_parse_error(raw):
    with pytest.raises(ProtocolError) as refused:
        parsed(raw)

    assert refused.value.code == messages.PARSE_ERROR


def test_a_message_is_one_line_of_utf_8_whatever_it_quotes():
    lines = [encoded({"text": text}) for text in ("a\nb\u2028c", "🌱", "\ud800")]

    assert [json.loads(line.decode())["text"] for line in lines] == ["a\nb\u2028c", "🌱", "\ud800"]
    assert not any(b"\n" in line for line in lines)
    assert "🌱".encode() in lines[1]


def test_an_error_without_an_id_has_the_id_null():
    assert messages.error_message(ProtocolError(-1, "x"))["id"] is None
    assert messages.error_message(ProtocolError(-1, "x", request_id=0))["id"] == 0
    assert messages.error_message(ProtocolError(-1, "x"), 0)["id"] == 0
