import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quarry.index.postings.builder import SegmentBuilder
from quarry.index.postings.dictionary import BlockLayout, PostingsDamaged
from quarry.index.postings.segment import empty_segment, merged

SMALL_BLOCKS = BlockLayout(block_terms=4, common_from=3)
"""So small that every way in which blocks lie together comes up."""

HELD = st.lists(st.sets(st.integers(0, 400), max_size=9), min_size=1, max_size=14)


def built(held):
    """A segment in which document *d* holds the term *t* `d % 3 + 1` times where `held[t]` has *d*."""
    builder = SegmentBuilder(1, SMALL_BLOCKS)
    for document in sorted(set().union(*held)):
        words = [f"t{at:02} " * (document % 3 + 1) for at, documents in enumerate(held) if document in documents]
        builder.add(document, ("".join(words),))
    return builder.build()


@pytest.mark.slow
@given(HELD, st.data())
def test_the_documents_of_any_terms_are_found_with_how_often_they_hold_them(held, data):
    found, held = built(held), [documents for documents in held if documents]
    first = data.draw(st.integers(0, len(held)))
    last = data.draw(st.integers(first, len(held)))

    documents, codes = found.postings(first, last)

    pairs = zip(found.ids[documents].tolist(), found.tf_table[codes][:, 0].tolist(), strict=True)
    wanted = [(document, document % 3 + 1) for documents in held[first:last] for document in documents]
    assert sorted(pairs) == sorted(wanted)
    for at in range(len(held)):
        assert found.document_frequency(at, at + 1) == len(held[at])
        assert found.document_frequency(at, at) == 0
        assert (np.diff(found.postings(at, at + 1)[0]) > 0).all()
    assert found.terms.document_frequencies().tolist() == list(map(len, held))


@pytest.mark.slow
@given(HELD)
def test_all_postings_come_in_pieces(held):
    found, held = built(held), [documents for documents in held if documents]

    told = [
        (term, int(found.ids[document]), int(found.tf_table[code][0]))
        for piece in found.postings_by_block()
        for term, document, code in zip(*map(np.ndarray.tolist, piece), strict=True)
    ]

    assert sorted(told) == [(t, d, d % 3 + 1) for t, documents in enumerate(held) for d in sorted(documents)]


@pytest.mark.slow
@given(HELD)
def test_frames_that_are_not_of_the_terms_are_damage(held):
    """As many frames are there as the terms say, or nothing is read."""
    found, other = built([{1, 2, 3, 4}, *held, {1}, {2}, {3}]), built([{1}] * (len(held) + 4))
    mixed = replace(found, terms=other.terms)

    with pytest.raises(PostingsDamaged):
        mixed.postings(0, SMALL_BLOCKS.block_terms)


def test_the_commonest_counts_come_first():
    found = built([{2, 5, 8, 11}, {1, 4, 7}, {0, 3}])

    assert found.tf_table[:, 0].tolist() == [3, 2, 1]


def test_nothing_holds_nothing():
    assert empty_segment(2).postings(0, 0)[0].tolist() == []
    assert empty_segment(2).document_frequency(0, 0) == len(empty_segment(2).terms) == 0
    assert list(empty_segment(2).postings_by_block()) == []


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_is_noticed(at, bit):
    sound = built([set(range(0, 40, step)) for step in range(1, 9)])
    damaged = bytearray(sound.blocks)
    damaged[at % len(damaged)] ^= 1 << bit
    found = replace(sound, blocks=bytes(damaged))

    for first, last in [(0, 8), *((term, term + 1) for term in range(8))]:
        try:
            here = [array.tolist() for array in found.postings(first, last)]
        except PostingsDamaged:
            continue
        assert here == [array.tolist() for array in sound.postings(first, last)]  # a bit of zstd's header


def postings(*pairs):
    return np.array([at for at, _ in pairs], np.intp), np.array([code for _, code in pairs], np.intp)


def test_postings_of_several_terms_are_those_of_one():
    ordinals, codes = merged([postings((1, 7), (5, 8)), postings(), postings((0, 9), (3, 7))])

    assert (ordinals.tolist(), codes.tolist()) == ([0, 1, 3, 5], [9, 7, 7, 8])


def test_terms_that_nothing_holds_have_none():
    assert [len(column) for column in merged([postings(), postings()])] == [0, 0]
    assert [len(column) for column in merged([])] == [0, 0]
