"""The words by which prompts are told to concern no note."""

from quarry.agents.hooks.words import ACKNOWLEDGEMENTS, CHORES


def test_they_are_compared_in_small_letters():
    assert all(word == word.casefold() for word in ACKNOWLEDGEMENTS | CHORES)


def test_no_subject_is_among_them():
    assert not {"auth", "token", "database", "meeting", "recipe", "server"} & (ACKNOWLEDGEMENTS | CHORES)
