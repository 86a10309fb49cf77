"""MCP over HTTP on this machine: by the official SDK, by hand, and by those who may not ask."""

import contextlib
import json
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.mcp.http_server import MAX_CONNECTIONS, stored_token, token_path

PATIENCE_S = 60.0
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}


def test_a_token_survives_restarts_and_is_private(tmp_path):
    path = tmp_path / "x.mcp-token"

    token = stored_token(path)

    assert stored_token(path) == token
    assert len(token) == 64
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"token": 5}', '{"token": "short"}', "\x00" * 2000])
def test_a_file_without_a_token_is_replaced(tmp_path, content):
    path = tmp_path / "x.mcp-token"
    path.write_text(content)
    path.chmod(0o600)

    assert stored_token(path) == stored_token(path)


def test_a_token_that_others_could_read_or_a_link_is_replaced(tmp_path):
    path, link = tmp_path / "x.mcp-token", tmp_path / "y.mcp-token"
    first = stored_token(path)
    link.symlink_to(path)
    linked = stored_token(link)
    path.chmod(0o644)

    assert len({first, linked, stored_token(path)}) == 3
    assert path.stat().st_mode & 0o777 == 0o600


def test_other_vaults_have_another_file(tmp_path, home):
    one, two = tmp_path / "one", tmp_path / "two"

    assert len({token_path([one]), token_path([two]), token_path([one, two])}) == 3
    assert token_path([one, two]) == token_path([two, one])


# --- served by a process of its own ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (401, {"Authorization": None}),
        (401, {"Authorization": "Bearer wrong"}),
        (401, {"Authorization": "Bearer "}),
        (401, {"Authorization": "Bearer \xff"}),
        (401, {"Authorization": "Basic eDp5"}),
        (401, {"Authorization": None, "path": "/"}),
        (401, {"Authorization": None, "method": "OPTIONS", "Origin": "http://evil.example"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "app://obsidian.md"}),
        (403, {"Origin": "http://127.0.0.1:8537"}),
        (421, {"Host": "evil.example"}),
        (421, {"Host": "evil.example:80"}),
        (421, {"Host": "127.0.0.1"}),
        (421, {"Host": "127.0.0.1:1"}),
        (400, {"Content_Type": "text/plain"}),
        (400, {"Content_Type": "application/x-www-form-urlencoded"}),
        (404, {"path": "/"}),
        (404, {"path": "/mcp/../x"}),
        (405, {"method": "PUT"}),
        (405, {"method": "GET"}),
        (405, {"method": "DELETE"}),
        (405, {"method": "OPTIONS", "Access_Control_Request_Method": "POST"}),
        (406, {"Accept": "text/html"}),
        (400, {"MCP_Protocol_Version": "1999-01-01"}),
        (413, {"body": b" " * (4 * 2**20 + 1)}),
        (400, {"body": b"{"}),
        (400, {"body": b"[" * 100_000}),
        (400, {"body": b"\xff\xfe"}),
        (400, {"body": [CALL, CALL]}),
    ],
)
def test_strangers_pages_and_invalid_requests_are_refused_by_status(served, status, request_):
    found, headers, body = served.request(**request_)

    assert found == status
    assert b"Tea" not in body
    assert not [name for name in headers if name.lower().startswith("access-control")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "code", "headers"),
    [
        (200, None, {}),
        (400, -32020, {"Mcp_Method": "tools/list"}),
        (400, -32020, {"Mcp_Name": None}),
        (200, None, {"Mcp_Name": "=?base64?bGlzdF9ub3Rlcw==?="}),
    ],
)
def test_headers_of_a_stateless_request_agree_with_its_body(served, rpc, status, code, headers):
    call = {**CALL, "params": {**CALL["params"], "_meta": rpc.ENVELOPE}}
    right = {"MCP_Protocol_Version": rpc.STATELESS, "Mcp_Method": "tools/call", "Mcp_Name": "list_notes"}

    found, _, body = served.request(body=call, **{**right, **headers})

    assert found == status
    assert json.loads(body).get("error", {}).get("code") == code


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 4", "Transfer-Encoding: chunked", "", "0", "", "GET /x HTTP/1.1", ""],
        ["Transfer-Encoding: chunked", "Content-Length: 4", "", "0", "", "GET /x HTTP/1.1", ""],
        ["Content-Length: 4", "Content-Length: 5", "", "abcd"],
        ["Content-Length: -1"],
        ["Content-Length: +5", "", "abcde"],
        ["Content-Length: \u0665", "", "abcde"],
        ["Transfer-Encoding: xchunked"],
        ["Transfer-Encoding: chunked", "", "ffffffffffffffffff", "abc"],
        ["Content-Length: 5000000000"],
        ["Host: evil.example", "Content-Length: 0"],
        ["Authorization: Bearer x", "Content-Length: 0"],
        ["Origin: ", "Origin: http://evil.example", "Content-Length: 0"],
        ["X: a\0b", "Content-Length: 0"],
        ["X : y", "Content-Length: 0"],
        [f"X: {'a' * 200_000}"],
        [f"X{number}: 1" for number in range(20_000)],
    ],
    ids=lambda lines: lines[0][:16],
)
def test_a_request_that_two_programs_could_read_differently_is_refused_alone(served, lines):
    answer = served.exchange(served.head(*lines))

    assert answer.count(b"HTTP/1.1 ") <= 1
    assert b" 200 " not in answer.partition(b"\r\n")[0]
    assert served.is_serving()


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", [b"\x00" * 100, b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02"]
)
def test_what_is_not_http_ends_its_connection_and_no_other(served, said):
    assert b" 200 " not in served.exchange(said).partition(b"\r\n")[0]
    assert served.is_serving()


