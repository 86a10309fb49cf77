import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.index.postings.codec import PostingsDamaged
from quarry.index.postings.dictionary import BlockLayout, TermDictionary

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=" ")
WORDS = st.sets(st.text(LETTERS, min_size=1, max_size=6).map(str.encode), max_size=40)


def made(ordered):
    return TermDictionary.from_sorted(ordered, np.arange(1, len(ordered) + 1), BlockLayout(block_terms=4))


@given(WORDS, st.text(LETTERS, min_size=1, max_size=3).map(str.encode))
def test_terms_are_found_by_themselves_and_by_their_beginning(words, wanted):
    ordered = sorted(words)
    terms = made(ordered)

    assert list(terms) == ordered == [terms[at] for at in range(len(terms))]
    for at, word in enumerate(ordered):
        assert terms.term_range(word) == (at, at + 1)
    first, last = terms.term_range(wanted)
    assert last - first == (wanted in words)
    first, last = terms.prefix_range(wanted)
    assert ordered[first:last] == [word for word in ordered if word.startswith(wanted)]


def test_every_term_has_the_number_of_its_documents():
    terms = made([b"a", b"b", b"c", b"d", b"e"])

    assert terms.document_frequencies().tolist() == [1, 2, 3, 4, 5]
    assert terms.block(1).document_frequencies == [5]


@given(st.integers(0, 1000), st.integers(0, 7))
@example(46, 1)  # makes a frame of nothing of one
def test_a_flipped_bit_is_noticed(at, bit):
    ordered = [f"word{number}".encode() for number in range(9)]
    terms = made(ordered)
    for array in (terms.block_first_terms, terms.blocks):
        damaged = bytearray(array.tobytes())
        damaged[at % len(damaged)] ^= 1 << bit
        other = np.frombuffer(bytes(damaged), np.uint8)
        changed = (
            TermDictionary(other, terms.blocks, terms.block_offsets, terms.layout)
            if array is terms.block_first_terms
            else TermDictionary(terms.block_first_terms, other, terms.block_offsets, terms.layout)
        )

        try:
            found = [changed.term_range(word) for word in ordered] + list(changed)
        except PostingsDamaged:
            continue
        assert found == [terms.term_range(word) for word in ordered] + ordered  # a bit of zstd's header
