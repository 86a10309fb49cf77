"""`waitMs` and `afterMs`, with a real engine whose indexing is held up where a test needs that."""

import asyncio
import time

import pytest

from quarry import protocol as wire
from quarry.errors import IndexBehind
from quarry.indexing.freshness import is_worth_waiting
from quarry.indexing.request_queue import RequestQueue
from quarry.server.waiting import wait_for_changes, wait_for_index
from quarry.types import VaultChange

PATIENCE_S = 30.0
LONG_MS = 20_000
CHANGE = VaultChange("modified", "a.md")


class Index:
    """The freshness of an index whose changes are carried out when a test says so (`IndexFreshness`)."""

    def __init__(self, state="live"):
        self.state = state
        self.requests = RequestQueue()
        self.looks = 0

    def acknowledge_waiting(self):
        self.requests.checkpoint(lambda: None, lambda _: None)

    def sequence_at(self, at_ms=None):
        return self.requests.sequence_at(at_ms)

    def includes(self, sequence):
        return sequence <= self.requests.acknowledged

    def is_worth_waiting(self, report, left_s):
        self.looks += 1
        if left_s <= 0 or self.state == "paused":
            return False
        return not self.includes(report) or is_worth_waiting(self.state, None, 1, left_s)


@pytest.fixture
def index():
    return Index()


def params(**fields):
    return wire.ListNotesParams(**fields)


def waiting(index, **fields):
    """A wait that is under way, as a task."""
    return asyncio.create_task(wait_for_index(index, params(**fields)))


def run(body):
    async def main():
        async with asyncio.timeout(PATIENCE_S):
            await body()

    asyncio.run(main())


async def look_again(index):
    seen = index.looks
    while index.looks < seen + 2:
        await asyncio.sleep(0.001)


def test_without_either_nothing_is_waited_for(index):
    async def body():
        index.state = "scanning"
        index.requests.submit([CHANGE], at_ms=1)

        await wait_for_index(index, params())

        assert index.looks == 0

    run(body)


def test_what_was_reported_before_is_waited_for(index):
    async def body():
        index.requests.submit([CHANGE], at_ms=1)
        wait = waiting(index, wait_ms=LONG_MS)
        await look_again(index)
        assert not wait.done()

        index.acknowledge_waiting()

        await wait

    run(body)


def test_what_is_reported_later_is_not(index):
    async def body():
        index.requests.submit([CHANGE], at_ms=1)
        index.requests.take_changes()
        wait = waiting(index, wait_ms=LONG_MS)
        await look_again(index)

        index.requests.submit([CHANGE], at_ms=2)
        index.requests.acknowledge_all()

        await wait

    run(body)


@pytest.mark.parametrize("state", ["starting", "scanning", "indexing", "embedding"])
def test_work_in_progress_is_waited_for(index, state):
    async def body():
        index.state = state
        wait = waiting(index, wait_ms=LONG_MS)
        await look_again(index)
        assert not wait.done()

        index.state = "live"

        await wait

    run(body)


def test_a_wait_ends_in_an_answer_also_where_nothing_came_of_it(index):
    async def body():
        index.state = "scanning"

        await wait_for_index(index, params(wait_ms=20))

    run(body)


def test_after_a_time_only_what_was_reported_until_then_is_waited_for(index):
    async def body():
        index.state = "indexing"
        index.requests.submit([CHANGE], at_ms=100)
        index.requests.take_changes()
        index.requests.submit([CHANGE], at_ms=200)
        wait = waiting(index, after_ms=150, wait_ms=LONG_MS)
        await asyncio.sleep(0)
        assert not wait.done()

        index.requests.acknowledge_all()

        await wait

    run(body)


@pytest.mark.parametrize("wait_ms", [0, 20])
def test_what_is_not_indexed_in_time_is_an_error_that_says_so(index, wait_ms):
    async def body():
        index.requests.submit([CHANGE], at_ms=100)

        with pytest.raises(IndexBehind, match=f"up to 100 are not indexed after {wait_ms} ms; state: live"):
            await wait_for_index(index, params(after_ms=100, wait_ms=wait_ms))

    run(body)


def test_where_indexing_is_paused_that_is_said_at_once(index):
    async def body():
        index.state = "paused"
        index.requests.submit([CHANGE], at_ms=100)

        with pytest.raises(IndexBehind, match="indexing is paused"):
            await wait_for_index(index, params(after_ms=100, wait_ms=LONG_MS))

    run(body)


def test_nothing_is_waited_for_where_all_is_indexed(index):
    async def body():
        await wait_for_index(index, params(after_ms=time.time_ns() // 1_000_000))
        await wait_for_index(index, params(after_ms=10**15))

    run(body)


def test_a_time_to_come_counts_as_now(index):
    async def body():
        index.requests.submit([CHANGE], at_ms=100)
        index.requests.take_changes()
        wait = waiting(index, after_ms=10**15, wait_ms=LONG_MS)
        await asyncio.sleep(0)

        index.requests.submit([CHANGE], at_ms=200)
        index.requests.acknowledge_all()

        await wait

    run(body)


@pytest.mark.parametrize(("state", "wait_ms"), [("paused", LONG_MS), ("failed", LONG_MS), ("live", 0)])
def test_a_report_is_not_waited_for_in_vain(index, state, wait_ms):
    index.requests.submit([CHANGE], 1)
    index.state = state

    assert asyncio.run(wait_for_changes(index, 1, wait_ms, lambda: False)) is False


def test_a_report_is_waited_for_until_it_is_carried_out(index):
    index.requests.submit([CHANGE], 1)

    async def body():
        waiting = asyncio.create_task(wait_for_changes(index, 1, LONG_MS, lambda: False))
        await asyncio.sleep(0)
        index.acknowledge_waiting()

        assert await waiting is True

    run(body)


def test_a_cancelled_wait_for_a_report_ends(index):
    index.requests.submit([CHANGE], 1)

    assert asyncio.run(wait_for_changes(index, 1, LONG_MS, lambda: True)) is False
