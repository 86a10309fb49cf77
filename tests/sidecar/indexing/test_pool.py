"""Processes prepare large plans: the same rows as without them, whatever becomes of the processes."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from builders import (
    IMPATIENT,
    HashEncoder,
    Quiet,
    Vault,
    find,
    is_alive,
    killed,
    load_fatal_encoder,
    load_hash_encoder,
    problems,
    settle,
    wait_until,
)

from quarry.engine import Engine
from quarry.errors import Cancelled, VaultMissing
from quarry.index import Index
from quarry.index.keyword import builder, segment_file
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.segment import Segment
from quarry.indexing import executor, indexer, worker_process
from quarry.indexing import pool as preparers_module
from quarry.indexing.indexer import Indexer
from quarry.indexing.messages import WorkerOptions, WorkerSetup
from quarry.indexing.pool import PoisonItem, WorkerPool
from quarry.settings import Settings
from quarry.text.reading_rules import ReadingRules
from quarry.types import VaultChange
from quarry.vault.rules import Rules

pytestmark = pytest.mark.slow  # each test starts processes

NOTES = {
    f"{n:03}.md": f"---\ntags: [t{n % 3}]\n---\n# N{n}\nwalnut{n}\n\n## Part\npear {n} [[{n - 1}]]" for n in range(150)
}
CHILD = Path(__file__).with_name("orphaning.py")

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


class Watching(Quiet):
    """A monitor that lets a test act between two batches."""

    def __init__(self) -> None:
        super().__init__()
        self.hindrances: list[str] = []
        self.changed: set[str] = set()
        self.breaths = 0
        self.act: Callable[[], None] = lambda: None

    def report_degraded(self, message: str) -> None:
        self.hindrances.append(message)

    def changed_meanwhile(self, path: str) -> bool:
        return path in self.changed

    def between_batches(self) -> None:
        self.breaths += 1
        self.act()


@pytest.fixture
def monitor() -> Watching:
    return Watching()


@pytest.fixture
def small_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred notes are many, and a batch has few."""
    monkeypatch.setattr(executor, "MANY_NOTES", 100)
    monkeypatch.setattr(executor, "MANY_STAMPS", 100)
    monkeypatch.setattr(executor, "MANY_TEXTS", 100)
    monkeypatch.setattr(executor, "READ_BATCH_NOTES", 8)


@pytest.fixture
def staffed(vault: Vault, monitor: Watching, encoder: HashEncoder, small_plans: None) -> Indexer:
    """An indexer whose large plans are prepared by processes."""
    return make_indexer(vault, monitor, encoder, WorkerOptions(load_hash_encoder, "hash"))


@pytest.fixture
def preparers(vault: Vault, monitor: Watching) -> Iterator[WorkerPool]:
    employment = WorkerSetup(
        vault.root, ReadingRules((), 10_000, 100), WorkerOptions(load_hash_encoder, "hash"), HashEncoder().fingerprint
    )
    made = WorkerPool(employment, monitor.between_batches, monitor.report_degraded)
    yield made
    made.close()


def make_indexer(vault: Vault, monitor: Quiet, encoder: HashEncoder, options: WorkerOptions | None) -> Indexer:
    return Indexer(vault.root, Settings(), Rules(), monitor, lambda: encoder, options=options)


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
    make_indexer(vault, Quiet(), encoder, None).reconcile(plain)
    plain.close()
    index.checkpoint()
    return rows(index.path) == rows(folder / "plain.db")


