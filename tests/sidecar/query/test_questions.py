"""Questions are recognised in the languages that are stemmed, and names that begin like one are none."""

import pytest

from quarry.query.questions import asks_for_steps, defined_subject, is_answered_by_a_sentence, is_question


@pytest.mark.parametrize(
    "text",
    [
        "how much does a rehearsal room cost",
        "What does the baseline cost?",
        "pricing of the new plan?",
        "can the bus be extended",
        "Wie oft wird das Lager gewechselt",
        "¿Dónde está la llave",
        "Pourquoi le pain ne lève pas",
        "come si fa il pane",
        "что такое индекс",
        "索引是什么",
        "鍵はどこですか",
        "서버는 왜 느려",
    ],
)
def test_a_question_is_told_by_its_mark_or_its_beginning(text):
    assert is_question(text)
    assert is_answered_by_a_sentence(text)


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
        "Will Smith biography",
        "can bus protocol",
        "do not disturb mode",
        "come together lyrics",
        "chi squared test",
    ],
)
def test_words_to_find_are_none(text):
    assert not is_question(text)


@pytest.mark.parametrize(
    "text", ["how do I rotate keys?", "how to rotate keys", "wie kann ich backen", "wie man backt"]
)
def test_what_takes_steps_is_a_question_that_no_sentence_answers(text):
    assert asks_for_steps(text)
    assert is_question(text)
    assert not is_answered_by_a_sentence(text)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What is a digital garden?", "digital garden"),
        ("what's entropy", "entropy"),
        ("who was Norbert Wiener", "norbert wiener"),
        ("Was ist ein digitaler Garten?", "digitaler garten"),
        ("what is the rate limit", None),
        ("what is my blood type", None),
        ("what is glue made of", None),
        ("what is in the box", None),
        ("how hot is glue", None),
    ],
)
def test_what_a_thing_is_is_asked_without_an_aspect_of_it(text, subject):
    assert defined_subject(text) == subject
