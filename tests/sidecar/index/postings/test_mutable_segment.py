import numpy as np

from quarry.index.postings.mutable_segment import MutableSegment


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
