"""The index in use may be replaced at any moment, and nobody who reads is left with a closed one."""

import ctypes
import math
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from builders import Vault, find, index_bytes, wait_until

from quarry.embedding import Fingerprint
from quarry.errors import Cancelled, IndexDamaged, IndexUnavailable
from quarry.index import Deadline, Index
from quarry.indexing import sync
from quarry.indexing.current_index import (
    BUILT,
    FINGERPRINT,
    INITIAL_SYNC_DONE,
    PARSER,
    POISON,
    QUIET_S,
    REST,
    VERIFY_NOTES,
    CurrentIndex,
    IdleSchedule,
    compact,
    fingerprint_text,
    give_back_free_memory,
    parser_fingerprint,
    poison_notes,
    rebuild_metadata,
    repair,
    set_poison_notes,
    stored_fingerprint,
)
from quarry.indexing.indexer import Indexer
from quarry.settings import Settings
from quarry.types import VaultChange


@pytest.fixture
def holder(tmp_path: Path):
    made = CurrentIndex(tmp_path / "index.db", tmp_path, frozenset())
    yield made
    made.close()


def test_a_reader_that_finds_its_index_closed_takes_the_one_in_its_place(holder: CurrentIndex, monkeypatch):
    old = holder.index
    real = old.reader

    def replaced_meanwhile():
        holder.replace(IndexDamaged("torn"))
        return real()

    monkeypatch.setattr(old, "reader", replaced_meanwhile)
    with holder.reader() as reader:
        counts = reader.counts()

    assert counts.notes == 0
    assert holder.index is not old


def test_an_index_closed_for_good_is_said_to_be(holder: CurrentIndex):
    holder.close()

    with pytest.raises(IndexUnavailable), holder.reader():
        pass


def test_what_was_lost_is_kept_and_named(holder: CurrentIndex, tmp_path: Path):
    assert holder.loss is None

    holder.replace(IndexDamaged("torn"))

    assert "index.db.damaged-1" in (holder.loss or "")
    assert (tmp_path / "index.db.damaged-1").exists()


def test_a_damaged_file_is_replaced_on_opening(tmp_path: Path):
    path = tmp_path / "index.db"
    path.write_bytes(b"rubbish")

    holder = CurrentIndex(path, tmp_path, frozenset())

    with holder.reader() as reader:
        assert reader.counts().notes == 0
    holder.close()
    assert (tmp_path / "index.db.damaged-1").read_bytes() == b"rubbish"


@pytest.mark.parametrize("suffix", [".new", ".rebuild", ".rebuild-wal", ".rebuild.new", ".rebuild.new-wal"])
def test_what_a_killed_rebuild_left_is_cleared_away(tmp_path: Path, suffix: str):
    leftover = tmp_path / f"index.db{suffix}"
    leftover.write_bytes(b"half a file")

    holder = CurrentIndex(tmp_path / "index.db", tmp_path, frozenset())

    assert not leftover.exists()
    holder.close()


MODEL = Fingerprint(name="bundled", vocabulary_size=100, dim=8, weights_sha256="ab" * 32)


def test_the_model_of_an_index_is_read_as_it_was_told(tmp_path):
    index = Index.open(tmp_path / "i.db")

    assert stored_fingerprint(index) is None
    index.meta_set(FINGERPRINT, fingerprint_text(MODEL))
    assert stored_fingerprint(index) == MODEL
    index.close()


def test_other_sections_to_skip_and_other_stemming_mean_reading_all_notes_anew():
    assert parser_fingerprint(Settings(skip_sections=("Links",))) == parser_fingerprint(
        Settings(skip_sections=("Links",), rrf_k=1)
    )
    assert parser_fingerprint(Settings(skip_sections=("Links",))) != parser_fingerprint(Settings())
    assert parser_fingerprint(Settings(stemming="none")) != parser_fingerprint(Settings())


def test_an_index_made_anew_knows_what_the_old_one_learnt(tmp_path):
    old, new = Index.open(tmp_path / "old.db"), Index.open(tmp_path / "new.db")
    set_poison_notes(old, frozenset({"bad.md"}))

    for key, value in rebuild_metadata(old, parser_fingerprint(Settings()), MODEL).items():
        new.meta_set(key, value)

    assert poison_notes(new) == {"bad.md"}
    assert stored_fingerprint(new) == MODEL
    assert rebuild_metadata(new, parser_fingerprint(Settings()), None).keys() == {
        PARSER,
        POISON,
        BUILT,
        INITIAL_SYNC_DONE,
    }
    old.close()
    new.close()


