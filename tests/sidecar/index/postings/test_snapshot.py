import numpy as np
import pytest
from msgspec.structs import replace

from quarry.index.postings import snapshot as module
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


def test_terms_come_in_order_whenever_they_were_added():
    additions = MutableSegment(1)
    additions.add(1, ("pear apple",))
    assert additions.terms() == ["apple", "pear"]
    additions.add(2, ("plum banana apple",))

    assert additions.terms() == ["apple", "banana", "pear", "plum"]
    assert additions.prefix_postings("p", 2)[0].tolist() == [0, 1]
    assert additions.field_lengths(2).tolist() == [[2], [3]]


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


@pytest.fixture
def snapshot(parts):
    live_docs = np.array([True, True, False, True, False, True, True])
    return SegmentSnapshot.of(*parts, 2, live_docs)


def test_documents_are_those_of_the_segment_and_then_those_that_were_added(snapshot):
    assert (snapshot.size, snapshot.total, snapshot.ascending) == (7, 5, 5)
    assert snapshot.ids.tolist() == [10, 11, 12, 13, 14, 12, 7]
    assert snapshot.lengths.tolist() == [5, 5, 5, 5, 5, 4, 2]
    assert snapshot.note_lengths.tolist() == [4, 4, 4, 4, 4, 3, 1]  # of text and compounds


def test_the_average_length_is_of_those_alive(snapshot):
    average = (5 + 5 + 5 + 4 + 2) / 5

    assert snapshot.length_norms == pytest.approx(1.2 * (0.25 + 0.75 * snapshot.lengths / average))


def test_postings_are_of_those_alive_with_their_frequencies(snapshot):
    ordinals, codes = snapshot.postings("apple")

    assert ordinals.tolist() == [0, 1, 3, 5]
    assert snapshot.tf_table[codes, 0].tolist() == [1, 1, 1, 2]
    assert snapshot.postings("w12")[0].tolist() == snapshot.postings("unknown")[0].tolist() == []
    assert snapshot.postings("plum")[0].tolist() == [5]


def test_a_document_is_there_once_for_each_term_that_begins_so(snapshot):
    ordinals, codes = snapshot.prefix_postings("ap")

    assert sorted(ordinals.tolist()) == [0, 1, 3, 5, 6]
    assert len(codes) == len(ordinals)
    assert snapshot.prefix_postings("q")[0].tolist() == []
    assert sorted(snapshot.prefix_postings("p")[0].tolist()) == [0, 1, 3, 5]


def test_terms_are_counted_among_those_alive_however_often_it_is_asked(snapshot, monkeypatch):
    monkeypatch.setattr(module, "CACHED_FREQUENCIES", 1)
    for _ in range(2):
        found = {term: snapshot.frequency(term) for term in ("apple", "pear", "plum", "w14", "unknown")}
        assert found == {"apple": 4, "pear": 3, "plum": 1, "w14": 0, "unknown": 0}


def test_without_changes_terms_are_counted_by_the_dictionary(parts):
    snapshot = SegmentSnapshot.of(*parts, 0, None)

    assert (snapshot.size, snapshot.total) == (5, 5)
    assert (snapshot.frequency("apple"), snapshot.frequency("plum")) == (5, 0)
    assert snapshot.postings("apple")[0].tolist() == [0, 1, 2, 3, 4]


def test_documents_that_are_added_later_are_not_seen(parts):
    snapshot = SegmentSnapshot.of(*parts, 1, None)

    assert snapshot.ids.tolist()[5:] == [12]
    assert snapshot.frequency("apricot") == 0
    assert snapshot.prefix_postings("apri")[0].tolist() == []


def test_ids_have_the_ordinal_of_the_document_that_is_alive(snapshot, parts):
    assert snapshot.ordinals_of(np.array([10, 12, 14, 7, 99])).tolist() == [0, 5, -1, 6, -1]
    assert snapshot.ordinals_of(np.zeros(0, np.int64)).tolist() == []
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
