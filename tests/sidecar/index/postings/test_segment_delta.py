from contextlib import closing

import numpy as np
import pytest

from quarry.errors import Cancelled
from quarry.index import Deadline, meta
from quarry.index.keys import SLOT_BITS
from quarry.index.pool import connect_ours
from quarry.index.postings import segment_delta as built
from quarry.index.postings.codec import PostingsDamaged
from quarry.index.postings.columns import chunk_columns, name_columns
from quarry.index.postings.segment import SegmentPair
from quarry.index.postings.segment_delta import SegmentDelta, build_from_database, read_note


@pytest.fixture
def connection(index, put):
    put("a.md", "apple", "pear")
    put("b.md", "apple")
    with closing(connect_ours(index.path, writable=False, without=frozenset())[0]) as found:
        yield found


@pytest.fixture
def delta(connection):
    return SegmentDelta(SegmentPair(meta.generation(connection), *build_from_database(connection)))


def note_id(connection, path):
    return connection.execute("SELECT id FROM notes WHERE path = ?", (path,)).fetchall()[0][0]


def same(one, other):
    """Whether two segments have equal arrays."""
    return list(one.terms) == list(other.terms) and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("ids", "field_lengths", "tf_table", "blocks", "block_offsets", "first_block_of")
    )


def test_saved_renamed_and_removed_notes_are_seen_and_merged_as_if_built_anew(index, connection, delta, put):
    removed = note_id(connection, "b.md")
    put("a.md", "plum", "pear")
    put("c.md", "cherry apple")
    index.remove("b.md")
    for changed in (note_id(connection, "a.md"), note_id(connection, "c.md"), removed):
        delta.apply_note(connection, changed)

    scorer = delta.scorer(meta.generation(connection))

    assert {term: scorer.chunk_frequency(term) for term in ("appl", "pear", "plum", "cherri")} == {
        "appl": 1,
        "pear": 1,
        "plum": 1,
        "cherri": 1,
    }
    assert (scorer.names.total, scorer.chunks.total) == (2, 3)
    merged, (chunks, names) = delta.merge(scorer), build_from_database(connection)
    assert merged.generation == meta.generation(connection)
    assert same(merged.chunks, chunks)
    assert same(merged.names, names)


def test_an_earlier_scorer_stays_as_it_is(connection, delta, put):
    before = delta.scorer(delta.generation)
    put("a.md", "plum")
    delta.apply_note(connection, note_id(connection, "a.md"))
    after = delta.scorer(meta.generation(connection))

    assert (before.chunk_frequency("plum"), after.chunk_frequency("plum")) == (0, 1)
    assert delta.count == 2  # an old version that is dead, a new one that was added


def test_every_chunk_belongs_to_the_note_of_its_id(connection, delta, put):
    put("a.md", "plum", "fig")
    delta.apply_note(connection, note_id(connection, "a.md"))
    scorer = delta.scorer(meta.generation(connection))

    owners = scorer.names.ids[scorer.note_of_chunk]
    assert owners.tolist() == (scorer.chunks.ids >> SLOT_BITS).tolist()


def test_chunks_without_their_note_are_damage(connection, delta):
    pair = delta.segments
    alone = SegmentDelta(SegmentPair(pair.generation, pair.chunks, pair.chunks))

    with pytest.raises(PostingsDamaged, match="belongs to no note"):
        alone.scorer(pair.generation)


# --- segments that are built from the database --------------------------------------------------


@pytest.fixture
def database(index):
    return index._writer.connection


def held(segment, term):
    return segment.ids[segment.postings(*segment.terms.term_range(term.encode()))[0]].tolist()


def test_a_note_is_read_with_the_ids_of_its_chunks_in_the_order_of_its_text(index, put, database):
    put("a.md", "first", "second", "third")
    note = put("a.md", "third", "new", "first", aliases=("x",))

    found = read_note(database, 1)

    assert found.names == name_columns(note)
    assert [columns for _, columns in found.chunks] == [chunk_columns(chunk) for chunk in note.chunks]
    with index.reader() as reader:
        assert tuple(chunk_id for chunk_id, _ in found.chunks) == reader.note("a.md").chunk_ids
    assert [chunk_id - (1 << 11) for chunk_id, _ in found.chunks] != [0, 1, 2]
    assert read_note(database, 9) is None


@pytest.mark.parametrize("at_once", [1, 2, 256])
def test_segments_are_of_all_chunks_and_all_names(put, database, monkeypatch, at_once):
    monkeypatch.setattr(built, "READ_AT_ONCE", at_once)
    for number in range(5):
        put(f"{number}.md", f"apples w{number}", "pears", title=f"t{number}", context="")
    put("1.md", "plums", "pears", title="t1", context="")

    chunks, names = build_from_database(database)

    assert chunks.ids.tolist() == [(n << 11) + slot for n in range(1, 6) for slot in (0, 1)]
    assert names.ids.tolist() == [1, 2, 3, 4, 5]
    assert held(chunks, "appl") == [n << 11 for n in (1, 3, 4, 5)]
    assert held(chunks, "plum") == [2 << 11]
    assert held(chunks, "t3") == []
    assert held(names, "t3") == [4]


def test_an_index_without_notes_gives_empty_segments(database):
    chunks, names = build_from_database(database)

    assert (len(chunks.ids), len(names.ids)) == (0, 0)


@pytest.mark.parametrize("body", [b"", b"\x00" * 40])
def test_a_note_that_changed_by_itself_is_damage(put, database, body):
    put("a.md", "apples")
    put("b.md", "apples")
    database.execute("UPDATE bodies SET body = ? WHERE note_id = 2", (body,))

    with pytest.raises(PostingsDamaged, match="note 2"):
        build_from_database(database)
    with pytest.raises(PostingsDamaged, match="note 2"):
        read_note(database, 2)
    assert read_note(database, 1) is not None


def test_building_can_be_given_up(put, database):
    put("a.md", "apples")

    with pytest.raises(Cancelled):
        build_from_database(database, Deadline(float("inf"), lambda: True))
