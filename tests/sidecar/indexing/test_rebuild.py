"""A rebuild is made beside the index that answers, and takes its place at once."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmark.measurement import process_tree
from builders import (
    EQUAL,
    IMPATIENT,
    HashEncoder,
    Recorder,
    Vault,
    everything_found,
    find,
    killed,
    load_hash_encoder,
    modified,
    paths,
    record_processes,
    settle,
    tell,
    wait_until,
)
from msgspec.structs import replace
from sidecars import is_running

from quarry.embedding import Fingerprint
from quarry.engine import Engine
from quarry.errors import VaultMissing
from quarry.index import Index, rebuild_path
from quarry.indexing import indexer as indexing
from quarry.indexing import rebuild, sync
from quarry.indexing.process import ChildProcess, IndexingLimits, PlanLimits
from quarry.indexing.rebuild import RebuildSpec, run_rebuild
from quarry.indexing.vector_model import WorkerOptions
from quarry.messages import Message
from quarry.settings import Settings
from quarry.types import VaultChange
from quarry.vault.rules import Rules

pytestmark = pytest.mark.slow  # each test starts processes

CHILD = Path(__file__).with_name("orphaned_rebuild.py")
QUERIES = ["walnut7", "pear", "title", "tag:t1", "folder:f2 walnut", "日本語", '"walnut9 pear"']

needs_kill = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


def test_searches_answer_from_the_old_index_during_a_rebuild(vault: Vault, encoder: HashEncoder, open_engine):
    vault.write_all({f"{n}.md": f"# N{n}\nwalnut{n}" for n in range(20)})
    engine = open_engine()
    encoder.hold()

    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)
    status = engine.status()
    found = find(engine, "walnut3", mode="keyword")
    encoder.release()
    settle(engine)

    assert (status.state, status.notes) == ("rebuilding", 20)
    assert found == ["3.md"]
    assert engine.status().notes == 20


def test_a_note_saved_during_a_rebuild_is_found_before_and_after_it_ends(
    vault: Vault, encoder: HashEncoder, open_engine
):
    vault.write_all({f"{n:03}.md": f"# N{n}\nwalnut{n}" for n in range(100)})
    engine = open_engine()
    news: list[object] = []
    engine.listen(news.append)
    encoder.hold()
    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)

    vault.replace_silently("007.md", "# N7\nchery 7")
    engine.vault_changed([VaultChange("modified", "007.md")])
    encoder.release()
    wait_until(lambda: find(engine, "chery", mode="keyword") == ["007.md"])
    settle(engine)

    assert find(engine, "chery", mode="keyword") == ["007.md"]
    assert find(engine, '"walnut7"', mode="keyword") == []  # quoted: no beginning of `walnut70`
    assert any("007.md" in updated.indexed for updated in news if updated)


def test_a_rebuild_ends_in_one_round_where_nothing_is_written(vault: Vault, tmp_path: Path, open_engine, monkeypatch):
    vault.write_all({"a.md": "walnut", "Board.md": "---\nkanban-plugin: board\n---\nx"})
    engine = open_engine()
    rounds: list[Path] = []
    real = indexing.Indexer.reconcile
    monkeypatch.setattr(
        indexing.Indexer, "reconcile", lambda self, index, **o: (rounds.append(index.path), real(self, index, **o))[1]
    )

    engine.rebuild()
    settle(engine)

    beside = [path for path in rounds if path == rebuild_path(tmp_path / "index.db")]
    assert len(beside) == 2  # one that fills, one that finds nothing more to do


def test_a_rebuild_that_is_stopped_leaves_the_old_index(
    vault: Vault, encoder: HashEncoder, tmp_path: Path, open_engine
):
    vault.write_all({f"{n}.md": f"# N{n}\nwalnut{n}" for n in range(20)})
    engine = open_engine()
    encoder.hold()
    engine.rebuild()
    wait_until(encoder.is_waiting.is_set)
    closing = threading.Thread(target=engine.close)
    closing.start()
    wait_until(lambda: engine._requests.is_stopping)
    encoder.release()
    closing.join()

    assert not list(tmp_path.glob("*rebuild*"))
    assert find(open_engine(), "walnut3", mode="keyword") == ["3.md"]


# --- by a process of its own ------------------------------------------------------------------------

Act = Callable[[Engine], None]


@pytest.fixture
def many_notes(vault: Vault) -> None:
    """So many that they are stored in several batches, so few that the process prepares them itself."""
    text = "---\ntags: [t{tag}]\n---\n# Title {n}\nwalnut{n} pear 日本語\n\n## Part\n[[{n}]]"
    vault.write_all({f"f{n % 4}/{n:03}.md": text.format(n=n, tag=n % 3) for n in range(180)})
    vault.write("Board.md", "---\nkanban-plugin: board\n---\nx")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[ChildProcess]:
    """The processes that were started to rebuild."""
    return record_processes(monkeypatch, rebuild)


@pytest.fixture
def open_and_rebuild(
    tmp_path: Path, vault: Vault, many_notes: None, started: list[ChildProcess]
) -> Iterator[Callable[..., Engine]]:
    """Open an engine and have it rebuilt; each *act* is called once, on the indexing thread, between two batches."""
    opened: list[Engine] = []

    def open_one(*acts: Act, limits: IndexingLimits = IMPATIENT) -> Engine:
        engine = Engine.open(vault.root, tmp_path / "engine.db", load=load_hash_encoder, limits=limits)
        opened.append(engine)
        settle(engine)
        waiting = list(acts)

        def listen(_: object) -> None:
            progress = engine.status().progress
            if waiting and engine.status().state == "rebuilding" and progress and progress.done_notes:
                waiting.pop(0)(engine)

        engine.listen(listen)
        engine.rebuild()
        return engine

    yield open_one
    for engine in opened:
        engine.close()


def same_as_fresh(engine: Engine, folder: Path) -> bool:
    """Whether *engine* answers like one that never knew another index."""
    fresh = Engine.open(engine.root, folder / "fresh.db", load=load_hash_encoder)
    settle(fresh)
    expected = everything_found(fresh, QUERIES)
    fresh.close()
    return everything_found(engine, QUERIES) == expected


def test_the_index_that_a_process_built_answers_like_a_fresh_one(
    tmp_path: Path, open_and_rebuild: Callable[..., Engine], started: list[ChildProcess], monkeypatch
):
    monkeypatch.setattr(rebuild, "build", lambda *_: 1 // 0)  # nothing of it is done here
    told: list[Message | None] = []
    engine = open_and_rebuild(lambda engine: told.append(engine.status().message))
    settle(engine)

    assert told == [None]
    assert len(started) == 1
    assert engine.status().message is None
    assert same_as_fresh(engine, tmp_path)
    assert not list(tmp_path.glob("*rebuild*"))


def test_what_is_saved_while_a_process_rebuilds_is_found_at_every_moment(
    tmp_path: Path, vault: Vault, open_and_rebuild: Callable[..., Engine], monkeypatch
):
    seen: list[tuple[str, bool]] = []

    def save(engine: Engine) -> None:
        vault.replace_silently("f3/007.md", (vault.root / "f3/007.md").read_text("utf-8").replace("pear", "plum"))
        vault.write("new.md", "# New\nmedlar")
        engine.vault_changed(
            [modified("f3/007.md"), modified("new.md"), vault.remove("f0/008.md"), vault.rename("f1", "moved")]
        )
        engine.listen(look_at(engine))

    def look_at(engine: Engine) -> Callable[[object], None]:
        def look(_: object) -> None:
            found = [
                find(engine, query, mode="keyword")
                for query in ("plum", "medlar", '"walnut8"', 'folder:moved "walnut1"')
            ]
            seen.append((engine.status().state, found == [["f3/007.md"], ["new.md"], [], ["moved/001.md"]]))

        return look

    real = Index.replace_with

    def replace_with(index: Index, other: Path) -> None:
        real(index, other)
        look_at(engine)(None)

    monkeypatch.setattr(Index, "replace_with", replace_with)
    engine = open_and_rebuild(save)
    settle(engine)

    superseded = seen.index(("rebuilding", True))
    assert all(is_found for _, is_found in seen[superseded:])
    assert seen[-1] == ("live", True)
    assert same_as_fresh(engine, tmp_path)


def test_a_pause_holds_the_process_that_rebuilds(open_and_rebuild: Callable[..., Engine]):
    engine = open_and_rebuild(lambda engine: engine.pause())
    wait_until(lambda: engine.status().state == "paused")
    held = engine.status().progress
    found = find(engine, "walnut7", mode="keyword")
    engine.resume()
    settle(engine)

    assert found == ["f3/007.md"]
    assert held
    assert held.done_notes < held.total_notes
    assert engine.status().notes == 180


@needs_kill
def test_a_process_that_dies_while_it_rebuilds_begins_anew_and_is_told_of(
    tmp_path: Path, open_and_rebuild: Callable[..., Engine], started: list[ChildProcess]
):
    told: list[str | None] = []

    def look(engine: Engine) -> None:
        told.append(str(engine.status().message or ""))

    engine = open_and_rebuild(lambda _: os.kill(started[0].pid, signal.SIGKILL), look, look)
    settle(engine)

    assert len(started) == 2
    assert "signal 9" in (told[-1] or "")
    assert engine.status().message is None
    assert same_as_fresh(engine, tmp_path)


@needs_kill
def test_a_process_that_is_stopped_while_it_rebuilds_is_ended_and_begins_anew(
    tmp_path: Path, open_and_rebuild: Callable[..., Engine], started: list[ChildProcess]
):
    told: list[str | None] = []
    engine = open_and_rebuild(
        lambda _: os.kill(started[0].pid, signal.SIGSTOP),
        lambda engine: told.append(str(engine.status().message or "")),
        lambda engine: told.append(str(engine.status().message or "")),
        limits=replace(IMPATIENT, process=replace(EQUAL, silence_s=5.0)),
    )
    settle(engine)

    assert len(started) == 2
    assert "said nothing for 5 s" in (told[-1] or "")
    assert not is_running(started[0].pid)
    assert same_as_fresh(engine, tmp_path)


@needs_kill
@pytest.mark.parametrize("stage", ["scan", "postings"])  # with nothing to clean up, and with nearly all
def test_a_process_that_dies_every_time_leaves_the_work_to_the_serving_one(
    tmp_path: Path,
    open_and_rebuild: Callable[..., Engine],
    started: list[ChildProcess],
    monkeypatch,
    caplog,
    stage: str,
):
    monkeypatch.setenv("QUARRY_FAULT_AT", f"{stage}:1")  # read by those that are started from now on
    engine = open_and_rebuild()
    settle(engine)

    assert len(started) == rebuild.TRIES
    assert "rebuilt in the serving process" in caplog.text
    assert "signal 9" in caplog.text
    assert engine.status().message is None
    assert same_as_fresh(engine, tmp_path)
    assert not list(tmp_path.glob("*rebuild*"))


def test_where_no_process_can_be_started_the_serving_one_rebuilds_and_says_so(
    tmp_path: Path, open_and_rebuild: Callable[..., Engine], monkeypatch, caplog
):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    told: list[str | None] = []
    engine = open_and_rebuild(lambda engine: told.append(str(engine.status().message or "")))
    settle(engine)

    assert "searches are slower meanwhile" in (told[0] or "")
    assert same_as_fresh(engine, tmp_path)


def test_an_engine_that_is_closed_while_a_process_rebuilds_leaves_neither_process_nor_file(
    tmp_path: Path, open_and_rebuild: Callable[..., Engine], started: list[ChildProcess]
):
    reached = threading.Event()
    engine = open_and_rebuild(lambda _: reached.set())
    assert reached.wait(30)

    engine.close()

    assert not is_running(started[0].pid)
    assert not list(tmp_path.glob("*rebuild*"))
    assert find(open_and_rebuild(), "walnut7", mode="keyword") == ["f3/007.md"]


@needs_kill
def test_a_rebuild_whose_engine_is_killed_leaves_no_process_and_the_next_start_no_file(
    tmp_path: Path, vault: Vault, many_notes: None
):
    path = tmp_path / "engine.db"
    pids = killed(CHILD, vault.root, path)
    wait_until(lambda: not any(map(is_running, pids)), "the processes end with their parent")
    half = list(tmp_path.glob("*rebuild*"))
    next_one = Engine.open(vault.root, path, load=load_hash_encoder)
    settle(next_one)
    found = find(next_one, "walnut7", mode="keyword")
    next_one.close()

    assert half
    assert found == ["f3/007.md"]
    assert not list(tmp_path.glob("*rebuild*"))


def test_the_process_that_writes_has_others_prepare_a_large_vault(
    tmp_path: Path, vault: Vault, open_and_rebuild: Callable[..., Engine], started: list[ChildProcess]
):
    if not Path("/proc/self/task").exists():
        pytest.skip("only Linux shows whose child a process is")
    vault.write_all({f"more/{n:03}.md": f"# More {n}\nquince{n} pear" for n in range(100)})
    below: list[int] = []
    engine = open_and_rebuild(lambda _: below.extend(process_tree(started[0].pid)))
    settle(engine)

    assert len(below) == 1 + sync.REBUILD_PROCESSES
    assert not any(map(is_running, below))
    assert same_as_fresh(engine, tmp_path)


def rebuild_spec(path: Path, root: Path, fingerprint: Fingerprint | None) -> RebuildSpec:
    options = WorkerOptions(load_hash_encoder, "hash", limits=EQUAL)
    return RebuildSpec(path, root, Settings(), Rules(), options, fingerprint, {}, frozenset(), PlanLimits())


def test_a_vault_that_is_gone_is_told_by_the_process_as_by_the_thread(tmp_path: Path, monitor):
    spec = rebuild_spec(tmp_path / "i.db.rebuild", tmp_path / "nowhere", None)

    with pytest.raises(VaultMissing, match="nowhere"):
        run_rebuild(spec, monitor, lambda _: None)


def test_a_model_whose_files_are_others_by_now_is_used_where_it_is_in_memory(
    tmp_path: Path, vault: Vault, many_notes: None, monitor: Recorder
):
    encoder, path = HashEncoder("renewed"), tmp_path / "i.db.rebuild"
    spec = rebuild_spec(path, vault.root, encoder.fingerprint)

    run_rebuild(spec, monitor, lambda _: encoder)

    assert "changed" in monitor.reported[-1]
    index = Index.open(path)
    assert not index.static.has_pending()
    assert len(paths(index)) == 180
    index.close()


def test_a_rebuild_follows_the_rules_of_the_vault(vault: Vault, open_and_rebuild: Callable[..., Engine], started):
    vault.write(".indexignore", "f1/\n!f1/001.md\n")
    vault.write(".obsidian/app.json", '{"userIgnoreFilters": ["f2/", "/00[48]/"]}')
    engine = open_and_rebuild()
    settle(engine)

    assert len(started) == 1
    assert engine.status().notes == 180 - 45 - 45 - 2
    tell(engine, modified("f1/005.md"))
    assert engine.status().notes == 180 - 45 - 45 - 2