@pytest.mark.slow
def test_a_refused_request_is_answered_before_its_body_is_read(served):
    with served.connect(served.head("Content-Length: 1000000", token="0" * 64)) as stream:
        answer = stream.recv(65536)
        end = stream.recv(65536)

    assert answer.startswith(b"HTTP/1.1 401")
    assert b"www-authenticate: Bearer" in answer
    assert end == b""


@pytest.mark.slow
def test_a_slow_client_loses_its_connection_and_delays_no_other(served):
    body = json.dumps(CALL).encode()
    slow = [
        served.connect(),
        served.connect(b"POST /mcp HTTP/1.1\r\nHost:"),
        served.connect(served.head("Content-Length: 100") + b"{"),
    ]
    again = served.connect(served.head(f"Content-Length: {len(body)}") + body)
    answer = b""
    while not answer.endswith(b"0\r\n\r\n"):
        answer += again.recv(65536)
    again.sendall(b"P")  # the second request of a client that is known

    assert served.is_serving()
    for stream in (*slow, again):
        with stream, contextlib.suppress(ConnectionResetError):
            while stream.recv(65536):
                pass


@pytest.mark.slow
def test_a_crowd_without_the_token_does_not_lock_its_owner_out(served):
    crowd = [served.connect(b"P") for _ in range(MAX_CONNECTIONS + 20)]
    try:
        assert [served.request()[0] for _ in range(3)] == [200] * 3
    finally:
        for stream in crowd:
            stream.close()


@pytest.mark.slow
def test_only_loopback_is_listened_on(served):
    listening = Path("/proc/net/tcp")
    if not listening.exists():
        pytest.skip("no /proc")
    rows = [row.split() for row in listening.read_text().splitlines()[1:]]
    mine = [row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{served.port:04X}")]

    assert mine == [f"0100007F:{served.port:04X}"]


@pytest.mark.slow
def test_a_client_that_leaves_gives_its_call_up(served):
    query = {"name": "search", "arguments": {"query": "/(a|b)+.*(c|d)+/ " + "word " * 300}}
    body = json.dumps({**CALL, "params": query}).encode()
    for _ in range(20):  # more than there are threads
        served.connect(served.head(f"Content-Length: {len(body)}") + body).close()

    assert served.is_serving()


@pytest.mark.slow
def test_the_token_opens_its_own_vaults_only(served, shared, vault, serve):
    again, other = serve(shared.vault, home=shared.home), serve(vault, home=shared.home)

    assert stat.S_IMODE(served.token_file.stat().st_mode) == 0o600
    assert again.token == served.token
    assert other.token != served.token
    assert other.request(Authorization=f"Bearer {served.token}")[0] == 401
    assert other.is_serving()
    assert other.end(signal.SIGTERM)[0] == -signal.SIGTERM


@pytest.mark.slow
def test_a_taken_port_is_refused_with_the_way_out(served, at_shared):
    program = [sys.executable, "-P", "-m", "quarry", "mcp", "--http", "--vault", str(at_shared.vault)]

    done = subprocess.run([*program, "--port", str(served.port)], capture_output=True, timeout=PATIENCE_S, check=False)

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"choose another with --port" in done.stderr


@pytest.mark.slow
def test_without_the_sdk_the_extra_is_named(at_shared, tools):
    script = "import sys; sys.modules['mcp'] = None; from quarry.__main__ import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", script, "mcp", "--http", "--vault", str(at_shared.vault)]

    done = subprocess.run(command, capture_output=True, check=False, env=tools.environment(at_shared.home))

    assert done.returncode == 1
    assert b"mcp-http" in done.stderr
