"""The server on a loop of this process: news, manners, and clients that come and go."""

import asyncio
import contextlib
import itertools
import json
import struct
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from sidecars import TOKEN, make_service
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from quarry import protocol
from quarry.errors import Cancelled
from quarry.indexing.freshness import Freshness
from quarry.server import gate, websocket
from quarry.server.dispatch import MAX_IN_FLIGHT
from quarry.server.websocket import MAX_UNANSWERED, SocketServer

PATIENCE_S = 30.0
NO_MASK = b"\0\0\0\0"  # a mask that changes nothing
STATUS = protocol.IndexStatus(
    state="live",
    notes=0,
    chunks=0,
    pending=0,
    excluded=0,
    progress=None,
    model=protocol.Model(name="none", state="missing", message=None),
    backfill=None,
    models=[],
    missing=[],
    problem_count=0,
    problems=[],
    indexed_ms=None,
    built_ms=None,
    size_bytes=0,
    message=None,
)


class Quiet:
    """An engine with nothing in it, whose searches wait until they are cancelled."""

    def __init__(self):
        self.began = threading.Event()
        self.cancelled = threading.Event()
        index = Freshness("live", 0, 0, 1)
        self.freshness = SimpleNamespace(now=lambda: index, snapshot=lambda: nullcontext(index))

    def status(self):
        return SimpleNamespace(
            state="live",
            notes=0,
            chunks=0,
            pending=0,
            excluded=0,
            progress=None,
            model_name="none",
            model_state="missing",
            model_message=None,
            backfill=None,
            models=(),
            missing={},
            problem_count=0,
            problems=(),
            indexed_ms=None,
            built_ms=None,
            size_bytes=0,
            message=None,
        )

    def search(self, request, is_cancelled):
        self.began.set()
        for _ in range(3000):
            if is_cancelled():
                self.cancelled.set()
                raise Cancelled("no longer wanted")
            self.cancelled.wait(0.01)
        raise AssertionError("nobody cancelled")


