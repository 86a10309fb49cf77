"""Contextual vectors lie beside the static ones, follow their texts, and are carried over into a rebuilt index."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from builders import serving, waiting

from quarry.errors import IndexDamaged
from quarry.index import Index
from quarry.index.database import connect
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL

MODEL = "network"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Index]:
    opened = Index.open(tmp_path / "other.db")
    yield opened
    opened.close()


def dense(index: Index, vector, in_time) -> list[tuple[int, float]]:
    with index.reader() as reader:
        query = reader.contextual_query(vector, reader.dense_query(vector))
        return query.top_chunks(None, 9, in_time) if query else []


def test_without_a_contextual_model_there_are_no_tables_for_it(index, put, snapshot):
    put("a.md", "apples")

    with snapshot() as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        keys = {key for (key,) in connection.execute("SELECT key FROM meta")}
    assert not any("contextual" in name for name in names | keys)
    assert (index.contextual.model, serving(index)) == (None, None)


def test_every_text_waits_when_a_model_is_chosen_and_the_newest_come_first(index, put, backfill):
    put("old.md", "apples", "pears", seconds=1, title="Old")
    put("new.md", "plums", seconds=2, title="New")

    index.contextual.choose(MODEL)

    assert backfill(index, batch=2) == ["plums", "apples", "pears", "New", "Old"]
    assert (waiting(index), index.contextual.has_pending()) == ([], False)


def test_contextual_vectors_answer_once_nothing_waits(index, put, backfill):
    put("a.md", "apples", title="A")
    index.contextual.choose(MODEL)
    assert serving(index) is None
    (chunk,) = index.contextual.pending_chunks(9)
    assert not index.contextual.fill_in([(chunk.chunk_id, chunk.content_hash, b"")])
    assert serving(index) is None

    backfill(index)

    assert serving(index) == MODEL


@pytest.mark.parametrize(("saved", "answers"), [(2, True), (3, False)])
def test_they_go_on_answering_while_few_chunks_wait(index, put, backfill, saved, answers):
    for number in range(20):
        put(f"{number}.md", f"text {number}")
    index.contextual.choose(MODEL)
    backfill(index)

    for number in range(saved):
        put(f"{number}.md", f"other text {number}")

    assert (serving(index) is not None) == answers


def test_a_saved_note_waits_for_its_new_texts_alone(index, put, backfill):
    put("a.md", "apples", "pears", title="A", context="")
    index.contextual.choose(MODEL)
    backfill(index)

    put("a.md", "plums", "apples", title="B", context="")

    assert waiting(index) == ["plums", "B"]


def test_vectors_go_with_their_notes(index, put, backfill, snapshot):
    put("a.md", "apples")
    index.contextual.choose(MODEL)
    backfill(index)

    index.remove("a.md")

    with snapshot() as connection:
        for table in (CONTEXTUAL.vectors, CONTEXTUAL.titles, CONTEXTUAL.pending):
            assert list(connection.execute(f"SELECT * FROM {table}")) == []


def test_another_model_begins_anew_and_none_leaves_no_tables_in_use(index, put, backfill, snapshot):
    put("a.md", "apples", title="A")
    index.contextual.choose(MODEL)
    backfill(index)
    index.contextual.choose(MODEL)
    assert waiting(index) == []

    index.contextual.choose("another")
    assert (waiting(index), serving(index)) == (["apples", "A"], None)
    index.contextual.choose(None)
    index.contextual.choose(None)

    with snapshot() as connection:
        assert not list(connection.execute("SELECT 1 FROM sqlite_schema WHERE name LIKE 'contextual%'"))
    put("b.md", "pears")
    assert index.verify(None, 99) == ([], None)


def test_damage_is_found_and_a_note_written_anew_waits_again(tmp_path, index, put, backfill, snapshot):
    put("a.md", "apples", title="A")
    put("b.md", "pears", title="B")
    index.contextual.choose(MODEL)
    backfill(index)
    for sql in (
        "UPDATE contextual_vectors SET vector = zeroblob(32) WHERE chunk_id = (SELECT min(id) FROM chunk_rows)",
        "UPDATE contextual_title_vectors SET checksum = zeroblob(4) WHERE note_id = 2",
    ):
        connection, _ = connect(tmp_path / "index.db", writable=True)
        connection.execute(sql)
        connection.close()

    assert index.verify(None, 99) == (["a.md", "b.md"], None)
    put("a.md", "apples", title="A")
    put("b.md", "pears", title="B")

    assert index.verify(None, 99) == ([], None)
    assert waiting(index) == ["apples", "B"]


def test_an_index_without_all_of_its_contextual_tables_is_damaged(tmp_path, index):
    index.contextual.choose(MODEL)
    index.close()
    connection, _ = connect(tmp_path / "index.db", writable=True)
    connection.execute("DROP TABLE contextual_pending")
    connection.close()

    with pytest.raises(IndexDamaged, match="contextual"):
        Index.open(tmp_path / "index.db")


def test_a_rebuilt_index_takes_over_the_vectors_of_texts_that_stayed(index, other, put, store, make_note, backfill):
    put("a.md", "apples", "pears", title="A")
    put("b.md", "plums", title="B")
    index.contextual.choose(MODEL)
    backfill(index)
    for note in (make_note("a.md", "cherries", "apples", title="A"), make_note("c.md", "plums", title="B")):
        store(other, note)
    paused: list[None] = []

    other.carry_over(index, lambda: paused.append(None))

    assert other.contextual.model == MODEL
    assert waiting(other) == ["cherries", "plums", "B"]
    assert other.verify(None, 99) == ([], None)
    assert paused


def test_an_index_that_takes_over_everything_is_complete(index, other, put, store, backfill):
    notes = [put(f"{number}.md", f"text {number}") for number in range(150)]
    index.contextual.choose(MODEL)
    backfill(index)
    for note in notes:
        store(other, note)

    other.carry_over(index, lambda: None)

    assert (waiting(other), serving(other)) == ([], MODEL)


def test_damaged_vectors_are_not_taken_over(tmp_path, index, other, put, store, backfill):
    store(other, put("a.md", "apples", title="A"))
    index.contextual.choose(MODEL)
    backfill(index)
    connection, _ = connect(tmp_path / "index.db", writable=True)
    connection.execute("UPDATE contextual_vectors SET vector = zeroblob(32)")
    connection.close()

    other.carry_over(index, lambda: None)

    assert waiting(other) == ["apples"]


def test_nothing_is_taken_over_from_an_index_without_a_contextual_model(index, other):
    other.carry_over(index, lambda: None)

    assert other.contextual.model is None


@pytest.mark.parametrize("without", [frozenset(), frozenset({"sqlite-vec"})])
def test_memory_and_sqlite_vec_answer_alike(tmp_path, put, index, backfill, encode, in_time, without):
    texts = ["red car", "green apples", "red apples", "grey sea"]
    for number, text in enumerate(texts):
        put(f"{number}.md", text)
    index.contextual.choose(MODEL)
    backfill(index)
    vector = encode(["red apples"])[0]
    expected = dense(index, vector, in_time)
    index.close()

    large = Index.open(tmp_path / "index.db", vector_limits=VectorLimits(memory_bytes=0), without=without)

    assert dense(large, vector, in_time) == expected
    assert len(expected) == 4
    large.close()


def test_what_is_kept_in_memory_follows_saved_notes(index, put, backfill, encode, in_time):
    for number in range(30):
        put(f"{number}.md", f"text {number}")
    index.contextual.choose(MODEL)
    backfill(index)
    vector: Sequence[float] = encode(["walnut"])[0]
    before = dense(index, vector, in_time)

    put("new.md", "walnut")
    while_waiting = dense(index, vector, in_time)
    backfill(index)
    after = dense(index, vector, in_time)

    assert len(before) == len(after) == 9
    assert while_waiting[0][0] == after[0][0] != before[0][0]
