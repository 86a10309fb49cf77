import pytest

from quarry.errors import IndexDamaged
from quarry.index.note_codec import NoteContent
from quarry.index.note_rows import note_rows


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
