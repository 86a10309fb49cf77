import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keyword import segment, term_dictionary
from quarry.index.keyword.builder import SegmentBuilder
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.segment import Segment, empty


@pytest.fixture(scope="module", autouse=True)
def small_frames():
    """Few terms to a frame, and terms of few documents common, so that every way they lie together comes up."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (segment, term_dictionary):
            patch.setattr(module, "IN_FRAME", 4)
        patch.setattr(segment, "COMMON", 3)
        yield


HELD = st.lists(st.sets(st.integers(0, 400), max_size=9), min_size=1, max_size=14)


def built(held):
    """A segment in which document *d* holds the term *t* `d % 3 + 1` times where `held[t]` has *d*."""
    builder = SegmentBuilder(1)
    for document in sorted(set().union(*held)):
        words = [f"t{at:02} " * (document % 3 + 1) for at, documents in enumerate(held) if document in documents]
        builder.put(document, ("".join(words),))
    return builder.finish()


@given(HELD, st.data())
def test_the_documents_of_any_terms_are_found_with_how_often_they_hold_them(held, data):
    found, held = built(held), [documents for documents in held if documents]
    first = data.draw(st.integers(0, len(held)))
    last = data.draw(st.integers(first, len(held)))

    documents, codes = found.postings(first, last)

    pairs = zip(found.ids[documents].tolist(), found.counts[codes][:, 0].tolist(), strict=True)
    wanted = [(document, document % 3 + 1) for documents in held[first:last] for document in documents]
    assert sorted(pairs) == sorted(wanted)
    assert found.frequency(first, last) == len(wanted)
    for at in range(len(held)):
        assert (np.diff(found.postings(at, at + 1)[0]) > 0).all()
    assert found.frequencies().tolist() == list(map(len, held))


@given(HELD)
def test_all_postings_come_in_pieces(held):
    found, held = built(held), [documents for documents in held if documents]

    told = [
        (term, int(found.ids[document]), int(found.counts[code][0]))
        for piece in found.pieces()
        for term, document, code in zip(*map(np.ndarray.tolist, piece), strict=True)
    ]

    assert sorted(told) == [(t, d, d % 3 + 1) for t, documents in enumerate(held) for d in sorted(documents)]


@given(HELD)
def test_frames_that_are_not_of_the_terms_are_damage(held):
    """As many frames are there as the terms say, or nothing is read."""
    found, other = built([{1, 2, 3, 4}, *held, {1}, {2}, {3}]), built([{1}] * (len(held) + 4))
    mixed = Segment(
        found.ids, found.field_lengths, found.counts, other.terms, found.frames, found.borders, found.firsts
    )

    with pytest.raises(PostingsDamaged):
        mixed.postings(0, segment.IN_FRAME)


def test_the_commonest_counts_come_first():
    found = built([{2, 5, 8, 11}, {1, 4, 7}, {0, 3}])

    assert found.counts[:, 0].tolist() == [3, 2, 1]


def test_nothing_holds_nothing():
    assert empty(2).postings(0, 0)[0].tolist() == []
    assert empty(2).frequency(0, 0) == len(empty(2).terms) == 0
    assert list(empty(2).pieces()) == []


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_is_noticed(at, bit):
    sound = built([set(range(0, 40, step)) for step in range(1, 9)])
    damaged = bytearray(sound.frames.tobytes())
    damaged[at % len(damaged)] ^= 1 << bit
    frames = np.frombuffer(bytes(damaged), np.uint8)
    found = Segment(sound.ids, sound.field_lengths, sound.counts, sound.terms, frames, sound.borders, sound.firsts)

    for first, last in [(0, 8), *((term, term + 1) for term in range(8))]:
        try:
            here = [array.tolist() for array in found.postings(first, last)]
        except PostingsDamaged:
            continue
        assert here == [array.tolist() for array in sound.postings(first, last)]  # a bit of zstd's header
