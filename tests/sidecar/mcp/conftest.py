"""What the tests of MCP share: servers in processes of their own, spoken to by hand and by the official SDK."""

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from sidecars import environment, in_home  # noqa: F401  (`in_home` is a fixture)
from sidecars import small_vault as vault  # noqa: F401

PATIENCE_S = 60.0
STATELESS = "2026-07-28"
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}


def command(*vaults, options=()):
    named = [part for root in vaults for part in ("--vault", str(root))]
    return [sys.executable, "-P", "-m", "quarry", "mcp", *named, *options]


class Speaker:
    """A server in a process of its own, spoken to in lines."""

    def __init__(self, vaults, env, *options):
        self.process = subprocess.Popen(
            command(*vaults, options=options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        self.news = []
        self._next_id = 0

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method, **params):
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self):
        line = self.process.stdout.readline()
        assert line, (self.process.stderr.read(), self.process.wait(PATIENCE_S))
        return json.loads(line)

    def answer(self, request_id):
        while True:
            message = self.receive()
            if isinstance(message, dict) and "method" not in message and message.get("id") == request_id:
                return message
            self.news.append(message)

    def ask(self, method, **params):
        return self.answer(self.request(method, **params))

    def result(self, method, **params):
        answer = self.ask(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def greet(self, version="2025-11-25"):
        greeting = self.result(
            "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "0"}
        )
        self.notify("notifications/initialized")
        return greeting

    def tool(self, name, **arguments):
        return self.result("tools/call", name=name, arguments=arguments)

    def structured(self, name, **arguments):
        """The structured content of a tool's result, which is no error."""
        result = self.tool(name, **arguments)
        assert "isError" not in result, result
        return result["structuredContent"]

    def leave(self):
        """Close its input; the messages that were still to come, and the exit code."""
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout.read().splitlines()]
        return rest, self.process.wait(PATIENCE_S)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


@pytest.fixture
def speak(tools):
    """Start servers, greeted unless told otherwise; they end with the test."""
    started = []

    def begin(*vaults, home, options=(), greet="2025-11-25", **env):
        started.append(Speaker(vaults, tools.environment(home, **env), *options))
        if greet:
            started[-1].greet(greet)
        return started[-1]

    yield begin
    for speaker in started:
        speaker.end()


@pytest.fixture(scope="module")
def spoken(shared):
    """A server over the shared vault, greeted."""
    speaker = Speaker([shared.vault], environment(shared.home))
    speaker.greet()
    yield speaker
    speaker.end()


class Served:
    """`quarry mcp --http` in a process of its own."""

    def __init__(self, *vaults, env, options=(), token=None):
        self.process = subprocess.Popen(
            command(*vaults, options=["--http", "--port", "0", *options]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        about = json.loads(self.process.stdout.readline())
        self.url, self.port = about["url"], about["port"]
        self.token_file = Path(about["tokenFile"]) if "tokenFile" in about else None
        self.token = token or json.loads(self.token_file.read_text())["token"]

    def request(self, method="POST", body=CALL, path="/mcp", **headers):
        """The answer's status, headers and body; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        sent = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection.request(method, path, data, {name: value for name, value in sent.items() if value is not None})
        answer = connection.getresponse()
        read = answer.status, answer.headers, answer.read()
        connection.close()
        return read

    def connect(self, said=b""):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
        stream.sendall(said)
        return stream

    def exchange(self, said):
        """What is answered to *said* until the connection is closed, or nothing more comes for a second."""
        received = b""
        with contextlib.suppress(OSError), self.connect(said) as stream:
            stream.settimeout(1)
            while piece := stream.recv(65536):
                received += piece
        return received

    def head(self, *lines, token=None):
        host = f"127.0.0.1:{self.port}"
        return "\r\n".join(
            [
                "POST /mcp HTTP/1.1",
                f"Host: {host}",
                f"Authorization: Bearer {token or self.token}",
                "Content-Type: application/json",
                "Accept: application/json, text/event-stream",
                *lines,
                "\r\n",
            ]
        ).encode()

    def is_serving(self):
        return self.request()[0] == 200

    def end(self, sent=signal.SIGKILL):
        self.process.send_signal(sent)
        _, complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, complaints


@pytest.fixture
def serve(tools):
    """Start servers over HTTP; they end with the test."""
    started = []

    def begin(*vaults, home, **more):
        started.append(Served(*vaults, env=tools.environment(home), **more))
        return started[-1]

    yield begin
    for server in started:
        server.end()


@pytest.fixture(scope="module")
def served(shared):
    server = Served(shared.vault, env=environment(shared.home))
    yield server
    _, complaints = server.end()
    assert complaints == b""  # no attack fills a log


@pytest.fixture
def sdk(at_shared, request, tools):
    """Talk to a server over the shared vault by the official SDK: `sdk(body, transport, mode)`."""

    async def client(transport, mode, stack):
        if transport == "http":
            served = request.getfixturevalue("served")
            headers = {"Authorization": f"Bearer {served.token}"}
            web = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, trust_env=False))
            streams = streamable_http_client(served.url, http_client=web)
        else:
            program, *arguments = command(at_shared.vault)
            environment = tools.environment(at_shared.home)
            streams = stdio_client(StdioServerParameters(command=program, args=arguments, env=environment))
        return await stack.enter_async_context(Client(streams, mode=mode))

    def talk(body, transport, mode):
        async def main():
            async with asyncio.timeout(PATIENCE_S), contextlib.AsyncExitStack() as stack:
                return await body(await client(transport, mode, stack))

        return asyncio.run(main())

    return talk


@pytest.fixture
def rpc():
    """Parts of messages."""
    return SimpleNamespace(ENVELOPE=ENVELOPE, STATELESS=STATELESS, PATIENCE_S=PATIENCE_S)
