import struct
import threading
import unicodedata

import pytest
from builders import index_bytes, problems, top_chunks

from quarry.conditions import HasPhrase, InFolder, Not
from quarry.errors import IndexDamaged, IndexUnavailable, SchemaTooNew
from quarry.index import CHUNK_WEIGHTS, Index, content_hash, quantize
from quarry.types import Note


def reopened(index, **options):
    index.close()
    return Index.open(index.path, **options)


def test_what_was_stored_is_there_after_closing(index, put, lexical):
    note = put("a/One.md", "apples", "pears", tags=("t",), properties={"type": "log", "n": 1, "l": ("x", "y")})

    again = reopened(index)

    with again.reader() as reader:
        assert reader.note("a/One.md").note == note
        assert reader.counts().chunks == 2
    again.close()


def test_only_the_owner_may_read_the_file(index):
    assert index.path.stat().st_mode & 0o077 == 0


def test_storing_a_note_again_replaces_all_of_it(put, index, lexical, dense):
    put("a.md", "apples", "pears", tags=("old",))
    put("a.md", "plums", tags=("new",))

    with index.reader() as reader:
        assert reader.counts().chunks == 1
        assert reader.note("a.md").note.tags == ("new",)
    assert lexical("apples pears") == []
    assert dense("plums") == [("a.md", 0)]


def test_a_chunk_that_did_not_change_keeps_its_row_and_vector_wherever_it_moves(index, put, make_note, stamp):
    put("a.md", "first", "second", "third")
    with index.reader() as reader:
        before = reader.note("a.md").chunk_ids

    index.upsert(make_note("a.md", "third", "new", "second"), stamp(2), [None, None, None])

    with index.reader() as reader:
        after = reader.note("a.md").chunk_ids
        assert (after[0], after[2]) == (before[2], before[1])
        assert reader.counts().pending == 1
    assert index.verify(None, 10) == ([], None)
    index.check()


def test_a_rename_keeps_rows_and_vectors_and_changes_where_they_are_found(index, put, store, make_note, lexical):
    put("old/a.md", "apples", "pears", title="T")
    with index.reader() as reader:
        before = reader.note("old/a.md").chunk_ids

    store(index, make_note("new/b.md", "apples", "pears", title="T"), old_path="old/a.md")

    with index.reader() as reader:
        assert reader.note("new/b.md").chunk_ids == before
        assert reader.note("old/a.md") is None
    assert lexical("apples", where=InFolder("new")) == [("new/b.md", 0)]
    assert lexical("apples", where=InFolder("old")) == []


def test_a_rename_over_another_note_replaces_it(index, put, store, make_note, lexical):
    put("a.md", "apples")
    put("b.md", "pears")

    store(index, make_note("b.md", "apples"), old_path="a.md")

    assert lexical("apples pears") == [("b.md", 0)]
    assert index.verify(None, 10) == ([], None)
    index.check()


def test_a_rename_of_a_note_that_is_not_there_stores_it(index, put, store, make_note, lexical):
    put("b.md", "pears")

    store(index, make_note("b.md", "apples"), old_path="gone.md")

    assert lexical("apples pears") == [("b.md", 0)]


def test_a_rename_by_case_alone_moves_the_note(index, put, store, make_note):
    put("note.md", "apples")

    store(index, make_note("Note.md", "apples"), old_path="note.md")

    with index.reader() as reader:
        assert list(reader.stamps()) == ["Note.md"]


def test_removing_forgets_everything_and_an_unknown_path_is_no_error(index, put, lexical, dense):
    put("a.md", "apples", tags=("t",))

    index.remove("a.md")
    index.remove("never.md")

    assert lexical("apples") == dense("apples") == []
    with index.reader() as reader:
        counts = reader.counts()
        assert (counts.notes, counts.chunks, counts.pending) == (0, 0, 0)
    index.check()


def test_another_stamp_changes_nothing_else(index, put, stamp):
    note = put("a.md", "apples")

    index.restamp("a.md", stamp(99))
    index.restamp("never.md", stamp(99))

    with index.reader() as reader:
        assert reader.stamps() == {"a.md": stamp(99)}
        assert reader.note("a.md").note == note
    assert index.verify(None, 10) == ([], None)


