import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quarry.index.postings.dictionary import (
    BlockLayout,
    PostingsDamaged,
    TermDictionary,
    compress,
    decode_all_byte_planes,
    decode_byte_planes,
    decompress,
    encode_byte_planes,
)

NUMBERS = st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 300), max_size=20)


@given(NUMBERS, NUMBERS)
def test_numbers_are_read_back_one_row_after_the_other(first, second):
    data = encode_byte_planes(np.array(first, np.int64)) + encode_byte_planes(np.array(second, np.int64))

    found, at = decode_byte_planes(data, len(first), 0, np.intp)
    then, end = decode_byte_planes(data, len(second), at, np.uint32)

    assert (found.tolist(), then.tolist(), end) == (first, second, len(data))


@given(NUMBERS, st.data())
def test_some_of_the_numbers_are_read_alone(numbers, data):
    first = data.draw(st.integers(0, len(numbers)))
    last = data.draw(st.integers(first, len(numbers)))
    encoded = encode_byte_planes(np.array(numbers, np.int64))

    found, end = decode_byte_planes(encoded, len(numbers), 0, np.intp, range(first, last))

    assert (found.tolist(), end) == (numbers[first:last], len(encoded))


@pytest.mark.slow
@given(st.lists(NUMBERS))
def test_the_numbers_of_many_pieces_are_read_one_after_the_other(rows):
    pieces = [b"head" + encode_byte_planes(np.array(row, np.int64)) + b"tail" for row in rows]

    found, ends = decode_all_byte_planes(pieces, list(map(len, rows)), [4] * len(rows))

    assert found.tolist() == [number for row in rows for number in row]
    assert [piece[end:] for piece, end in zip(pieces, ends, strict=True)] == [b"tail"] * len(rows)


@pytest.mark.parametrize("data", [b"", b"\0", b"\x05abcde", b"\x01ab", b"\x02abcde"])
def test_numbers_that_are_not_there_are_damage(data):
    with pytest.raises(PostingsDamaged):
        decode_byte_planes(data, 3, 0, np.intp)
    with pytest.raises(PostingsDamaged):
        decode_all_byte_planes([encode_byte_planes(np.arange(3)), data], [3, 3], [0, 0])


TEXT = b"apples and pears, " * 40


def test_a_frame_gives_its_content_back_up_to_the_limit():
    frame = compress(TEXT)

    assert len(frame) < len(TEXT)
    assert decompress(frame, len(TEXT)) == TEXT
    assert decompress(memoryview(frame), len(TEXT)) == TEXT
    for damaged, at_most in ((frame, len(TEXT) - 1), (frame[:-1], len(TEXT)), (b"", len(TEXT))):
        with pytest.raises(PostingsDamaged):
            decompress(damaged, at_most)


def test_every_changed_byte_of_the_content_is_noticed():
    frame = compress(TEXT)

    for at in range(8, len(frame)):
        changed = bytearray(frame)
        changed[at] ^= 0x10
        with pytest.raises(PostingsDamaged):
            decompress(changed, 2 * len(TEXT))


LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=" ")
WORDS = st.sets(st.text(LETTERS, min_size=1, max_size=6).map(str.encode), max_size=40)


def made(ordered):
    return TermDictionary.from_sorted(ordered, np.arange(1, len(ordered) + 1), BlockLayout(block_terms=4))


@given(WORDS, st.text(LETTERS, min_size=1, max_size=3).map(str.encode))
def test_terms_are_found_by_themselves_and_by_their_beginning(words, wanted):
    ordered = sorted(words)
    terms = made(ordered)

    assert list(terms) == ordered
    assert len(terms) == len(ordered)
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
        damaged = bytearray(array)
        damaged[at % len(damaged)] ^= 1 << bit
        other = bytes(damaged)
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
