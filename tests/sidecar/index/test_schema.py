"""An index can be opened, and its tables read, by the `sqlite3` of a system that knows nothing of Quarry."""

import re
import sqlite3

import pytest

from quarry.index.schema import TABLE_NAMES


@pytest.fixture
def plain(index, put):
    """A connection of the standard library, which cannot load extensions and knows none of our functions."""
    put("a.md", "apples and pears", "plums", title="Fruit", tags=("t",))
    put("b.md", "submarines")
    index.close()
    connection = sqlite3.connect(index.path)
    yield connection
    connection.close()


def test_a_stock_sqlite_opens_an_index_and_finds_it_sound(plain):
    assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert plain.execute("SELECT count(*) FROM notes").fetchall() == [(2,)]


@pytest.mark.parametrize("table", sorted(TABLE_NAMES))
def test_a_stock_sqlite_reads_every_table(plain, table):
    count = plain.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    assert len(plain.execute(f"SELECT * FROM {table}").fetchall()) == count


def test_a_stock_sqlite_says_which_function_the_view_of_the_chunks_needs(plain):
    with pytest.raises(sqlite3.OperationalError, match="no such function"):
        plain.execute("SELECT * FROM chunks").fetchall()


def test_a_stock_sqlite_asks_the_keyword_index_for_notes_unless_it_is_too_old_for_it(plain):
    sql = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH 'pear'"
    if sqlite3.sqlite_version_info >= (3, 43):
        assert plain.execute(sql).fetchall() == [(1,)]
        return
    with pytest.raises(sqlite3.OperationalError, match="contentless_delete"):
        plain.execute(sql)


NEWER_THAN_3_34 = {
    "STRICT tables (3.37)": r"\)\s*STRICT|STRICT\s*,|,\s*STRICT",
    "ORDER BY in an aggregate (3.44)": r"\w+\([^()]*\bORDER BY\b[^()]*\)",
    "RETURNING (3.35)": r"\bRETURNING\b",
    "MATERIALIZED (3.35)": r"\bMATERIALIZED\b",
    "-> and ->> (3.38)": r"->",
    "RIGHT and FULL JOIN (3.39)": r"\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b",
    "IS DISTINCT FROM (3.39)": r"\bDISTINCT\s+FROM\b",
    "unhex, concat, string_agg, iif of two (3.41 to 3.48)": r"\b(unhex|concat|concat_ws|string_agg|jsonb\w*)\(",
    "DROP COLUMN (3.35)": r"\bDROP\s+COLUMN\b",
    "digits with _ (3.46)": r"\b\d+_\d+\b",
}


@pytest.mark.parametrize("feature", NEWER_THAN_3_34)
def test_the_schema_has_no_syntax_newer_than_sqlite_3_34(index, feature):
    with index.reader() as reader:
        statements = [sql for (sql,) in reader._db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]

    assert len(statements) > len(TABLE_NAMES)
    assert [sql for sql in statements if re.search(NEWER_THAN_3_34[feature], re.sub("--[^\n]*", "", sql))] == []