def test_a_note_that_cannot_be_stored_changes_nothing(index, put, make_note, stamp, lexical):
    put("a.md", "apples")

    with pytest.raises(ValueError, match="no Unicode"):
        index.upsert(make_note("bad\udcff.md", "pears"), stamp(), [None])
    with pytest.raises(ValueError, match="dimensions"):
        index.upsert(make_note("b.md", "pears"), stamp(), [b"123"])
    with pytest.raises(ValueError, match="2 chunks but 1"):
        index.upsert(make_note("b.md", "x", "y"), stamp(), [None])

    with index.reader() as reader:
        assert list(reader.stamps()) == ["a.md"]
    assert index.verify(None, 10) == ([], None)


@pytest.mark.parametrize("path", ["emoji 🚀/日本.md", "a\nb.md", "100%#'\".md", " trailing .md", "x" * 250 + ".md"])
def test_any_path_that_is_text_can_be_stored(put, lexical, path):
    put(path, "apples")

    assert lexical("apples") == [(path, 0)]


# --- removed text ----------------------------------------------------------------------------------


def test_after_idle_work_and_a_checkpoint_no_byte_of_removed_text_is_left(index, put, store, make_note):
    for n in range(60):
        put(f"{n}.md", f"ordinary words number {n} zebra{n} " * 8, heading=f"Heading {n}", tags=(f"tag{n}",))
    put(
        "Quagmire folder/Xylophone.md",
        "kumquat persimmon",
        heading="Wolverine",
        tags=("marzipan",),
        properties={"secretkey": "rhubarb"},
        aliases=("Gooseberry",),
    )
    put("stays.md", "before ocelot after", heading="Section")
    put("moved from Badger.md", "some text")
    index.record_problem("Quagmire folder/Aardvark.md", "unreadable flamingo", skipped=True)
    index.checkpoint()
    index.remove("Quagmire folder/Xylophone.md")
    put("stays.md", "before after", heading="Section")
    store(index, make_note("moved.md", "some text"), old_path="moved from Badger.md")
    index.clear_problem("Quagmire folder/Aardvark.md")
    index.optimize()
    index.checkpoint()

    stored = index_bytes(index.path.parent).lower()
    words = ("kumquat", "persimmon", "wolverin", "marzipan", "rhubarb", "gooseberr", "xylophon", "quagmir", "ocelot")
    assert [word for word in (*words, "badger", "aardvark", "flamingo") if word.encode() in stored] == []
    assert b"zebra7" in stored


def changed_since(index, generation):
    with index.reader() as reader:
        return reader._db.execute("SELECT note_id FROM changes WHERE generation > ?", (generation,)).fetchall()


def test_every_upsert_and_removal_is_noted_as_a_change_and_a_restamp_is_not(index, put, store, make_note, stamp):
    put("a.md", "apples", tags=("t",))

    def generation():
        with index.reader() as reader:
            return reader.generation

    changes = (
        lambda: put("a.md", "apples", tags=("other",)),
        lambda: put("a.md", "apples", aliases=("A",)),
        lambda: store(index, make_note("b.md", "apples"), old_path="a.md"),
        lambda: index.restamp("b.md", stamp(9)),
        lambda: index.remove("b.md"),
    )
    seen = []
    for change in changes:
        before = generation()
        change()
        seen.append(changed_since(index, before))

    assert seen == [[(1,)], [(1,)], [(1,)], [], [(1,)]]


def test_notes_written_in_bulk_are_those_written_one_by_one(tmp_path, store, make_note):
    alone, bulk = Index.open(tmp_path / "1.db"), Index.open(tmp_path / "2.db", is_searched=False)
    notes = [make_note(f"{n}.md", f"apples {n}", "pears", tags=("t",)) for n in range(9)]
    for note in notes:
        store(alone, note)
    with bulk.bulk():
        for note in notes:
            with bulk.batch():
                store(bulk, note)

    with alone.reader() as one, bulk.reader() as other:
        assert [one.note(n.path) for n in notes] == [other.note(n.path) for n in notes]
        assert one.counts() == other.counts()
    assert bulk.verify(None, 99) == ([], None)
    bulk.check()
    alone.close()
    bulk.close()


# --- vectors ---------------------------------------------------------------------------------------


