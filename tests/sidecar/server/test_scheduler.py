"""Whose request is next: counted, on a loop without a socket and without a clock."""

import asyncio
from collections import Counter

import pytest

from quarry.server.scheduler import MAX_SLOTS_EACH, Scheduler

SLOTS = 4
PATIENCE_S = 30.0


class Desk:
    """Requests that are at work until a test finishes them; `began` is the order in which they got their turn."""

    def __init__(self, search=SLOTS, vault=2):
        self.scheduler = Scheduler({"search": search, "vault": vault})
        self.began = []
        self.open = {}
        self.tasks = {}

    def ask(self, client, number=0, pool="search", *, urgent=False):
        name = (client, number)
        self.open[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._work(name, pool, urgent=urgent))
        return name

    async def _work(self, name, pool, *, urgent):
        async with self.scheduler.slot(name[0], pool, urgent=urgent):
            self.began.append(name)
            await self.open[name].wait()

    async def finish(self, name):
        self.open[name].set()
        await self.tasks[name]
        await settled()

    @property
    def at_work(self):
        return [name for name in self.began if not self.open[name].is_set()]

    async def finish_all(self):
        while at_work := self.at_work:
            await self.finish(at_work[0])


async def settled():
    for _ in range(5):
        await asyncio.sleep(0)


def run(body):
    async def main():
        async with asyncio.timeout(PATIENCE_S):
            await body()

    asyncio.run(main())


def test_one_client_has_no_more_than_its_share_at_work():
    async def body():
        desk = Desk()
        for number in range(10):
            desk.ask("flood", number)
        await settled()

        assert desk.began == [("flood", number) for number in range(MAX_SLOTS_EACH)]
        await desk.finish(("flood", 1))
        assert desk.began[-1] == ("flood", MAX_SLOTS_EACH)
        await desk.finish_all()
        assert len(desk.began) == 10

    run(body)


def test_a_client_beside_a_flood_begins_at_once():
    async def body():
        desk = Desk()
        for number in range(50):
            desk.ask("flood", number)
        await settled()

        pane = desk.ask("pane")
        await settled()

        assert desk.began[-1] == pane
        await desk.finish_all()

    run(body)


@pytest.mark.parametrize("floods", [2, 6, 20])
def test_a_client_among_floods_waits_for_one_request_of_each_at_most(floods):
    async def body():
        desk = Desk()
        for number in range(30):
            for flood in range(floods):
                desk.ask(flood, number)
        await settled()
        before = len(desk.began)

        pane = desk.ask("pane")
        await settled()
        while pane not in desk.began:
            await desk.finish(desk.at_work[0])

        assert desk.began.index(pane) - before <= floods
        await desk.finish_all()

    run(body)


def test_all_clients_get_as_many_turns():
    async def body():
        desk = Desk()
        for number in range(20):
            for client in "abcde":
                desk.ask(client, number)
        await settled()
        while len(desk.began) < 50:
            await desk.finish(desk.at_work[0])

        turns = Counter(client for client, _ in desk.began)
        assert max(turns.values()) - min(turns.values()) <= 2
        await desk.finish_all()

    run(body)


def test_what_is_typed_goes_before_all_that_wait():
    async def body():
        desk = Desk()
        for number in range(30):
            for flood in range(20):
                desk.ask(flood, number)
        await settled()

        pane = desk.ask("pane", urgent=True)
        await settled()
        await desk.finish(desk.at_work[0])

        assert desk.began[-1] == pane
        await desk.finish_all()

    run(body)


def test_who_calls_everything_urgent_gets_one_slot_before_the_others_and_no_more():
    async def body():
        desk = Desk()
        for number in range(30):
            desk.ask("pushy", number, urgent=True)
            for client in "abcd":
                desk.ask(client, number)
        await settled()
        while len(desk.began) < 60:
            await desk.finish(desk.at_work[0])

        turns = Counter(client for client, _ in desk.began)
        assert min(turns.values()) >= 60 // (2 * 5)
        await desk.finish_all()

    run(body)


def test_a_drive_that_hangs_holds_no_search_up():
    async def body():
        desk = Desk()
        hanging = [desk.ask(client, pool="vault") for client in "abcdef"]
        await settled()
        assert desk.began == hanging[:2]

        search = desk.ask("pane")
        await settled()

        assert desk.began[-1] == search
        await desk.finish_all()

    run(body)


def test_a_request_that_is_cancelled_while_it_waits_leaves_the_queue_and_takes_no_slot():
    async def body():
        desk = Desk()
        for number in range(6):
            desk.ask("flood", number)
        await settled()
        desk.tasks["flood", 3].cancel()
        await settled()

        await desk.finish(("flood", 0))

        assert desk.began[-1] == ("flood", 4)
        await desk.finish_all()
        assert ("flood", 3) not in desk.began

    run(body)


def test_a_request_that_is_cancelled_in_the_moment_of_its_turn_gives_the_slot_back():
    async def body():
        desk = Desk(search=1)

        async def leave_and_cancel_the_next():
            async with desk.scheduler.slot("a", "search"):
                second = desk.ask("b")
                await settled()
            desk.tasks[second].cancel()  # the slot is its own by now, and it has not run

        await leave_and_cancel_the_next()
        third = desk.ask("c")
        await settled()

        assert desk.began == [third]
        await desk.finish_all()

    run(body)


def test_a_request_that_fails_gives_its_slot_back():
    async def body():
        scheduler = Scheduler({"search": 1, "vault": 1})
        with pytest.raises(ValueError, match="bad"):
            async with scheduler.slot("a", "search"):
                raise ValueError("bad")

        async with scheduler.slot("b", "search"):
            pass

    run(body)