def test_poison_notes_are_remembered_and_forgotten(index: Index):
    assert poison_notes(index) == frozenset()

    set_poison_notes(index, frozenset({"b.md", "ä.md"}))
    assert poison_notes(index) == {"b.md", "ä.md"}

    set_poison_notes(index, frozenset())
    assert poison_notes(index) == frozenset()


NO_DEADLINE = Deadline(math.inf, lambda: False)


def test_without_a_change_nothing_is_due():
    assert not IdleSchedule().is_due(1e9)


def test_a_change_is_compacted_away_when_nothing_is_saved_for_a_while():
    schedule = IdleSchedule()
    schedule.changed(10.0)
    schedule.changed(12.0)

    assert not schedule.is_due(12.0 + QUIET_S - 0.1)
    assert schedule.is_due(12.0 + QUIET_S)


def test_once_compacted_it_is_not_due_before_the_next_change():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 10.0, is_done=True)

    assert not schedule.is_due(1e9)


@pytest.mark.parametrize(("is_done", "changes_s"), [(True, [13.0]), (False, [])])
def test_what_took_long_rests_before_it_is_done_or_tried_again(is_done: bool, changes_s: list[float]):
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 12.0, is_done=is_done)
    for changed_s in changes_s:
        schedule.changed(changed_s)

    assert not schedule.is_due(12.0 + 2 * REST - 0.1)
    assert schedule.is_due(12.0 + 2 * REST)


def test_a_compacted_index_holds_no_byte_of_what_a_note_said_before(
    vault: Vault, index: Index, indexer: Indexer, tmp_path: Path
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    indexer.reconcile(index)
    vault.write("a.md", "quince")
    indexer.apply(index, [VaultChange("modified", "a.md")])
    assert b"walnut" in index_bytes(tmp_path)

    assert compact(index, NO_DEADLINE)

    assert b"walnut" not in index_bytes(tmp_path)


def test_compacting_gives_way_to_what_comes_in_between(vault: Vault, index: Index, indexer: Indexer):
    vault.write("a.md", "walnut")
    indexer.reconcile(index)

    assert not compact(index, Deadline(math.inf, lambda: True))


# --- repair -----------------------------------------------------------------------------------------


@pytest.fixture
def damaged(vault: Vault, index: Index, indexer: Indexer) -> list[str]:
    """The notes whose rows were overwritten, the first and the last of more than are checked at a time."""
    vault.write_all({f"{n:03}.md": f"walnut{n}" for n in range(VERIFY_NOTES + 10)})
    indexer.reconcile(index)
    with closing(apsw.Connection(str(index.path))) as connection:
        connection.execute("UPDATE notes SET title = 'x' WHERE path IN ('000.md', '209.md')")
    return ["000.md", "209.md"]


def test_notes_with_damaged_rows_are_read_anew(index: Index, indexer: Indexer, damaged: list[str]):
    refreshed: list[str] = []

    def refresh(paths: Sequence[str]) -> None:
        refreshed.extend(paths)
        indexer.refresh(index, paths)

    repair(index, refresh, lambda: None, lambda: False)
    assert refreshed == damaged

    repair(index, refresh, lambda: None, lambda: False)
    assert refreshed == damaged


def test_a_check_can_be_stopped_between_two_batches(index: Index, damaged: list[str]):
    refreshed: list[str] = []

    def stop() -> None:
        raise Cancelled("the test said so")

    with pytest.raises(Cancelled):
        repair(index, refreshed.extend, stop, lambda: False)
    assert refreshed == damaged[:1]


HAS_GLIBC = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim")
BLOCK_BYTES = 1_000  # so large that it comes from the C library, so small that it shares pages


def resident_bytes() -> int:
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(not HAS_GLIBC, reason="only glibc keeps free pages between those in use")
def test_free_pages_between_those_in_use_are_given_back():
    blocks = [bytes(BLOCK_BYTES) for _ in range(50_000)]
    kept = blocks[::1_000]
    del blocks
    before = resident_bytes()

    give_back_free_memory()

    assert before - resident_bytes() > 25_000 * BLOCK_BYTES
    assert len(kept) == 50


def test_free_memory_is_given_back_when_something_was_searched(vault, open_engine, monkeypatch):
    given_back: list[None] = []
    monkeypatch.setattr(sync, "give_back_free_memory", lambda: given_back.append(None))
    vault.write("a.md", "walnut")
    engine = open_engine()
    given_back.clear()

    find(engine, "walnut")

    wait_until(lambda: len(given_back) == 1)