def test_pending_chunks_are_filled_in_later(index, make_note, stamp, encode, dense):
    index.upsert(make_note("a.md", "apples", "pears"), stamp(), [None, None])
    assert index.has_pending_vectors()

    pending = index.pending_vectors(1)
    assert [waiting.chunk.text for waiting in pending] == ["apples"]
    pending = index.pending_vectors(10)
    rows = quantize(encode([waiting.chunk.text for waiting in pending]))
    index.set_vectors([(p.chunk_id, p.content_hash, row) for p, row in zip(pending, rows, strict=True)])
    assert index.has_pending_vectors()  # the title's
    assert index.pending_vectors(10) == []
    (untitled,) = index.pending_titles(10)
    index.set_vectors((), [(untitled.note_id, untitled.title, quantize(encode([untitled.title]))[0])])

    assert not index.has_pending_vectors()
    assert dense("pears", depth=1) == [("a.md", 1)]
    assert index.verify(None, 10) == ([], None)


def test_a_title_vector_that_comes_too_late_for_its_title_is_not_taken(index, make_note, stamp, encode):
    index.upsert(make_note("a.md", "x", title="Apples"), stamp(), [None])
    (late,) = index.pending_titles(9)
    index.upsert(make_note("a.md", "x", title="Pears"), stamp(2), [None])

    index.set_vectors((), [(late.note_id, late.title, quantize(encode(["Apples"]))[0])])

    assert [waiting.title for waiting in index.pending_titles(9)] == ["Pears"]


def test_a_title_keeps_its_vector_until_it_changes(index, put, make_note, stamp):
    put("a.md", "apples", title="Apples")

    index.upsert(make_note("a.md", "pears", title="Apples"), stamp(2), [None])
    assert index.pending_titles(9) == []
    index.upsert(make_note("a.md", "pears", title="Pears"), stamp(3), [None])
    assert [waiting.title for waiting in index.pending_titles(9)] == ["Pears"]


def test_a_note_with_more_chunks_than_slots_is_refused(index, make_note, stamp, lexical):
    with pytest.raises(ValueError, match="2048"):
        index.upsert(make_note("a.md", *["apples"] * 2049), stamp(), [None] * 2049)

    assert lexical("apples") == []


def test_a_vector_that_comes_too_late_for_its_text_is_not_taken(index, make_note, stamp, encode):
    index.upsert(make_note("a.md", "apples"), stamp(), [None])
    late = index.pending_vectors(1)[0]
    index.upsert(make_note("a.md", "pears"), stamp(2), [None])

    now = index.pending_vectors(1)[0]
    index.set_vectors([(now.chunk_id, late.content_hash, quantize(encode(["apples"]))[0])])
    index.set_vectors([(999, late.content_hash, b"x")])

    assert [waiting.chunk.text for waiting in index.pending_vectors(9)] == ["pears"]


def test_vectors_of_another_dimension_wait_until_the_old_ones_are_dropped(index, put, dense):
    put("a.md", "apples")
    pending_of_another = [(1, b"", b"123")]
    with pytest.raises(ValueError, match="drop them first"):
        index.set_vectors(pending_of_another)

    index.drop_vectors()
    assert dense("apples") == []
    waiting = index.pending_vectors(9)
    index.set_vectors([(p.chunk_id, p.content_hash, b"123") for p in waiting])

    with index.reader() as reader:
        assert reader.dimension == 3
        assert reader.counts().pending == 0
    assert index.verify(None, 10) == ([], None)
    index.check()


# --- problems and meta -----------------------------------------------------------------------------


def test_problems_are_kept_by_path_until_they_are_over(index, put):
    index.record_problem("b.md", "cannot be read", skipped=True)
    index.record_problem("a.md", "odd", skipped=False)
    index.record_problem("a.md", "odder", skipped=False)
    index.record_problem("bad\udcff.md", "name", skipped=True)
    put("c.md", "x", problems=("front matter: line 3", "too long"))

    found = [(problem.path, problem.reason, problem.skipped) for problem in problems(index, 9)]

    assert found == [
        ("a.md", "odder", False),
        ("b.md", "cannot be read", True),
        ("bad\\udcff.md", "name", True),
        ("c.md", "front matter: line 3", False),
        ("c.md", "too long", False),
    ]
    assert len(problems(index, 99)) == 5
    assert len(problems(index, 2)) == 2


def test_an_indexed_or_removed_file_has_no_problem_any_more(index, put):
    index.record_problem("a.md", "cannot be read", skipped=True)
    index.record_problem("b.md", "cannot be read", skipped=True)
    index.record_problem("c.md", "cannot be read", skipped=True)

    put("a.md", "x")
    index.remove("b.md")
    index.clear_problem("c.md")

    assert len(problems(index, 99)) == 0


