"""Preparing processes answer in order, and a death costs no result but that of the item that caused it."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from builders import (
    EQUAL,
    IMPATIENT,
    HashEncoder,
    Recorder,
    Vault,
    find,
    killed,
    load_exiting_encoder,
    load_fatal_encoder,
    load_hash_encoder,
    problems,
    record_processes,
    settle,
    wait_until,
)
from msgspec.structs import replace
from sidecars import is_running

from quarry.documents.note import ParserSettings
from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.errors import Cancelled, VaultMissing
from quarry.index import Index
from quarry.index.postings import segment_file
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.segment_file import HEADER_BYTES
from quarry.indexing import workforce
from quarry.indexing.indexer import Indexer
from quarry.indexing.preparation import Ready
from quarry.indexing.process import ChildProcess, ProcessLimits
from quarry.indexing.workforce import (
    PlanLimits,
    PoisonItem,
    ResultBatch,
    WorkerOptions,
    WorkerPool,
    WorkerSetup,
    batches,
    process_count,
)
from quarry.messages import message
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

NOTES = {
    f"{n:03}.md": f"---\ntags: [t{n % 3}]\n---\n# N{n}\nwalnut{n}\n\n## Part\npear {n} [[{n - 1}]]" for n in range(150)
}
MOVES = [(path, None) for path in NOTES]
CHILD = Path(__file__).with_name("orphaned_pool.py")
LEAST_PRIORITY = 19  # of Linux: who runs these tests niced has no room for ten more

pytestmark = pytest.mark.slow  # each test starts processes
needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture
def start_pool(vault: Vault, monitor: Recorder) -> Iterator[Callable[..., WorkerPool]]:
    """Start a pool for the vault."""
    started: list[WorkerPool] = []

    def start(load: Callable[[str], Encoder] = load_hash_encoder, limits: ProcessLimits = EQUAL) -> WorkerPool:
        options = WorkerOptions(load, "hash", limits=limits)
        setup = WorkerSetup(vault.root, ParserSettings((), 10_000, 100), options, HashEncoder("hash").fingerprint)
        started.append(WorkerPool(setup, lambda: None, monitor.degraded))
        return started[-1]

    yield start
    for pool in started:
        pool.close()


def prepared_paths(results: Sequence[Ready]) -> list[str]:
    """The paths of *results*, all of which could be prepared."""
    assert not any(isinstance(result, PoisonItem) for result in results)
    return [prepared.path for prepared, _ in results]


def test_results_come_in_the_order_of_the_plan(vault: Vault, start_pool: Callable[..., WorkerPool]):
    vault.write_all({path: "word " * (5000 if n % 7 == 0 else 1) for n, path in enumerate(NOTES)})

    found = [ready for batch in start_pool().work("prepare", batches(MOVES, 4)) for ready in batch]

    assert prepared_paths(found) == list(NOTES)


def test_a_vault_that_goes_away_in_the_middle_ends_the_work(vault: Vault, start_pool: Callable[..., WorkerPool]):
    pool = start_pool()
    vault.root.rename(vault.root.with_name("elsewhere"))

    with pytest.raises(VaultMissing):
        list(pool.work("prepare", [[("a.md", None)]]))


@needs_kill
def test_an_item_that_ends_processes_is_named_and_all_others_are_prepared(
    vault: Vault, start_pool: Callable[..., WorkerPool]
):
    bad = {"041.md", "042.md", "149.md"}
    vault.write_all({path: "poison" if path in bad else text for path, text in NOTES.items()})

    found = [ready for batch in start_pool(load_fatal_encoder).work("prepare", batches(MOVES, 8)) for ready in batch]

    assert len(found) == len(NOTES)
    poison = {path: ready for path, ready in zip(NOTES, found, strict=True) if isinstance(ready, PoisonItem)}
    assert poison.keys() == bad
    assert prepared_paths([ready for ready in found if not isinstance(ready, PoisonItem)]) == sorted(NOTES.keys() - bad)


@needs_kill
def test_a_process_that_is_stopped_is_ended_and_its_work_is_done_again(
    vault: Vault, start_pool: Callable[..., WorkerPool], monitor: Recorder
):
    vault.write_all(NOTES)
    pool = start_pool(limits=replace(EQUAL, silence_s=5.0))
    work = pool.work("prepare", batches(MOVES, 10))
    found = list(next(work))
    stopped = pool.pids[-1]
    os.kill(stopped, signal.SIGSTOP)

    found += [ready for batch in work for ready in batch]

    assert prepared_paths(found) == list(NOTES)
    assert ["it said nothing for 5 s" in report for report in monitor.reported] == [True]
    assert not is_running(stopped)


@needs_kill
def test_no_process_outlives_a_killed_parent(vault: Vault):
    pids = killed(CHILD, vault.root)

    wait_until(lambda: not any(is_running(pid) for pid in pids), "the processes end with their parent")


def test_processes_are_niced_and_hold_no_file_of_ours(index: Index, start_pool: Callable[..., WorkerPool]):
    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux shows what a process has open")
    for pid in start_pool(limits=ProcessLimits(niceness=10)).pids:
        opened = {str(descriptor.readlink()) for descriptor in Path(f"/proc/{pid}/fd").iterdir()}

        group = Path(f"/proc/{pid}/autogroup")

        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, LEAST_PRIORITY)
        assert not group.exists() or group.read_text().endswith("nice 10\n")
        assert not any(str(index.path) in file or file.startswith("socket:") for file in opened)


def test_files_are_read_in_batches_of_a_few_megabytes_and_a_bounded_number():
    moves = [(f"{number}.md", None) for number in range(7)]
    sizes = {"1.md": workforce.READ_BATCH_BYTES, "2.md": workforce.READ_BATCH_BYTES}

    batches = [[path for path, _ in batch] for batch in workforce._batches_by_size(moves, sizes, 3)]

    assert batches == [["0.md", "1.md", "2.md"], ["3.md", "4.md", "5.md"], ["6.md"]]
    assert [len(batch) for batch in workforce._batches_by_size(moves[1:3], {"1.md": 2**30, "2.md": 2**30}, 3)] == [1, 1]


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


# --- by an indexer ----------------------------------------------------------------------------------

SMALL_PLANS = PlanLimits(many_notes=100, many_stamps=100, many_texts=100, batch_notes=8)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[ChildProcess]:
    """The processes that were started to prepare notes."""
    return record_processes(monkeypatch, workforce)


@pytest.fixture
def with_processes(vault: Vault, monitor: Recorder, encoder: HashEncoder) -> Indexer:
    """An indexer whose large plans are prepared by processes."""
    return make_indexer(vault, monitor, encoder, options_with(load_hash_encoder))


def options_with(load: Callable[[str], Encoder]) -> WorkerOptions:
    return WorkerOptions(load, "hash", limits=EQUAL)


def make_indexer(vault: Vault, monitor: Recorder, encoder: HashEncoder, options: WorkerOptions | None) -> Indexer:
    return Indexer(vault.root, Settings(), Rules(), monitor, lambda _: encoder, options=options, limits=SMALL_PLANS)


def rows(path: Path) -> list[tuple[object, ...]]:
    """Every row of every table with what was read and embedded; not of those that count commits or are derived."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    ours = [
        name for name in names if name not in ("meta", "changes") and "_fts" not in name and "chunks_vec" not in name
    ]
    found = [(name, *row) for name in ours for row in connection.execute(f"SELECT * FROM {name}")]
    connection.close()
    assert {"notes", "bodies", "chunk_rows", "vectors", "title_vectors"} <= {row[0] for row in found}
    return sorted(found, key=repr)


