import numpy as np
import pytest
from msgspec.structs import replace

from quarry.index.keyword.builder import SegmentBuilder
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.mutable_segment import MutableSegment
from quarry.index.keyword.segment_snapshot import SegmentSnapshot

BEFORE = {10: ("apple pear", "x"), 20: ("apple apple", ""), 30: ("apricot", "")}
ADDED = {20: ("apple plum", "y"), 5: ("apple", "")}


@pytest.fixture
def snapshot():
    """Document 20 was replaced and 5 is new; a later document is not seen."""
    builder, added = SegmentBuilder(2), MutableSegment(2)
    for document_id, columns in BEFORE.items():
        builder.add(document_id, columns)
    for document_id, columns in (*ADDED.items(), (40, ("apple later", ""))):
        added.add(document_id, columns)
    return SegmentSnapshot(builder.build(), added, 2, np.array([True, False, True, True, True]))


def told(snapshot, postings):
    """Id -> term frequencies by field."""
    ordinals, codes = postings
    return dict(zip(snapshot.ids[ordinals].tolist(), snapshot.tf_table[codes].tolist(), strict=True))


def test_postings_are_those_of_live_documents_of_both_segments(snapshot):
    assert told(snapshot, snapshot.postings("apple")) == {10: [1, 0], 20: [1, 0], 5: [1, 0]}
    assert told(snapshot, snapshot.postings("plum")) == {20: [1, 0]}
    assert told(snapshot, snapshot.postings("later")) == told(snapshot, snapshot.postings("none")) == {}
    assert told(snapshot, snapshot.prefix_postings("ap")) == {10: [1, 0], 20: [1, 0], 5: [1, 0], 30: [1, 0]}


def test_dead_and_later_documents_do_not_count(snapshot):
    assert (snapshot.size, snapshot.total) == (5, 4)
    assert {term: snapshot.frequency(term) for term in ("apple", "pear", "plum", "later")} == {
        "apple": 3,
        "pear": 1,
        "plum": 1,
        "later": 0,
    }


def test_a_snapshot_without_changes_has_the_frequencies_of_its_segment(snapshot):
    unchanged = replace(snapshot, added_count=0, live_docs=None)

    assert unchanged.total == 3
    assert unchanged.frequency("apple") == 2
    assert told(unchanged, unchanged.postings("apple")) == {10: [1, 0], 20: [2, 0]}


def test_ordinals_are_those_of_the_live_document_of_an_id(snapshot):
    assert snapshot.ordinals_of(np.array([5, 10, 20, 30, 40])).tolist() == [4, 0, 3, 2, -1]
    assert snapshot.field_lengths.tolist() == [[2, 1], [2, 0], [1, 0], [2, 1], [1, 0]]


def test_length_norms_use_the_average_of_live_documents(snapshot):
    """k1 * (1 - b + b * length / average) with k1 = 1.2, b = .75: lengths 3, 1, 3 and 1 are alive."""
    expected = 1.2 * (0.25 + 0.75 * np.array([3, 2, 1, 3, 1]) / 2)

    assert snapshot.length_norms.tolist() == pytest.approx(expected.tolist())


def test_a_posting_of_a_document_that_does_not_exist_is_damage(snapshot):
    segment = replace(snapshot.segment, ids=snapshot.segment.ids[:1])

    with pytest.raises(PostingsDamaged):
        replace(snapshot, segment=segment).postings("apple")