def test_a_new_list_of_skipped_files_replaces_the_old_one(index):
    index.record_problem("a.md", "old", skipped=True)
    index.record_problem("b.md", "stays", skipped=False)

    index.replace_skipped({"c.md": "new"})

    assert [problem.path for problem in problems(index, 9)] == ["b.md", "c.md"]


def test_facts_are_kept_and_those_of_the_index_are_its_own(index):
    assert index.meta_get("fingerprint") is None

    index.meta_set("fingerprint", "{}")
    index.meta_set("fingerprint", "{1}")

    assert index.meta_get("fingerprint") == "{1}"
    with index.reader() as reader:
        assert reader.meta_get("fingerprint") == "{1}"
    with pytest.raises(AssertionError):
        index.meta_set("dimension", "3")


# --- missing parts ---------------------------------------------------------------------------------


def test_without_fts5_meaning_still_serves_and_filters_hold(tmp_path, store, make_note, encode, ask, admit, in_time):
    index = Index.open(tmp_path / "i.db", without=frozenset({"fts5"}))
    store(index, make_note("a.md", "Red Car apples"))
    store(index, make_note("b.md", "apples pears"))

    with index.reader() as reader:
        vector = encode(["apples"])[0]
        by_phrase = reader.dense(vector, admit(reader, HasPhrase("red car")), 5, deadline=in_time)
        without_word = reader.dense(vector, admit(reader, Not(HasPhrase("PEARS"))), 5, deadline=in_time)
        assert top_chunks(reader, ask("apples"), None, 5) == ()
        by_word = reader.keywords.query(ask("apples", "red car", prefix="app"))
        assert by_word.top_notes(None, 5) == []
        assert (by_word.count_chunks(None, 5), by_word.count_notes(None)) == (0, 0)
        assert (by_word.chunk_scores([2048], CHUNK_WEIGHTS), by_word.note_scores([1])) == ({}, {})
        assert reader.keywords.notes_with_phrase(("red", "car"), deadline=in_time) == []
        assert reader.keywords.proximity_scores([("red", "car")], [2048]) == {}
    assert [c.path for c in by_phrase] == [c.path for c in without_word] == ["a.md"]
    assert "FTS5" in index.missing["lexical"]
    index.close()


@pytest.mark.parametrize("part", ["fts5", "sqlite-vec"])
def test_what_was_written_without_a_part_is_found_when_it_is_back(
    tmp_path, store, make_note, encode, ask, in_time, part
):
    path = tmp_path / "i.db"
    index = Index.open(path)
    store(index, make_note("gone.md", "apples"))
    store(index, make_note("stays.md", "apples pears"))
    index = reopened(index, without=frozenset({part}))
    store(index, make_note("new.md", "apples plums"))
    index.remove("gone.md")
    index.upsert(make_note("pending.md", "apples"), next(iter(_stamps(index))), [None])
    index = reopened(index)

    with index.reader() as reader:
        lexical = top_chunks(reader, ask("apples"), None, 9)
        dense = reader.dense(encode(["apples"])[0], None, 9, deadline=in_time)
    assert {c.path for c in lexical} == {"new.md", "stays.md", "pending.md"}
    assert {c.path for c in dense} == {"new.md", "stays.md"}
    assert index.missing == {}
    assert index.verify(None, 10) == ([], None)
    index.check()
    index.close()


def _stamps(index):
    with index.reader() as reader:
        return list(reader.stamps().values())


def test_vectors_dropped_without_sqlite_vec_stay_dropped_when_it_is_back(tmp_path, store, make_note):
    index = Index.open(tmp_path / "i.db")
    store(index, make_note("a.md", "apples"))
    index = reopened(index, without=frozenset({"sqlite-vec"}))

    index.drop_vectors()
    index = reopened(index)

    index.check()
    store(index, make_note("a.md", "apples"))
    index.check()
    index.close()


# --- opening ---------------------------------------------------------------------------------------


def test_an_empty_index_answers(index, lexical, dense):
    assert lexical("x") == dense("x") == []
    assert index.size_bytes() > 0


