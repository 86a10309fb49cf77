"""Bytes become the text that an editor shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.decoding import cut_at_character, decode_note


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbf# Title", "# Title"),
        (b"a\r\nb\rc\n\r\n", "a\nb\nc\n\n"),
        ("grüß\n".encode("utf-16"), "grüß\n"),
        (b"\xfe\xff" + "a\r\n😀".encode("utf-16-be"), "a\n😀"),
        (b"caf\xe9 \xff", "caf\ufffd \ufffd"),
        (b"", ""),
    ],
)
def test_bytes_are_decoded_as_an_editor_shows_them(data: bytes, text: str) -> None:
    assert decode_note(data) == text


@given(st.binary(max_size=200))
def test_any_bytes_decode_without_carriage_returns(data: bytes) -> None:
    text = decode_note(data)

    assert "\r" not in text
    assert text.encode().decode() == text


@given(st.text(), st.integers(0, 60), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_a_cut_leaves_no_part_of_a_character(text: str, max_bytes: int, encoding: str) -> None:
    mark = {"utf-8": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    data = mark + text.encode(encoding)

    cut = cut_at_character(data, max(2, max_bytes))

    assert len(data) <= max(2, max_bytes) or max(2, max_bytes) - 4 <= len(cut) <= max(2, max_bytes)
    cut.removeprefix(mark).decode(encoding)
