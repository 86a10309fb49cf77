import pytest

from quarry.errors import Cancelled
from quarry.index import Deadline, PostingsDamaged
from quarry.index.keyword import segment_delta as built
from quarry.index.keyword.columns import chunk_columns, name_columns
from quarry.index.keyword.segment_delta import build_from_database, read_note


@pytest.fixture
def connection(index):
    return index._writer.connection


def held(segment, term):
    return segment.ids[segment.postings(*segment.terms.term_range(term.encode()))[0]].tolist()


def test_a_note_is_read_with_the_ids_of_its_chunks_in_the_order_of_its_text(index, put, connection):
    put("a.md", "first", "second", "third")
    note = put("a.md", "third", "new", "first", aliases=("x",))

    found = read_note(connection, 1)

    assert found.names == name_columns(note)
    assert [columns for _, columns in found.chunks] == [chunk_columns(chunk) for chunk in note.chunks]
    with index.reader() as reader:
        assert tuple(chunk_id for chunk_id, _ in found.chunks) == reader.note("a.md").chunk_ids
    assert [chunk_id - (1 << 11) for chunk_id, _ in found.chunks] != [0, 1, 2]
    assert read_note(connection, 9) is None


@pytest.mark.parametrize("at_once", [1, 2, 256])
def test_segments_are_of_all_chunks_and_all_names(put, connection, monkeypatch, at_once):
    monkeypatch.setattr(built, "READ_AT_ONCE", at_once)
    for number in range(5):
        put(f"{number}.md", f"apples w{number}", "pears", title=f"t{number}", context="")
    put("1.md", "plums", "pears", title="t1", context="")

    chunks, names = build_from_database(connection)

    assert chunks.ids.tolist() == [(n << 11) + slot for n in range(1, 6) for slot in (0, 1)]
    assert names.ids.tolist() == [1, 2, 3, 4, 5]
    assert held(chunks, "appl") == [n << 11 for n in (1, 3, 4, 5)]
    assert held(chunks, "plum") == [2 << 11]
    assert held(chunks, "t3") == []
    assert held(names, "t3") == [4]


def test_an_index_without_notes_gives_empty_segments(connection):
    chunks, names = build_from_database(connection)

    assert (len(chunks.ids), len(names.ids)) == (0, 0)


@pytest.mark.parametrize("body", [b"", b"\x00" * 40])
def test_a_note_that_changed_by_itself_is_damage(put, connection, body):
    put("a.md", "apples")
    put("b.md", "apples")
    connection.execute("UPDATE bodies SET body = ? WHERE note_id = 2", (body,))

    with pytest.raises(PostingsDamaged, match="note 2"):
        build_from_database(connection)
    with pytest.raises(PostingsDamaged, match="note 2"):
        read_note(connection, 2)
    assert read_note(connection, 1) is not None


def test_building_can_be_given_up(put, connection):
    put("a.md", "apples")

    with pytest.raises(Cancelled):
        build_from_database(connection, Deadline(float("inf"), lambda: True))
