import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.analysis.analysis import analyse, phrase_terms
from quarry.analysis.languages import UNSTEMMED
from quarry.analysis.normalize import TAGS
from quarry.index import Index
from quarry.index.postings.columns import (
    BETWEEN,
    MAX_TERM_CHARACTERS,
    NoteTerms,
    chunk_columns,
    decode_terms,
    encode_terms,
    languages_in,
    name_columns,
    note_terms,
    stored,
    vault_languages,
)
from quarry.index.postings.fts5 import _CREATE_INDEX, _CREATE_VOCABULARY
from quarry.index.postings.segment_delta import read_note

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@pytest.mark.slow
@given(
    title=NAMES,
    aliases=st.lists(NAMES, max_size=2),
    tags=st.lists(NAMES, max_size=2),
    texts=st.lists(NAMES, max_size=3),
    heading=NAMES,
)
def test_what_a_note_was_analysed_into_is_what_is_stored(
    tmp_path_factory, make_note, stamp, title, aliases, tags, texts, heading
):
    note = make_note("f/Some_name.md", *texts, title=title, aliases=tuple(aliases), tags=tuple(tags), heading=heading)
    index = Index.open(tmp_path_factory.mktemp("stored") / "i.db")
    index.upsert(note, stamp(), [None] * len(texts))

    found = read_note(index._writer.connection, 1)
    index.check()
    index.close()

    assert found.names == name_columns(note)
    assert [columns for _, columns in found.chunks] == [chunk_columns(chunk) for chunk in note.chunks]
    assert note_terms(note) == NoteTerms(found.names, tuple(columns for _, columns in found.chunks))


def test_a_note_has_its_terms_by_where_they_stand(make_note):
    note = make_note(
        "f/file_name.md",
        "first text",
        "getStale x-y",
        title="A Title",
        aliases=("One", "Two"),
        tags=("t/u",),
        heading="Head",
    )

    title, aliases, name, headings, tags, compounds = name_columns(note)

    assert (title, name, headings, tags) == ("a titl", "file name", "head", "t u")
    assert aliases == f"on {BETWEEN} two"
    assert compounds.split() == ["filenam", "t/u"]


def test_without_stemming_a_note_has_its_words_in_whatever_language(make_note):
    note = make_note("running.md", "Die Häuser am Markt sind alt und nicht dicht", "houses", properties={"lang": "de"})

    terms = note_terms(note, "none")

    tag = TAGS[UNSTEMMED]
    assert terms.names[2] == f"running{tag}"
    assert [columns[0].split()[-1] for columns in terms.chunks] == [f"dicht{tag}", f"houses{tag}"]
    assert languages_in(terms) == UNSTEMMED


def test_a_chunk_has_its_terms_by_where_they_stand(make_note):
    (chunk,) = make_note("a.md", "Of getStaleFiles()", heading="snake_case", context="The apples").chunks

    text, section, context, compounds, parts = chunk_columns(chunk)

    assert (text, section, context) == (analyse("Of getStaleFiles()").words, "snake case", "the appl")
    of_text, of_section = analyse("Of getStaleFiles()"), analyse("snake_case")
    assert compounds.split() == [*of_text.compounds.split(), *of_section.compounds.split()]
    assert parts.split() == [*of_text.parts.split(), *of_section.parts.split()]


def test_headings_stand_once(make_note):
    assert name_columns(make_note("a.md", "x", "y", heading="Head"))[3] == "head"


def test_what_stands_between_two_aliases_is_no_term_of_a_text():
    assert phrase_terms(BETWEEN) == ()


def test_a_column_has_one_space_between_two_terms_and_none_at_its_ends():
    assert stored("  a   b c ") == "a b c"
    assert stored(" ") == stored("") == ""


def test_what_fts5_would_split_or_fold_or_cut_is_replaced_alike_for_all():
    assert stored('it\'s "A\x00b\x1fc\x7f"') == "it_s _a_b_c__"
    long = "机" * (MAX_TERM_CHARACTERS + 1)
    assert stored(f"a {long} {long}x") == f"a {long[:-1]} {long[:-1]}"


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=5))
def test_any_column_is_to_fts5_the_terms_that_the_forward_index_has(words):
    column = stored(" ".join(words))
    connection = apsw.Connection(":memory:")
    connection.execute(_CREATE_INDEX)
    connection.execute(_CREATE_VOCABULARY)
    connection.execute("INSERT INTO notes_fts(rowid, terms) VALUES (1, ?)", (column,))

    terms = column.split(" ") if column else []
    assert sorted(term for (term,) in connection.execute("SELECT term FROM vocabulary")) == sorted(set(terms))
    whole = NoteTerms((column, "", "", "", "", ""), ())
    assert decode_terms(encode_terms(whole)) == whole
    for term in terms:
        asked = '"' + term + '"'
        assert connection.execute("SELECT rowid FROM notes_fts WHERE notes_fts MATCH ?", (asked,)).fetchall() == [(1,)]


@pytest.fixture
def languages(index):
    def read():
        with index.reader() as reader:
            return vault_languages(reader._db)

    return read


def test_a_vault_in_english_has_no_other_language(put, languages):
    put("a.md", "The apple is red and it was good for you.")
    put("42.md", "42", properties={"lang": "de"})

    assert languages() == ()


def test_the_languages_are_those_of_the_notes_after_every_edit(index, put, languages):
    put("a.md", "apple", properties={"lang": "fr"})
    put("b.md", "apple", properties={"lang": "de"})
    put("c.md", "apple", properties={"lang": "de"})
    assert languages() == ("de", "fr")

    index.remove("b.md")
    assert languages() == ("de", "fr")

    put("c.md", "apple", properties={"lang": "tr"})
    assert languages() == ("fr", "tr")

    put("a.md", "apple")
    assert languages() == ("tr",)


def test_a_note_may_have_several(put, languages):
    put("a.md", "Das Haus ist alt und für die Kinder nicht gut.", "La maison est vieille et elle n'a pas de toit.")

    assert languages() == ("de", "fr")


def test_many_notes_in_one_language_are_asked_about_once(index, put, languages):
    with index.batch():
        for number in range(50):
            put(f"{number}.md", "apple", properties={"lang": "de"})
    put("x.md", "apple", properties={"lang": "es"})

    assert languages() == ("de", "es")
