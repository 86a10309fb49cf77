"""The keyword index is merged when there is time, and proposes the same notes before and after."""

import pytest

from quarry.errors import IndexDamaged
from quarry.index import Index
from quarry.index.keyword.schema import (
    begin_bulk,
    check_keyword_index,
    create_keyword_index,
    has_keyword_index,
    merge,
    table_exists,
)


def segments(connection):
    """How many pieces `notes_fts` is in."""
    return connection.execute("SELECT count(DISTINCT segid) FROM notes_fts_idx").fetchall()[0][0]


def options(connection):
    return dict(connection.execute("SELECT k, v FROM notes_fts_config").fetchall())


def proposed(connection, term):
    sql = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rowid"
    return [note_id for (note_id,) in connection.execute(sql, ('"' + term + '"',))]


def stored_bytes(index):
    files = [index.path, index.path.with_name(index.path.name + "-wal")]
    return b"".join(file.read_bytes() for file in files if file.exists())


def test_notes_are_proposed_by_each_term_of_their_text_and_names(index, put):
    put("file name.md", "apples getStaleFiles()", "学習", title="Title", aliases=("Other",), tags=("t/u",), heading="H")
    put("b.md", "apples")
    connection = index._writer.connection

    assert proposed(connection, "appl") == [1, 2]
    for term in ("file", "titl", "other", "t/u", "h", "学", "getstalefil", "stale"):
        assert proposed(connection, term) == [1]
    assert proposed(connection, "unknown") == []
    assert connection.execute("SELECT doc FROM vocabulary WHERE term = 'appl'").fetchall() == [(2,)]


def test_the_keyword_index_holds_no_text(index, put):
    put("a.md", "apples and pears")

    assert index._writer.connection.execute("SELECT terms FROM notes_fts").fetchall() == [(None,)]


def test_saves_merge_nothing_until_there_is_time(index, put):
    connection = index._writer.connection
    for n in range(30):
        put(f"{n:02}.md", f"apples number{n}")
    assert segments(connection) >= 30
    before = proposed(connection, "appl")

    index.optimize()

    assert segments(connection) == 1
    assert proposed(connection, "appl") == before
    index.check()


def test_what_is_written_in_bulk_is_found_and_single_saves_follow(index, put):
    connection = index._writer.connection
    everyday = options(connection)
    with index._writer.change():
        begin_bulk(connection)
    for n in range(70):
        put(f"{n:02}.md", f"apples number{n}")
    assert segments(connection) >= 70  # not even a crisis merge
    assert proposed(connection, "number7") == [8]

    with index._writer.change():
        merge(connection)

    assert segments(connection) == 1
    assert options(connection) == everyday
    assert proposed(connection, "number7") == [8]
    index.check()


def test_many_saves_in_a_row_are_merged_after_all(index, put):
    for n in range(150):
        put("a.md", f"apples number{n}")

    assert segments(index._writer.connection) < 150
    assert proposed(index._writer.connection, "number149") == [1]
    assert proposed(index._writer.connection, "number7") == []
    index.check()


@pytest.mark.parametrize("change", ["edit", "remove", "rename"])
def test_terms_of_text_that_is_gone_leave_the_files_with_the_merge(index, put, store, make_note, change):
    for n in range(40):
        put(f"{n}.md", f"ordinary words {n}")
    put("xylophone.md", "before zanzibarine after", tags=("quokkatag",))
    index.optimize()
    index.checkpoint()
    assert b"zanzibarin" in stored_bytes(index)

    if change == "edit":
        put("xylophone.md", "before after", title="t")
    elif change == "remove":
        index.remove("xylophone.md")
    else:
        store(index, make_note("a.md", "before after"), old_path="xylophone.md")
    index.optimize()
    index.checkpoint()

    stored = stored_bytes(index).lower()
    assert b"zanzibarin" not in stored
    assert b"quokkatag" not in stored
    assert (b"xylophon" in stored) == (change == "edit")
    assert b"ordinari" in stored


# --- made anew -------------------------------------------------------------------------------------


def test_an_index_without_its_keyword_index_makes_it_from_the_forward_index(index, put, by_fts5):
    put("a.md", "apples", title="Pears")
    put("b.md", "plums")
    for table in ("vocabulary", "notes_fts"):
        index._writer.connection.execute("DROP TABLE " + table)
    assert not has_keyword_index(index._writer.connection)
    index.close()

    again = Index.open(index.path)

    assert has_keyword_index(again._writer.connection)
    assert table_exists(again._writer.connection, "notes_fts")
    assert proposed(again._writer.connection, "pear") == [1]
    again.check()
    with by_fts5(again) as keywords:
        assert keywords.doc_frequencies(["appl", "plum"]) == {"appl": 1, "plum": 1}
    again.close()


def test_filling_it_anew_forgets_what_it_had(index, put):
    put("a.md", "apples")
    with index._writer.change() as connection:
        connection.execute("INSERT OR REPLACE INTO notes_fts(rowid, terms) VALUES (1, 'plum'), (5, 'pear')")
        create_keyword_index(connection)

    assert proposed(index._writer.connection, "appl") == [1]
    assert proposed(index._writer.connection, "plum") == proposed(index._writer.connection, "pear") == []
    index.check()


def test_a_damaged_note_keeps_no_other_out_of_the_keyword_index(index, put):
    put("a.md", "apples")
    put("b.md", "apples")
    with index._writer.change() as connection:
        connection.execute("UPDATE bodies SET body = x'00' WHERE note_id = 1")
        create_keyword_index(connection)

    assert proposed(index._writer.connection, "appl") == [2]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("INSERT OR REPLACE INTO notes_fts(rowid, terms) VALUES (1, 'appl')", "other terms of note 1"),
        ("INSERT OR REPLACE INTO notes_fts(rowid, terms) VALUES (2, 'pear appl')", "other terms of note 2"),
        ("DELETE FROM notes_fts WHERE rowid = 2", "other terms of note 2"),
        ("INSERT INTO notes_fts(rowid, terms) VALUES (3, 'pear')", "note 3, which is gone"),
    ],
)
def test_a_keyword_index_of_other_terms_than_the_forward_index_is_damage(index, put, statement, told):
    put("a.md", "apples and pears")
    put("b.md", "pears")
    put("c.md", "plums")
    index.remove("c.md")
    connection = index._writer.connection
    check_keyword_index(connection)

    connection.execute(statement)

    with pytest.raises(IndexDamaged, match=told):
        check_keyword_index(connection)
    assert not table_exists(connection, "stored_terms")
