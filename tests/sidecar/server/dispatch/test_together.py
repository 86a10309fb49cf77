"""Several requests at once, cancelling, and what happens when we fail."""

import asyncio
import json
import logging
import threading

import pytest

from quarry import protocol
from quarry.errors import Cancelled, IndexUnavailable
from quarry.server.dispatch import MAX_IN_FLIGHT, ClientSession, notification
from quarry.server.scheduler import MAX_SLOTS_EACH

PATIENCE_S = 30.0

# --- several at once ----------------------------------------------------------------------------


class Blocked:
    """Searches that wait until they are let go or cancelled."""

    def __init__(self, monkeypatch, engine):
        self.search = engine.search
        self.began = threading.Semaphore(0)
        self.go_on = threading.Event()
        monkeypatch.setattr(engine, "search", self.wait)

    def wait(self, request, is_cancelled):
        self.began.release()
        while not self.go_on.wait(0.005):
            if is_cancelled():
                raise Cancelled("the search was cancelled by who asked for it")
        return self.search(request, is_cancelled)


@pytest.fixture
def blocked(monkeypatch, engine):
    blocked = Blocked(monkeypatch, engine)
    yield blocked
    blocked.go_on.set()


def together(session, body):
    async def main():
        async with asyncio.timeout(PATIENCE_S):
            await body()

    asyncio.run(main())


def asked(session, frame):
    """A frame that is being answered, as a task."""
    return asyncio.create_task(session.conversation.answer(frame))


async def begun(blocked):
    await asyncio.to_thread(blocked.began.acquire)


def test_cancelling_ends_a_search_and_its_answer_says_so(session, blocked, frames):
    async def body():
        search = asked(session, frames.request(5, "search", query="tea"))
        await begun(blocked)

        assert await session.conversation.answer('{"jsonrpc":"2.0","method":"$/cancel","params":{"id":5}}') is None

        answer = json.loads(await search)
        assert answer["id"] == 5
        assert answer["error"]["code"] == -32800

    together(session, body)


def test_a_newer_search_cancels_the_one_that_it_supersedes_and_no_other(session, blocked, frames):
    async def body():
        older = asked(session, frames.request("a", "search", query="tea"))
        await begun(blocked)
        other = asked(session, frames.request("b", "search", query="bread"))
        await begun(blocked)
        newer = asked(session, frames.request("c", "search", query="oolong", supersedes="a"))

        assert json.loads(await older)["error"]["data"]["kind"] == "cancelled"
        blocked.go_on.set()
        assert json.loads(await newer)["result"]["hits"][0]["path"] == "Tea.md"
        assert json.loads(await other)["result"]["hits"][0]["path"] == "Bread.md"

    together(session, body)


def test_cancelling_what_is_not_at_work_does_nothing(session, blocked, frames):
    async def body():
        search = asked(session, frames.request(5, "search", query="tea"))
        await begun(blocked)

        for params in ({"id": 6}, {"id": "5"}, {}, {"id": None}, {"id": 5, "colour": "blue"}, []):
            await session.conversation.answer(json.dumps({"jsonrpc": "2.0", "method": "$/cancel", "params": params}))

        blocked.go_on.set()
        assert "result" in json.loads(await search)

    together(session, body)


def test_an_id_that_is_still_at_work_is_refused_and_the_first_is_answered(session, blocked, frames):
    async def body():
        first = asked(session, frames.request(5, "search", query="tea"))
        await begun(blocked)

        second = json.loads(await session.conversation.answer(frames.request(5, "search", query="bread")))

        assert second["error"]["code"] == -32600
        blocked.go_on.set()
        assert json.loads(await first)["result"]["hits"][0]["path"] == "Tea.md"
        assert "result" in json.loads(await session.conversation.answer(frames.request(5, "index/status")))

    together(session, body)


def test_one_request_too_many_is_told_to_wait_and_the_rest_are_answered(session, blocked, frames):
    async def body():
        first = [asked(session, frames.request(n, "search", query="tea")) for n in range(MAX_IN_FLIGHT)]
        await begun(blocked)

        refused = json.loads(await session.conversation.answer(frames.request("more", "index/status")))

        assert refused["error"]["code"] == -32014
        assert refused["error"]["data"]["next"]
        blocked.go_on.set()
        for answer in await asyncio.gather(*first):
            assert "result" in json.loads(answer)

    together(session, body)


