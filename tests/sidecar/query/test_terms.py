"""Words stay whole without what surrounds them; a question is recognised."""

import pytest

from quarry.query.terms import content_word, is_question, word_count


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


def test_words_of_a_phrase_are_counted():
    assert [word_count(phrase) for phrase in ("a b-c", "->", "don't")] == [3, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "how much does a rehearsal room cost",
        "What does the baseline cost?",
        "pricing of the new plan?",
        "Wie oft wird das Lager gewechselt",
        "¿Dónde está la llave",
        "Pourquoi le pain ne lève pas",
        "что такое индекс",
        "索引是什么",
        "鍵はどこですか",
        "서버는 왜 느려",
    ],
)
def test_a_question_is_told_by_its_mark_or_its_beginning(text):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rate limit",
        "how to",
        "is null",
        "whatever works for me",
        "walnut bread recipe",
        "tag:how a b",
        "how do I rotate keys?",
        "wie kann ich backen",
    ],
)
def test_words_to_find_and_what_takes_steps_are_none(text):
    assert not is_question(text)
