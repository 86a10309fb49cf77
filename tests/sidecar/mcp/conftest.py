"""What the tests of MCP share: raw lines to a server of our own, and sessions of the official SDK."""

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from sidecars import in_home  # noqa: F401  (a fixture)
from sidecars import small_vault as vault  # noqa: F401

PATIENCE_S = 60.0
STATELESS = "2026-07-28"
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
        assert line, self.process.stderr.read()
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
    """Start servers; they end with the test."""
    started = []

    def begin(*vaults, home, options=()):
        started.append(Speaker(vaults, tools.environment(home), *options))
        return started[-1]

    yield begin
    for speaker in started:
        speaker.end()


@pytest.fixture(scope="module")
def spoken(shared):
    """A server over the shared vault, greeted."""
    import os

    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    speaker = Speaker([shared.vault], {**env, "QUARRY_HOME": str(shared.home)})
    speaker.greet()
    yield speaker
    speaker.end()


@pytest.fixture
def sdk(tools):
    """Talk to a server by the official SDK: `sdk(body, vault, home=home, mode="auto")`."""

    @asynccontextmanager
    async def session(vaults, home, mode, options, handlers):
        program, *arguments = command(*vaults, options=options)
        server = StdioServerParameters(command=program, args=arguments, env=tools.environment(home))
        async with Client(stdio_client(server), mode=mode, **handlers) as client:
            yield client

    def talk(body, *vaults, home, mode="auto", options=(), **handlers):
        async def main():
            async with asyncio.timeout(PATIENCE_S), session(vaults, home, mode, options, handlers) as client:
                return await body(client)

        return asyncio.run(main())

    return talk


@pytest.fixture
def rpc():
    """Parts of messages."""
    return SimpleNamespace(ENVELOPE=ENVELOPE, STATELESS=STATELESS, PATIENCE_S=PATIENCE_S)
