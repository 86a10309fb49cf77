import pytest

from quarry.text.query.terms import content_word, content_words, word_count


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
