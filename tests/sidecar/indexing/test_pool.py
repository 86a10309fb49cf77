"""Preparing processes answer in order, and a death costs no result but that of the item that caused it."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from builders import (
    EQUAL,
    FatalEncoder,
    HashEncoder,
    Quiet,
    Vault,
    is_alive,
    killed,
    load_exiting_encoder,
    load_fatal_encoder,
    load_hash_encoder,
    wait_until,
)
from msgspec.structs import replace

from quarry.documents.reading_rules import ReadingRules
from quarry.embedding import Encoder
from quarry.errors import VaultMissing
from quarry.index import Index
from quarry.indexing.limits import ProcessLimits
from quarry.indexing.pool import PoisonItem, ResultBatch, WorkerOptions, WorkerPool, WorkerSetup, process_count
from quarry.indexing.prepare import Ready
from quarry.indexing.worker_process import ProcessUnavailable

NOTES = {f"{n:03}.md": f"# N{n}\nwalnut{n}\n\n## Part\npear {n} [[{n - 1}]]" for n in range(150)}
MOVES = [(path, None) for path in NOTES]
CHILD = Path(__file__).with_name("orphaned_pool.py")
LEAST_PRIORITY = 19  # of Linux: who runs these tests niced has no room for ten more

slow = pytest.mark.slow  # it starts processes
needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


class Reports(Quiet):
    """A monitor that remembers what went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.reported: list[str] = []

    def report_degraded(self, message: str) -> None:
        self.reported.append(message)


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def start_pool(vault: Vault, reports: Reports) -> Iterator[Callable[..., WorkerPool]]:
    """Start a pool for the vault."""
    started: list[WorkerPool] = []

    def start(load: Callable[[str], Encoder] = load_hash_encoder, limits: ProcessLimits = EQUAL) -> WorkerPool:
        options = WorkerOptions(load, "hash", limits=limits)
        setup = WorkerSetup(vault.root, ReadingRules((), 10_000, 100), options, HashEncoder("hash").fingerprint)
        started.append(WorkerPool(setup, reports.between_batches, reports.report_degraded))
        return started[-1]

    yield start
    for pool in started:
        pool.close()


def prepared_paths(results: Sequence[Ready]) -> list[str]:
    """The paths of *results*, all of which could be prepared."""
    assert not any(isinstance(result, PoisonItem) for result in results)
    return [prepared.path for prepared, _ in results]


@slow
def test_results_come_in_the_order_of_the_plan(vault: Vault, start_pool: Callable[..., WorkerPool]):
    vault.write_all({path: "word " * (5000 if n % 7 == 0 else 1) for n, path in enumerate(NOTES)})

    found = [ready for batch in start_pool().work("prepare", MOVES, 4) for ready in batch]

    assert prepared_paths(found) == list(NOTES)


@slow
def test_a_vault_that_goes_away_in_the_middle_ends_the_work(vault: Vault, start_pool: Callable[..., WorkerPool]):
    pool = start_pool()
    vault.root.rename(vault.root.with_name("elsewhere"))

    with pytest.raises(VaultMissing):
        list(pool.work("prepare", [("a.md", None)], 8))


@slow
@needs_kill
def test_a_process_that_dies_once_costs_no_result(
    vault: Vault, start_pool: Callable[..., WorkerPool], reports: Reports
):
    vault.write_all(NOTES)
    pool = start_pool()
    work = pool.work("prepare", MOVES, 10)
    found = list(next(work))
    os.kill(pool.pids[-1], signal.SIGKILL)

    found += [ready for batch in work for ready in batch]

    assert prepared_paths(found) == list(NOTES)
    assert ["signal 9" in report for report in reports.reported] == [True]


@slow
@needs_kill
def test_an_item_that_ends_processes_is_named_and_all_others_are_prepared(
    vault: Vault, start_pool: Callable[..., WorkerPool]
):
    bad = {"041.md", "042.md", "149.md"}
    vault.write_all({path: "poison" if path in bad else text for path, text in NOTES.items()})

    found = [ready for batch in start_pool(load_fatal_encoder).work("prepare", MOVES, 8) for ready in batch]

    assert len(found) == len(NOTES)
    poison = {path: ready for path, ready in zip(NOTES, found, strict=True) if isinstance(ready, PoisonItem)}
    assert poison.keys() == bad
    assert "signal 9" in poison["041.md"].how
    assert prepared_paths([ready for ready in found if not isinstance(ready, PoisonItem)]) == sorted(NOTES.keys() - bad)


@slow
@needs_kill
def test_a_process_that_is_stopped_is_ended_and_its_work_is_done_again(
    vault: Vault, start_pool: Callable[..., WorkerPool], reports: Reports
):
    vault.write_all(NOTES)
    pool = start_pool(limits=replace(EQUAL, silence_s=5.0))
    work = pool.work("prepare", MOVES, 10)
    found = list(next(work))
    stopped = pool.pids[-1]
    os.kill(stopped, signal.SIGSTOP)

    found += [ready for batch in work for ready in batch]

    assert prepared_paths(found) == list(NOTES)
    assert ["it said nothing for 5 s" in report for report in reports.reported] == [True]
    assert not is_alive(stopped)


@slow
def test_where_processes_end_before_they_begin_there_is_no_pool(start_pool: Callable[..., WorkerPool]):
    with pytest.raises(ProcessUnavailable, match="exit code 3"):
        start_pool(load_exiting_encoder)


@slow
@needs_kill
def test_no_process_outlives_a_killed_parent(vault: Vault):
    pids = killed(CHILD, vault.root)

    wait_until(lambda: not any(is_alive(pid) for pid in pids), "the processes end with their parent")


@slow
def test_processes_are_niced_and_hold_no_file_of_ours(index: Index, start_pool: Callable[..., WorkerPool]):
    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux shows what a process has open")
    for pid in start_pool(limits=ProcessLimits(niceness=10)).pids:
        opened = {str(descriptor.readlink()) for descriptor in Path(f"/proc/{pid}/fd").iterdir()}

        group = Path(f"/proc/{pid}/autogroup")

        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, LEAST_PRIORITY)
        assert not group.exists() or group.read_text().endswith("nice 10\n")
        assert not any(str(index.path) in file or file.startswith("socket:") for file in opened)


def test_there_are_no_more_processes_than_asked_for_and_at_least_one():
    assert process_count(1) == 1
    assert 1 <= process_count(100) <= (os.cpu_count() or 1)


# --- what crosses the pipe --------------------------------------------------------------------------


def test_what_results_share_is_sent_once():
    shared = ["a" * 50_000]
    sent = [(f"n{row}", shared) for row in range(3)]
    batch = ResultBatch.of(sent)
    found = list(batch.opened())

    assert found == sent
    assert len({id(part) for _, part in found}) == 1  # type: ignore[misc]  # pickles have no type
    assert len(batch.pickled) < 2 * 50_000


def test_results_that_share_nothing_arrive_as_they_are():
    assert list(ResultBatch.of(["a", b"b"]).opened()) == ["a", b"b"]


def test_a_process_loads_the_model_of_the_serving_one_by_its_name():
    wanted = HashEncoder("hash").fingerprint

    assert WorkerOptions(load_hash_encoder, "hash").encoder(wanted).fingerprint == wanted


def test_a_model_that_is_another_by_now_is_refused():
    with pytest.raises(ProcessUnavailable, match="changed"):
        WorkerOptions(load_hash_encoder, "hash").encoder(FatalEncoder("renewed").fingerprint)
