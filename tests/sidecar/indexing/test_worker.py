"""One job after another: what goes first, what overtakes, what is tried again, and how it ends."""

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from builders import wait_until

from quarry.errors import Cancelled, IndexDamaged, IndexUnavailable, VaultMissing
from quarry.indexing import worker as worker_module
from quarry.indexing.worker import Worker
from quarry.types import VaultChange

A, B, C = (VaultChange("modified", f"{name}.md") for name in "abc")


class Jobs:
    """Jobs that note that they were run; `then[name]` is what one does besides, once."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.then: dict[str, list[Callable[[], None]]] = {}

    def _run(self, name: str, changes: Sequence[VaultChange] = ()) -> None:
        self.log.append(" ".join([name, *(change.path for change in changes)]))
        if waiting := self.then.get(name):
            waiting.pop(0)()

    def initial_sync(self) -> None:
        self._run("initial_sync")

    def apply(self, changes: Sequence[VaultChange]) -> None:
        self._run("apply", changes)

    def apply_urgent(self, changes: Sequence[VaultChange]) -> None:
        self._run("apply_urgent", changes)

    def flush(self) -> None:
        self._run("flush")

    def rebuild(self) -> None:
        self._run("rebuild")

    def reconcile(self) -> None:
        self._run("reconcile")

    def poll(self) -> None:
        self._run("poll")

    def deep_check(self) -> None:
        self._run("deep_check")

    def repair(self) -> None:
        self._run("repair")

    def recreate(self, error: IndexDamaged) -> None:
        self._run("recreate")

    def failed(self, error: Exception) -> None:
        self._run(f"failed {type(error).__name__}")


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def worker(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setattr(worker_module, "RETRY_S", 0.01)
    monkeypatch.setattr(worker_module, "RETRY_MAX_S", 0.04)
    monkeypatch.setattr(worker_module, "POLL_EVERY_S", 1000.0)
    monkeypatch.setattr(worker_module, "FIRST_POLL_S", 1000.0)
    made = Worker(jobs)
    yield made
    made.stop()


def fail(error: Exception) -> Callable[[], None]:
    def raise_it() -> None:
        raise error

    return raise_it


def idle(worker: Worker, jobs: Jobs, *, until: str) -> None:
    """Return when the job *until* was run and nothing else is due."""
    wait_until(lambda: until in jobs.log and not worker.is_busy and worker._again is None, f"{jobs.log}")


def test_the_first_job_is_to_begin(worker: Worker, jobs: Jobs):
    assert worker.is_busy

    worker.start()
    idle(worker, jobs, until="initial_sync")

    assert jobs.log == ["initial_sync"]


def test_changes_that_wait_are_one_job(worker: Worker, jobs: Jobs):
    worker.submit([A, B])
    worker.submit([C])
    worker.start()
    idle(worker, jobs, until="apply a.md b.md c.md")

    assert jobs.log == ["initial_sync", "apply a.md b.md c.md"]
    assert worker.queued == 0


def test_requests_come_in_the_order_rebuild_mend_reconcile_changes(worker: Worker, jobs: Jobs):
    worker.submit([A])
    worker.request_reconcile()
    worker.request_repair()
    worker.request_rebuild()
    worker.request_rebuild()
    worker.start()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "rebuild", "repair", "reconcile", "apply a.md"]


def test_changes_overtake_where_a_job_breathes(worker: Worker, jobs: Jobs):
    worker.submit([A])
    jobs.then["initial_sync"] = [worker.yield_point]
    worker.start()
    idle(worker, jobs, until="apply_urgent a.md")

    assert jobs.log == ["initial_sync", "apply_urgent a.md"]


def test_what_overtakes_is_not_overtaken(worker: Worker, jobs: Jobs):
    def save_and_breathe() -> None:
        worker.submit([B])
        worker.yield_point()

    worker.submit([A])
    jobs.then["initial_sync"] = [worker.yield_point]
    jobs.then["apply_urgent"] = [save_and_breathe]
    worker.start()
    idle(worker, jobs, until="apply b.md")

    assert jobs.log == ["initial_sync", "apply_urgent a.md", "apply b.md"]


def test_changes_are_not_lost_when_overtaking_fails(worker: Worker, jobs: Jobs):
    worker.submit([A])
    jobs.then["initial_sync"] = [worker.yield_point]
    jobs.then["apply_urgent"] = [fail(VaultMissing("gone"))]
    worker.start()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "apply_urgent a.md", "failed VaultMissing", "initial_sync", "apply a.md"]


@pytest.mark.parametrize(
    "error", [IndexUnavailable("full"), VaultMissing("gone"), OSError(5, "bad"), ValueError("a defect")]
)
def test_what_fails_is_tried_again_before_anything_else(worker: Worker, jobs: Jobs, error: Exception):
    worker.submit([A])
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


def test_changes_that_could_not_be_carried_out_are_tried_again(worker: Worker, jobs: Jobs):
    jobs.then["apply"] = [fail(VaultMissing("gone"))]
    worker.start()
    worker.submit([A])
    wait_until(lambda: jobs.log.count("apply a.md") == 2)

    assert jobs.log == ["initial_sync", "apply a.md", "failed VaultMissing", "apply a.md"]


def test_a_damaged_index_is_recovered_whatever_met_the_damage(worker: Worker, jobs: Jobs):
    jobs.then["apply"] = [fail(IndexDamaged("torn"))]
    worker.start()
    worker.submit([A])
    idle(worker, jobs, until="recreate")

    assert jobs.log == ["initial_sync", "apply a.md", "failed IndexDamaged", "recreate"]


def test_a_recovery_that_fails_is_tried_again_without_haste(worker: Worker, jobs: Jobs, monkeypatch):
    waits: list[float] = []
    real = worker._try_later

    def spy(job: Callable[[], None], *, at_once: bool = False) -> None:
        real(job, at_once=at_once)
        waits.append(0 if at_once else worker._retry_s)

    monkeypatch.setattr(worker, "_try_later", spy)
    jobs.then["initial_sync"] = [fail(IndexDamaged("torn"))]
    jobs.then["recreate"] = [fail(IndexDamaged("torn again")) for _ in range(4)]
    worker.start()
    wait_until(lambda: jobs.log.count("recreate") == 5)

    assert waits == [0, 0.02, 0.04, 0.04, 0.04]


def test_waiting_to_try_again_is_no_work(worker: Worker, jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "RETRY_S", 1000.0)
    monkeypatch.setattr(worker_module, "RETRY_MAX_S", 1000.0)
    jobs.then["initial_sync"] = [fail(VaultMissing("gone"))]
    worker.start()
    wait_until(lambda: "failed VaultMissing" in jobs.log and not worker.is_busy)

    assert worker._again is not None


def test_a_sign_of_life_shortens_the_wait(worker: Worker, jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "RETRY_MAX_S", 1000.0)
    worker._retry_s = 1000.0
    jobs.then["initial_sync"] = [fail(VaultMissing("gone"))]
    worker.start()
    wait_until(lambda: worker._again is not None)

    worker.submit([A])
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "failed VaultMissing", "initial_sync", "apply a.md"]


def test_a_rebuild_does_not_wait_for_what_failed_and_makes_it_good(worker: Worker, jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "RETRY_S", 1000.0)
    monkeypatch.setattr(worker_module, "RETRY_MAX_S", 1000.0)
    jobs.then["initial_sync"] = [fail(IndexUnavailable("torn"))]
    worker.start()
    wait_until(lambda: worker._again is not None)

    worker.request_rebuild()
    idle(worker, jobs, until="rebuild")

    assert jobs.log == ["initial_sync", "failed IndexUnavailable", "rebuild"]


def test_nothing_is_begun_while_paused(worker: Worker, jobs: Jobs):
    worker.start()
    idle(worker, jobs, until="initial_sync")
    worker.pause()
    worker.submit([A])
    worker.request_reconcile()
    assert worker.is_paused
    assert worker.queued == 1

    worker.resume()
    idle(worker, jobs, until="apply a.md")

    assert jobs.log == ["initial_sync", "reconcile", "apply a.md"]


def test_a_rebuild_asked_for_ends_a_pause(worker: Worker, jobs: Jobs):
    worker.start()
    worker.pause()
    worker.request_rebuild()
    idle(worker, jobs, until="rebuild")

    assert not worker.is_paused


def test_a_job_stops_where_it_breathes(worker: Worker, jobs: Jobs):
    is_running, stopped = threading.Event(), threading.Event()

    def work() -> None:
        is_running.set()
        while True:
            try:
                worker.yield_point()
            except Cancelled:
                stopped.set()
                raise

    jobs.then["initial_sync"] = [work]
    worker.start()
    assert is_running.wait(10)
    worker.stop()

    assert stopped.is_set()
    assert jobs.log == ["initial_sync"]


def test_a_paused_job_can_be_stopped(worker: Worker, jobs: Jobs):
    is_running = threading.Event()

    def work() -> None:
        is_running.set()
        while True:
            worker.yield_point()

    jobs.then["initial_sync"] = [work]
    worker.start()
    assert is_running.wait(10)
    worker.pause()

    worker.stop()

    assert not worker._thread.is_alive()


def test_idle_time_is_for_looking_and_now_and_then_for_tending(worker: Worker, jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "POLL_EVERY_S", 0.01)
    monkeypatch.setattr(worker_module, "DEEP_CHECK_AFTER_S", 0.0)
    worker._poll_after_s = 0.0
    worker.start()
    wait_until(lambda: jobs.log.count("poll") >= 3)

    assert jobs.log[:2] == ["initial_sync", "deep_check"]
    assert jobs.log.count("deep_check") == 1


def test_tending_waits_until_nothing_was_done_for_a_while(worker: Worker, jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "DEEP_CHECK_AFTER_S", 1000.0)
    monkeypatch.setattr(worker_module, "POLL_EVERY_S", 0.01)
    worker._poll_after_s = 0.0
    worker.start()
    wait_until(lambda: jobs.log.count("poll") >= 2)
    worked_s = worker._worked_s
    worker.submit([A])
    idle(worker, jobs, until="apply a.md")
    wait_until(lambda: worker._worked_s > worked_s)
    after_save_s = worker._worked_s
    looks = jobs.log.count("poll")
    wait_until(lambda: jobs.log.count("poll") >= looks + 2)

    assert "deep_check" not in jobs.log
    assert worker._worked_s == after_save_s  # looking is idleness
    assert worker._deep_check_at_s >= after_save_s + 1000.0


def test_the_first_look_comes_sooner_than_the_next(jobs: Jobs, monkeypatch):
    monkeypatch.setattr(worker_module, "FIRST_POLL_S", 0.0)
    monkeypatch.setattr(worker_module, "POLL_EVERY_S", 1000.0)
    worker = Worker(jobs)
    worker.start()
    idle(worker, jobs, until="poll")
    worker.submit([A])
    idle(worker, jobs, until="apply a.md")
    worker.stop()

    assert jobs.log == ["initial_sync", "poll", "apply a.md"]


def test_stopping_before_the_start_is_no_error(worker: Worker, jobs: Jobs):
    worker.stop()

    assert jobs.log == []
