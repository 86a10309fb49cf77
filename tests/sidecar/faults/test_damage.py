"""A damaged index is noticed, mended or set aside, and made anew; searches go on."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw
import pytest
from builders import EAGER, IMPATIENT, HashEncoder, Vault, ask, find, modified, settle, tell, wait_until
from msgspec.structs import replace

from quarry.engine import Engine
from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.index import Index
from quarry.index.postings import segment_file
from quarry.index.reader_pool import connect_ours
from quarry.index.schema import PAGE_SIZE
from quarry.options import SearchOptions
from quarry.types import VaultChange


@contextmanager
def tampering(path: Path) -> Iterator[apsw.Connection]:
    """A connection of another program that knows our functions and writes to the index at *path*."""
    connection, _ = connect_ours(path, writable=True, without=frozenset())
    try:
        yield connection
    finally:
        connection.close()


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
    assert "index.db.damaged-1" in str(engine.status().message)


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


def with_other_notes(other: Vault, index: Path) -> None:
    """Have *index* be that of the vault *other*."""
    engine = Engine.open(other.root, index, load=lambda _: HashEncoder())
    settle(engine)
    engine.close()


def refuse_to_open(path: Path, **options: object) -> Index:
    raise IndexUnavailable("the disk is full")


@pytest.mark.parametrize("content", [b"", b"not a database at all", b"SQLite format 3\0" + b"\0" * 84])
def test_a_file_that_is_no_index_is_set_aside(vault: Vault, tmp_path: Path, open_engine, content: bytes):
    vault.write("a.md", "walnut")
    (tmp_path / "index.db").write_bytes(content)

    assert find(open_engine(), "walnut") == ["a.md"]
    assert (tmp_path / "index.db.damaged-1").read_bytes() == content


def test_an_index_damaged_while_running_is_set_aside_and_filled_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all({f"{n:03}.md": f"walnut{n} " * 200 for n in range(100)})
    open_engine().close()
    engine = open_engine()
    damage(tmp_path / "index.db")

    vault.write("000.md", "cherry")
    engine.vault_changed([VaultChange("modified", "000.md")])
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert engine.status().notes == 100
    assert "damaged" in str(engine.status().message)
    assert find(engine, "cherry", mode="keyword") == ["000.md"]
    engine.rebuild()
    settle(engine)
    assert engine.status().message is None


def test_a_wal_cut_short_while_running_is_damage_and_not_tried_again_for_ever(
    vault: Vault, tmp_path: Path, open_engine
):
    vault.write_all({f"{n:03}.md": f"walnut{n} " * 200 for n in range(100)})
    engine = open_engine()
    engine._sync.index.checkpoint()
    vault.write("000.md", "cherry")
    tell(engine, modified("000.md"))
    with (tmp_path / "index.db-wal").open("r+b") as wal:
        wal.truncate(0)

    vault.write("001.md", "quince")
    engine.vault_changed([modified("001.md")])
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert "damaged" in str(engine.status().message)
    assert find(engine, "cherry", mode="keyword") == ["000.md"]
    assert find(engine, "quince", mode="keyword") == ["001.md"]


def test_a_search_that_meets_a_damaged_row_has_its_note_read_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()
    with tampering(tmp_path / "index.db") as connection:
        [(walnut,), (cherry,)] = connection.execute("SELECT id FROM notes ORDER BY path")
        copied = "UPDATE bodies SET body = (SELECT body FROM bodies WHERE note_id = ?) WHERE note_id = ?"
        connection.execute(copied, (cherry, walnut))

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
    open_engine().close()
    with tampering(tmp_path / "index.db") as connection:
        connection.execute("INSERT INTO notes_fts(notes_fts) VALUES ('delete-all')")

    engine = open_engine(limits=replace(IMPATIENT, timing=replace(IMPATIENT.timing, deep_check_after_s=0.0)))
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]


@pytest.mark.skipif(not hasattr(os, "pread"), reason="Windows reads the file at once")
@pytest.mark.parametrize("typed", ["walnut7", '"oak walnut7"', "walnit7 oak"])
def test_a_question_that_meets_damaged_postings_is_answered_without_them(
    vault: Vault, open_engine, caplog: pytest.LogCaptureFixture, typed: str
):
    vault.write_all({f"{n}.md": f"oak walnut{n}" for n in range(30)})
    engine = open_engine()
    before = [(hit.path, hit.score) for hit in ask(engine, typed, mode="keyword").hits]
    engine.pause()
    index = engine._sync.index
    index._memory.postings.invalidate("for the test")
    index.flush_postings()
    path = segment_file.path_beside(index.path)
    written = path.stat()
    with path.open("r+b") as file:
        file.seek(segment_file.HEADER_BYTES)
        file.write(b"\xff" * (written.st_size - segment_file.HEADER_BYTES))
    os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))  # as a failing disk does it

    answer = ask(engine, typed, mode="keyword")

    assert [(hit.path, hit.score) for hit in answer.hits] == before
    assert "the keyword postings are damaged" in caplog.text
    assert engine.explain(SearchOptions(query=typed, mode="keyword"), "7.md").state == "hit"


def test_an_index_deleted_while_running_is_made_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    for file in tmp_path.glob("index.db*"):
        file.unlink()

    wait_until(lambda: (tmp_path / "index.db").exists() and find(engine, "walnut") == ["a.md"])

    settle(engine)
    assert "deleted" in str(engine.status().message)


def test_an_index_whose_folder_is_deleted_while_running_is_made_anew_with_it(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine(index=tmp_path / "data" / "index.db")
    shutil.rmtree(tmp_path / "data")

    vault.write("a.md", "cherry")
    engine.vault_changed([modified("a.md")])
    wait_until(lambda: (tmp_path / "data/index.db").exists() and find(engine, "cherry", mode="keyword") == ["a.md"])
    settle(engine)
    assert "deleted" in str(engine.status().message)

    vault.write("a.md", "quince")
    tell(engine, modified("a.md"))
    assert find(engine, "quince", mode="keyword") == ["a.md"]


def test_a_rebuild_makes_an_index_whose_folder_was_deleted_anew(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    states: list[str] = []
    seldom = replace(IMPATIENT, timing=replace(EAGER, first_poll_s=3600.0, poll_every_s=3600.0))
    engine = open_engine(index=tmp_path / "data" / "index.db", limits=seldom)
    engine.listen(lambda _: states.append(engine.status().state))
    shutil.rmtree(tmp_path / "data")

    engine.rebuild()
    wait_until(lambda: (tmp_path / "data/index.db").exists())
    settle(engine)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert "failed" not in states


def test_a_rebuild_works_though_the_index_could_not_be_opened_again(
    vault: Vault, tmp_path: Path, open_engine, monkeypatch
):
    vault.write("a.md", "walnut")
    engine = open_engine(index=tmp_path / "data" / "index.db")
    with monkeypatch.context() as patch:
        patch.setattr(Index, "open", refuse_to_open)
        shutil.rmtree(tmp_path / "data")
        wait_until(lambda: "disk is full" in str(engine.status().message))
        engine.pause()

    engine.rebuild()
    wait_until(lambda: (tmp_path / "data/index.db").exists())
    settle(engine)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]


def test_an_index_replaced_while_running_is_set_aside_and_made_anew(vault: Vault, tmp_path: Path, open_engine):
    other = Vault(tmp_path / "other")
    other.write("secret.md", "kittiwake")
    with_other_notes(other, tmp_path / "other.db")
    vault.write("a.md", "walnut")
    engine = open_engine()

    (tmp_path / "other.db").replace(tmp_path / "index.db")
    wait_until(lambda: (tmp_path / "index.db.damaged-1").exists())
    settle(engine)

    assert find(engine, "kittiwake", mode="keyword") == []
    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert "replaced by another program" in str(engine.status().message)


def test_a_reader_never_meets_an_index_that_was_put_in_the_place_of_the_one_in_use(
    vault: Vault, tmp_path: Path, open_engine
):
    other = Vault(tmp_path / "other")
    other.write("secret.md", "kittiwake")
    with_other_notes(other, tmp_path / "other.db")
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine.pause()

    (tmp_path / "other.db").replace(tmp_path / "index.db")
    with ExitStack() as stack:
        for _ in range(4):  # more than have a connection from before
            try:
                reader = stack.enter_context(engine.reader())
            except IndexUnavailable:
                continue
            assert "secret.md" not in reader.stamps()


def test_the_index_of_another_vault_is_set_aside_and_made_anew(vault: Vault, tmp_path: Path, open_engine):
    other = Vault(tmp_path / "other")
    other.write("secret.md", "kittiwake")
    with_other_notes(other, tmp_path / "index.db")
    vault.write("a.md", "walnut")

    engine = open_engine(wait=False)
    assert find(engine, "kittiwake", mode="keyword") == []
    settle(engine)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert "another vault" in str(engine.status().message)
    assert "index.db.damaged-1" in str(engine.status().message)


def test_the_index_of_a_vault_that_was_moved_is_kept(vault: Vault, tmp_path: Path, encoder: HashEncoder, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()
    encoder.embedded.clear()
    moved = Vault(vault.root.rename(tmp_path / "moved"))

    engine = open_engine(root=moved.root)

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert (encoder.embedded, engine.status().message) == ([], None)


def test_the_index_of_a_vault_that_was_copied_back_to_its_place_is_kept(
    vault: Vault, tmp_path: Path, encoder: HashEncoder, open_engine
):
    vault.write("a.md", "walnut")
    open_engine().close()
    encoder.embedded.clear()
    shutil.copytree(vault.root, tmp_path / "backup")
    vault.root.rename(tmp_path / "lost")  # its number is not given out again
    shutil.copytree(tmp_path / "backup", vault.root)

    engine = open_engine()

    assert find(engine, "walnut", mode="keyword") == ["a.md"]
    assert (encoder.embedded, engine.status().message) == ([], None)


def test_a_moved_vault_is_known_at_its_new_place_from_then_on(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()
    moved = vault.root.rename(tmp_path / "moved")
    open_engine(root=moved).close()
    shutil.copytree(moved, tmp_path / "copy")
    moved.rename(tmp_path / "lost")
    (tmp_path / "copy").rename(moved)

    assert open_engine(root=moved).status().message is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_a_pipe_in_the_place_of_the_index_does_not_hold_a_start_up(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    os.mkfifo(tmp_path / "index.db")

    assert find(open_engine(), "walnut") == ["a.md"]
    assert (tmp_path / "index.db.damaged-1").is_fifo()


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
        engine._sync._current.replace(IndexDamaged("for the test"))
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
    wait_until(lambda: "disk is full" in str(engine.status().message))
    wait_until(lambda: len(attempts) >= 3)
    settle(engine)

    assert find(engine, "walnut") == ["a.md"]
