from hypothesis import given
from hypothesis import strategies as st

from quarry.index.checksums import content_hash, digest, note_checksum, vector_checksum
from quarry.types import Chunk


def test_no_two_lists_share_a_hash():
    lists = [
        ("a", "b"),
        ("ab",),
        ("a,b",),
        ("a", b"b"),
        ("1",),
        (1,),
        (None,),
        ("None",),
        (1.0,),
        ("é",),
        ("e\u0301",),
        (),
    ]

    assert len({digest(*parts) for parts in lists}) == len(lists)


def test_a_hash_is_the_same_in_every_run_and_version():
    assert digest("é", 1, b"\x00").hex() == "1cd3025ce77d8205c6164bac9a9efed7"


def test_texts_that_only_share_their_letters_have_other_hashes():
    def content(section, context, text):
        return content_hash(Chunk(0, (section,), text, 0, 0, 0, 0, context))

    assert len({content("ab", "c", "d"), content("a", "bc", "d"), content("a", "b", "cd")}) == 3


def test_a_note_has_another_checksum_when_a_column_or_its_body_changes():
    checksums = [note_checksum(("a", 1), b"x"), note_checksum(("a", 2), b"x"), note_checksum(("a", 1), b"y")]

    assert len(set(checksums)) == 3


@given(st.binary(min_size=1, max_size=300), st.data())
def test_one_flipped_bit_of_a_vector_is_told(vector, data):
    bit = data.draw(st.integers(0, len(vector) * 8 - 1))
    flipped = bytearray(vector)
    flipped[bit // 8] ^= 1 << bit % 8

    assert vector_checksum(b"key", bytes(flipped)) != vector_checksum(b"key", vector)


def test_a_vector_is_tied_to_its_text():
    assert vector_checksum(b"one", b"vector") != vector_checksum(b"other", b"vector")