def damaged(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("data", [b"", b"\0" * 8192, b"SQLite format 3\0", b"not a database at all" * 400])
def test_what_is_no_database_is_damage_and_is_left_as_it_is(tmp_path, data):
    path = damaged(tmp_path / "i.db", data)

    with pytest.raises(IndexDamaged):
        Index.open(path)
    assert path.read_bytes() == data


def test_a_database_of_another_program_is_damage_and_is_left_as_it_is(tmp_path):
    import apsw

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
    import apsw

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
    import shutil

    import apsw

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


def test_a_full_disk_stops_writing_and_nothing_else(index, put, make_note, stamp, lexical):
    put("a.md", "apples")
    index.checkpoint()
    connection = index._writer.connection
    connection.pragma("max_page_count", connection.pragma("page_count"))

    with pytest.raises(IndexUnavailable, match="full"):
        index.upsert(make_note("b.md", " ".join(f"pear{n * 7919 % 99991}" for n in range(40_000))), stamp(), [None])
    assert lexical("apples pears") == [("a.md", 0)]

    connection.pragma("max_page_count", 1 << 30)
    put("b.md", "pears")
    assert lexical("pears") == [("b.md", 0)]
    assert index.verify(None, 10) == ([], None)
    index.check()


# --- readers ---------------------------------------------------------------------------------------


def test_a_reader_sees_one_moment(index, put, ask, in_time):
    put("a.md", "apples")

    with index.reader() as reader:
        put("b.md", "apples")
        index.remove("a.md")
        assert list(reader.stamps()) == ["a.md"]
        assert [c.path for c in top_chunks(reader, ask("apples"), None, 5)] == ["a.md"]
    with index.reader() as reader:
        assert list(reader.stamps()) == ["b.md"]


def test_readers_go_on_while_a_long_write_is_under_way(index, put, lexical):
    put("a.md", "apples")
    inside, go_on = threading.Event(), threading.Event()

    def write():
        with index._writer.change():
            index._writer.connection.execute("UPDATE bodies SET body = x''")
            inside.set()
            go_on.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    inside.wait(30)
    found = [lexical("apples") for _ in range(3)]
    go_on.set()
    writer.join()

    assert found == [[("a.md", 0)]] * 3


def test_many_threads_search_while_one_writes(index, put, store, make_note, ask, encode, in_time):
    for n in range(20):
        put(f"{n}.md", "apples pears")
    failures, done = [], threading.Event()

    def search():
        while not done.is_set():
            try:
                with index.reader() as reader:
                    count = reader.counts().notes
                    lexical = top_chunks(reader, ask("apples"), None, 100)
                    dense = reader.dense(encode(["apples"])[0], None, 100, deadline=in_time)
                    stored = reader.chunks(c.chunk_id for c in lexical)
                    if not count == len(lexical) == len(dense) == len(stored):
                        failures.append((count, len(lexical), len(dense), len(stored)))
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(6)]
    for thread in threads:
        thread.start()
    for n in range(60):
        store(index, make_note(f"{n}.md", "apples pears plums"))
        if n % 3 == 0:
            index.remove(f"{n}.md")
    done.set()
    for thread in threads:
        thread.join()

    assert failures == []


def test_a_closed_index_says_so(tmp_path):
    index = Index.open(tmp_path / "i.db")
    index.close()

    with pytest.raises(IndexUnavailable, match="closed"), index.reader():
        pytest.fail("there is nothing to read")


# --- batches ---------------------------------------------------------------------------------------


def test_notes_of_a_batch_are_visible_when_it_ends(index, store, make_note):
    with index.batch():
        for n in range(10):
            store(index, make_note(f"{n}.md", "apples"))
        with index.reader() as reader:
            assert reader.counts().notes == 0

    with index.reader() as reader:
        assert reader.counts().notes == 10


def test_a_batch_that_fails_keeps_the_notes_that_are_complete(index, store, make_note, stamp):
    def work():
        with index.batch():
            store(index, make_note("a.md", "apples"))
            index.upsert(make_note("b.md", "x"), stamp(), [])

    with pytest.raises(ValueError, match="vectors"):
        work()

    with index.reader() as reader:
        assert list(reader.stamps()) == ["a.md"]
    index.check()


def test_what_a_batch_wrote_is_known_inside_it(index, store, make_note):
    with index.batch():
        store(index, make_note("a.md", "apples", title="T"))
        chunk = make_note("b.md", "apples", title="T").chunks[0]

        assert content_hash(chunk) in index.known_vectors(["a.md"], [content_hash(chunk)])


