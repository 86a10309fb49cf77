"""Which vectors are stored, kept and deleted, and which chunks wait for one."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from quarry.index import Index, content_hash
from quarry.index.database import connect, select
from quarry.index.ids import id_range
from quarry.index.vector.pending import has_pending, pending_chunks
from quarry.index.vector.writer import VectorWriter

ONE, OTHER = bytes([1, 2, 3]), bytes([3, 2, 1])
FIRST, LAST = id_range(1)


@pytest.fixture
def chunks(make_note):
    return make_note("a.md", "apples", "pears").chunks


@pytest.fixture
def database(tmp_path: Path, make_note, stamp) -> Iterator[apsw.Connection]:
    """An index of one note with two chunks, neither of which has a vector."""
    index = Index.open(tmp_path / "index.db")
    index.upsert(make_note("a.md", "apples", "pears"), stamp(), [None, None])
    index.close()
    connection, _ = connect(tmp_path / "index.db", writable=True)
    yield connection
    connection.close()


def stored(database: apsw.Connection) -> dict[int, bytes]:
    return dict(select(database, "SELECT chunk_id, vector FROM vectors ORDER BY chunk_id"))


def waiting(database: apsw.Connection) -> list[int]:
    return [chunk.chunk_id for chunk in pending_chunks(database, 9)]


def test_a_chunk_waits_until_its_vector_comes(database, chunks):
    writer = VectorWriter(database)

    assert waiting(database) == [FIRST, FIRST + 1]
    assert writer.fill_in(FIRST, content_hash(chunks[0]), ONE)
    assert (stored(database), waiting(database)) == ({FIRST: ONE}, [FIRST + 1])


def test_a_vector_of_a_text_that_has_changed_since_is_not_stored(database, chunks):
    assert not VectorWriter(database).fill_in(FIRST, content_hash(chunks[1]), ONE)
    assert (stored(database), waiting(database)) == ({}, [FIRST, FIRST + 1])


def test_a_sound_vector_is_kept_and_a_damaged_one_is_waited_for(database, chunks):
    writer = VectorWriter(database)
    rows = [(FIRST + number, content_hash(chunk), None) for number, chunk in enumerate(chunks)]
    writer.fill_in(*rows[0][:2], ONE)
    writer.fill_in(*rows[1][:2], ONE)
    database.execute("UPDATE vectors SET vector = ? WHERE chunk_id = ?", (OTHER, FIRST + 1))

    writer.keep(1, rows)

    assert (stored(database), waiting(database)) == ({FIRST: ONE}, [FIRST + 1])


def test_a_new_vector_takes_the_place_of_the_stored_one(database, chunks):
    writer, key = VectorWriter(database), content_hash(chunks[0])
    writer.fill_in(FIRST, key, ONE)

    writer.keep(1, [(FIRST, key, OTHER)])

    assert stored(database) == {FIRST: OTHER}


def test_vectors_of_another_dimension_are_refused(database, chunks):
    writer = VectorWriter(database)
    writer.fill_in(FIRST, content_hash(chunks[0]), ONE)

    with pytest.raises(ValueError, match="dimensions"):
        writer.fill_in(FIRST + 1, content_hash(chunks[1]), ONE + ONE)
    assert writer.dimension == 3


def test_a_title_has_the_vector_of_its_own_text_alone(database):
    writer = VectorWriter(database)
    titles = "SELECT vector FROM title_vectors"
    writer.set_title(1, "Apples", ONE)
    writer.set_title(1, "Apples", None)
    kept = select(database, titles)
    writer.set_title(1, "Pears", None)

    assert (kept, select(database, titles)) == ([(ONE,)], [])


def test_after_all_vectors_were_dropped_every_chunk_waits(database, chunks):
    writer = VectorWriter(database)
    writer.fill_in(FIRST, content_hash(chunks[0]), ONE)
    writer.set_title(1, "Apples", ONE)

    writer.drop()

    assert (stored(database), waiting(database), writer.dimension) == ({}, [FIRST, FIRST + 1], None)
    assert has_pending(database)
    VectorWriter(database).check_dimensions([ONE + ONE])
