import unicodedata

import apsw
import pytest

from quarry.errors import IndexDamaged
from quarry.index import NoteFilter, prepare
from quarry.index.keys import id_range
from quarry.messages import message
from quarry.types import Chunk, Link, Note, Shift


def test_a_note_comes_back_as_it_was(index, stamp):
    chunk = Chunk(0, ("A", "B › C"), "text 😀", 3, 9, 4, 2, "ctx", (Shift(2, 5), Shift(4, -1)))
    link = Link("embed", "x/y", "Heading", None)
    note = Note(
        path="a.md",
        title="Title",
        aliases=("One", "Two"),
        tags=("b", "a/c"),
        properties={"s": "x", "n": 3, "f": 1.5, "b": True, "l": ("1", "2"), "e": ()},
        links=(link, Link("wiki", "", "#^id", "label")),
        chunks=(chunk,),
        redactions={"github": 2},
        problems=(message("reason.defect", detail="odd"),),
    )
    index.upsert(prepare(note, stamp(7), [None]))

    with index.reader() as reader:
        stored = reader.note("a.md")
        found = reader.chunks([*stored.chunk_ids, 999])

    assert stored.note == note
    assert stored.stamp == stamp(7)
    assert stored.modified_ms == 7000
    (only,) = found.values()
    assert (only.chunk, only.path, only.title, only.aliases, only.tags, only.modified_ms) == (
        chunk,
        "a.md",
        "Title",
        ("One", "Two"),
        ("b", "a/c"),
        7000,
    )


def test_a_note_is_found_in_either_composition_and_exactly_where_both_exist(put, index):
    composed, decomposed = unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")
    put(decomposed, "one")
    with index.reader() as reader:
        assert reader.note(composed).note.path == decomposed
    put(composed, "two")

    with index.reader() as reader:
        assert reader.note(composed).note.path == composed
        assert reader.note(decomposed).note.path == decomposed
        assert reader.note("e.md") is None


def test_a_listed_note_is_summed_up(put, index):
    put("f/b.md", "x", "y", seconds=30, properties={"type": "log"})

    with index.reader() as reader:
        first = reader.notes(NoteFilter(), 1).notes[0]

    assert (first.type, first.chunk_count, first.modified_ms, first.title) == ("log", 2, 30_000, "b")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bodies SET body = zeroblob(length(body))",
        "DELETE FROM bodies",
        "UPDATE bodies SET body = (SELECT body FROM bodies WHERE note_id = 2) WHERE note_id = 1",
        "UPDATE notes SET size_bytes = 2",
        "UPDATE notes SET title = 'Other'",
        "UPDATE notes SET aliases = '['",
        "UPDATE notes SET title = CAST(x'ff' AS TEXT)",
    ],
)
def test_a_row_that_changed_by_itself_is_never_shown(put, index, statement):
    put("a.md", "apples", tags=("t",))
    put("b.md", "pears")
    vandal = apsw.Connection(str(index.path))
    vandal.execute(statement)
    vandal.close()

    with pytest.raises(IndexDamaged), index.reader() as reader:
        reader.chunks([id_range(1)[0]])
    with pytest.raises(IndexDamaged), index.reader() as reader:
        reader.note("a.md")


def test_chunks_come_in_the_order_asked_for_and_are_read_when_their_turn_comes(put, index):
    put("a.md", "apples", "pears")
    put("b.md", "plums")
    vandal = apsw.Connection(str(index.path))
    vandal.execute("DELETE FROM bodies WHERE note_id = 2")
    vandal.close()
    first = id_range(1)[0]

    with index.reader() as reader:
        each = reader.each_chunk([first + 1, id_range(7)[0], first + 9, first, first + 1, id_range(2)[0]])
        assert [next(each).text for _ in range(2)] == ["pears", "apples"]
        with pytest.raises(IndexDamaged):
            next(each)


# --- what was embedded -------------------------------------------------------------------------------


def test_passages_are_what_was_embedded_in_the_order_they_are_asked_for(index, stamp):
    texts = [("ctx", ("A", "B"), "one"), ("", (), "two"), ("ctx", (), "")]
    chunks = tuple(Chunk(n, headings, text, n, n, n, n, context) for n, (context, headings, text) in enumerate(texts))
    note = Note("a.md", "Title", (), (), {}, (), chunks, {}, ())
    index.upsert(prepare(note, stamp(7), [None] * 3))

    with index.reader() as reader:
        first, second, third = reader.note("a.md").chunk_ids
        found = reader.passages([second, 999_999, third, first, second])

    assert found == ["two", "", "ctx", "ctx\nA › B\none", "two"]
