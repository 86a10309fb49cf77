import json

import pytest

from quarry.index.note_codec import NoteContent
from quarry.index.note_rows import check_storable, link_keys, note_from, note_rows, note_values, read_properties
from quarry.messages import message
from quarry.types import Link


def test_rows_are_read_with_their_bodies_and_ids_that_are_not_there_are_left_out(index, put, stamp):
    note = put("a.md", "apples", seconds=3)

    rows = note_rows(index._writer.connection, [1, 99])

    assert [(at, row.path, row.content(), row.stamp) for at, row in rows.items()] == [
        (1, "a.md", NoteContent.of(note), stamp(3))
    ]


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
        problems=(message("reason.defect", detail="odd"),),
    )

    assert note_from(note_values(note, stamp()), NoteContent.of(note)) == note


def test_each_name_that_links_lead_to_is_a_key_once_and_the_note_itself_is_none(make_note):
    links = [Link("wiki", target, None, None) for target in ("Plums", "f/plums.md", "", "Pears")]

    assert link_keys(make_note("a.md", "x", links=tuple(links))) == ["plums", "pears"]


def test_lists_among_properties_are_tuples_again():
    assert read_properties(json.dumps({"l": ["a"], "x": 1.5})) == {"l": ("a",), "x": 1.5}


@pytest.mark.parametrize("field", ["title", "aliases", "tags"])
def test_half_a_surrogate_pair_is_refused_anywhere(make_note, field):
    value = "x\udcff" if field == "title" else ("x\udcff",)

    with pytest.raises(ValueError, match="no Unicode"):
        check_storable(make_note("a.md", "t", **{field: value}))