def test_processes_give_the_same_rows_as_the_thread(
    vault: Vault, index: Index, staffed: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES | {"Board.md": "---\nkanban-plugin: board\n---\nx", "über.md": "# Ü\n日本語"})

    outcome = staffed.reconcile(index)

    assert outcome.upserted == len(NOTES) + 1
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_what_processes_counted_is_what_is_read_anew_and_they_are_gone_before_it_is_put_together(
    vault: Vault, index: Index, staffed: Indexer, monkeypatch: pytest.MonkeyPatch
):
    vault.write_all(NOTES)
    monkeypatch.setattr(indexer, "MANY_NOTES", 100)
    seen: list[tuple[object, int]] = []
    build, count = BulkCollector.build, builder.count_terms

    def finishing(collector: BulkCollector) -> tuple[Segment, Segment]:
        seen.append((staffed._preparation._pool, len(collector._names)))
        return build(collector)

    monkeypatch.setattr(BulkCollector, "build", finishing)
    monkeypatch.setattr(builder, "count_terms", lambda *_: 1 // 0)
    staffed.reconcile(index)
    monkeypatch.setattr(builder, "count_terms", count)

    path = segment_file.path_beside(index.path)
    gathered = path.read_bytes()
    index._memory.postings.invalidate("the test wants it anew")
    assert index.flush_postings()
    assert path.read_bytes() == gathered
    assert seen[0] == (None, len(NOTES))


def test_the_serving_process_embeds_nothing_of_a_large_plan(vault: Vault, index: Index, staffed: Indexer, encoder):
    vault.write_all(NOTES)
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    assert staffed.reconcile(index).upserted == len(NOTES)


def test_vectors_that_are_wanting_are_made_by_processes(
    vault: Vault, index: Index, monitor: Watching, staffed: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES)
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: None).reconcile(index)
    encode = encoder.encode
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    staffed.embed_pending(index)

    encoder.encode = encode  # type: ignore[method-assign]
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_a_thorough_look_hashes_in_processes_and_finds_a_silent_change(
    vault: Vault, index: Index, staffed: Indexer, monkeypatch
):
    vault.write_all(NOTES)
    staffed.reconcile(index)
    vault.replace_silently("007.md", NOTES["007.md"].replace("walnut", "cherry"))

    assert staffed.reconcile(index, thorough=True).upserted == 1


@needs_kill
def test_a_killed_process_is_told_of_and_its_work_is_done_again(
    vault: Vault, index: Index, staffed: Indexer, monitor: Watching, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES)
    killed: list[int] = []

    def kill_one() -> None:
        preparers = staffed._preparation._pool
        if monitor.told and preparers and not killed:  # in the middle: something is stored, something is not
            killed.append(preparers.pids[0])
            os.kill(preparers.pids[0], signal.SIGKILL)

    monitor.act = kill_one
    staffed.reconcile(index)

    assert killed
    assert ["signal 9" in hindrance for hindrance in monitor.hindrances] == [True]
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_no_process_is_left_when_a_run_ends_or_is_cancelled(
    vault: Vault, index: Index, staffed: Indexer, monitor: Watching
):
    vault.write_all(NOTES)
    seen: list[object] = []

    def cancel() -> None:
        if monitor.told:
            seen.extend(link._process for link in staffed._preparation._pool._links)
            raise Cancelled("the test said so")

    monitor.act = cancel
    with pytest.raises(Cancelled):
        staffed.reconcile(index)

    assert seen
    assert all(process.returncode is not None for process in seen)
    with index.reader() as reader:
        assert 0 < reader.counts().notes < len(NOTES)


@needs_kill
def test_a_note_that_ends_processes_is_left_out_and_the_rest_goes_on(
    vault: Vault, index: Index, monitor: Watching, encoder: HashEncoder, small_plans: None
):
    vault.write_all(NOTES | {"070.md": "# Bad\npoison"})
    fatal = make_indexer(vault, monitor, encoder, WorkerOptions(load_fatal_encoder, "hash"))

    outcome = fatal.reconcile(index)

    assert outcome.upserted == len(NOTES) - 1
    [problem] = problems(index, 9)
    assert (problem.path, problem.skipped) == ("070.md", True)
    assert "signal 9" in problem.reason


@needs_kill
def test_a_note_that_ended_processes_is_never_tried_in_the_serving_one_until_it_is_harmless(
    vault: Vault, index: Index, monitor: Watching, small_plans: None
):
    vault.write_all(NOTES | {"070.md": "# Bad\npoison"})
    encoder = HashEncoder()
    fatal = make_indexer(vault, monitor, encoder, WorkerOptions(load_fatal_encoder, "hash"))
    fatal.reconcile(index)
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    again = fatal.reconcile(index)
    vault.write("070.md", "# Good\nremedy")
    mended = fatal.apply(index, [VaultChange("modified", "070.md")])

    assert (again.upserted, mended.upserted) == (0, 1)
    assert problems(index, 9) == []


