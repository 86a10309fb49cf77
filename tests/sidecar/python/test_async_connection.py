"""One connection for many tasks: side by side, cancelled, lost and found, with a real sidecar."""

import asyncio
import json
import os
import signal

import pytest
from websockets.asyncio.server import serve

from quarry import errors
from quarry.client.discovery import Discovery, ServedVault
from quarry.limits import PROTOCOL_VERSION
from quarry.python import async_connection as module
from quarry.python.async_connection import MAX_UNANSWERED, AsyncConnection

pytestmark = pytest.mark.slow  # starts a sidecar


def run(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 60))


class Scripted:
    """A server that lets clients in and does with each request what the test says; it notes every message."""

    def __init__(self, act):
        self.act = act
        self.heard = []
        self.changed = asyncio.Event()

    async def __call__(self, socket):
        async for frame in socket:
            message = json.loads(frame)
            self.heard.append(message)
            self.changed.set()
            if message["method"] == "initialize":
                await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}))
            else:
                await self.act(socket, message)

    async def until(self, condition):
        while not condition():
            self.changed.clear()
            await self.changed.wait()


def at(port, monkeypatch, tmp_path):
    """A connection that finds its sidecar at *port*."""
    vault = ServedVault("id", "vault", str(tmp_path))
    discovery = Discovery(1, port, "token", PROTOCOL_VERSION, "0", vault)
    monkeypatch.setattr(AsyncConnection, "_find", lambda self: discovery)
    return AsyncConnection(tmp_path, may_start=False)


async def answer(socket, message):
    await socket.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"ok": True}}))


async def keep_waiting(socket, message):
    pass


def test_many_tasks_get_each_its_own_answer(at_shared):
    async def scenario():
        connection = AsyncConnection(at_shared.vault, may_start=False)
        paths = [note.path for note in (await connection.ask("notes/list", {"limit": 60})).notes]
        read = await asyncio.gather(*(connection.ask("note/read", {"path": path}) for path in paths))
        await connection.close()
        return paths, [note.path for note in read]

    asked, answered = run(scenario())

    assert len(asked) == 60 > MAX_UNANSWERED
    assert answered == asked


def test_a_cancelled_task_has_the_sidecar_stop(monkeypatch, tmp_path):
    async def scenario():
        server = Scripted(keep_waiting)
        async with serve(server, "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            task = asyncio.create_task(connection.ask("search", {"query": "slow"}))
            await server.until(lambda: len(server.heard) == 2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await server.until(lambda: len(server.heard) == 3)
            await connection.close()
        return server.heard

    _, search, cancel = run(scenario())

    assert cancel == {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": search["id"]}}


def test_a_timeout_of_the_caller_cancels_too_and_the_connection_goes_on(monkeypatch, tmp_path):
    async def slow_search(socket, message):
        if message["method"] == "index/status":
            await answer(socket, message)

    async def scenario():
        server = Scripted(slow_search)
        async with serve(server, "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            await connection.open()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await connection.ask("search", {"query": "slow"})
            status = await connection.ask("index/status", {})
            await connection.close()
        return status, [message["method"] for message in server.heard]

    status, methods = run(scenario())

    assert status.ok
    assert methods == ["initialize", "search", "$/cancel", "index/status"]


def test_a_sidecar_that_does_not_answer_is_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "REPLY_TIMEOUT_S", 0.2)

    async def scenario():
        server = Scripted(keep_waiting)
        async with serve(server, "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            with pytest.raises(errors.ConnectionFailed, match="did not answer within"):
                await connection.ask("search", {"query": "slow"})
            await connection.close()

    run(scenario())


def test_a_lost_connection_is_made_anew_once_a_request(monkeypatch, tmp_path):
    async def scenario(losses):
        left = [losses]

        async def lose(socket, message):
            if left[0]:
                left[0] -= 1
                await socket.close()
            else:
                await answer(socket, message)

        async with serve(Scripted(lose), "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            try:
                return await connection.ask("index/status", {})
            finally:
                await connection.close()

    assert run(scenario(1)).ok
    with pytest.raises(errors.ConnectionFailed, match="ended twice"):
        run(scenario(2))


@pytest.mark.parametrize("garbage", ["no JSON", "[]", '{"id": 99}', b"\x00"])
def test_garbage_ends_in_an_error_or_is_passed_over(garbage, monkeypatch, tmp_path):
    async def babble(socket, message):
        await socket.send(garbage)
        await answer(socket, message)

    async def scenario():
        async with serve(Scripted(babble), "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            try:
                return (await connection.ask("index/status", {})).ok
            except errors.ConnectionFailed:
                return "refused"
            finally:
                await connection.close()

    assert run(scenario()) == ("refused" if garbage == "no JSON" else True)


def test_a_killed_sidecar_is_replaced_for_all_who_wait(home, vault, found):
    async def scenario():
        connection = AsyncConnection(vault, may_start=True)
        await connection.open()
        os.kill(found(home, vault).pid, signal.SIGKILL)
        statuses = await asyncio.gather(*(connection.ask("index/status", {}) for _ in range(5)))
        await connection.close()
        return statuses

    assert all(status.state for status in run(scenario()))


def test_a_closed_connection_ends_what_waits_and_says_how_to_go_on(monkeypatch, tmp_path):
    async def scenario():
        server = Scripted(keep_waiting)
        async with serve(server, "127.0.0.1", 0) as listening:
            connection = at(listening.sockets[0].getsockname()[1], monkeypatch, tmp_path)
            task = asyncio.create_task(connection.ask("search", {"query": "slow"}))
            await server.until(lambda: len(server.heard) == 2)
            await connection.close()
            with pytest.raises(errors.ConnectionFailed, match=r"quarry\.open_async"):
                await task

    run(scenario())