def same_as_without_processes(index: Index, vault: Vault, encoder: HashEncoder, folder: Path) -> bool:
    """Whether *index* holds, row by row and id by id, what one filled on this thread holds."""
    plain = Index.open(folder / "plain.db")
    make_indexer(vault, Recorder(), encoder, None).reconcile(plain)
    plain.close()
    index.checkpoint()
    return rows(index.path) == rows(folder / "plain.db")


def test_processes_give_the_same_rows_as_the_thread(
    vault: Vault, index: Index, with_processes: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES | {"Board.md": "---\nkanban-plugin: board\n---\nx", "über.md": "# Ü\n日本語"})

    outcome = with_processes.reconcile(index)

    assert outcome.upserted == len(NOTES) + 1
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_postings_from_counts_of_processes_equal_those_read_from_the_index_and_the_processes_are_gone_by_then(
    vault: Vault,
    index: Index,
    with_processes: Indexer,
    started: list[ChildProcess],
    monkeypatch: pytest.MonkeyPatch,
):
    vault.write_all(NOTES)
    build, running = BulkCollector.build, []

    def building(collector: BulkCollector) -> object:
        running.append([process.pid for process in started if is_running(process.pid)])
        return build(collector)

    monkeypatch.setattr(BulkCollector, "build", building)
    with_processes.reconcile(index)
    index.close()

    path = segment_file.path_beside(index.path)
    collected = path.read_bytes()
    path.unlink()
    with closing(Index.open(index.path)) as again:
        again.flush_postings()
    assert path.read_bytes()[HEADER_BYTES:] == collected[HEADER_BYTES:]
    assert started
    assert running[0] == []


