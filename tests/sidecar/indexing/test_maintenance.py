"""When an index is compacted, what that leaves behind, and how damaged notes are read anew."""

import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from builders import Vault, index_bytes

from quarry.errors import Cancelled
from quarry.index import Deadline, Index
from quarry.indexing.indexer import Indexer
from quarry.indexing.maintenance import QUIET_S, REST, VERIFY_NOTES, IdleSchedule, compact, repair
from quarry.types import VaultChange

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


def test_what_took_long_is_not_done_again_soon():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 12.0, is_done=True)
    schedule.changed(13.0)

    assert not schedule.is_due(12.0 + 2 * REST - 0.1)
    assert schedule.is_due(12.0 + 2 * REST)


def test_what_could_not_be_done_is_tried_again_and_rests_before_as_well():
    schedule = IdleSchedule()
    schedule.changed(0.0)
    schedule.compacted(10.0, 12.0, is_done=False)

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
