import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.postings.codec import (
    PostingsDamaged,
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


def test_a_frame_larger_than_it_can_be_is_not_read():
    frame = np.frombuffer(compress(bytes(100)), np.uint8)

    assert decompress(frame.data, 100) == bytes(100)
    for damaged, at_most in ((frame, 99), (frame[:-1], 100), (frame[:0], 100)):
        with pytest.raises(PostingsDamaged):
            decompress(damaged.data, at_most)


TEXT = b"apples and pears, " * 40


def test_a_frame_gives_its_content_back_up_to_the_limit():
    frame = compress(TEXT)

    assert len(frame) < len(TEXT)
    assert decompress(frame, len(TEXT)) == TEXT
    assert decompress(memoryview(frame), len(TEXT)) == TEXT
    with pytest.raises(PostingsDamaged):
        decompress(frame, len(TEXT) - 1)


def test_every_changed_byte_of_the_content_is_noticed():
    frame = compress(TEXT)

    for at in range(8, len(frame)):
        changed = bytearray(frame)
        changed[at] ^= 0x10
        with pytest.raises(PostingsDamaged):
            decompress(changed, 2 * len(TEXT))
