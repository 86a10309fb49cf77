"""Words, phrases and text that rank are collected from the tree of a query."""

import pytest

from quarry.query.grammar import parse_query_tree
from quarry.query.terms import QueryTerms, content_word, content_words, word_count


def collected(typed: str) -> QueryTerms:
    tree = parse_query_tree(typed)
    assert tree is not None
    terms = QueryTerms()
    terms.add(tree)
    return terms


@pytest.mark.parametrize(
    ("typed", "words", "phrases"),
    [
        ("Rate limits?", ["rate", "limits"], []),
        ('a "b c" d', ["a", "d"], ["b c"]),
        ('a -b -"c d" -(e f)', ["a"], []),
        ("a OR (b OR c)", ["a", "b", "c"], []),
        ("#tag path:x folder:y [p:q] /r+/ a", ["a"], []),
        ('content:"b c" section:(d -e) task:f content:#g', ["d", "f", "g"], ["b c"]),
    ],
)
def test_what_is_said_ranks_and_what_is_excluded_or_of_the_file_does_not(typed: str, words: list, phrases: list):
    terms = collected(typed)

    assert terms.words == words
    assert terms.phrases == phrases


@pytest.mark.parametrize(
    ("typed", "last_word", "end"),
    [("rate lim", "lim", 8), ("rate lim?", "lim", None), ("section:lim", "lim", None), ("rate ", "rate", 4)],
)
def test_the_last_word_may_be_unfinished_only_where_nothing_follows_it(typed: str, last_word: str, end: int | None):
    terms = collected(typed)

    assert (terms.last_word, terms.end) == (last_word, end)


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("Git", "git"),
        ("'x'", "x"),
        ("(x", "x"),
        ("why?!", "why"),
        ("**bold**", "bold"),
        ("「日本」", "日本"),
        ("malloc()", "malloc"),
        ("getStaleFiles", "getStaleFiles"),
        ("HTTPServer", "HTTPServer"),
        ("README.md", "readme.md"),
        ("C++", "c++"),
        ("C#", "c#"),
        (".NET", ".net"),
        ("--flag", "--flag"),
        ("@user", "@user"),
        ("__init__", "__init__"),
        ("#1", "1"),
        ("user's", "user's"),
        ("😀", "😀"),
        ("→", "→"),
        ("->", None),
        ("&", None),
        ("", None),
    ],
)
def test_a_word_stays_whole_without_what_surrounds_it(written, word):
    assert content_word(written) == word


def test_stop_words_go_where_anything_else_is_left():
    assert content_words(["what's", "the", "to-do", "list", "list"]) == ("to-do", "list")
    assert content_words(["the", "who"]) == ("the", "who")
    assert content_words(["the", "who"], alone=False) == ()


def test_words_of_a_phrase_are_counted():
    assert [word_count(phrase) for phrase in ("a b-c", "->", "don't")] == [3, 1, 2]
