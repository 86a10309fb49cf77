import shutil
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from builders import top_chunks

from quarry.errors import IndexDamaged, IndexUnavailable, SchemaTooNew
from quarry.index import Index
from quarry.index.postings import cache, segment_file
from quarry.index.reader_pool import ReaderPool, warm_memory


@pytest.fixture
def opened(tmp_path):
    path = str(tmp_path / "x.db")
    apsw.Connection(path).execute("CREATE TABLE meta (x)")
    connections = []

    def open_connection():
        connections.append(apsw.Connection(path))
        return connections[-1]

    return connections, lambda **limits: ReaderPool(open_connection, **limits)


def test_connections_are_opened_when_needed_and_used_again(opened):
    connections, make_pool = opened
    readers = make_pool()
    assert connections == []

    with readers.snapshot() as one, readers.snapshot() as other:
        assert one is not other
    with readers.snapshot():
        pass

    assert len(connections) == 2


def test_there_are_never_more_than_a_few_and_a_reader_that_waits_too_long_is_refused(opened):
    connections, make_pool = opened
    readers = make_pool(max_readers=1, wait_s=0.01)

    with readers.snapshot(), pytest.raises(IndexUnavailable, match="busy"), readers.snapshot():
        pytest.fail("there is only one")

    with readers.snapshot():
        assert len(connections) == 1


def test_a_waiting_reader_gets_the_next_free_connection(opened):
    _, make_pool = opened
    readers = make_pool(max_readers=1)
    served = threading.Event()

    def read():
        with readers.snapshot():
            served.set()

    waiting = threading.Thread(target=read)
    with readers.snapshot():
        waiting.start()
        assert not served.is_set()
    waiting.join()

    assert served.is_set()


def test_a_connection_that_cannot_be_opened_takes_no_place():
    def fail():
        raise apsw.CantOpenError

    readers = ReaderPool(fail, max_readers=1)
    for _ in range(3):
        with pytest.raises(apsw.CantOpenError), readers.snapshot():
            pytest.fail("it cannot be opened")


def test_emptying_closes_all_and_lets_readers_in_again_afterwards(opened):
    connections, make_pool = opened
    readers = make_pool()
    with readers.snapshot():
        pass

    with readers.emptied(), pytest.raises(apsw.ConnectionClosedError):
        connections[0].execute("SELECT 1")

    with readers.snapshot() as connection:
        assert connection is connections[1]


def test_a_reader_that_hangs_does_not_keep_others_out(opened):
    _, make_pool = opened
    readers = make_pool(wait_s=0.01)

    with readers.snapshot():
        with pytest.raises(IndexUnavailable), readers.emptied():
            pytest.fail("someone still reads")
        with readers.snapshot():
            pass


NOTES = [f"{n}.md" for n in range(40)]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = Index.open(tmp_path / "i.db", few_notes=len(NOTES) - 8)  # a search reads fewer by itself than there are
    yield opened
    opened.close()


@pytest.fixture
def rebuilt(tmp_path: Path, index: Index, store, make_note) -> Path:
    """A whole, closed index, to take the place of *index*."""
    path = tmp_path / "i.db.rebuild"
    made = Index.open(path)
    with made.batch():
        for name in NOTES:
            store(made, make_note(name, "apples", "pears"))
    made.flush_postings()
    made.close()
    return path


def test_nothing_is_left_to_be_read_when_the_new_index_answers(
    index: Index, rebuilt: Path, ask, in_time, monkeypatch: pytest.MonkeyPatch
):
    index.replace_with(rebuilt)
    monkeypatch.setattr(cache.SegmentDelta, "apply_note", lambda *_: 1 // 0)

    with index.reader() as reader:
        found = top_chunks(reader, ask("apples"), None, 1000)
        statements = []
        reader._db.set_exec_trace(lambda _, sql, __: statements.append(sql) or True)
        reader.read_ahead()
        reader._db.set_exec_trace(None)
        assert index._memory.postings.scorer(reader._db) is not None

    assert sorted({candidate.path for candidate in found}) == sorted(NOTES)
    assert [sql for sql in statements if "vectors" in sql] == []


def test_postings_are_written_where_the_index_is_now(tmp_path: Path, index: Index, rebuilt: Path, store, make_note):
    index.replace_with(rebuilt)
    before = (tmp_path / "i.db.postings").read_bytes()
    store(index, make_note("more.md", "plums"))
    index.flush_postings()

    assert (tmp_path / "i.db.postings").read_bytes() != before
    assert not list(tmp_path.glob("*rebuild*"))


def test_reading_a_new_index_leaves_nothing_beside_it(rebuilt: Path):
    warm_memory(rebuilt, frozenset(), None, 0)

    wal = rebuilt.with_name(rebuilt.name + "-wal")
    assert not wal.exists() or wal.stat().st_size == 0


def test_a_new_index_that_is_damaged_is_refused_and_the_old_one_goes_on(index: Index, rebuilt: Path, store, make_note):
    store(index, make_note("old.md", "apples"))
    data = rebuilt.read_bytes()
    rebuilt.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))

    with pytest.raises(IndexUnavailable, match="the old one stays in use"):
        index.replace_with(rebuilt)

    with index.reader() as reader:
        assert list(reader.stamps()) == ["old.md"]
    store(index, make_note("more.md", "apples"))


