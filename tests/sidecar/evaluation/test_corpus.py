"""Writing corpora out: a document is its note, and no id leads anywhere it should not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.note import ParserSettings, read_note
from quarry.evaluation.collections import CorpusDocument
from quarry.evaluation.corpus import note_of, write_vault


def paths(vault, *ids):
    return [path for path, _ in write_vault((CorpusDocument(id_, "", "x") for id_ in ids), vault)]


def title_of(data):
    return read_note("file name.md", data, ParserSettings()).title


def test_an_id_that_can_be_a_path_is_the_path(tmp_path):
    ids = ("a.md", "Some folder/b c.md", "Garden/Büsche/浜松.md", "dotted.name.2022.md")

    assert paths(tmp_path / "vault", *ids) == list(ids)


@pytest.mark.parametrize(
    "id_",
    [
        "p0",
        "https://example.org/page.md",
        "../../escape.md",
        "a/../../../escape.md",
        "/absolute.md",
        "C:/drive.md",
        "back\\slash.md",
        ".hidden.md",
        ".git/config.md",
        "a//b.md",
        "a/./b.md",
        "NUL.md",
        "question?.md",
        "a/",
        ".md",
        "x" * 300 + ".md",
        "y/" * 600 + "z.md",
    ],
)
def test_any_other_id_becomes_a_number_inside_the_vault(tmp_path, id_):
    vault = tmp_path / "outer" / "vault"

    assert paths(vault, id_) == ["000/000000.md"]
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [vault / "000" / "000000.md"]


def test_no_two_documents_share_a_file_on_any_file_system(tmp_path):
    ids = (
        "Note.md",
        "note.md",
        "Caf\u00e9.md",
        "Cafe\u0301.md",
        "a.md",
        "a.md/b.md",
        "d/e.md/f.md",
        "d/e.md",
        "000/000001.md",
    )

    found = paths(tmp_path / "vault", *ids)

    assert len({path.casefold() for path in found}) == len(ids)
    assert sum(file.is_file() for file in (tmp_path / "vault").rglob("*")) == len(ids)
    assert found[0] == "Note.md"
    assert found[1] != "note.md"


def test_numbers_fill_folders_of_a_thousand(tmp_path):
    found = paths(tmp_path / "vault", *(f"p{number}" for number in range(1_001)))

    assert (found[0], found[999], found[1_000]) == ("000/000000.md", "000/000999.md", "001/001000.md")


def test_all_notes_are_of_the_same_age(tmp_path):
    paths(tmp_path / "vault", "a.md", "b.md")

    assert len({file.stat().st_mtime_ns for file in (tmp_path / "vault").iterdir()}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Plain.",
        "",
        "# Another heading\n",
        "---\nA rule, then text.\n",
        "---\nnot closed: 1\n",
        "\ufeff# Marked\n",
        "a\0b",
        "one\r\ntwo\r\n",
    ],
)
def test_a_title_goes_into_front_matter_and_the_text_stays_as_it_is(text):
    data = note_of(CorpusDocument("a", "The title", text))

    assert data == b'---\ntitle: "The title"\n---\n' + text.encode()
    assert title_of(data) == "The title"


def test_a_text_that_gives_its_title_itself_is_written_as_it_is():
    for text in ("# The title\n\nx", "---\ntitle: The title\n---\nx", "Some words.\n\n# the TITLE\n"):
        assert note_of(CorpusDocument("a", "The title", text)) == text.encode()


def test_front_matter_of_its_own_gets_the_title_or_keeps_its_own():
    lacking = note_of(CorpusDocument("a", "The title", "---\r\ntags: [x]\r\n---\r\nText.\r\n"))
    other = note_of(CorpusDocument("a", "The title", "---\nTitle: Its own\n---\nText."))

    assert title_of(lacking) == "The title"
    assert read_note("a.md", lacking, ParserSettings()).tags == ("x",)
    assert title_of(other) == "Its own"
    assert other == b"---\nTitle: Its own\n---\nText."


def test_without_a_title_nothing_is_added():
    assert note_of(CorpusDocument("a", "", "Text.")) == b"Text."
    assert note_of(CorpusDocument("a", " \n\x00", "Text.")) == b"Text."


def test_a_lone_surrogate_does_not_end_it():
    assert note_of(CorpusDocument("a", "b\ud800c", "d\ud800e")) == b'---\ntitle: "b c"\n---\nd?e'


@given(
    st.text(
        st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \"'\\:#{}[]|>&*!%@`-"), min_size=1, max_size=60
    )
)
def test_any_title_is_read_back_as_it_was(title):
    wanted = " ".join(title.split())
    if wanted:
        assert title_of(note_of(CorpusDocument("a", title, "Text."))) == wanted
