from contextlib import closing

import pytest

from quarry.errors import DeadlineExceeded
from quarry.index.deadline import Deadline
from quarry.index.keyword.build_from_database import build_from_database, read_note
from quarry.index.opening import connect_ours


@pytest.fixture
def connection(index, put):
    put("a.md", "apple pie", "pear", title="Fruit", tags=("food",))
    put("b.md", "apple")
    with closing(connect_ours(index.path, writable=False, without=frozenset())[0]) as found:
        yield found


def test_segments_hold_the_terms_of_all_chunks_and_names(connection):
    chunks, names = build_from_database(connection)

    assert {b"appl", b"pie", b"pear"} <= set(chunks.terms)
    assert {b"fruit", b"food"} <= set(names.terms)
    assert (len(chunks.ids), len(names.ids)) == (3, 2)
    assert chunks.document_frequency(*chunks.terms.term_range(b"appl")) == 2


def test_the_columns_of_a_note_are_read_and_a_note_that_is_gone_has_none(connection, index):
    note_id = connection.execute("SELECT id FROM notes WHERE path = 'a.md'").fetchall()[0][0]
    found = read_note(connection, note_id)

    assert found.names[0].split() == ["fruit"]
    assert [columns[0].split() for _, columns in found.chunks] == [["appl", "pie"], ["pear"]]
    index.remove("a.md")
    assert read_note(connection, note_id) is None


def test_a_deadline_ends_the_building(connection):
    with pytest.raises(DeadlineExceeded):
        build_from_database(connection, Deadline.after(-1))