def test_a_side_file_that_stays_where_it_is_keeps_nobody_from_the_new_index(
    tmp_path: Path, index: Index, rebuilt: Path, store, make_note, ask, in_time
):
    store(index, make_note("old.md", "apples"))
    beside = tmp_path / "i.db.postings"
    beside.unlink(missing_ok=True)
    beside.mkdir()
    (beside / "in the way").touch()

    index.replace_with(rebuilt)

    with index.reader() as reader:
        assert sorted(reader.stamps()) == sorted(NOTES)
        found = top_chunks(reader, ask("apples"), None, 1000)
        assert sorted({candidate.path for candidate in found}) == sorted(NOTES)
    assert not list(tmp_path.glob("*rebuild*"))


def test_after_a_swap_that_failed_halfway_memory_is_of_the_index_that_is_there(
    index: Index, rebuilt: Path, store, make_note, ask, in_time, monkeypatch: pytest.MonkeyPatch
):
    store(index, make_note("old.md", "apples"))
    with index.reader() as reader:
        top_chunks(reader, ask("apples"), None, 1000)

    def stop(*_: object) -> None:
        raise OSError("the disk went")

    monkeypatch.setattr(segment_file, "install", stop)

    with pytest.raises(OSError, match="the disk went"):
        index.replace_with(rebuilt)

    with index.reader() as reader:
        found = top_chunks(reader, ask("apples"), None, 1000)
        assert sorted({candidate.path for candidate in found}) == sorted(reader.stamps()) == sorted(NOTES)


# --- which files are opened ------------------------------------------------------------------------


def test_an_empty_index_answers(index, lexical, dense):
    assert lexical("x") == dense("x") == []
    assert index.size_bytes() > 0


@pytest.mark.parametrize("data", [b"", b"\0" * 8192, b"SQLite format 3\0", b"not a database at all" * 400])
def test_what_is_no_database_is_damage_and_is_left_as_it_is(tmp_path, data):
    path = tmp_path / "i.db"
    path.write_bytes(data)

    with pytest.raises(IndexDamaged):
        Index.open(path)
    assert path.read_bytes() == data


def test_a_database_of_another_program_is_damage_and_is_left_as_it_is(tmp_path):
    path = tmp_path / "i.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE precious (x)")
    other.close()
    data = path.read_bytes()

    with pytest.raises(IndexDamaged, match="another program"):
        Index.open(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_file_cut_short_is_damage(index, put, share):
    for n in range(50):
        put(f"{n}.md", f"words {n} " * 50)
    index.close()
    data = index.path.read_bytes()
    index.path.write_bytes(data[: int(len(data) * share)])

    with pytest.raises(IndexDamaged):
        Index.open(index.path)


def test_tables_that_are_gone_are_damage(index):
    index.close()
    database = apsw.Connection(str(index.path))
    database.execute("DROP TABLE links")
    database.close()

    with pytest.raises(IndexDamaged, match="links"):
        Index.open(index.path)


def test_the_file_of_a_newer_version_is_left_alone(index, put):
    put("a.md", "apples")
    index.close()
    data = bytearray(index.path.read_bytes())
    struct.pack_into(">I", data, 60, 99)
    index.path.write_bytes(data)

    with pytest.raises(SchemaTooNew, match="schema 99"):
        Index.open(index.path)
    assert index.path.read_bytes() == bytes(data)


def test_a_newer_version_that_stands_in_the_wal_only_is_seen_too(index):
    database = apsw.Connection(str(index.path))
    database.pragma("user_version", 99)
    copy = index.path.with_name("copy.db")
    for suffix in ("", "-wal"):
        shutil.copy(index.path.with_name(index.path.name + suffix), copy.with_name(copy.name + suffix))
    database.close()

    with pytest.raises(SchemaTooNew):
        Index.open(copy)


def test_an_index_of_an_older_schema_starts_anew(index, put):
    put("a.md", "apples")
    index.close()
    data = bytearray(index.path.read_bytes())
    struct.pack_into(">I", data, 60, 0)
    index.path.write_bytes(data)

    again = Index.open(index.path)

    with again.reader() as reader:
        assert reader.counts().notes == 0
    again.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(IndexUnavailable, match="cannot be opened"):
        Index.open(tmp_path / "file" / "i.db")
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(IndexUnavailable):
        Index.open(tmp_path / "folder.db")


def test_a_wal_without_its_database_belongs_to_nothing(tmp_path):
    (tmp_path / "i.db-wal").write_bytes(b"left over" * 100)

    index = Index.open(tmp_path / "i.db")

    index.check()
    index.close()