def test_a_client_that_floods_does_not_delay_the_search_of_another(session, engine, monkeypatch, frames):
    """Counted: the pool has more threads than one client may use, so that the other one begins beside the flood."""
    order, go_on = [], threading.Semaphore(0)
    search = engine.search

    def slow(request, is_cancelled):
        order.append(request.query)
        go_on.acquire(timeout=PATIENCE_S)
        return search(request, is_cancelled)

    monkeypatch.setattr(engine, "search", slow)
    pane = ClientSession(session.service)

    async def body():
        hello = {"token": frames.token, "protocol": 1, "client": {"name": "pane"}}
        await pane.answer(frames.request(0, "initialize", **hello))
        flood = [asked(session, frames.request(n, "search", query=f"flood {n}")) for n in range(MAX_IN_FLIGHT)]
        while len(order) < MAX_SLOTS_EACH:
            await asyncio.sleep(0.001)
        typed = asyncio.create_task(pane.answer(frames.request(1, "search", query="tea", typing=True)))
        while "tea" not in order:
            await asyncio.sleep(0.001)

        assert order.index("tea") == MAX_SLOTS_EACH
        go_on.release(MAX_IN_FLIGHT + 1)
        assert "result" in json.loads(await typed)
        for answer in await asyncio.gather(*flood):
            assert "result" in json.loads(answer)

    together(session, body)


def test_a_request_that_waits_for_its_turn_is_cancelled_without_having_begun(session, blocked, frames):
    async def body():
        first = [asked(session, frames.request(n, "search", query="tea")) for n in range(MAX_SLOTS_EACH)]
        for _ in range(MAX_SLOTS_EACH):
            await begun(blocked)
        waiting = asked(session, frames.request("late", "search", query="tea"))
        await asyncio.sleep(0)

        await session.conversation.answer('{"jsonrpc":"2.0","method":"$/cancel","params":{"id":"late"}}')

        assert json.loads(await waiting)["error"]["data"]["kind"] == "cancelled"
        blocked.go_on.set()
        for answer in await asyncio.gather(*first):
            assert "result" in json.loads(answer)

    together(session, body)


def test_an_answer_waits_for_what_was_reported_and_says_how_current_it_is(session, engine):
    before = session.result("index/status")["notes"]
    (engine.root / "Chai.md").write_text("# Chai\n\nA zanzibar of spices.\n", encoding="utf-8")
    reported = session.result("vault/changed", changes=[{"kind": "created", "path": "Chai.md"}])

    found = session.result(
        "search", query="zanzibar", mode="keyword", afterMs=reported["reportedMs"], waitMs=int(1000 * PATIENCE_S)
    )

    assert [hit["path"] for hit in found["hits"]] == ["Chai.md"]
    assert found["index"]["done"] == found["index"]["total"] == before + 1
    (engine.root / "Chai.md").unlink()
    session.result("vault/changed", changes=[{"kind": "deleted", "path": "Chai.md"}])
    listed = session.result("notes/list", waitMs=int(1000 * PATIENCE_S))
    assert "Chai.md" not in [note["path"] for note in listed["notes"]]
    assert listed["index"]["epoch"] > found["index"]["epoch"]


def test_what_is_not_indexed_in_time_is_told_as_such(session, owner):
    owner.result("index/pause")
    reported = session.result("vault/changed", changes=[{"kind": "modified", "path": "Tea.md"}])

    error = session.error("search", query="tea", afterMs=reported["reportedMs"], waitMs=60_000)
    listed = session.result("notes/list", waitMs=60_000)

    owner.result("index/resume")
    assert error["code"] == -32012
    assert error["data"]["kind"] == "index-behind"
    assert (listed["index"]["state"], listed["index"]["total"] - listed["index"]["done"]) == ("paused", 1)


def test_hanging_up_lets_go_of_everything(session, blocked, frames):
    async def body():
        search = asked(session, frames.request(5, "search", query="tea"))
        await begun(blocked)

        session.conversation.cancel_all()

        assert json.loads(await search)["error"]["data"]["kind"] == "cancelled"

    together(session, body)


# --- when we fail -------------------------------------------------------------------------------


def test_a_defect_is_told_without_its_words_and_the_next_request_is_served(session, engine, monkeypatch, caplog):
    def fail(*_):
        raise KeyError("the canaryword of a note")

    monkeypatch.setattr(engine, "list_notes", fail)
    logging.getLogger("quarry").propagate = True

    with caplog.at_level(logging.ERROR, logger="quarry"):
        error = session.error("notes/list")

    assert error["code"] == -32603
    assert "canaryword" not in json.dumps(error)
    assert "canaryword" not in "".join(record.getMessage() for record in caplog.records)
    assert session.result("index/status")


def test_an_index_that_is_busy_is_told_with_a_next_step(session, engine, monkeypatch):
    def busy():
        raise IndexUnavailable("the index was busy for 30 s; try again")

    monkeypatch.setattr(engine, "status", busy)

    error = session.error("index/status")

    assert error["code"] == -32012
    assert error["data"] == {
        "kind": "index-unavailable",
        "next": "run `quarry doctor`",
        "position": None,
        "message": None,
    }


def test_a_notification_is_of_its_kind():
    with pytest.raises(AssertionError):
        notification("index/updated", protocol.Done())
