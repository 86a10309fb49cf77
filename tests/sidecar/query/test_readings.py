"""What a request asks about, told from what it asks for."""

import pytest

from quarry.analysis.languages import LANGUAGES
from quarry.query.readings import FOLLOW_UP, MAX_READINGS, _asked_for, readings

GERMAN = ("de",)


def content(reading):
    return {word.lower() for word in reading.split()}


@pytest.mark.parametrize(
    ("text", "languages", "about", "gone"),
    [
        (
            "Write a short message to the team about the broken oven.",
            (),
            {"broken", "oven"},
            {"write", "short", "message", "team"},
        ),
        ("Please draft a letter on the lease of the mill", (), {"lease", "mill"}, {"please", "draft", "letter"}),
        ("Create checklists/bellows-repair.md for a torn fold", (), {"bellows", "repair", "torn", "fold"}, {"md"}),
        ("Explain why setImmediate runs first", (), {"setimmediate", "runs"}, {"explain"}),
        (
            "Schreib den Kollegen eine kurze Nachricht über den Drucker",
            GERMAN,
            {"drucker"},
            {"schreib", "kollegen", "nachricht"},
        ),
        ("Напиши короткое письмо про печь", (), {"печь"}, {"напиши", "письмо"}),
    ],
)
def test_an_instruction_is_read_without_the_words_for_what_it_asks_for(text, languages, about, gone):
    (whole,) = readings(text, "", languages).queries

    assert about <= content(whole)
    assert not gone & content(whole)


@pytest.mark.parametrize("text", ["How long does glue dry?", "hide glue", "The letter to the mill came back"])
def test_what_is_no_instruction_is_read_as_it_is(text):
    assert readings(text, "", ()) == ({text: 1.0}, "")


@pytest.mark.parametrize("text", ["Fix the typo in the README", "Write a short summary, please", "Bump the version"])
def test_an_instruction_that_is_about_nothing_has_no_reading(text):
    assert readings(text, "What is hide glue?", ()) == ({}, "")


def test_a_sentence_of_several_is_a_reading_if_it_has_much_of_the_subject():
    found = readings("The oven smokes when the mill turns. Write down the causes. Be kind.", "", ()).queries

    assert 1 < len(found) <= MAX_READINGS
    whole, first, *_ = found
    assert found[whole] == 1 > found[first] > 0.3
    assert content(first) >= {"oven", "smokes", "mill", "turns"}
    assert not any(content(reading) == {"kind"} for reading in found)


def test_few_words_are_also_read_behind_those_of_the_request_before():
    (first,), second = readings("and how long?", "Write a note on hide glue", ())

    assert first == "and how long?"
    assert content(second) >= {"hide", "glue", "how"}
    assert "note" not in content(second)
    many = " ".join(f"word{number}" for number in range(FOLLOW_UP + 1))
    assert not readings(many, "hide glue", ()).follow_up
    assert not readings("Explain clamping", "hide glue", ()).follow_up


@pytest.mark.parametrize("language", ["en", "ru", *LANGUAGES])
def test_every_language_that_is_stemmed_has_its_words(language):
    languages = (language,) if language in LANGUAGES else ()
    assert len(_asked_for(languages).verbs) > len(_asked_for(()).verbs) or language in {"en", "ru"}


@pytest.mark.parametrize("text", ["commit this and push it to the server", "deploy this to the server"])
def test_an_errand_whose_one_other_word_is_no_name_has_no_subject(text: str):
    assert not readings(text, "", ()).queries


@pytest.mark.parametrize("text", ["deploy this to Kombüse", "write about the server", "push the blog server image"])
def test_a_name_or_other_work_is_a_subject(text: str):
    assert readings(text, "", ()).queries
