from quarry.analysis.analysis import phrase_terms
from quarry.analysis.stopwords import STOP_WORDS


def test_stop_words_are_single_words_as_they_are_compared():
    assert all(word.lower() == word and len(phrase_terms(word)) == 1 for word in STOP_WORDS)


def test_contractions_are_known_as_they_are_compared():
    assert {"dont", "isnt", "wont", "cant"} <= STOP_WORDS


def test_words_that_carry_meaning_in_notes_stay():
    assert not STOP_WORDS & {"no", "new", "first", "against", "without", "get", "use", "make"}
