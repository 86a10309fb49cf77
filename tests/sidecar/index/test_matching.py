import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import BadQuery
from quarry.index.matching import MAX_QUOTED, check_phrases, is_indexed, literal_words, phrase_expression
from quarry.index.matching import ranking_expression as expression


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_nothing_typed_is_syntax(words):
    database = apsw.Connection(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(text)")

    for asked in map(phrase_expression, words):
        database.execute("SELECT * FROM t WHERE t MATCH ?", (asked,)).fetchall()


def test_any_phrase_or_word_ranks(ask):
    assert expression(ask('two "2', phrases=["a phrase"])) == '"a phrase" OR "two" OR """2"'


def test_words_beyond_the_cap_are_dropped(ask):
    words = " ".join(f"w{n}" for n in range(100))

    assert expression(ask(words)).count('"') == 2 * MAX_QUOTED


def test_too_many_phrases_are_refused_and_not_forgotten():
    check_phrases(["x"] * MAX_QUOTED)
    with pytest.raises(BadQuery, match="33 phrases"):
        check_phrases(["x"] * (MAX_QUOTED + 1))


@pytest.mark.parametrize("word", ["日本", "機械学習 2024", "😀", "->", "ไทย", "ひらがな"])
def test_what_the_keyword_index_cannot_see_is_looked_for_as_written(ask, word):
    assert not is_indexed(word)
    assert literal_words(ask(phrases=[word])) == [word]
    assert expression(ask(phrases=[word])) is None


@pytest.mark.parametrize("word", ["word", "c++", "naïve", "한국", "Ελλάδα", "עברית", "2024"])
def test_words_between_spaces_are_indexed(word):
    assert is_indexed(word)
