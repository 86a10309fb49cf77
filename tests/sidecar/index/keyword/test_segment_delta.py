from contextlib import closing

import numpy as np
import pytest

from quarry.index import meta
from quarry.index.ids import SLOT_BITS
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.segment import SegmentPair
from quarry.index.keyword.segment_delta import SegmentDelta, build_from_database
from quarry.index.opening import connect_ours


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
