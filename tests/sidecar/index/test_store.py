import threading
import unicodedata

import pytest
from builders import index_bytes, top_chunks

from quarry.conditions import HasPhrase, Not
from quarry.errors import IndexUnavailable
from quarry.index import CHUNK_WEIGHTS, Index, content_hash, prepare
from quarry.messages import message
from quarry.types import Note


def reopened(index, **options):
    index.close()
    return Index.open(index.path, **options)


def test_only_the_owner_may_read_the_file(index):
    assert index.path.stat().st_mode & 0o077 == 0


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
    index.record_problem("Quagmire folder/Aardvark.md", message("reason.other", detail="flamingo"), skipped=True)
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


# --- meta ------------------------------------------------------------------------------------------


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
        assert by_word.top_note_ids(None, 5) == set()
        assert (by_word.count_chunks(None, 5), by_word.count_notes(None)) == (0, 0)
        assert (by_word.chunk_scores([2048], CHUNK_WEIGHTS), by_word.note_scores([1])) == ({}, {})
        assert reader.keywords.notes_with_phrase(("red", "car"), deadline=in_time) == []
        assert reader.keywords.proximity_scores([("red", "car")], [2048]) == {}
    assert [c.path for c in by_phrase] == [c.path for c in without_word] == ["a.md"]
    assert "FTS5" in str(index.missing["keyword"])
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
    index.upsert(prepare(make_note("pending.md", "apples"), next(iter(_stamps(index))), [None]))
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

    index.static.choose("another")
    index = reopened(index)

    index.check()
    store(index, make_note("a.md", "apples"))
    index.check()
    index.close()


def test_a_full_disk_stops_writing_and_nothing_else(index, put, make_note, stamp, lexical):
    put("a.md", "apples")
    index.checkpoint()
    connection = index._writer.connection
    connection.pragma("max_page_count", connection.pragma("page_count"))

    with pytest.raises(IndexUnavailable, match="full"):
        index.upsert(
            prepare(make_note("b.md", " ".join(f"pear{n * 7919 % 99991}" for n in range(40_000))), stamp(), [None])
        )
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


def test_what_a_batch_wrote_is_known_inside_it(index, store, make_note):
    with index.batch():
        store(index, make_note("a.md", "apples", title="T"))
        chunk = make_note("b.md", "apples", title="T").chunks[0]

        assert content_hash(chunk) in index.static.known(["a.md"], [content_hash(chunk)])


# --- replacing -------------------------------------------------------------------------------------


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
        index.upsert(prepare(Note(path, "t", (), (), {}, (), (), {}, ()), stamp(1), []))

    assert sorted(index.stamps_at(["a"])) == ["a/b.md", "a/c/d.md"]
    assert index.stamps_at(["a.md", "über.md", "none"]) == {"a.md": stamp(1), decomposed: stamp(1)}
