"""Connections are set up to keep no trace of what was deleted, and SQLite's errors are told apart by what helps."""

import time

import apsw
import pytest

from quarry.errors import Cancelled, DeadlineExceeded, IndexDamaged, IndexUnavailable
from quarry.index import Deadline, Index
from quarry.index.database import FTS5, SQLITE_VEC, connect, examine_parts, select, translate_sqlite_errors


@pytest.fixture
def path(tmp_path):
    Index.open(tmp_path / "i.db").close()
    return tmp_path / "i.db"


def test_what_is_deleted_is_overwritten_and_no_text_goes_to_temporary_files(path):
    connection, _ = connect(path, writable=True)

    assert connection.pragma("secure_delete") == 1
    assert connection.pragma("temp_store") == 2  # memory
    assert connection.pragma("wal_autocheckpoint") == 0
    connection.close()


def test_a_reader_cannot_write(path):
    connection, _ = connect(path, writable=False)

    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM notes")
    connection.close()


def test_parts_can_be_done_without(path):
    connection, parts = connect(path, writable=False, without=frozenset({FTS5, SQLITE_VEC}))

    assert (parts.has_fts5, parts.has_vec) == (False, False)
    assert parts.fts5_missing == parts.vec_missing == "it was switched off"
    connection.close()


def test_the_parts_of_this_machine_are_told_with_the_version_of_sqlite():
    version, *others = examine_parts()

    assert version == f"SQLite {apsw.sqlite_lib_version()}"
    assert others == [FTS5, SQLITE_VEC]


@pytest.mark.parametrize(
    ("error", "told", "says"),
    [
        (apsw.FullError("full"), IndexUnavailable, "check free space"),
        (apsw.BusyError("locked"), IndexUnavailable, "cannot be used"),
        (apsw.CorruptError("malformed"), IndexDamaged, "is damaged"),
        (apsw.SQLError("no such table"), IndexDamaged, "is damaged"),
    ],
)
def test_errors_say_whether_the_file_is_sound(path, error, told, says):
    with pytest.raises((IndexUnavailable, IndexDamaged), match=says) as raised, translate_sqlite_errors(path):
        raise error

    assert type(raised.value) is told


def test_a_file_that_was_cut_short_is_damaged(path):
    error = apsw.IOError("short read")
    error.extendedresult = apsw.SQLITE_IOERR_SHORT_READ

    with pytest.raises(IndexDamaged, match="cut short"), translate_sqlite_errors(path):
        raise error


def test_a_text_that_is_no_unicode_is_damage(path):
    connection, _ = connect(path, writable=False)

    with pytest.raises(apsw.CorruptError, match="UTF-8"):
        select(connection, "SELECT CAST(x'ff' AS TEXT)")
    connection.close()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_a_statement_without_end_stops_at_the_deadline():
    database = apsw.Connection(":memory:")

    with pytest.raises(DeadlineExceeded), Deadline.after(0.05).over(database):
        database.execute(ENDLESS).fetchall()


def test_a_statement_without_end_stops_when_its_asker_is_gone():
    database = apsw.Connection(":memory:")
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > 5

    with pytest.raises(Cancelled), Deadline(time.monotonic() + 3600, is_cancelled).over(database):
        database.execute(ENDLESS).fetchall()


def test_a_deadline_that_is_over_asks_nothing():
    with pytest.raises(DeadlineExceeded), Deadline.after(0).over(apsw.Connection(":memory:")):
        pytest.fail("the block must not run")


def test_afterwards_the_connection_is_free_again():
    database = apsw.Connection(":memory:")
    with pytest.raises(DeadlineExceeded), Deadline.after(0.01).over(database):
        database.execute(ENDLESS).fetchall()

    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT count(*) FROM n"
    assert database.execute(count).fetchall() == [(50000,)]
