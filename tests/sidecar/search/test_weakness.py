"""What excuses an unlikely answer from being called weak: a date that the note has, but not words of a conversation."""

import pytest
from builders import ask

from quarry.engine import Engine


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("what happened in November 2024?", "Daily/2024-11-05.md"),
        ("what has to be done in January 2027?", "Health/Ears.md"),
    ],
)
def test_a_note_that_has_the_date_is_not_weak(sample: Engine, query, path):
    answer = ask(sample, query)

    assert (answer.hits[0].path, answer.weakness) == (path, None)


def test_one_with_another_date_is(sample: Engine):
    assert ask(sample, "what has to be done in January 2031?").weakness == "unlikely"


@pytest.mark.parametrize("query", ["sounds good to me, do that", "can you also do that for the third one?"])
def test_words_that_refer_to_what_was_said_before_excuse_nothing(sample: Engine, query):
    assert ask(sample, query).weakness == "unlikely"


def test_one_or_two_such_words_are_a_name(sample: Engine):
    assert ask(sample, "that").weakness is None
