"""The index in use may be replaced at any moment, and nobody who reads is left with a closed one."""

from pathlib import Path

import pytest

from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.indexing.current_index import CurrentIndex


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
