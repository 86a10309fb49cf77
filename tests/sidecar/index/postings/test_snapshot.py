import numpy as np
import pytest
from msgspec.structs import replace

from quarry.index.postings.builder import SegmentBuilder
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.fields import CHUNK_FIELDS
from quarry.index.postings.snapshot import MutableSegment, SegmentSnapshot, SizedCache


def test_who_looked_before_goes_on_seeing_what_was_there():
    additions = MutableSegment(2)
    additions.add(5, ("apple pear", "apple"))
    before = len(additions)
    additions.add(3, ("apple apricot", ""))

    assert additions.postings("apple", before)[0].tolist() == [0]
    assert additions.postings("apple", 2)[0].tolist() == [0, 1]
    assert additions.prefix_postings("ap", before)[0].tolist() == [0]
    assert sorted(additions.prefix_postings("ap", 2)[0].tolist()) == [0, 1, 1]
    assert additions.ids(before).tolist() == [5]
    assert additions.tf_table()[additions.postings("apple", 2)[1]].tolist() == [[1, 1], [1, 0]]


def test_what_is_not_kept_leaves_no_term():
    additions = MutableSegment(1)
    additions.add(1, ("secret",))
    additions.add(2, ("public",))

    segment = additions.to_segment(np.array([False, True]))

    assert list(segment.terms) == [b"public"]
    assert segment.ids.tolist() == [2]


def fields(text, compounds=""):
    return (text, "section", "", compounds, "")


@pytest.fixture
def parts():
    """A segment of documents 10 to 14, and 12 and 7 that were added since; 12 was there before."""
    builder, added = SegmentBuilder(CHUNK_FIELDS), MutableSegment(CHUNK_FIELDS)
    for document_id in range(10, 15):
        builder.add(document_id, fields(f"apple pear w{document_id}", "x/y"))
    added.add(12, fields("apple apple plum"))
    added.add(7, fields("apricot"))
    return builder.build(), added


def test_documents_that_are_added_later_are_not_seen(parts):
    snapshot = SegmentSnapshot.of(*parts, 1, None)

    assert snapshot.ids.tolist()[5:] == [12]
    assert snapshot.frequency("apricot") == 0
    assert snapshot.prefix_postings("apri")[0].tolist() == []


def test_ids_have_the_ordinal_of_the_document_that_is_alive(parts):
    snapshot = SegmentSnapshot.of(*parts, 2, np.array([True, True, False, True, False, True, True]))

    assert snapshot.ordinals_of(np.array([10, 12, 14, 7, 99])).tolist() == [0, 5, -1, 6, -1]
    fresh = SegmentSnapshot.of(SegmentBuilder(CHUNK_FIELDS).build(), parts[1], 2, None)
    assert fresh.ordinals_of(np.array([7, 12, 10])).tolist() == [1, 0, -1]


@pytest.mark.parametrize("broken", ["ids", "tf_table"])
def test_postings_that_lead_nowhere_are_damage(parts, broken):
    segment, added = parts
    other = replace(segment, **{broken: getattr(segment, broken)[:0]})
    field_lengths = {"field_lengths": segment.field_lengths[:0]} if broken == "ids" else {}
    snapshot = SegmentSnapshot.of(replace(other, **field_lengths), added, 0, None)

    with pytest.raises(PostingsDamaged, match="does not exist"):
        snapshot.postings("apple")


def test_a_snapshot_of_which_nothing_is_left_knows_no_id():
    builder = SegmentBuilder(CHUNK_FIELDS)
    snapshot = SegmentSnapshot.of(builder.build(), MutableSegment(CHUNK_FIELDS), 0, np.zeros(0, np.bool_))

    assert snapshot.ordinals_of(np.array([7])).tolist() == [-1]


def test_what_was_not_asked_for_the_longest_is_forgotten_first():
    memory, found = SizedCache(20, len), []

    def ask(key: str) -> None:
        if memory.get(key) is None:
            found.append(key)
            memory.put(key, "ten chars!")

    for key in ("a", "b", "a", "c", "a", "b"):
        ask(key)

    assert found == ["a", "b", "c", "b"]
