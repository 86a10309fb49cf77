"""The notes of a vault for asyncio, with a real sidecar."""

import asyncio
import inspect
import os
import signal
import threading

import msgspec
import pytest

import quarry
from quarry.client.client import SidecarClient
from quarry.python.notes import AsyncNotes, Notes

pytestmark = pytest.mark.slow  # starts a sidecar

METHODS = ["search", "context", "read", "related", "capture", "list", "status", "wait"]


def run(scenario):
    return asyncio.run(asyncio.wait_for(scenario, 60))


@pytest.mark.parametrize("method", METHODS)
def test_both_classes_have_the_same_methods(method):
    ours, twin = getattr(Notes, method), getattr(AsyncNotes, method)

    assert inspect.signature(ours) == inspect.signature(twin)
    assert ours.__doc__ == twin.__doc__
    assert inspect.iscoroutinefunction(twin)


def test_the_twin_gives_what_the_other_gives(at_shared):
    async def scenario():
        async with quarry.open_async(at_shared.vault, start=False) as notes:
            return await asyncio.gather(
                notes.search("rye bread", limit=3),
                notes.context("rye bread"),
                notes.read("Rotate SSH keys"),
                notes.list(folder="Recipes"),
                notes.related("Recipes/Sourdough rye.md"),
                notes.wait(),
            )

    with quarry.open(at_shared.vault, start=False) as notes:
        expected = [
            notes.search("rye bread", limit=3),
            notes.context("rye bread"),
            notes.read("Rotate SSH keys"),
            notes.list(folder="Recipes"),
            notes.related("Recipes/Sourdough rye.md"),
            notes.wait(),
        ]

    *answers, status = run(scenario())

    assert [msgspec.structs.replace(answer, index=None) for answer in answers] == [
        msgspec.structs.replace(answer, index=None)
        for answer in expected[:-1]  # it may be compacted in between
    ]
    assert (status.notes, status.is_complete) == (expected[-1].notes, True)


def test_many_tasks_get_each_its_own_answer(at_shared):
    async def scenario():
        async with quarry.open_async(at_shared.vault, start=False) as notes:
            paths = [note.path for note in await notes.list(limit=60)]
            read = await asyncio.gather(*(notes.read(path) for path in paths))
            return paths, [note.path for note in read]

    asked, answered = run(scenario())

    assert len(asked) == 60
    assert answered == asked


def test_errors_are_those_of_the_package(at_shared):
    async def scenario():
        async with quarry.open_async(at_shared.vault, start=False) as notes:
            await notes.read("Rotate SSH kees")

    with pytest.raises(quarry.errors.NoteNotFound, match="did you mean"):
        run(scenario())


def test_a_cancelled_task_has_the_sidecar_stop(vault, start, monkeypatch):
    sidecar = start(vault)
    sent, cancelled = [], threading.Event()
    send = SidecarClient._send

    def noted(self, message):
        sent.append(message)
        if message["method"] == "$/cancel":
            cancelled.set()
        send(self, message)

    monkeypatch.setattr(SidecarClient, "_send", noted)

    async def scenario():
        async with quarry.open_async(vault, start=False) as notes:
            os.kill(sidecar.pid, signal.SIGSTOP)
            task = asyncio.create_task(notes.search("bread"))
            while not any(message["method"] == "search" for message in sent):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            was_cancelled = await asyncio.to_thread(cancelled.wait, 30)
            os.kill(sidecar.pid, signal.SIGCONT)
            return was_cancelled

    assert run(scenario())


def test_a_killed_sidecar_is_replaced_for_all_who_wait(home, vault, found):
    async def scenario():
        async with quarry.open_async(vault) as notes:
            os.kill(found(home, vault).pid, signal.SIGKILL)
            return await asyncio.gather(*(notes.status() for _ in range(5)))

    assert all(status.state for status in run(scenario()))


def test_a_closed_vault_says_how_to_open_it_again(at_shared):
    async def scenario():
        notes = quarry.open_async(at_shared.vault, start=False)
        async with notes:
            pass
        await notes.status()

    with pytest.raises(quarry.errors.ConnectionFailed, match=r"quarry\.open_async"):
        run(scenario())
