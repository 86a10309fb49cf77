import numpy as np

from quarry.index.keyword.mutable_segment import MutableSegment


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


def test_odd_tokens_are_cut_as_in_a_segment():
    additions = MutableSegment(1)
    additions.add(1, ('A"b c\x01',))

    assert additions.terms() == ["a", "b", "c"]
    assert additions.field_lengths(1).tolist() == [[3]]
