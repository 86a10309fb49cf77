"""Bytes become the text that an editor shows."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.decoding import (
    cut_at_character,
    decode_note,
    note_line,
    note_utf16_offset,
    utf16_length,
    utf16_offset,
)
from quarry.documents.note import ParserSettings, read_note
from quarry.types import Chunk, Note


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


LONG = "Rain fell on the quiet harbour all night and nobody came. "
TOKEN = "gh" + "p_" + "A1b2C3d4E5" * 3 + "f6G7h8"
KEY = "\n".join(
    [
        "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
        *(["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"] * 5),
        "-----END " + "OPENSSH PRIVATE KEY-----",
    ]
)


def read(text: str) -> Note:
    return read_note("folder/a note.md", text.encode(), ParserSettings())


def section(title: str) -> str:
    return f"{title}\n{(2 * LONG)[:100].strip()}\n"


@pytest.mark.parametrize("secret", [TOKEN, KEY])
def test_a_redaction_moves_no_jump(secret: str) -> None:
    text = f"## A😀\nBefore it 😀 {secret} between {secret}\n\nafter it, the word.\n\n" + section("## B")
    first, second = read(text).chunks

    assert secret not in first.text
    assert "[REDACTED:" in first.text
    assert text[first.start : first.end].endswith("the word.")
    assert text[second.start : second.end].strip() == second.text.strip()
    assert second.line == text[: second.start].count("\n")
    for word in ("Before", "between", "after", "word"):
        assert note_utf16_offset(first, first.text.index(word)) == utf16_length(text[: text.index(word)])
        assert note_line(first, first.text.index(word)) == text.count("\n", 0, text.index(word))
    inside = first.text.index("REDACTED") + 3
    assert note_utf16_offset(first, inside) == utf16_length(text[: text.index(secret)])


WORDS = st.text(alphabet="abc é😀中\n", max_size=12).map(lambda text: f" {text} ")


@pytest.mark.slow
@given(
    st.lists(
        st.one_of(WORDS, st.sampled_from([f" {TOKEN} ", f"\n{KEY}\n", f"\n## A {LONG}\n", LONG * 20])), max_size=12
    ).map("".join)
)
def test_offsets_and_shifts_lead_back_across_redactions(text: str) -> None:
    for chunk in read(text).chunks:
        for offset in _outside_markers(chunk):
            at = note_utf16_offset(chunk, offset)
            assert at == chunk.start_utf16 + utf16_length(chunk.text[:offset]) + sum(
                shift.utf16 for shift in chunk.shifts if shift.offset <= offset
            )
            assert _sign_at_utf16(text, at) == chunk.text[offset]
            assert note_line(chunk, offset) == text.encode("utf-16-le")[: 2 * at].decode("utf-16-le").count("\n")


def _outside_markers(chunk: Chunk) -> list[int]:
    hidden = {at for found in re.finditer(r"\[REDACTED:[^\]]*\]", chunk.text) for at in range(*found.span())}
    return [offset for offset in range(len(chunk.text)) if offset not in hidden][:: max(1, len(chunk.text) // 40)]


def _sign_at_utf16(text: str, offset: int) -> str:
    return text.encode("utf-16-le")[2 * offset :].decode("utf-16-le")[0]


@given(st.text(), st.data())
def test_utf16_offsets_count_code_units(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))

    assert utf16_length(text) == sum(2 if sign > "\uffff" else 1 for sign in text)
    assert utf16_offset(text, offset) == utf16_length(text[:offset])
