"""Large plans give the same rows whether processes prepare them or not, whatever becomes of the processes."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from benchmark.measurement import process_tree
from builders import (
    EQUAL,
    IMPATIENT,
    HashEncoder,
    Quiet,
    Vault,
    find,
    is_alive,
    load_exiting_encoder,
    load_fatal_encoder,
    load_hash_encoder,
    problems,
    settle,
    wait_until,
)
from msgspec.structs import replace

from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.errors import Cancelled
from quarry.index import Index
from quarry.index.postings import segment_file
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.segment_file import HEADER_BYTES
from quarry.indexing.indexer import Indexer
from quarry.indexing.limits import PlanLimits
from quarry.indexing.pool import WorkerOptions
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

pytestmark = pytest.mark.slow  # each test starts processes

NOTES = {
    f"{n:03}.md": f"---\ntags: [t{n % 3}]\n---\n# N{n}\nwalnut{n}\n\n## Part\npear {n} [[{n - 1}]]" for n in range(150)
}

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


SMALL_PLANS = PlanLimits(many_notes=100, many_stamps=100, many_texts=100, batch_notes=8)


class Watching(Quiet):
    """A monitor that lets a test act between two batches."""

    def __init__(self) -> None:
        super().__init__()
        self.reported: list[str] = []
        self.changed: set[str] = set()
        self.act: Callable[[], None] = lambda: None

    def report_degraded(self, message: str) -> None:
        self.reported.append(message)

    def changed_meanwhile(self, path: str) -> bool:
        return path in self.changed

    def between_batches(self) -> None:
        self.act()


@pytest.fixture
def monitor() -> Watching:
    return Watching()


@pytest.fixture
def with_processes(vault: Vault, monitor: Watching, encoder: HashEncoder) -> Indexer:
    """An indexer whose large plans are prepared by processes."""
    return make_indexer(vault, monitor, encoder, options_with(load_hash_encoder))


def options_with(load: Callable[[str], Encoder]) -> WorkerOptions:
    return WorkerOptions(load, "hash", limits=EQUAL)


STARTED_BEFORE = "multiprocessing.resource_tracker"  # stays with a test run in which an evaluation used processes


def child_pids() -> list[int]:
    """The processes that the indexer has started and that still run."""
    return [pid for pid in process_tree(os.getpid()) if pid != os.getpid() and is_alive(pid) and not is_tracker(pid)]


def is_tracker(pid: int) -> bool:
    """Whether a process is the one that `multiprocessing` keeps beside ours; known where there is a /proc."""
    command = Path(f"/proc/{pid}/cmdline")
    return command.exists() and STARTED_BEFORE.encode() in command.read_bytes()


def make_indexer(vault: Vault, monitor: Quiet, encoder: HashEncoder, options: WorkerOptions | None) -> Indexer:
    return Indexer(vault.root, Settings(), Rules(), monitor, lambda: encoder, options=options, limits=SMALL_PLANS)


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
    vault: Vault, index: Index, with_processes: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES | {"Board.md": "---\nkanban-plugin: board\n---\nx", "über.md": "# Ü\n日本語"})

    outcome = with_processes.reconcile(index)

    assert outcome.upserted == len(NOTES) + 1
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_postings_from_counts_of_processes_equal_those_read_from_the_index_and_the_processes_are_gone_by_then(
    vault: Vault, index: Index, with_processes: Indexer, monkeypatch: pytest.MonkeyPatch
):
    vault.write_all(NOTES)
    build, running = BulkCollector.build, []

    def building(collector: BulkCollector) -> object:
        running.append(child_pids())
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
    assert running[0] == []


def test_the_serving_process_embeds_nothing_of_a_large_plan(
    vault: Vault, index: Index, with_processes: Indexer, encoder
):
    vault.write_all(NOTES)
    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]

    assert with_processes.reconcile(index).upserted == len(NOTES)


def test_vectors_that_are_wanting_are_made_by_processes(
    vault: Vault, index: Index, monitor: Watching, with_processes: Indexer, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES)
    Indexer(vault.root, Settings(), Rules(), monitor, lambda: None).reconcile(index)
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
    vault: Vault, index: Index, with_processes: Indexer, monitor: Watching, encoder: HashEncoder, tmp_path: Path
):
    vault.write_all(NOTES)
    killed: list[int] = []

    def kill_one() -> None:
        if monitor.told and not killed:  # in the middle: something is stored, something is not
            killed.append(child_pids()[0])
            os.kill(killed[0], signal.SIGKILL)

    monitor.act = kill_one
    with_processes.reconcile(index)

    assert killed
    assert ["signal 9" in message for message in monitor.reported] == [True]
    assert same_as_without_processes(index, vault, encoder, tmp_path)


def test_no_process_is_left_when_a_run_ends_or_is_cancelled(
    vault: Vault, index: Index, with_processes: Indexer, monitor: Watching
):
    vault.write_all(NOTES)
    seen: list[int] = []

    def cancel() -> None:
        if monitor.told:
            seen.extend(child_pids())
            raise Cancelled("the test said so")

    monitor.act = cancel
    with pytest.raises(Cancelled):
        with_processes.reconcile(index)

    assert seen
    assert not any(map(is_alive, seen))
    with index.reader() as reader:
        assert 0 < reader.counts().notes < len(NOTES)


@needs_kill
def test_a_note_that_ends_processes_is_left_out_and_the_rest_goes_on(
    vault: Vault, index: Index, monitor: Watching, encoder: HashEncoder
):
    vault.write_all(NOTES | {"070.md": "# Bad\npoison"})
    fatal = make_indexer(vault, monitor, encoder, options_with(load_fatal_encoder))

    outcome = fatal.reconcile(index)

    assert outcome.upserted == len(NOTES) - 1
    [problem] = problems(index, 9)
    assert (problem.path, problem.skipped) == ("070.md", True)
    assert "signal 9" in problem.reason


@needs_kill
def test_a_note_that_ended_processes_is_never_tried_in_the_serving_one_until_it_is_harmless(
    vault: Vault, index: Index, monitor: Watching
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
    vault: Vault, index: Index, with_processes: Indexer, monitor: Watching, monkeypatch
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
    vault: Vault, index: Index, monitor: Watching, encoder: HashEncoder
):
    vault.write_all(NOTES)
    indexer = make_indexer(vault, monitor, encoder, options_with(load_exiting_encoder))

    assert indexer.reconcile(index).upserted == len(NOTES)
    assert "exit code 3" in monitor.reported[0]


def test_a_model_that_is_another_by_now_is_not_used(vault: Vault, index: Index, monitor: Watching):
    vault.write_all(NOTES)
    indexer = make_indexer(vault, monitor, HashEncoder("renewed"), options_with(load_hash_encoder))

    assert indexer.reconcile(index).upserted == len(NOTES)
    assert "changed" in monitor.reported[0]


def test_a_note_saved_since_it_was_read_is_stored_as_it_is_now(
    vault: Vault, index: Index, with_processes: Indexer, monitor: Watching
):
    vault.write_all(NOTES)

    def save_and_remove() -> None:
        if monitor.told and not monitor.changed:  # the processes are ahead of the writer by now
            vault.write("040.md", "# Saved\ncherry")
            vault.remove("041.md")
            monitor.changed = {"040.md", "041.md"}

    monitor.act = save_and_remove
    with_processes.reconcile(index)

    with index.reader() as reader:
        saved = reader.note("040.md")
        assert saved is not None
        assert saved.note.title == "Saved"
        assert reader.note("041.md") is None


LEAST_PRIORITY = 19  # of Linux: who runs these tests niced has no room for ten more


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


def test_an_engine_that_is_closed_in_the_middle_leaves_no_process(open_with_processes: Callable[..., Engine]):
    pids: list[int] = []
    engine = open_with_processes(lambda _: pids.extend(child_pids()))
    wait_until(lambda: pids)

    engine.close()

    assert not any(map(is_alive, pids))


@needs_kill
def test_the_status_tells_of_a_death_until_the_index_equals_the_vault(
    open_with_processes: Callable[..., Engine], caplog: pytest.LogCaptureFixture
):
    told: list[str] = []

    def kill(engine: Engine) -> None:
        engine.listen(lambda _: told.append(str(engine.status().message or "")))
        os.kill(child_pids()[0], signal.SIGKILL)

    engine = open_with_processes(kill)
    settle(engine)

    assert any("signal 9" in message for message in told)
    assert "signal 9" in caplog.text
    assert engine.status().message is None
    assert find(engine, "walnut399", mode="keyword") == ["399.md"]
