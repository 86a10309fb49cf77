"""A note is stored whole and anew, with what did not change of it kept; its vectors may come later."""

import pytest

from quarry.conditions import HasTag, InFolder
from quarry.index import prepare, quantize
from quarry.index.schema import PAGE_SIZE
from quarry.types import Link


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

    index.upsert(prepare(make_note("a.md", "third", "new", "second"), stamp(2), [None, None, None]))

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


def test_a_note_with_vectors_of_another_model_changes_nothing(index, put, make_note, stamp, lexical):
    put("a.md", "apples")

    with pytest.raises(ValueError, match="dimensions"):
        index.upsert(prepare(make_note("b.md", "pears"), stamp(), [b"123"]))

    with index.reader() as reader:
        assert list(reader.stamps()) == ["a.md"]
    assert index.verify(None, 10) == ([], None)


@pytest.mark.parametrize("path", ["emoji 🚀/日本.md", "a\nb.md", "100%#'\".md", " trailing .md", "x" * 250 + ".md"])
def test_any_path_that_is_text_can_be_stored(put, lexical, path):
    put(path, "apples")

    assert lexical("apples") == [(path, 0)]


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


# --- vectors ---------------------------------------------------------------------------------------


def test_pending_chunks_are_filled_in_later(index, make_note, stamp, encode, dense):
    index.upsert(prepare(make_note("a.md", "apples", "pears"), stamp(), [None, None]))
    assert index.static.has_pending()

    pending = index.static.pending_chunks(1)
    assert [waiting.chunk.text for waiting in pending] == ["apples"]
    pending = index.static.pending_chunks(10)
    rows = quantize(encode([waiting.chunk.text for waiting in pending]))
    index.static.fill_in([(p.chunk_id, p.content_hash, row) for p, row in zip(pending, rows, strict=True)])
    assert index.static.has_pending()  # the title's
    assert index.static.pending_chunks(10) == []
    (untitled,) = index.static.pending_titles(10)
    index.static.fill_in((), [(untitled.note_id, untitled.title, quantize(encode([untitled.title]))[0])])

    assert not index.static.has_pending()
    assert dense("pears", depth=1) == [("a.md", 1)]
    assert index.verify(None, 10) == ([], None)


@pytest.mark.parametrize("model", ["static", "contextual"])
def test_vectors_that_come_too_late_for_their_texts_are_not_taken(index, make_note, stamp, encode, model):
    index.contextual.choose("network")
    vectors, apples = getattr(index, model), quantize(encode(["apples"]))[0]
    index.upsert(prepare(make_note("a.md", "apples", title="Apples"), stamp(), [None]))
    (late,), (late_title,) = vectors.pending_chunks(9), vectors.pending_titles(9)
    index.upsert(prepare(make_note("a.md", "pears", title="Pears"), stamp(2), [None]))

    (now,) = vectors.pending_chunks(9)
    vectors.fill_in(
        [(now.chunk_id, late.content_hash, apples), (999, late.content_hash, b"x")],
        [(late_title.note_id, late_title.title, apples)],
    )

    assert [waiting.chunk.text for waiting in vectors.pending_chunks(9)] == ["pears"]
    assert [waiting.title for waiting in vectors.pending_titles(9)] == ["Pears"]


def test_a_title_keeps_its_vector_until_it_changes(index, put, make_note, stamp):
    put("a.md", "apples", title="Apples")

    index.upsert(prepare(make_note("a.md", "pears", title="Apples"), stamp(2), [None]))
    assert index.static.pending_titles(9) == []
    index.upsert(prepare(make_note("a.md", "pears", title="Pears"), stamp(3), [None]))
    assert [waiting.title for waiting in index.static.pending_titles(9)] == ["Pears"]


def test_new_vectors_take_the_place_of_the_stored_ones_though_no_text_changed(index, put, stamp, snapshot):
    note, other = put("a.md", "apples", title="Apples"), bytes(range(1, 33))

    index.upsert(prepare(note, stamp(2), [other], other))

    with snapshot() as connection:
        assert connection.execute("SELECT vector FROM vectors").fetchall() == [(other,)]
        assert connection.execute("SELECT vector FROM title_vectors").fetchall() == [(other,)]


def test_vectors_of_another_dimension_wait_until_the_old_ones_are_dropped(index, put, dense):
    put("a.md", "apples")
    pending_of_another = [(1, b"", b"123")]
    with pytest.raises(ValueError, match="drop them first"):
        index.static.fill_in(pending_of_another)

    index.static.choose("another")
    assert dense("apples") == []
    waiting = index.static.pending_chunks(9)
    index.static.fill_in([(p.chunk_id, p.content_hash, b"123") for p in waiting])

    with index.reader() as reader:
        assert reader.dimension == 3
        assert reader.counts().pending == 0
    assert index.verify(None, 10) == ([], None)
    index.check()


def test_tags_and_links_of_a_saved_note_are_those_that_it_has_now(put, index, lexical):
    put("a.md", "x", tags=("kept", "gone"), links=(Link("wiki", "Kept", None, None), Link("wiki", "Gone", None, None)))
    put("Kept.md", "x")
    put("Gone.md", "x")
    put("New.md", "x")

    put("a.md", "x", tags=("new", "kept"), links=(Link("wiki", "New", None, None), Link("wiki", "Kept", None, None)))

    with index.reader() as reader:
        linked = {path: bool(reader.links_to(path)) for path in ("Kept.md", "Gone.md", "New.md")}
        tags = reader.note("a.md").note.tags
    assert linked == {"Kept.md": True, "Gone.md": False, "New.md": True}
    assert tags == ("new", "kept")
    found = {tag: lexical("x", where=HasTag(tag)) for tag in ("kept", "gone", "new")}
    assert found == {"kept": [("a.md", 0)], "gone": [], "new": [("a.md", 0)]}
    index.check()


def test_saving_a_note_leaves_the_pages_of_its_links_as_they_are(put, index, tmp_path):
    for number in range(40):
        put(f"{number}.md", "x", links=[Link("wiki", f"{number} {link}", None, None) for link in range(500)])
    index.checkpoint()

    put("7.md", "y", links=[Link("wiki", f"7 {link}", None, None) for link in range(500)])

    written = (tmp_path / "index.db-wal").stat().st_size // PAGE_SIZE
    assert written < 30  # a row of each link is in one of 40 pages
