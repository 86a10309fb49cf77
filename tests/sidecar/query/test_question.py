"""What is a question, and what is not."""

import pytest

from quarry.query.terms import is_question


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
