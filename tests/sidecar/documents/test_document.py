import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.document import PdfText, cleaned, read_pdf, text_of_chunks
from quarry.documents.note import ParserSettings
from quarry.messages import message
from quarry.types import Note

KEY = "AKIA" + "IOSFODNN7QWERTYU"
LONG = "a page that says enough for a passage of its own"


def read(*pages: str, **fields: str) -> Note:
    return read_pdf("Papers/Knuth 1974.pdf", PdfText(pages, fields), ParserSettings())


def test_each_page_is_a_passage_that_knows_its_number():
    note = read(f"{LONG}, first", "", f"{LONG}, third")

    assert [(chunk.anchor, chunk.text) for chunk in note.chunks] == [
        ("page=1", f"{LONG}, first"),
        ("page=3", f"{LONG}, third"),
    ]
    assert note.chunks[1].trail == ("Page 3",)
    assert note.chunks[1].heading_path == ()


def test_the_name_is_the_title_and_what_the_file_says_of_itself_is_found_as_well():
    note = read(LONG, title="Structured Programming", author="Donald Knuth", keywords="goto")

    assert (note.title, note.aliases) == ("Knuth 1974", ("Structured Programming",))
    assert note.properties == {"author": "Donald Knuth", "keywords": "goto"}
    assert "Donald Knuth" in note.chunks[0].context


def test_a_title_without_a_letter_is_none():
    assert read(LONG, title=" - 12 ").aliases == ()


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("an exam-\nple", "an example"),
        ("North-\nSouth", "North-\nSouth"),
        ("1974-\n1975", "1974-\n1975"),
        ("soft\u00adly exam\u00ad\nple", "softly example"),
        ("\ufb01nd \ufb02ow", "find flow"),
        ("a\r\nb\x00 \n", "a\nb"),
        ("half \ud83d", "half ?"),
    ],
)
def test_a_page_is_read_as_it_is_searched(page, text):
    assert cleaned(page) == text


def test_signs_of_markdown_mean_nothing_in_a_pdf_file():
    note = read(f"# 1 Introduction\n```\n#tag [[link]] {LONG}", f"## Two {LONG}")

    assert [chunk.anchor for chunk in note.chunks] == ["page=1", "page=2"]
    assert (note.tags, note.links, note.chunks[0].heading_path) == ((), (), ())


def test_secrets_are_blanked_in_pages_and_in_what_the_file_says_of_itself():
    note = read(f"{KEY} {LONG}", title=f"key {KEY}", author=KEY)

    assert KEY not in str(note)


def test_a_file_without_text_is_found_by_its_name_and_its_problem_is_told():
    note = read_pdf("a.pdf", PdfText(("", ""), {}, (message("reason.no-text"),)), ParserSettings())

    assert [chunk.text for chunk in note.chunks] == [""]
    assert note.problems == (message("reason.no-text"),)


@given(st.lists(st.text(max_size=300), max_size=5))
def test_the_text_of_the_index_has_each_passage_at_its_line(pages):
    note = read(*pages)

    lines = text_of_chunks(note.chunks).split("\n")
    for chunk in note.chunks:
        if not any(each.shifts for each in note.chunks):
            assert lines[chunk.line] == chunk.text.split("\n")[0]
