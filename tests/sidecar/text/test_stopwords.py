"""Stop words are words as a query has them."""

import pytest

from quarry.text.stopwords import STOP_WORDS
from quarry.text.words import WORD


def test_every_stop_word_is_one_lower_case_word() -> None:
    assert [word for word in STOP_WORDS if WORD.findall(word.lower()) != [word]] == []


@pytest.mark.parametrize("word", ["no", "new", "get", "make", "use", "against", "git", "go", "c", "r"])
def test_words_that_mean_something_are_none(word: str) -> None:
    assert word not in STOP_WORDS
