"""One job after another: what goes first, what overtakes, what is tried again, and how it ends."""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
from builders import wait_until
from msgspec.structs import replace

from quarry.errors import Cancelled, IndexDamaged, IndexUnavailable, VaultMissing
from quarry.indexing.process import WorkerTiming
from quarry.indexing.request_queue import RequestQueue
from quarry.indexing.worker import Worker
from quarry.types import VaultChange

TIMING = WorkerTiming(retry_s=0.01, retry_max_s=0.04, retry_asked_s=0.01, first_poll_s=1000.0, poll_every_s=1000.0)
A, B, C = (VaultChange("modified", f"{name}.md") for name in "abc")


class Jobs:
    """Jobs that note that they were run; `then[name]` is what one does besides, once."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.then: dict[str, list[Callable[[], None]]] = {}
        for name in ("initial_sync", "rebuild", "reconcile", "poll", "deep_check", "repair", "backfill"):
            setattr(self, name, partial(self._run, name))

    def _run(self, name: str, changes: Sequence[VaultChange] = ()) -> None:
        self.log.append(" ".join([name, *(change.path for change in changes)]))
        if waiting := self.then.get(name):
            waiting.pop(0)()

    def apply(self, changes: Sequence[VaultChange]) -> None:
        self._run("apply", changes)

    def recreate(self, error: IndexDamaged) -> None:
        self._run("recreate")

    def failed(self, error: Exception) -> None:
        self._run(f"failed {type(error).__name__}")


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def requests() -> RequestQueue:
    return RequestQueue()


@pytest.fixture
def make(jobs: Jobs, requests: RequestQueue) -> Iterator[Callable[..., Worker]]:
    """Makes a worker of other timing than `TIMING`."""
    made: list[Worker] = []

    def make_one(**timing: float) -> Worker:
        made.append(Worker(jobs, requests, replace(TIMING, **timing)))
        return made[-1]

    yield make_one
    for worker in made:
        worker.stop()


@pytest.fixture
def worker(make: Callable[..., Worker]) -> Worker:
    return make()


def fail(error: Exception) -> Callable[[], None]:
    def raise_it() -> None:
        raise error

    return raise_it


def checkpoint(requests: RequestQueue) -> None:
    requests.checkpoint(lambda: None, lambda _: None)


def idle(worker: Worker, jobs: Jobs, *, until: str) -> None:
    """Return when the job *until* was run and nothing else is due."""
    wait_until(lambda: until in jobs.log and not worker.is_busy and not worker.is_retrying, f"{jobs.log}")


def test_the_first_job_begins_when_the_head_start_ends(make, jobs: Jobs, requests: RequestQueue):
    worker = make(head_start_s=1000.0)
    worker.start()
    assert worker.is_busy
    assert not jobs.log

    requests.may_begin.set()

    idle(worker, jobs, until="initial_sync")


def test_a_worker_is_stopped_before_its_head_start_ends(make):
    others = set(threading.enumerate())  # engines that other tests share have such a thread, too
    worker = make(head_start_s=1000.0)
    worker.start()

    worker.stop()

    assert not any(thread.name == "quarry-index" for thread in set(threading.enumerate()) - others)


def test_the_first_job_is_to_begin(worker: Worker, requests: RequestQueue, jobs: Jobs):
    assert worker.is_busy

    worker.start()
    idle(worker, jobs, until="initial_sync")

    assert jobs.log == ["initial_sync"]


def test_changes_that_wait_are_one_job(worker: Worker, requests: RequestQueue, jobs: Jobs):
    requests.submit([A, B])
    requests.submit([C])
    worker.start()
    idle(worker, jobs, until="apply a.md b.md c.md")

    assert jobs.log == ["initial_sync", "apply a.md b.md c.md"]
    assert requests.change_count == 0


def test_requests_are_served_in_order_of_urgency(worker: Worker, requests: RequestQueue, jobs: Jobs):
    requests.submit([A])
    requests.request("reconcile")
    requests.request("repair")
    requests.request("rebuild")
    requests.request("rebuild")
    worker.start()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "rebuild", "repair", "reconcile", "apply a.md"]


@pytest.mark.parametrize(
    "error", [IndexUnavailable("full"), VaultMissing("gone"), OSError(5, "bad"), ValueError("a defect")]
)
def test_what_fails_is_tried_again_before_anything_else(
    worker: Worker, requests: RequestQueue, jobs: Jobs, error: Exception
):
    requests.submit([A])
    jobs.then["initial_sync"] = [fail(error), fail(error)]
    worker.start()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == [
        "initial_sync",
        name := f"failed {type(error).__name__}",
        "initial_sync",
        name,
        "initial_sync",
        "apply a.md",
    ]


def test_changes_that_could_not_be_carried_out_are_tried_again(worker: Worker, requests: RequestQueue, jobs: Jobs):
    jobs.then["apply"] = [fail(VaultMissing("gone"))]
    worker.start()
    requests.submit([A])
    wait_until(lambda: jobs.log.count("apply a.md") == 2)

    assert jobs.log == ["initial_sync", "apply a.md", "failed VaultMissing", "apply a.md"]


def test_a_damaged_index_is_recovered_whatever_met_the_damage(worker: Worker, requests: RequestQueue, jobs: Jobs):
    jobs.then["apply"] = [fail(IndexDamaged("torn"))]
    worker.start()
    requests.submit([A])
    idle(worker, jobs, until="recreate")

    assert jobs.log == ["initial_sync", "apply a.md", "failed IndexDamaged", "recreate"]


def test_a_recovery_that_fails_is_tried_again(worker: Worker, requests: RequestQueue, jobs: Jobs):
    jobs.then["initial_sync"] = [fail(IndexDamaged("torn"))]
    jobs.then["recreate"] = [fail(IndexDamaged("torn again")) for _ in range(4)]
    worker.start()
    wait_until(lambda: jobs.log.count("recreate") == 5)
    idle(worker, jobs, until="recreate")

    assert jobs.log.count("failed IndexDamaged") == 5


def test_waiting_to_try_again_is_no_work(make: Callable[..., Worker], jobs: Jobs):
    worker = make(retry_s=1000.0, retry_max_s=1000.0)
    jobs.then["initial_sync"] = [fail(VaultMissing("gone"))]
    worker.start()
    wait_until(lambda: "failed VaultMissing" in jobs.log and not worker.is_busy)

    assert worker.is_retrying


def test_a_request_shortens_the_wait(make: Callable[..., Worker], requests: RequestQueue, jobs: Jobs):
    worker = make(retry_s=1000.0, retry_max_s=1000.0)
    jobs.then["initial_sync"] = [fail(VaultMissing("gone"))]
    worker.start()
    wait_until(lambda: worker.is_retrying)

    requests.submit([A])
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "failed VaultMissing", "initial_sync", "apply a.md"]


def test_a_rebuild_does_not_wait_for_what_failed_and_makes_it_good(
    make: Callable[..., Worker], requests: RequestQueue, jobs: Jobs
):
    worker = make(retry_s=1000.0, retry_max_s=1000.0)
    jobs.then["initial_sync"] = [fail(IndexUnavailable("torn"))]
    worker.start()
    wait_until(lambda: worker.is_retrying)

    requests.request("rebuild")
    idle(worker, jobs, until="rebuild")

    assert jobs.log == ["initial_sync", "failed IndexUnavailable", "rebuild"]


def test_nothing_is_begun_while_paused(worker: Worker, requests: RequestQueue, jobs: Jobs):
    worker.start()
    idle(worker, jobs, until="initial_sync")
    requests.pause()
    requests.submit([A])
    requests.request("reconcile")
    assert requests.is_paused
    assert requests.change_count == 1

    requests.resume()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "reconcile", "apply a.md"]


def test_a_rebuild_asked_for_ends_a_pause(worker: Worker, requests: RequestQueue, jobs: Jobs):
    worker.start()
    requests.pause()
    requests.request("rebuild")
    idle(worker, jobs, until="rebuild")

    assert not requests.is_paused


def test_a_job_stops_at_a_checkpoint(worker: Worker, requests: RequestQueue, jobs: Jobs):
    is_running, stopped = threading.Event(), threading.Event()

    def work() -> None:
        is_running.set()
        while True:
            try:
                checkpoint(requests)
            except Cancelled:
                stopped.set()
                raise

    jobs.then["initial_sync"] = [work]
    worker.start()
    assert is_running.wait(10)
    worker.stop()

    assert stopped.is_set()
    assert jobs.log == ["initial_sync"]


def test_a_paused_job_can_be_stopped(worker: Worker, requests: RequestQueue, jobs: Jobs):
    is_running = threading.Event()

    def work() -> None:
        is_running.set()
        while True:
            checkpoint(requests)

    jobs.then["initial_sync"] = [work]
    worker.start()
    assert is_running.wait(10)
    requests.pause()

    worker.stop()

    assert jobs.log == ["initial_sync"]  # and the thread has ended, or `stop` would not return


def test_idle_time_is_for_polling_and_now_and_then_for_a_deep_check(make: Callable[..., Worker], jobs: Jobs):
    worker = make(first_poll_s=0.0, poll_every_s=0.01, deep_check_after_s=0.0)
    worker.start()
    wait_until(lambda: jobs.log.count("poll") >= 3)

    assert jobs.log[:2] == ["initial_sync", "deep_check"]
    assert jobs.log.count("deep_check") == 1


def test_a_deep_check_waits_until_nothing_was_done_for_a_while_and_polling_is_nothing(
    make: Callable[..., Worker], jobs: Jobs
):
    worker = make(first_poll_s=0.0, poll_every_s=0.01, deep_check_after_s=0.3)
    worker.start()
    wait_until(lambda: "deep_check" in jobs.log)

    assert jobs.log[0] == "initial_sync"
    assert jobs.log[1 : jobs.log.index("deep_check")].count("poll") >= 1
    assert set(jobs.log[1 : jobs.log.index("deep_check")]) == {"poll"}


def test_the_first_poll_comes_sooner_than_the_next(make: Callable[..., Worker], requests: RequestQueue, jobs: Jobs):
    worker = make(first_poll_s=0.0, poll_every_s=1000.0)
    worker.start()
    idle(worker, jobs, until="poll")
    requests.submit([A])
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "poll", "apply a.md"]


def test_a_step_of_the_backfill_comes_behind_everything_else(jobs: Jobs, requests: RequestQueue, worker: Worker):
    requests.request("backfill")
    requests.request("reconcile")
    requests.submit([A])
    worker.start()

    wait_until(lambda: "backfill" in jobs.log)
    assert jobs.log == ["initial_sync", "reconcile", "apply a.md", "backfill"]


def test_a_step_of_the_backfill_that_waits_is_no_work_and_waits_for_the_end_of_a_pause(
    jobs: Jobs, requests: RequestQueue, worker: Worker
):
    worker.start()
    wait_until(lambda: not worker.is_busy)
    requests.pause()

    requests.request("backfill")
    assert not worker.is_busy
    requests.resume()

    wait_until(lambda: "backfill" in jobs.log)


def test_each_wait_is_twice_the_one_before_up_to_a_bound():
    timing = WorkerTiming(retry_s=1.0, retry_max_s=5.0)

    assert timing.backoff_s(0.0) == 1.0
    assert timing.backoff_s(1.0) == 2.0
    assert timing.backoff_s(4.0) == 5.0
