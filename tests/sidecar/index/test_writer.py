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
    connection, _ = connect(path, writable=True)
    made = Writer(path, connection)
    yield made
    connection.close()


def put(writing, key):
    with writing.change() as connection:
        connection.execute("INSERT INTO meta VALUES (?, '')", (key,))


def visible(writing):
    other = apsw.Connection(str(writing.path))
    keys = {row[0] for row in other.execute("SELECT key FROM meta WHERE key <> 'generation'")}
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