def serving(body, engine=None):
    """Run *body* with a server of this process, its engine and a way to dial it."""

    async def main():
        with ThreadPoolExecutor(2) as pool:
            server = SocketServer(make_service(engine or Quiet(), pool))
            async with server.listening() as port:

                async def dial(token=TOKEN, **options):
                    client = await connect(f"ws://127.0.0.1:{port}/", proxy=None, compression=None, **options)
                    if token is None:
                        return client
                    params = {"token": token, "protocol": 1, "client": {"name": "t"}}
                    await client.send(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
                    if token == TOKEN:
                        assert "result" in json.loads(await client.recv())
                    return client

                async with asyncio.timeout(PATIENCE_S):
                    await body(server, dial)

    asyncio.run(main())


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


async def close_code_of(client):
    with contextlib.suppress(ConnectionClosed):
        while True:
            await client.recv()
    return client.close_code


@pytest.fixture
def hurried(monkeypatch):
    """A server that waits for a token a tenth of a second only."""
    monkeypatch.setattr(websocket, "AUTH_TIMEOUT_S", 0.1)


def test_who_says_nothing_is_shown_out(hurried):
    async def body(server, dial):
        assert await close_code_of(await dial(token=None)) == 4401

    serving(body)


def test_half_a_first_frame_and_silence_is_shown_out(hurried):
    async def body(server, dial):
        client = await dial(token=None)

        client.transport.write(bytes([0x81, 0xFE]) + struct.pack("!H", 60_000) + NO_MASK + b"x")

        assert await close_code_of(client) in (1006, 4401)

    serving(body)


def test_half_a_handshake_and_silence_is_hung_up_on(hurried):
    async def body(server, dial):
        reader, writer = await asyncio.open_connection("127.0.0.1", server._port)
        writer.write(b"GET / HT")

        assert b" 101 " not in await reader.read()
        writer.close()

    serving(body)


def test_guessing_is_slowed_and_a_friend_is_not(monkeypatch):
    monkeypatch.setattr(gate, "FAILURE_DELAY_S", 0.5)
    order = []

    async def guess(dial):
        client = await dial(token="0" * 64)
        await client.recv()
        order.append("guesser")

    async def body(server, dial):
        for _ in range(gate.FAILURES_BEFORE_DELAY - 1):
            await guess(dial)
        order.clear()

        guesser = asyncio.create_task(guess(dial))
        await until(lambda: server._gate.failures == gate.FAILURES_BEFORE_DELAY)
        await (await dial()).close()
        order.append("friend")
        await guesser

    serving(body)

    assert order == ["friend", "guesser"]


def test_news_reaches_everyone_who_was_let_in():
    async def body(server, dial):
        clients = [await dial(), await dial()]
        await until(lambda: server.client_count == 2)

        server.broadcast("index/progress", STATUS)

        for client in clients:
            assert json.loads(await client.recv())["method"] == "index/progress"
            await client.close()

    serving(body)


def test_news_that_comes_while_a_client_is_welcomed_follows_its_welcome():
    class Changing(Quiet):
        """Its status changes between being read and being told."""

        def status(self):
            before = super().status()
            if self.news:
                self.loop.call_soon_threadsafe(self.news.pop())
            return before

    engine = Changing()

    async def body(server, dial):
        engine.loop = asyncio.get_running_loop()
        engine.news = [lambda: server.broadcast("index/progress", STATUS)]
        client = await dial()

        assert json.loads(await asyncio.wait_for(client.recv(), PATIENCE_S))["method"] == "index/progress"
        await client.close()

    serving(body, engine)


def test_a_client_that_reads_nothing_is_let_go_and_the_others_are_told(monkeypatch):
    monkeypatch.setattr(websocket, "MAX_OUTBOX_BYTES", 100_000)
    long_news = protocol.IndexUpdated(indexed=["x" * 100_000], removed=[], status=STATUS)

    async def body(server, dial):
        deaf, good = await dial(max_queue=1), await dial()
        await until(lambda: server.client_count == 2)
        deaf.transport.pause_reading()

        told = 0
        while server.client_count == 2:
            server.broadcast("index/updated", long_news)
            assert json.loads(await good.recv())["method"] == "index/updated"
            told += 1

        assert told < 1000
        server.broadcast("index/progress", STATUS)
        assert json.loads(await good.recv())["method"]
        await good.close()
        deaf.transport.abort()

    serving(body)


def test_a_client_that_asks_and_reads_no_answer_is_read_no_further():
    async def body(server, dial):
        client = await dial(max_size=None)
        client.transport.pause_reading()
        counts = []

        async def flood():
            for number in itertools.count():
                asked = {"jsonrpc": "2.0", "method": "index/status", "id": f"{number} {'x' * 20_000}"}
                await client.send(json.dumps(asked))

        flooding = asyncio.create_task(flood())
        before = len(asyncio.all_tasks())
        while len(counts) < 50 or counts[-50] != counts[-1]:
            counts.append(len(asyncio.all_tasks()))
            await asyncio.sleep(0.01)

        assert MAX_IN_FLIGHT < max(counts) - before <= MAX_UNANSWERED
        flooding.cancel()
        client.transport.abort()

    serving(body)


@pytest.mark.parametrize("leave", ["close", "abort"])
def test_what_a_client_asked_for_is_let_go_of_when_it_leaves(leave):
    engine = Quiet()

    async def body(server, dial):
        client = await dial()
        question = {"jsonrpc": "2.0", "id": 1, "method": "search", "params": {"query": "x"}}
        await client.send(json.dumps(question))
        await until(engine.began.is_set)

        if leave == "abort":
            client.transport.abort()
        else:
            await client.close()

        await until(engine.cancelled.is_set)
        await until(lambda: server.client_count == 0)

    serving(body, engine)


def test_the_moment_of_the_last_client_is_remembered():
    async def body(server, dial):
        began_s = server.last_heard_s
        client = await dial()
        await until(lambda: server.client_count == 1)
        await client.close()
        await until(lambda: server.client_count == 0)

        left_s = server.last_heard_s
        assert left_s > began_s
        assert server.last_heard_s == left_s

    serving(body)


def test_leaving_closes_every_connection():
    async def main():
        with ThreadPoolExecutor(1) as pool:
            server = SocketServer(make_service(Quiet(), pool))
            async with server.listening() as port:
                client = await connect(f"ws://127.0.0.1:{port}/", proxy=None)
                await client.send("{}")
            assert await close_code_of(client) in (1001, 4401)

    asyncio.run(main())
