import json
from collections.abc import Callable

import pytest

from quarry.errors import IndexDamaged
from quarry.index import Index, Reader
from quarry.index.note_codec import NoteContent
from quarry.index.note_rows import check_storable, link_keys, note_from, note_rows, note_values, read_properties
from quarry.types import Link


def test_rows_are_read_with_their_bodies_and_ids_that_are_not_there_are_left_out(index, put, stamp):
    note = put("a.md", "apples", seconds=3)

    rows = note_rows(index._writer.connection, [1, 99])

    assert [(at, row.path, row.content(), row.stamp) for at, row in rows.items()] == [
        (1, "a.md", NoteContent.of(note), stamp(3))
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE notes SET title = 'other'",
        "UPDATE notes SET size_bytes = 2",
        "UPDATE bodies SET body = (SELECT body FROM bodies WHERE note_id = 2) WHERE note_id = 1",
        "DELETE FROM bodies WHERE note_id = 1",
    ],
)
def test_a_row_that_is_not_as_it_was_written_gives_no_text(index, put, statement):
    put("a.md", "apples")
    put("b.md", "pears")
    index._writer.connection.execute(statement)

    row = note_rows(index._writer.connection, [1])[1]

    assert not row.is_sound
    with pytest.raises(IndexDamaged, match=r"a\.md"):
        row.packed_note()


# --- columns and bodies -------------------------------------------------------------------------


def test_a_note_comes_back_from_its_columns_and_its_body(make_note, stamp):
    note = make_note(
        "f/a.md",
        "apples",
        heading="H",
        tags=("t",),
        aliases=("A", "B"),
        properties={"n": 1, "l": ("x", "y")},
        links=(Link("wiki", "b", "h", None),),
        redactions={"key": 2},
        problems=("odd",),
    )

    assert note_from(note_values(note, stamp()), NoteContent.of(note)) == note


def test_each_name_that_links_lead_to_is_a_key_once_and_the_note_itself_is_none(make_note):
    links = [Link("wiki", target, None, None) for target in ("Plums", "f/plums.md", "", "Pears")]

    assert link_keys(make_note("a.md", "x", links=tuple(links))) == ["plums", "pears"]


def test_lists_among_properties_are_tuples_again():
    assert read_properties(json.dumps({"l": ["a"], "x": 1.5})) == {"l": ("a",), "x": 1.5}


@pytest.mark.parametrize("field", ["title", "aliases", "tags", "problems"])
def test_half_a_surrogate_pair_is_refused_anywhere(make_note, field):
    value = "x\udcff" if field == "title" else ("x\udcff",)

    with pytest.raises(ValueError, match="no Unicode"):
        check_storable(make_note("a.md", "t", **{field: value}))


def ids_of(reader: Reader, path: str) -> tuple[int, ...]:
    stored = reader.note(path)
    assert stored is not None
    return stored.chunk_ids


def test_chunks_come_in_the_order_that_was_asked_for_without_those_that_are_gone(
    index: Index, put: Callable[..., object]
):
    put("a.md", "walnut", "hazel")
    put("b.md", "oak")

    with index.reader() as reader:
        (first, second), (other,) = ids_of(reader, "a.md"), ids_of(reader, "b.md")
        found = [*reader.each_chunk([second, other, 12345678, first])]

        assert [(chunk.path, chunk.text) for chunk in found] == [("a.md", "hazel"), ("b.md", "oak"), ("a.md", "walnut")]
        assert [text.splitlines()[-1:] for text in reader.passages([other, 12345678, second])] == [
            ["oak"],
            [],
            ["hazel"],
        ]