def test_where_no_process_can_be_started_the_thread_does_it_and_says_so(
    vault: Vault, index: Index, staffed: Indexer, monitor: Watching, monkeypatch
):
    vault.write_all(NOTES)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(subprocess, "Popen", refuse)

    assert staffed.reconcile(index).upserted == len(NOTES)
    [hindrance] = monitor.hindrances
    assert "searches are slower meanwhile" in hindrance
    assert "Operation not permitted" in hindrance


def test_where_processes_end_before_they_begin_the_thread_does_it(
    vault: Vault, index: Index, staffed: Indexer, monitor: Watching, monkeypatch
):
    vault.write_all(NOTES)
    monkeypatch.setattr(worker_process, "_BOOT", "raise SystemExit(3)")

    assert staffed.reconcile(index).upserted == len(NOTES)
    assert "exit code 3" in monitor.hindrances[0]


def test_a_model_that_is_another_by_now_is_not_used(vault: Vault, index: Index, monitor: Watching, small_plans: None):
    vault.write_all(NOTES)
    indexer = make_indexer(vault, monitor, HashEncoder("renewed"), WorkerOptions(load_hash_encoder, "hash"))

    assert indexer.reconcile(index).upserted == len(NOTES)
    assert "changed" in monitor.hindrances[0]


def test_a_note_saved_since_it_was_read_is_stored_as_it_is_now(
    vault: Vault, index: Index, staffed: Indexer, monitor: Watching
):
    vault.write_all(NOTES)

    def save_and_remove() -> None:
        if monitor.told and not monitor.changed:  # the processes are ahead of the writer by now
            vault.write("040.md", "# Saved\ncherry")
            vault.remove("041.md")
            monitor.changed = {"040.md", "041.md"}

    monitor.act = save_and_remove
    staffed.reconcile(index)

    with index.reader() as reader:
        saved = reader.note("040.md")
        assert saved is not None
        assert saved.note.title == "Saved"
        assert reader.note("041.md") is None


def test_a_vault_that_goes_away_in_the_middle_ends_the_run(vault: Vault, preparers: WorkerPool):
    vault.root.rename(vault.root.with_name("elsewhere"))

    with pytest.raises(VaultMissing):
        list(preparers.work("prepare", [("a.md", None)], 8))


def test_results_come_in_the_order_of_the_plan(vault: Vault, preparers: WorkerPool):
    vault.write_all({f"{n}.md": "word " * (5000 if n % 7 == 0 else 1) for n in range(60)})
    moves = [(f"{n}.md", None) for n in range(60)]

    found = [ready for part in preparers.work("prepare", moves, 4) for ready in part]

    assert [prepared.path for prepared, _ in found] == [path for path, _ in moves]


@needs_kill
def test_a_process_that_dies_once_costs_no_result(vault: Vault, preparers: WorkerPool, monitor: Watching):
    vault.write_all(NOTES)
    work = preparers.work("prepare", [(path, None) for path in NOTES], 10)
    found = list(next(work))
    os.kill(preparers.pids[1], signal.SIGKILL)

    found += [ready for part in work for ready in part]

    assert not any(isinstance(ready, PoisonItem) for ready in found)
    assert [prepared.path for prepared, _ in found] == list(NOTES)


@needs_kill
def test_a_process_that_is_stopped_is_ended_and_its_work_is_done_again(
    vault: Vault, preparers: WorkerPool, monitor: Watching, monkeypatch: pytest.MonkeyPatch
):
    vault.write_all(NOTES)
    work = preparers.work("prepare", [(path, None) for path in NOTES], 10)
    found = list(next(work))
    stopped = preparers.pids[1]
    os.kill(stopped, signal.SIGSTOP)
    monkeypatch.setattr(worker_process, "SILENCE_S", 3.0)

    found += [ready for part in work for ready in part]

    assert [prepared.path for prepared, _ in found] == list(NOTES)
    assert ["it said nothing for 3 s" in hindrance for hindrance in monitor.hindrances] == [True]
    assert not is_alive(stopped)


