"""MCP over HTTP on this machine: by the official SDK, by hand, and by those who may not."""

import asyncio
import contextlib
import http.client
import json
import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.slow  # starts processes

PATIENCE_S = 60.0
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}


class Served:
    """`quarry mcp --http` in a process of its own."""

    def __init__(self, *vaults, env):
        named = [part for vault in vaults for part in ("--vault", str(vault))]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "quarry", "mcp", "--http", "--port", "0", *named],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        about = json.loads(self.process.stdout.readline())
        self.url, self.token_file = about["url"], Path(about["tokenFile"])
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.token = json.loads(self.token_file.read_text())["token"]

    def request(self, method="POST", body=None, path="/mcp", **headers):
        """The answer's status, headers and body; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, documents/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection.request(method, path, data, {name: value for name, value in sent.items() if value is not None})
        answer = connection.getresponse()
        read = answer.status, answer.headers, answer.read()
        connection.close()
        return read

    def greet(self):
        status, headers, _ = self.request(body=GREETING)
        assert status == 200
        return headers["Mcp-Session-Id"]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


@pytest.fixture(scope="module")
def served(shared):
    import os

    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    server = Served(shared.vault, env={**env, "QUARRY_HOME": str(shared.home)})
    yield server
    server.end()


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdk_finds_and_reads_over_http(served, mode):
    async def body():
        async with asyncio.timeout(PATIENCE_S), contextlib.AsyncExitStack() as stack:
            headers = {"Authorization": f"Bearer {served.token}"}
            web = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, trust_env=False))
            client = await stack.enter_async_context(
                Client(streamable_http_client(served.url, http_client=web), mode=mode)
            )
            found = await client.call_tool("search", {"query": "trouble sleeping"})
            note = await client.read_resource("quarry://note/Health/Lying%20awake.md")
            return client.protocol_version, found, note, [tool.name for tool in (await client.list_tools()).tools]

    version, found, note, tools = asyncio.run(body())

    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert found.structured_content["results"][0]["file_path"] == "Health/Lying awake.md"
    assert "ten past two" in note.contents[0].text
    assert "search" in tools


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (401, {"Authorization": None}),
        (401, {"Authorization": "Bearer wrong"}),
        (401, {"Authorization": "Basic eDp5"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://127.0.0.1:8537"}),
        (403, {"method": "OPTIONS", "Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}),
        (421, {"Host": "evil.example"}),
        (421, {"Host": "evil.example:80"}),
        (415, {"Content_Type": "documents/plain"}),
        (415, {"Content_Type": "application/x-www-form-urlencoded"}),
        (404, {"path": "/"}),
        (404, {"path": "/mcp/../x"}),
        (405, {"method": "PUT"}),
        (405, {"method": "GET"}),
        (404, {"Mcp_Session_Id": "0" * 32, "body": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}),
        (404, {"method": "DELETE", "Mcp_Session_Id": "0" * 32}),
        (400, {"body": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}),
        (400, {"MCP_Protocol_Version": "1999-01-01"}),
        (400, {"body": b"{"}),
    ],
)
def test_who_may_not_ask_or_asks_amiss_is_refused_by_status(served, status, request_):
    found, headers, _ = served.request(**{"body": GREETING, **request_})

    assert found == status
    assert not [name for name in headers if name.lower().startswith("access-control")]


def test_a_body_that_is_too_large_is_refused(served):
    assert served.request(body=b" " * (4 * 2**20 + 1))[0] == 413


def test_a_session_is_begun_used_and_ended(served):
    session = served.greet()
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_notes"}}

    listed = served.request(body=call, Mcp_Session_Id=session)
    told = served.request(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)
    ended = served.request("DELETE", Mcp_Session_Id=session)
    after = served.request(body=call, Mcp_Session_Id=session)

    assert json.loads(listed[2])["result"]["structuredContent"]["total"] > 10
    assert [answer[0] for answer in (listed, told, ended, after)] == [200, 202, 204, 404]


@pytest.mark.parametrize(
    ("status", "code", "headers"),
    [
        (200, None, {}),
        (400, -32020, {"Mcp_Method": "tools/list"}),
        (400, -32020, {"Mcp_Name": None}),
        (400, -32020, {"MCP_Protocol_Version": "2025-11-25"}),
        (200, None, {"Mcp_Name": "=?base64?bGlzdF9ub3Rlcw==?="}),
    ],
)
def test_a_stateless_request_says_the_same_in_headers_and_body(served, rpc, status, code, headers):
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_notes", "_meta": rpc.ENVELOPE}}
    right = {"MCP_Protocol_Version": rpc.STATELESS, "Mcp_Method": "tools/call", "Mcp_Name": "list_notes"}

    found, _, body = served.request(body=call, **{**right, **headers})

    assert found == status
    assert json.loads(body).get("error", {}).get("code") == code


def test_an_unknown_method_of_a_stateless_request_is_404(served, rpc):
    call = {"jsonrpc": "2.0", "id": 2, "method": "no/such", "params": {"_meta": rpc.ENVELOPE}}

    status, _, body = served.request(body=call, MCP_Protocol_Version=rpc.STATELESS, Mcp_Method="no/such")

    assert (status, json.loads(body)["error"]["code"]) == (404, -32601)


def test_a_session_has_one_stream_which_ends_with_it(served):
    session = served.greet()
    stream = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    headers = {"Authorization": f"Bearer {served.token}", "Mcp-Session-Id": session, "Accept": "documents/event-stream"}
    stream.request("GET", "/mcp", headers=headers)
    opened = stream.getresponse()

    second = served.request("GET", Mcp_Session_Id=session)[0]
    first_line = opened.readline()
    served.request("DELETE", Mcp_Session_Id=session)
    rest = opened.read()
    stream.close()

    assert (opened.status, opened.headers["Content-Type"]) == (200, "documents/event-stream")
    assert (second, first_line, rest.strip()) == (409, b":\n", b"")


@pytest.mark.parametrize(
    "said",
    [
        b"\x00" * 100,
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_what_is_no_http_ends_its_connection_and_no_other(served, said):
    address = ("127.0.0.1", served.port)
    with socket.create_connection(address, timeout=PATIENCE_S) as stream, contextlib.suppress(ConnectionError):
        stream.sendall(said)
        answer = stream.recv(65536)
        assert b" 200 " not in answer.partition(b"\r\n")[0]

    assert served.greet()


def test_more_sessions_than_may_be_end_the_oldest(served):
    first = served.greet()
    sessions = [served.greet() for _ in range(32)]
    ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}

    assert served.request(body=ping, Mcp_Session_Id=first)[0] == 404
    assert served.request(body=ping, Mcp_Session_Id=sessions[-1])[0] == 200


def test_the_token_is_in_a_file_of_this_user_alone_is_kept_and_opens_no_other_vault(served, shared, vault, tools):
    again = Served(shared.vault, env=tools.environment(shared.home))
    other = Served(vault, env=tools.environment(shared.home))
    try:
        assert stat.S_IMODE(served.token_file.stat().st_mode) == 0o600
        assert again.token == served.token
        assert other.token != served.token
        assert other.request(body=GREETING, Authorization=f"Bearer {served.token}")[0] == 401
    finally:
        again.end()
        other.end()


def test_a_taken_port_and_another_host_are_refused_with_the_way_out(served, at_shared, quarry):
    vault = ["--vault", str(at_shared.vault)]
    program = [sys.executable, "-P", "-m", "quarry", "mcp", "--http", *vault]

    def complaint(*more):
        done = subprocess.run([*program, *more], capture_output=True, timeout=PATIENCE_S, check=False)
        return done.returncode, done.stderr.decode(), done.stdout

    code, said, printed = complaint("--port", str(served.port))
    assert (code, "choose another with --port" in said, printed) == (1, True, b"")
    code, said, printed = complaint("--host", "0.0.0.0", "--port", "0")
    assert (code, "ssh -N -L" in said, printed) == (2, True, b"")
