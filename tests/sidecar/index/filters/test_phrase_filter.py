"""Phrases as SQL: found by the terms of the notes, or by how they are written."""

import pytest

from quarry.errors import Cancelled
from quarry.index import Deadline
from quarry.index.database import NO_DEADLINE
from quarry.index.filters.phrase_filter import ALWAYS, IndexedPhrases, WrittenPhrases


@pytest.fixture(params=["memory", "fts5"])
def phrases(request, index, by_fts5):
    """Phrases by either retriever, and the connection to ask over."""
    with index.reader() as reader, by_fts5(index) as other:
        keywords = reader.keywords if request.param == "memory" else other
        yield IndexedPhrases(keywords, NO_DEADLINE), reader._db


@pytest.fixture
def vault(put):
    put("a.md", "A red", "car -> here", title="x")
    put("b.md", "x", title="Red car", aliases=("blue sky", "Big"))
    put("c.md", "x", heading="Red cars ->", title="x")
    put("d.md", "car, red", tags=("red/car",), title="x")


def notes(found, connection):
    sql = f"SELECT n.id FROM notes n WHERE {found.text} ORDER BY n.id"
    return [row[0] for row in connection.execute(sql, found.bindings)]


def chunks(found, connection):
    sql = f"SELECT c.note_id, c.number FROM chunks c WHERE {found.text} ORDER BY c.id"
    return connection.execute(sql, found.bindings).fetchall()


def test_what_may_be_in_a_text_is_narrowed_down_by_its_terms(vault, phrases):
    found, connection = phrases

    assert chunks(found.may_be_in_text("car here"), connection) == [(1, 1)]
    assert chunks(found.may_be_in_text("red car"), connection) == []
    assert found.may_be_in_text("->") == ALWAYS


def test_a_phrase_without_any_term_is_searched_for_as_it_is_written(vault, phrases):
    found, connection = phrases

    assert notes(found.in_note("->"), connection) == [1]
    assert chunks(found.in_section("->"), connection) == [(1, 1), (3, 0)]


def test_nothing_typed_becomes_sql(vault, phrases):
    found, connection = phrases

    for text in ("' OR 1 --", '"; DROP TABLE notes', "? OR 1", "x' car"):
        for fragment in (found.in_note(text), WrittenPhrases().in_note(text)):
            assert text not in fragment.text
            assert notes(fragment, connection) == []


def test_without_the_keyword_index_phrases_are_searched_for_as_they_are_written(index, vault):
    found = WrittenPhrases()
    with index.reader() as reader:
        assert notes(found.in_note("RED  CAR"), reader._db) == [2]
        assert notes(found.in_note("blue sky"), reader._db) == [2]
        assert chunks(found.in_section("red car"), reader._db) == [(3, 0)]
        assert found.may_be_in_text("red car") == ALWAYS


def test_a_phrase_is_looked_for_no_longer_than_the_deadline(index, vault):
    deadline = Deadline(float("inf"), lambda: True)

    with index.reader() as reader, pytest.raises(Cancelled):
        IndexedPhrases(reader.keywords, deadline).in_note("red car")
