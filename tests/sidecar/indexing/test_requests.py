"""What is asked of the indexing thread waits its turn, and changes are let in where a job can be interrupted."""

import threading
from collections.abc import Sequence

import pytest

from quarry.errors import Cancelled, VaultMissing
from quarry.indexing.worker import RequestQueue
from quarry.types import VaultChange

A, B = (VaultChange("modified", f"{name}.md") for name in "ab")


class Job:
    """What a job does at its yield point."""

    def __init__(self, requests: RequestQueue) -> None:
        self.requests = requests
        self.flushes = 0
        self.applied: list[str] = []
        self.saved_meanwhile: list[VaultChange] = []

    def flush(self) -> None:
        self.flushes += 1

    def apply(self, changes: Sequence[VaultChange]) -> None:
        self.applied += [change.path for change in changes]
        self.requests.submit(self.saved_meanwhile)
        self.requests.yield_point(self.flush, self.apply)

    def yield_point(self) -> None:
        self.requests.yield_point(self.flush, self.apply)


@pytest.fixture
def requests() -> RequestQueue:
    return RequestQueue()


@pytest.fixture
def job(requests: RequestQueue) -> Job:
    return Job(requests)


def test_changes_are_carried_out_where_a_job_can_be_interrupted(requests: RequestQueue, job: Job):
    requests.submit([A, B])

    job.yield_point()

    assert job.applied == ["a.md", "b.md"]
    assert requests.is_empty


def test_what_interrupts_is_not_interrupted(requests: RequestQueue, job: Job):
    requests.submit([A])
    job.saved_meanwhile = [B]

    job.yield_point()

    assert job.applied == ["a.md"]
    assert requests.change_count == 1


def test_changes_are_not_lost_where_carrying_them_out_fails(requests: RequestQueue):
    def fail(_: Sequence[VaultChange]) -> None:
        requests.submit([B])
        raise VaultMissing("gone")

    requests.submit([A])

    with pytest.raises(VaultMissing):
        requests.yield_point(lambda: None, fail)
    assert requests.take_changes() == [A, B]


def test_a_paused_job_flushes_and_waits_until_it_may_go_on(requests: RequestQueue, job: Job):
    requests.pause()
    waiting = threading.Thread(target=job.yield_point)
    waiting.start()

    requests.resume()
    waiting.join(10)

    assert not waiting.is_alive()
    assert job.applied == []


def test_a_stopped_job_ends_at_its_yield_point_paused_or_not(requests: RequestQueue, job: Job):
    requests.pause()
    requests.stop()

    with pytest.raises(Cancelled):
        job.yield_point()


def test_a_request_waits_until_it_is_taken(requests: RequestQueue):
    requests.request_rebuild()
    requests.request_rebuild()
    requests.request_repair()
    requests.request_reconcile()
    assert not requests.is_empty

    taken = [requests.take_rebuild(), requests.take_rebuild(), requests.take_repair(), requests.take_reconcile()]

    assert taken == [True, False, True, True]
    assert requests.is_empty


def test_the_first_request_after_a_failure_is_remembered(requests: RequestQueue):
    requests.submit([A])
    requests.forget_requests()
    assert requests.first_request_s == float("inf")

    requests.submit([B])
    first_s = requests.first_request_s
    requests.request_reconcile()

    assert requests.first_request_s == first_s < float("inf")