@needs_kill
def test_no_process_outlives_a_killed_parent(tmp_path: Path):
    vault = Vault(tmp_path / "vault")
    vault.write_all(NOTES)
    pids = killed(CHILD, vault.root)

    wait_until(lambda: not any(is_alive(pid) for pid in pids), "the processes end with their parent")


LEAST_PRIORITY = 19  # of Linux: who runs these tests niced has no room for ten more


def test_processes_are_niced_and_hold_no_file_of_ours(index: Index, monkeypatch, request):
    monkeypatch.setattr(worker_process, "NICENESS", 10)
    preparers: WorkerPool = request.getfixturevalue("preparers")
    if not Path("/proc/self/fd").exists():
        pytest.skip("only Linux shows what a process has open")
    for pid in preparers.pids:
        opened = {str(descriptor.readlink()) for descriptor in Path(f"/proc/{pid}/fd").iterdir()}

        group = Path(f"/proc/{pid}/autogroup")

        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, LEAST_PRIORITY)
        assert not group.exists() or group.read_text().endswith("nice 10\n")
        assert not any(str(index.path) in file or file.startswith("socket:") for file in opened)


# --- the engine -------------------------------------------------------------------------------------


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of the processes that were started."""
    started: list[int] = []

    class Recorded(preparers_module.WorkerProcess):
        def __init__(self, module: str, first: object) -> None:
            super().__init__(module, first)
            started.append(self.pid)

    monkeypatch.setattr(preparers_module, "WorkerProcess", Recorded)
    return started


@pytest.fixture
def many_notes(vault: Vault) -> None:
    vault.write_all({f"{n:03}.md": f"# N{n}\nwalnut{n}" for n in range(400)})


@pytest.fixture
def open_staffed(tmp_path: Path, vault: Vault, small_plans: None, many_notes: None) -> Iterator[Callable[..., Engine]]:
    """Open an engine, whose first run calls *act*, once, on the indexing thread, when something is stored."""
    opened: list[Engine] = []

    def open_one(act: Callable[[Engine], None]) -> Engine:
        engine = Engine.open(vault.root, tmp_path / "engine.db", load=load_hash_encoder, limits=IMPATIENT)
        opened.append(engine)
        waiting = [act]
        engine.listen(lambda updated: waiting.pop()(engine) if updated and waiting else None)
        return engine

    yield open_one
    for engine in opened:
        engine.close()


def test_a_saved_note_overtakes_what_processes_prepare(vault: Vault, open_staffed: Callable[..., Engine]):
    order: list[str] = []

    def save(engine: Engine) -> None:
        engine.listen(lambda updated: order.extend(updated.indexed if updated else ()))
        vault.write("zzz.md", "# Z\ncherry")
        engine.vault_changed([VaultChange("created", "zzz.md")])

    engine = open_staffed(save)
    settle(engine)

    assert order[0] == "zzz.md"
    assert engine.status().notes == 401


def test_a_pause_holds_what_processes_prepare(open_staffed: Callable[..., Engine]):
    engine = open_staffed(lambda engine: engine.pause())
    wait_until(lambda: engine.status().notes > 0)  # what was done before is to be found
    status = engine.status()
    engine.resume()
    settle(engine)

    assert status.state == "paused"
    assert 0 < status.notes < 400
    assert engine.status().notes == 400


def test_an_engine_that_is_closed_in_the_middle_leaves_no_process(open_staffed: Callable[..., Engine], pids: list[int]):
    reached: list[Engine] = []
    engine = open_staffed(reached.append)
    wait_until(lambda: reached)

    engine.close()

    assert pids
    assert not any(is_alive(pid) for pid in pids)


@needs_kill
def test_the_status_tells_of_a_death_until_the_index_equals_the_vault(
    open_staffed: Callable[..., Engine], pids: list[int], caplog: pytest.LogCaptureFixture
):
    told: list[str] = []

    def kill(engine: Engine) -> None:
        engine.listen(lambda _: told.append(engine.status().message or ""))
        os.kill(pids[0], signal.SIGKILL)

    engine = open_staffed(kill)
    settle(engine)

    assert any("signal 9" in message for message in told)
    assert "signal 9" in caplog.text
    assert engine.status().message is None
    assert find(engine, "walnut399", mode="keyword") == ["399.md"]
