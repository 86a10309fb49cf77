"""Rows of vectors, and what waits for one."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from quarry.index import Index, content_hash, notes, prepare, quantize, title_hash
from quarry.index.database import connect, select
from quarry.index.keys import id_range
from quarry.index.vectors import rows as vector_rows
from quarry.index.vectors.kept_vectors import choose
from quarry.index.vectors.rows import (
    CONTEXTUAL,
    VectorWriter,
    Waiting,
    contextual_model,
    pending_chunks,
    serving_model,
    waiting_count,
)

ONE, OTHER = bytes([1, 2, 3]), bytes([3, 2, 1])
FIRST, LAST = id_range(1)


@pytest.fixture
def chunks(make_note):
    return make_note("a.md", "apples", "pears").chunks


@pytest.fixture
def database(tmp_path: Path, make_note, stamp) -> Iterator[apsw.Connection]:
    """An index of one note with two chunks, neither of which has a vector."""
    index = Index.open(tmp_path / "index.db")
    index.upsert(prepare(make_note("a.md", "apples", "pears"), stamp(), [None, None]))
    index.close()
    connection, _ = connect(tmp_path / "index.db", writable=True)
    yield connection
    connection.close()


def stored(database: apsw.Connection) -> dict[int, bytes]:
    return dict(select(database, "SELECT chunk_id, vector FROM vectors ORDER BY chunk_id"))


def waiting(database: apsw.Connection) -> list[int]:
    return [chunk.chunk_id for chunk in pending_chunks(database, 9)]


def test_a_sound_vector_is_kept_and_a_damaged_one_is_waited_for(database, chunks):
    writer = VectorWriter(database)
    rows = [(FIRST + number, content_hash(chunk), None) for number, chunk in enumerate(chunks)]
    writer.fill_in(*rows[0][:2], ONE)
    writer.fill_in(*rows[1][:2], ONE)
    database.execute("UPDATE vectors SET vector = ? WHERE chunk_id = ?", (OTHER, FIRST + 1))

    writer.keep(1, rows)

    assert (stored(database), waiting(database)) == ({FIRST: ONE}, [FIRST + 1])


def test_the_vectors_of_a_notes_texts_are_known_by_their_hashes(index, put, encode, make_note):
    put("a.md", "apples", "apples", "cherries", title="T")
    put("b.md", "pears", title="T")
    put("c.md", "plums", title="T")
    apples, pears, plums = make_note("x.md", "apples", "pears", "plums", title="T").chunks

    known = index.static.known(
        ["a.md", "b.md", "gone.md"], [title_hash("T"), *(content_hash(chunk) for chunk in (apples, pears, plums))]
    )

    vectors = quantize(encode(["apples", "pears", "T"]))
    assert known == {content_hash(apples): vectors[0], content_hash(pears): vectors[1], title_hash("T"): vectors[2]}


def test_texts_that_share_a_number_are_told_apart(index, put, encode, make_note, monkeypatch):
    for module in (notes, vector_rows):
        monkeypatch.setattr(module, "content_number", lambda key: 7)
    put("a.md", "apples", title="T")
    apples, pears = make_note("x.md", "apples", "pears", title="T").chunks

    assert index.static.known(["a.md"], [content_hash(pears)]) == {}
    assert index.static.known(["a.md"], [content_hash(apples)]) == {
        content_hash(apples): quantize(encode(["apples"]))[0]
    }


def test_chunks_that_wait_are_read_from_their_notes_in_order(index, make_note, stamp):
    for name in ("b", "a"):
        index.upsert(prepare(make_note(f"{name}.md", f"{name} one", f"{name} two"), stamp(), [None, None]))

    assert [waiting.chunk.text for waiting in index.static.pending_chunks(3)] == ["b one", "b two", "a one"]
    assert [waiting.title for waiting in index.static.pending_titles(9)] == ["b", "a"]


def test_tables_come_and_go_whole(tmp_path, index, put):
    put("a.md", "apples", "pears")
    index.close()
    from quarry.index.database import connect

    connection, _ = connect(tmp_path / "index.db", writable=True)
    assert (contextual_model(connection), serving_model(connection)) == (None, None)

    choose(connection, "contextual", "network")
    waiting = Waiting.read(connection)
    assert (contextual_model(connection), serving_model(connection)) == ("network", None)
    assert (waiting_count(connection), waiting_count(connection, 1)) == (2, 1)
    assert (waiting.note_ids.tolist(), waiting.chunk_count) == ([1], 2)
    assert CONTEXTUAL.dimension(connection) is None

    choose(connection, "contextual", None)
    assert contextual_model(connection) is None
    connection.close()