def test_the_serving_process_embeds_nothing_of_a_large_plan(
    vault: Vault, index: Index, with_processes: Indexer, encoder
):
    vault.write_all(NOTES)
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    assert with_processes.reconcile(index).upserted == len(NOTES)


def test_vectors_that_are_wanting_are_made_by_processes(
    vault: Vault, index: Index, monitor: Recorder, with_processes: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES)
    Indexer(vault.root, Settings(), Rules(), monitor, lambda _: None).reconcile(index)
    encode = encoder.encode
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    with_processes.embed_pending(index)

    encoder.encode = encode  # type: ignore[method-assign]
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_a_thorough_look_hashes_in_processes_and_finds_a_silent_change(
    vault: Vault, index: Index, with_processes: Indexer, monkeypatch
):
    vault.write_all(NOTES)
    with_processes.reconcile(index)
    vault.replace_silently("007.md", NOTES["007.md"].replace("walnut", "cherry"))

    assert with_processes.reconcile(index, thorough=True).upserted == 1


@needs_kill
def test_a_killed_process_is_told_of_and_its_work_is_done_again(
    vault: Vault,
    index: Index,
    with_processes: Indexer,
    monitor: Recorder,
    encoder: HashEncoder,
    started: list[ChildProcess],
    tmp_path: Path,
):
    vault.write_all(NOTES)
    killed: list[int] = []

    def kill_one() -> None:
        if monitor.committed_paths and not killed:  # in the middle: something is stored, something is not
            killed.append(started[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    monitor.at_checkpoint = kill_one
    with_processes.reconcile(index)

    assert killed
    assert ["signal 9" in message for message in monitor.reported] == [True]
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_no_process_is_left_when_a_run_ends_or_is_cancelled(
    vault: Vault, index: Index, with_processes: Indexer, monitor: Recorder, started: list[ChildProcess]
):
    vault.write_all(NOTES)

    def cancel() -> None:
        if monitor.committed_paths:
            raise Cancelled("the test said so")

    monitor.at_checkpoint = cancel
    with pytest.raises(Cancelled):
        with_processes.reconcile(index)

    assert started
    assert not any(is_running(process.pid) for process in started)
    with index.reader() as reader:
        assert 0 < reader.counts().notes < len(NOTES)


@needs_kill
def test_a_note_that_ends_processes_is_left_out_and_the_rest_goes_on(
    vault: Vault, index: Index, monitor: Recorder, encoder: HashEncoder
):
    vault.write_all(NOTES | {"070.md": "# Bad\npoison"})
    fatal = make_indexer(vault, monitor, encoder, options_with(load_fatal_encoder))

    outcome = fatal.reconcile(index)

    assert outcome.upserted == len(NOTES) - 1
    [problem] = problems(index, 9)
    assert (problem.path, problem.skipped) == ("070.md", True)
    assert problem.reason == message("reason.crash")


@needs_kill
def test_a_note_that_ended_processes_is_never_tried_in_the_serving_one_until_it_is_harmless(
    vault: Vault, index: Index, monitor: Recorder
):
    vault.write_all(NOTES | {"070.md": "# Bad\npoison"})
    encoder = HashEncoder()
    fatal = make_indexer(vault, monitor, encoder, options_with(load_fatal_encoder))
    fatal.reconcile(index)
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    again = fatal.reconcile(index)
    vault.write("070.md", "# Good\nremedy")
    mended = fatal.apply(index, [VaultChange("modified", "070.md")])

    assert (again.upserted, mended.upserted) == (0, 1)
    assert problems(index, 9) == []


def test_where_no_process_can_be_started_the_thread_does_it_and_says_so(
    vault: Vault, index: Index, with_processes: Indexer, monitor: Recorder, monkeypatch
):
    vault.write_all(NOTES)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(subprocess, "Popen", refuse)

    assert with_processes.reconcile(index).upserted == len(NOTES)
    [message] = monitor.reported
    assert "searches are slower meanwhile" in message
    assert "Operation not permitted" in message


def test_where_processes_end_before_they_begin_the_thread_does_it(
    vault: Vault, index: Index, monitor: Recorder, encoder: HashEncoder
):
    vault.write_all(NOTES)
    indexer = make_indexer(vault, monitor, encoder, options_with(load_exiting_encoder))

    assert indexer.reconcile(index).upserted == len(NOTES)
    assert "exit code 3" in monitor.reported[0]


def test_a_model_that_is_another_by_now_is_not_used(vault: Vault, index: Index, monitor: Recorder):
    vault.write_all(NOTES)
    indexer = make_indexer(vault, monitor, HashEncoder("renewed"), options_with(load_hash_encoder))

    assert indexer.reconcile(index).upserted == len(NOTES)
    assert "changed" in monitor.reported[0]


# --- the engine -------------------------------------------------------------------------------------


@pytest.fixture
def many_notes(vault: Vault) -> None:
    vault.write_all({f"{n:03}.md": f"# N{n}\nwalnut{n}" for n in range(400)})


@pytest.fixture
def open_with_processes(tmp_path: Path, vault: Vault, many_notes: None) -> Iterator[Callable[..., Engine]]:
    """Open an engine, whose first run calls *act*, once, on the indexing thread, when something is stored."""
    opened: list[Engine] = []
    limits = replace(IMPATIENT, plan=SMALL_PLANS)

    def open_one(act: Callable[[Engine], None]) -> Engine:
        engine = Engine.open(vault.root, tmp_path / "engine.db", load=load_hash_encoder, limits=limits)
        opened.append(engine)
        waiting = [act]
        engine.listen(lambda updated: waiting.pop()(engine) if updated and waiting else None)
        return engine

    yield open_one
    for engine in opened:
        engine.close()


def test_a_saved_note_overtakes_what_processes_prepare(vault: Vault, open_with_processes: Callable[..., Engine]):
    order: list[str] = []

    def save(engine: Engine) -> None:
        engine.listen(lambda updated: order.extend(updated.indexed if updated else ()))
        vault.write("zzz.md", "# Z\ncherry")
        engine.vault_changed([VaultChange("created", "zzz.md")])

    engine = open_with_processes(save)
    settle(engine)

    assert order[0] == "zzz.md"
    assert engine.status().notes == 401


def test_a_pause_holds_what_processes_prepare(open_with_processes: Callable[..., Engine]):
    engine = open_with_processes(lambda engine: engine.pause())
    wait_until(lambda: engine.status().notes > 0)  # what was done before is to be found
    status = engine.status()
    engine.resume()
    settle(engine)

    assert status.state == "paused"
    assert 0 < status.notes < 400
    assert engine.status().notes == 400


def test_an_engine_that_is_closed_in_the_middle_leaves_no_process(
    open_with_processes: Callable[..., Engine], started: list[ChildProcess]
):
    reached = threading.Event()
    engine = open_with_processes(lambda _: reached.set())
    assert reached.wait(30)

    engine.close()

    assert started
    assert not any(is_running(process.pid) for process in started)


@needs_kill
def test_the_status_tells_of_a_death_until_the_index_equals_the_vault(
    open_with_processes: Callable[..., Engine], started: list[ChildProcess], caplog: pytest.LogCaptureFixture
):
    told: list[str] = []

    def kill(engine: Engine) -> None:
        engine.listen(lambda _: told.append(str(engine.status().message or "")))
        os.kill(started[0].pid, signal.SIGKILL)

    engine = open_with_processes(kill)
    settle(engine)

    assert any("signal 9" in message for message in told)
    assert "signal 9" in caplog.text
    assert engine.status().message is None
    assert find(engine, "walnut399", mode="keyword") == ["399.md"]
