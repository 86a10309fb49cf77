import apsw
import pytest

from quarry.errors import IndexUnavailable
from quarry.index import files, writer
from quarry.index.database import connect
from quarry.index.writer import Writer


@pytest.fixture
def writing(tmp_path):
    path = tmp_path / "i.db"
    files.create(path)
    made = Writer(path, *connect(path, writable=True))
    yield made
    made.connection.close()


def put(writing, key):
    with writing.change() as connection:
        connection.execute("INSERT INTO meta VALUES (?, '')", (key,))


def visible(writing):
    other = apsw.Connection(str(writing.path))
    keys = {row[0] for row in other.execute("SELECT key FROM meta WHERE key NOT IN ('generation', 'notes', 'chunks')")}
    other.close()
    return keys


def test_a_change_by_itself_is_committed_at_once(writing):
    put(writing, "a")

    assert visible(writing) == {"a"}


def test_a_change_that_fails_leaves_no_trace(writing):
    def fail():
        with writing.change() as connection:
            connection.execute("INSERT INTO meta VALUES ('a', '')")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with writing.batch():
        put(writing, "b")
        with pytest.raises(RuntimeError):
            fail()

    assert visible(writing) == {"b"}


def test_a_batch_commits_after_so_many_changes(writing, monkeypatch):
    monkeypatch.setattr(writer, "BATCH_NOTES", 3)

    with writing.batch():
        seen = [len(visible(writing)) for n in range(7) if not put(writing, str(n))]

    assert seen == [0, 0, 3, 3, 3, 6, 6]
    assert len(visible(writing)) == 7


def test_a_batch_commits_after_so_long(writing, monkeypatch):
    clock = iter([0.0, 0.5, 1.5, 2.0, 2.1])
    monkeypatch.setattr(writer.time, "monotonic", lambda: next(clock))

    with writing.batch():
        seen = [len(visible(writing)) for n in range(3) if not put(writing, str(n))]

    assert seen == [0, 2, 2]


def test_what_overtakes_a_batch_is_visible_at_once(writing):
    with writing.batch():
        put(writing, "a")
        with writing.batch():
            put(writing, "saved")
        assert visible(writing) == {"a", "saved"}


def test_an_error_inside_a_batch_keeps_what_is_complete(writing):
    def fail():
        with writing.batch():
            put(writing, "a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert visible(writing) == {"a"}


def test_another_writer_is_no_damage(writing, monkeypatch):
    writing.connection.set_busy_timeout(0)
    other = apsw.Connection(str(writing.path))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(IndexUnavailable, match="locked"):
        put(writing, "a")

    other.close()
    put(writing, "b")
    assert visible(writing) == {"b"}


def test_an_index_that_another_program_reads_is_not_closed(writing):
    writing.connection.set_busy_timeout(0)
    put(writing, "a")
    other = apsw.Connection(str(writing.path))
    other.execute("BEGIN")
    other.execute("SELECT * FROM meta").fetchall()

    with pytest.raises(IndexUnavailable):
        writing.close()

    other.close()
    put(writing, "b")


def test_in_bulk_batches_share_commits_and_the_end_commits(writing, monkeypatch):
    monkeypatch.setattr(writer, "BULK_NOTES", 3)
    seen = []

    with writing.bulk(is_searched=False):
        for n in range(5):
            with writing.batch():
                put(writing, str(n))
            seen.append(len(visible(writing)))

    assert seen == [0, 0, 3, 3, 3]
    assert len(visible(writing)) == 5
    assert writing.connection.pragma("synchronous") == 1


def test_in_bulk_that_is_searched_the_first_batch_is_found_at_once(writing, monkeypatch):
    monkeypatch.setattr(writer, "BATCH_NOTES", 2)
    monkeypatch.setattr(writer.time, "monotonic", lambda: 0.0)
    seen = []

    with writing.bulk(is_searched=True):
        put(writing, "alone")  # a change outside any batch is committed, and is not the first batch
        for n in range(5):
            with writing.batch():
                put(writing, str(n))
            seen.append(len(visible(writing)))

    assert seen == [1, 3, 3, 3, 3]
    assert len(visible(writing)) == 6


@pytest.mark.parametrize(("searched", "visible_then"), [(True, 1), (False, 0)])
def test_in_bulk_only_where_someone_searches_time_ends_a_transaction(writing, monkeypatch, searched, visible_then):
    clock = iter([0.0, *[1.5] * 9])
    monkeypatch.setattr(writer.time, "monotonic", lambda: next(clock))

    with writing.bulk(is_searched=searched):
        with writing.batch():
            put(writing, "a")
            put(writing, "b")
        assert len(visible(writing)) == visible_then


def test_a_commit_leaves_the_wal_alone_until_it_has_grown(writing, monkeypatch):
    wal = writing.path.with_name("i.db-wal")
    put(writing, "a")
    assert wal.stat().st_size > 0
    file = writing.path.read_bytes()
    put(writing, "b")
    assert writing.path.read_bytes() == file

    monkeypatch.setattr(writer, "WAL_PAGES_OF_SAVES", 1)
    put(writing, "c")

    assert writing.path.read_bytes() != file


def test_the_wal_begins_anew_once_readers_let_it(writing, monkeypatch):
    monkeypatch.setattr(writer, "WAL_PAGES_OF_SAVES", 10)
    monkeypatch.setattr(writer, "WAL_FACTOR_AT_MOST", 2)
    writing.connection.set_busy_timeout(0)
    wal = writing.path.with_name("i.db-wal")
    reader = apsw.Connection(str(writing.path))
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM meta").fetchall()
    for n in range(30):
        put(writing, str(n))
    size_bytes = wal.stat().st_size
    assert size_bytes > 20 * 4096

    reader.close()
    for n in range(30, 90):
        put(writing, str(n))

    assert wal.stat().st_size < size_bytes + 3 * 4096
    assert len(visible(writing)) == 90
