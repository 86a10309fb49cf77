import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.index.keyword import columns as keyword_columns
from quarry.index.keyword.columns import BETWEEN, chunk_columns, note_columns, register
from quarry.terms.analysis import phrase_terms


@pytest.fixture
def connection():
    made = apsw.Connection(":memory:")
    register(made)
    return made


def stored(index):
    """What the views say of all notes and chunks."""
    connection = index._writer.connection
    notes = connection.execute("SELECT title, aliases, name, headings, tags, compounds FROM name_terms").fetchall()
    chunks = connection.execute("SELECT text, section, context, compounds, parts FROM chunk_terms").fetchall()
    return notes, chunks


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@pytest.mark.slow
@given(
    title=NAMES,
    aliases=st.lists(NAMES, max_size=2),
    tags=st.lists(NAMES, max_size=2),
    texts=st.lists(NAMES, max_size=3),
    heading=NAMES,
)
def test_what_is_written_is_what_the_views_say(
    tmp_path_factory, make_note, stamp, title, aliases, tags, texts, heading
):
    from quarry.index import Index

    note = make_note("f/Some_name.md", *texts, title=title, aliases=tuple(aliases), tags=tuple(tags), heading=heading)
    index = Index.open(tmp_path_factory.mktemp("views") / "i.db")
    index.upsert(note, stamp(), [None] * len(texts))

    notes, chunks = stored(index)
    index.close()

    assert notes == [note_columns(note)]
    assert chunks == [chunk_columns(c.text, c.section, c.context) for c in note.chunks]


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

    title, aliases, name, headings, tags, compounds = note_columns(note)

    assert (title, name, headings, tags) == ("a titl", "file name", "head", "t u")
    assert aliases == f"on {BETWEEN} two"
    assert compounds.split() == ["filenam", "t/u"]


def test_headings_stand_once(make_note):
    assert note_columns(make_note("a.md", "x", "y", heading="Head"))[3] == "head"


def test_what_stands_between_two_aliases_is_no_term_of_a_text():
    assert phrase_terms(BETWEEN) == ()


def test_damaged_lists_are_empty(connection):
    assert connection.execute("SELECT words_in_list('{'), words_in_list('{}'), words_in_list('[1]')").fetchall() == [
        ("", "", "")
    ]


def test_an_index_filled_by_another_version_is_filled_anew(index, put, monkeypatch, ask, in_time):
    from quarry.index import Index

    put("a.md", "apples")
    with index._writer.change() as connection:
        connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")
    index.close()
    monkeypatch.setattr(keyword_columns, "VERSION", "another")

    again = Index.open(index.path)

    with again.reader() as reader:
        assert len(reader.lexical(ask("apples"), None, 5, deadline=in_time)) == 1
    again.close()
