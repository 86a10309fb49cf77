import base64

import pytest

from quarry.mcp.http_requests import HttpRefusal, HttpRequest, check_headers, id_of, is_stateless
from quarry.mcp.messages import McpRequest, ProtocolError

VERSION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": VERSION}


def asked(**headers):
    return HttpRequest("POST", {name.replace("_", "-"): [value] for name, value in headers.items()}, b"")


@pytest.mark.parametrize(
    ("value", "version", "stateless"),
    [
        ({"params": {"_meta": META}}, None, True),
        ({"params": {}}, VERSION, True),
        ({"params": {"_meta": {"progressToken": 1}}}, "2025-11-25", False),
        ({"params": 5}, None, False),
        ([], None, False),
    ],
)
def test_a_body_or_a_header_says_that_a_request_stands_for_itself(value, version, stateless):
    assert is_stateless(value, version) is stateless


def test_headers_that_say_what_the_body_says_pass_also_where_they_are_encoded():
    name = f"=?base64?{base64.b64encode('quarry://note/ü.md'.encode()).decode()}?="
    request = McpRequest(1, "resources/read", {"uri": "quarry://note/ü.md", "_meta": META})

    check_headers(asked(mcp_method="resources/read", mcp_name=name, mcp_protocol_version=VERSION), request)


@pytest.mark.parametrize(
    "changed",
    [{"mcp_method": "tools/list"}, {"mcp_name": "other"}, {"mcp_name": "=?base64?!?="}, {"mcp_protocol_version": "1"}],
)
def test_headers_that_say_something_else_are_refused(changed):
    right = {"mcp_method": "tools/call", "mcp_name": "search", "mcp_protocol_version": VERSION}
    request = McpRequest(1, "tools/call", {"name": "search", "_meta": META})

    with pytest.raises(ProtocolError) as refused:
        check_headers(asked(**{**right, **changed}), request)

    assert refused.value.code == -32020


def test_a_header_that_stands_twice_is_refused():
    twice = HttpRequest("POST", {"mcp-method": ["a", "a"]}, b"")

    with pytest.raises(HttpRefusal) as refused:
        twice.header("mcp-method")

    assert refused.value.status == 400


def test_an_id_is_a_string_or_a_whole_number():
    assert [id_of({"id": value}) for value in ("a", 0, True, None, 1.5)] == ["a", 0, None, None, None]
    assert id_of([]) is None
