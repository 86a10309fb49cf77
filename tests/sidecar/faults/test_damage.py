"""A damaged index is noticed, mended or set aside, and made anew; searches go on."""

import threading
from pathlib import Path

import pytest
from builders import Vault, ask, find, modified, settle, tell, wait_until

from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.index import Index
from quarry.index.schema import PAGE_SIZE
from quarry.types import VaultChange


def damage(path: Path) -> None:
    """Make the pages behind the header rubbish."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))


def test_an_index_found_damaged_on_opening_is_set_aside_and_made_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()
    damage(tmp_path / "index.db")

    engine = open_engine()

    assert find(engine, "walnut") == ["a.md"]
    assert (tmp_path / "index.db.damaged-1").exists()
    assert "index.db.damaged-1" in engine.status().message


def test_damage_that_opening_does_not_see_is_found_at_once_and_the_index_made_anew(
    vault: Vault, tmp_path: Path, open_engine
):
    vault.write_all({f"{n:03}.md": f"walnut{n} " * 200 for n in range(100)})
    open_engine().close()
    data = bytearray((tmp_path / "index.db").read_bytes())
    for at in range(2 * PAGE_SIZE, len(data), PAGE_SIZE):
        if data[at] == 5:  # a page of a table's tree that branches; the last of those that it leads to
            last = int.from_bytes(data[at + 8 : at + 12]) - 1
            data[last * PAGE_SIZE : (last + 1) * PAGE_SIZE] = b"\xff" * PAGE_SIZE
    (tmp_path / "index.db").write_bytes(data)
    Index.open(tmp_path / "index.db").close()

    engine = open_engine()

    assert (tmp_path / "index.db.damaged-1").exists()
    assert find(engine, "walnut7", limit=1) == ["007.md"]
    assert engine.status().notes == 100


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_index_is_set_aside(vault: Vault, tmp_path: Path, open_engine, content: bytes):
    vault.write("a.md", "walnut")
    (tmp_path / "index.db").write_bytes(content)

    assert find(open_engine(), "walnut") == ["a.md"]
    assert (tmp_path / "index.db.damaged-1").read_bytes() == content


def test_an_index_damaged_while_running_is_set_aside_and_filled_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all({f"{n:03}.md": f"walnut{n} " * 200 for n in range(100)})
    engine = open_engine()
    engine._maintenance.index.checkpoint()
    damage(tmp_path / "index.db")

    vault.write("000.md", "cherry")
    engine.vault_changed([VaultChange("modified", "000.md")])
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert engine.status().notes == 100
    assert "damaged" in engine.status().message
    assert find(engine, "cherry", mode="keyword") == ["000.md"]
    engine.rebuild()
    settle(engine)
    assert engine.status().message is None


def test_a_wal_cut_short_while_running_is_damage_and_not_tried_again_for_ever(
    vault: Vault, tmp_path: Path, open_engine
):
    vault.write_all({f"{n:03}.md": f"walnut{n} " * 200 for n in range(100)})
    engine = open_engine()
    engine._maintenance.index.checkpoint()
    vault.write("000.md", "cherry")
    tell(engine, modified("000.md"))
    with (tmp_path / "index.db-wal").open("r+b") as wal:
        wal.truncate(0)

    vault.write("001.md", "quince")
    engine.vault_changed([modified("001.md")])
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert "damaged" in engine.status().message
    assert find(engine, "cherry", mode="keyword") == ["000.md"]
    assert find(engine, "quince", mode="keyword") == ["001.md"]


def test_a_search_that_meets_a_damaged_row_has_its_note_read_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()
    with engine._maintenance.index._writer.change() as connection:
        connection.execute("UPDATE bodies SET body = (SELECT body FROM bodies WHERE note_id = 2) WHERE note_id = 1")

    with pytest.raises(IndexDamaged):
        ask(engine, "walnut")
    wait_until(lambda: not engine.is_working)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert find(engine, "cherry", mode="keyword") == ["b.md"]
    assert not (tmp_path / "index.db.damaged-1").exists()


def test_a_keyword_index_that_lost_rows_is_found_when_the_index_is_looked_over(
    vault: Vault, tmp_path: Path, open_engine
):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()
    with engine._maintenance.index._writer.change() as connection:
        connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")

    engine._worker.request_mending()
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]


def test_an_index_deleted_while_running_is_made_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    for file in tmp_path.glob("index.db*"):
        file.unlink()

    wait_until(lambda: (tmp_path / "index.db").exists() and find(engine, "walnut") == ["a.md"])

    settle(engine)
    assert "deleted" in engine.status().message


def test_searches_go_on_while_a_damaged_index_is_replaced(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"walnut{n}" for n in range(30)})
    engine = open_engine()
    failures: list[Exception] = []
    is_over = threading.Event()

    def search() -> None:
        while not is_over.is_set():
            try:
                ask(engine, "walnut3")
                engine.status()
            except Exception as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    engine.pause()  # so that the writer is this thread's
    for _ in range(10):
        engine._maintenance._holder.replace(IndexDamaged("for the test"))
    is_over.set()
    for thread in threads:
        thread.join()

    assert failures == []


def test_an_index_that_cannot_be_made_anew_is_tried_again(vault: Vault, tmp_path: Path, open_engine, monkeypatch):
    vault.write("a.md", "walnut")
    engine = open_engine()
    real = Index.open
    attempts: list[Path] = []

    def refuse(path: Path, **options: object) -> Index:
        attempts.append(path)
        if len(attempts) < 3:
            raise IndexUnavailable("the disk is full")
        return real(path, **options)

    monkeypatch.setattr(Index, "open", refuse)
    for file in tmp_path.glob("index.db*"):
        file.unlink()
    wait_until(lambda: engine.status().message and "disk is full" in engine.status().message)
    wait_until(lambda: len(attempts) >= 3)
    settle(engine)

    assert find(engine, "walnut") == ["a.md"]
