"""The keyword index is merged when there is time, and says the same before and after."""

import pytest

from quarry.index.keyword.schema import begin_bulk, merge


def segments(connection):
    """How many pieces `chunks_fts` is in."""
    return connection.execute("SELECT count(DISTINCT segid) FROM chunks_fts_idx").fetchall()[0][0]


def options(connection):
    return dict(connection.execute("SELECT k, v FROM chunks_fts_config").fetchall())


def stored_bytes(index):
    files = [index.path, index.path.with_name(index.path.name + "-wal")]
    return b"".join(file.read_bytes() for file in files if file.exists())


def test_saves_merge_nothing_until_there_is_time(index, put, lexical):
    connection = index._writer.connection
    for n in range(30):
        put(f"{n:02}.md", f"apples number{n}")
    assert segments(connection) >= 30
    before = lexical("apples")

    index.optimize()

    assert segments(connection) == 1
    assert lexical("apples") == before
    index.check()


def test_what_is_written_in_bulk_is_found_and_single_saves_follow(index, put, lexical):
    connection = index._writer.connection
    everyday = options(connection)
    with index._writer.change():
        begin_bulk(connection)
    for n in range(70):
        put(f"{n:02}.md", f"apples number{n}")
    assert segments(connection) >= 70  # not even a crisis merge
    assert lexical("number7") == [("07.md", 0)]

    with index._writer.change():
        merge(connection)

    assert segments(connection) == 1
    assert options(connection) == everyday
    assert lexical("number7") == [("07.md", 0)]
    index.check()


@pytest.mark.parametrize("change", ["edit", "remove"])
def test_terms_of_text_that_is_gone_leave_the_files_with_the_merge(index, put, change):
    for n in range(40):
        put(f"{n}.md", f"ordinary words {n}")
    put("a.md", "before zanzibarine after", tags=("quokkatag",))
    index.optimize()
    index.checkpoint()
    assert b"zanzibarin" in stored_bytes(index)

    if change == "edit":
        put("a.md", "before after")
    else:
        index.remove("a.md")
    index.optimize()
    index.checkpoint()

    assert b"zanzibarin" not in stored_bytes(index).lower()
    assert b"quokkatag" not in stored_bytes(index).lower()
    assert b"ordinari" in stored_bytes(index)