def test_a_note_has_the_same_rows_whether_in_a_batch_or_alone(tmp_path, store, make_note):
    notes: list[Note] = [make_note(f"{n}.md", f"apples {n}", "pears") for n in range(5)]
    alone, batched = Index.open(tmp_path / "1.db"), Index.open(tmp_path / "2.db")
    for note in notes:
        store(alone, note)
    with batched.batch():
        for note in notes:
            store(batched, note)

    with alone.reader() as one, batched.reader() as other:
        assert [one.note(n.path) for n in notes] == [other.note(n.path) for n in notes]
    alone.close()
    batched.close()


# --- replacing -------------------------------------------------------------------------------------


def test_a_rebuilt_index_takes_the_place_of_the_old_one(tmp_path, store, make_note, ask, in_time):
    index = Index.open(tmp_path / "i.db")
    store(index, make_note("old.md", "apples"))
    rebuilt = Index.open(tmp_path / "i.db.rebuild")
    store(rebuilt, make_note("new.md", "apples"))
    rebuilt.close()

    index.replace_with(tmp_path / "i.db.rebuild")

    with index.reader() as reader:
        assert [c.path for c in top_chunks(reader, ask("apples"), None, 5)] == ["new.md"]
    store(index, make_note("more.md", "apples"))
    index.close()
    assert [file.name for file in tmp_path.iterdir()] == ["i.db"]


def test_replacing_waits_for_those_who_read_and_new_readers_wait_for_it(tmp_path, store, make_note):
    index = Index.open(tmp_path / "i.db")
    store(index, make_note("old.md", "apples"))
    rebuilt = Index.open(tmp_path / "i.db.rebuild")
    rebuilt.close()
    replacing = threading.Thread(target=index.replace_with, args=(tmp_path / "i.db.rebuild",))

    with index.reader() as reader:
        replacing.start()
        assert list(reader.stamps()) == ["old.md"]
        assert replacing.is_alive()
        assert list(reader.stamps()) == ["old.md"]
    replacing.join()

    with index.reader() as reader:
        assert list(reader.stamps()) == []
    index.close()


def test_an_index_that_is_still_open_is_not_installed(tmp_path, store, make_note):
    index = Index.open(tmp_path / "i.db")
    store(index, make_note("old.md", "apples"))
    rebuilt = Index.open(tmp_path / "i.db.rebuild")
    store(rebuilt, make_note("new.md", "apples"))

    with pytest.raises(IndexUnavailable, match="open in another program"):
        index.replace_with(tmp_path / "i.db.rebuild")
    with index.reader() as reader:
        assert list(reader.stamps()) == ["old.md"]
    rebuilt.close()
    index.close()


def test_a_rebuild_that_was_cut_short_is_cleared_away(tmp_path):
    Index.open(tmp_path / "i.db").close()
    for name in ("i.db.rebuild", "i.db.rebuild-wal", "i.db.rebuild-shm", "i.db.new"):
        (tmp_path / name).write_bytes(b"half")

    Index.open(tmp_path / "i.db").close()

    assert [file.name for file in tmp_path.iterdir()] == ["i.db"]


def test_idle_work_leaves_answers_as_they_are_and_the_wal_empty(index, put, lexical):
    for n in range(30):
        put(f"{n}.md", f"apples {n}")
    before = lexical("apples")

    index.optimize()
    index.checkpoint()

    assert lexical("apples") == before
    assert index.path.with_name("index.db-wal").stat().st_size == 0


@pytest.mark.slow
def test_what_is_free_after_idle_time_is_given_back(index, store, make_note):
    for number in range(60):
        store(index, make_note(f"{number}.md", *(f"text {number} {at} " + "long " * 400 for at in range(6))))
    index.checkpoint()
    before = index.path.stat().st_size
    for number in range(50):
        index.remove(f"{number}.md")

    index.optimize()
    index.checkpoint()

    assert index.path.stat().st_size < before
    assert index._writer.connection.pragma("freelist_count") == 0


def test_stamps_are_found_at_a_note_in_any_composition_and_below_a_folder(index, stamp):
    decomposed = unicodedata.normalize("NFD", "über.md")
    for path in ("a.md", "a/b.md", "a/c/d.md", "a0.md", "a-b.md", "ab/c.md", decomposed):
        index.upsert(Note(path, "t", (), (), {}, (), (), {}, ()), stamp(1), [])

    assert sorted(index.stamps_at(["a"])) == ["a/b.md", "a/c/d.md"]
    assert index.stamps_at(["a.md", "über.md", "none"]) == {"a.md": stamp(1), decomposed: stamp(1)}
