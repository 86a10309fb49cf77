"""The keyword index is merged when there is time, proposes the same notes before and after, and is written as one."""

from contextlib import suppress

import apsw
import pytest
from msgspec.structs import replace

from quarry.errors import IndexUnavailable
from quarry.index import Index, meta
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.fts5 import (
    KeywordChange,
    KeywordQueue,
    begin_bulk,
    collect,
    create_keyword_index,
    has_keyword_index,
    merge,
    table_exists,
)
from quarry.index.prepared import counted, prepare


def segments(connection):
    """How many pieces `notes_fts` is in."""
    return connection.execute("SELECT count(DISTINCT segid) FROM notes_fts_idx").fetchall()[0][0]


def options(connection):
    return dict(connection.execute("SELECT k, v FROM notes_fts_config").fetchall())


def proposed(connection, term):
    sql = "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rowid"
    return [note_id for (note_id,) in connection.execute(sql, ('"' + term + '"',))]


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


# --- writing, a transaction at a time -----------------------------------------------------------


def stored_pages(connection):
    return connection.execute("SELECT id, block FROM notes_fts_data ORDER BY id").fetchall()


def proposed_paths(index, term):
    """The notes that FTS5 proposes for a term, as the writer sees it."""
    sql = "SELECT path FROM notes WHERE id IN (SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?) ORDER BY path"
    return [path for (path,) in index._writer.connection.execute(sql, (term,))]


@pytest.fixture
def prepared(make_note, stamp):
    def make(path, *texts):
        return prepare(make_note(path, *texts), stamp(), [None] * len(texts))

    return make


def statements_of(connection, run):
    """What *run* executes, with its first binding."""
    found = []
    connection.exec_trace = lambda _, sql, bindings: found.append((sql.split()[0], bindings[0])) or True
    run()
    connection.exec_trace = None
    return found


def test_what_is_queued_is_written_once_by_ascending_id_and_the_last_of_a_note_stands(index, prepared):
    connection, queue = index._writer.connection, KeywordQueue(has_fts5=True)
    changes = [
        KeywordChange(7, prepared("g.md", "apples"), (), ()),
        KeywordChange(3, prepared("c.md", "apples"), (), ()),
        KeywordChange(5, prepared("e.md", "apples"), (), ()),
        KeywordChange(3, prepared("c.md", "pears"), (), ()),
        KeywordChange(7, None, (), ()),
    ]
    for change in changes:
        queue.put(connection, change)

    written = []
    found = statements_of(connection, lambda: written.extend(queue.run(connection)))

    assert found == [("INSERT", 3), ("INSERT", 5), ("DELETE", 7)]
    assert written == changes
    assert queue.run(connection) == []
    assert connection.execute("SELECT rowid FROM notes_fts WHERE notes_fts MATCH 'pear OR appl'").fetchall() == [
        (3,),
        (5,),
    ]


def test_what_a_failed_change_queued_is_forgotten():
    changes = [KeywordChange(note_id, None, (), ()) for note_id in (1, 2, 3)]
    queue = KeywordQueue(has_fts5=True, changes=changes[:])

    queue.rewind(1)

    assert queue.changes == changes[:1]


def test_without_fts5_the_keyword_index_is_marked_stale_and_nothing_is_queued(index):
    connection, queue = index._writer.connection, KeywordQueue(has_fts5=False)

    queue.put(connection, KeywordChange(1, None, (), ()))

    assert queue.changes == []
    assert meta.get(connection, meta.KEYWORDS_STALE) is not None


def test_a_change_rewound_at_its_savepoint_leaves_the_note_as_it_was(index, put, make_note, stamp, lexical):
    put("a.md", "apples")
    put("b.md", "pears")

    with index.batch():
        put("b.md", "quinces")
        for change in (
            lambda rows: rows.remove("a.md"),
            lambda rows: rows.upsert(prepare(make_note("a.md", "plums"), stamp(), [None])),
            lambda rows: rows.upsert(prepare(make_note("b.md", "plums"), stamp(), [None]), "a.md"),
        ):
            with suppress(RuntimeError), index._rows() as rows:
                change(rows)
                raise RuntimeError

    assert lexical("apples pears plums quinces") == [("a.md", 0), ("b.md", 0)]
    assert [proposed_paths(index, term) for term in ("appl", "plum", "quinc")] == [["a.md"], [], ["b.md"]]
    assert index.verify(None, 9) == ([], None)
    index.check()


def test_a_damaged_note_among_others_in_a_batch_leaves_a_right_keyword_index(index, put, store, make_note, lexical):
    put("a.md", "apples")
    put("b.md", "pears")
    index._writer.connection.execute("UPDATE notes SET title = 'other' WHERE id = 1")
    index._writer.connection.execute("UPDATE bodies SET body = x'00' WHERE note_id = 2")

    with index.batch():
        store(index, make_note("c.md", "apples"))
        store(index, make_note("a.md", "plums"))
        store(index, make_note("b.md", "apples"))

    index.check()
    assert lexical("apples pears other") == [("b.md", 0), ("c.md", 0)]


def test_another_stamp_leaves_the_keyword_index_alone(index, put, stamp):
    put("a.md", "apples")
    pages = stored_pages(index._writer.connection)

    index.restamp("a.md", stamp(9))

    assert stored_pages(index._writer.connection) == pages


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


# --- what a bulk load collects -------------------------------------------------------------------


@pytest.mark.parametrize("form", ["analysed", "counted", "packed"])
def test_a_collector_knows_of_changes_in_every_form_that_notes_come_in(prepared, form):
    notes = [prepared(f"{number}.md", f"w{number} apples", "pears") for number in range(4)]
    if form == "counted":
        notes = counted(notes)
    elif form == "packed":
        notes = [replace(note, terms=None) for note in notes]
    collector = BulkCollector()

    first = [KeywordChange(at, note, (at << 11, (at << 11) + 1), ()) for at, note in enumerate(notes, 1)]
    collect([*first, KeywordChange(2, None, (), (2 << 11, (2 << 11) + 1))], collector)
    collect([KeywordChange(3, notes[0], (3 << 11, (3 << 11) + 2), ((3 << 11) + 1,))], collector)

    chunks, names = collector.build()
    at = {term: chunks.terms.term_range(term.encode()) for term in ("w0", "w1", "w2", "appl", "pear")}
    held = {term: chunks.ids[chunks.postings(*where)[0]].tolist() for term, where in at.items()}
    assert names.ids.tolist() == [1, 3, 4]
    assert held == {
        "w0": [1 << 11, 3 << 11],
        "w1": [],
        "w2": [],
        "appl": [1 << 11, 3 << 11, 4 << 11],
        "pear": [(1 << 11) + 1, (3 << 11) + 2, (4 << 11) + 1],
    }
