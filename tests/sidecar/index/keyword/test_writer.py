from contextlib import suppress

import apsw
import pytest

from quarry.errors import IndexUnavailable
from quarry.index.keyword.writer import KeywordQueue, Statement
from quarry.index.prepared import prepare


def stored_pages(connection, table):
    sql = {
        "names_fts": "SELECT id, block FROM names_fts_data ORDER BY id",
        "chunks_fts": "SELECT id, block FROM chunks_fts_data ORDER BY id",
    }
    return connection.execute(sql[table]).fetchall()


@pytest.fixture
def connection():
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE t (x)")
    return made


def test_what_is_queued_is_written_in_its_order_and_once(connection):
    queue = KeywordQueue()
    queue.statements += [Statement("INSERT INTO t VALUES (?)", (1,)), Statement("UPDATE t SET x = x + ?", (5,))]

    queue.run(connection)
    queue.run(connection)

    assert connection.execute("SELECT x FROM t").fetchall() == [(6,)]


def test_what_a_failed_change_queued_is_forgotten():
    queue = KeywordQueue([Statement("one", ()), Statement("two", ()), Statement("", ())], anew=[2])

    queue.rewind(1)

    assert queue == KeywordQueue([Statement("one", ())])


def test_a_note_that_fails_in_a_batch_leaves_no_term(index, store, make_note, stamp, lexical):
    with index.batch():
        store(index, make_note("a.md", "apples"))
        with pytest.raises(ValueError, match="vectors"):
            index.upsert(make_note("b.md", "pears"), stamp(), [])
        with suppress(RuntimeError), index._rows() as rows:
            rows.upsert(prepare(make_note("c.md", "plums"), stamp(), [None]))
            raise RuntimeError

    assert lexical("apples pears plums") == [("a.md", 0)]
    index.check()


def test_a_damaged_note_among_others_in_a_batch_leaves_a_right_keyword_index(index, put, store, make_note, lexical):
    put("a.md", "apples")
    put("b.md", "pears")
    index._writer.connection.execute("UPDATE notes SET title = 'other' WHERE id = 1")

    with index.batch():
        store(index, make_note("c.md", "apples"))
        store(index, make_note("a.md", "plums"))
        store(index, make_note("b.md", "apples"))

    index.check()
    assert lexical("apples pears other") == [("b.md", 0), ("c.md", 0)]


def test_a_note_stored_again_as_it_is_leaves_its_terms_alone(index, put):
    put("a.md", "apples")
    before = index._writer.connection.total_changes()
    connection = index._writer.connection
    pages = stored_pages(connection, "names_fts")

    put("a.md", "apples", seconds=2)

    assert connection.total_changes() > before
    assert stored_pages(connection, "names_fts") == pages


def test_another_text_leaves_the_names_of_its_note_alone(index, put, lexical):
    put("a.md", "apples", aliases=("Fruit",), tags=("food",), heading="Top")
    connection = index._writer.connection
    names, chunks = stored_pages(connection, "names_fts"), stored_pages(connection, "chunks_fts")

    put("a.md", "pears", aliases=("Fruit",), tags=("food",), heading="Top")

    assert stored_pages(connection, "names_fts") == names
    assert stored_pages(connection, "chunks_fts") != chunks
    assert lexical("pears") == [("a.md", 0)]


def test_rows_are_written_by_their_ids_and_each_in_its_order(connection):
    queue = KeywordQueue()
    insert = "INSERT INTO t SELECT ? * 10 + count(*) FROM t"
    updated = "UPDATE t SET x = x + 100 WHERE x = ? * 10"
    queue.statements += [Statement(insert, (7,)), Statement(insert, (3,)), Statement(updated, (3,))]

    queue.run(connection)

    assert connection.execute("SELECT x FROM t").fetchall() == [(130,), (71,)]


def test_a_full_disk_at_the_end_of_a_transaction_leaves_nothing_behind(
    index, put, make_note, stamp, lexical, monkeypatch
):
    put("a.md", "apples")

    def refuse(self, connection):
        self.rewind(0)
        raise apsw.FullError

    with monkeypatch.context() as patched:
        patched.setattr(KeywordQueue, "run", refuse)
        with pytest.raises(IndexUnavailable):
            put("b.md", "pears")

    put("c.md", "pears")
    assert lexical("pears") == [("c.md", 0)]
    index.check()
