import pytest

from quarry.analysis.alternatives import SEPARATOR, alternatives, phrase_alternatives, split_alternatives
from quarry.analysis.analysis import phrase_terms

BOTH = ("de", "fr")


def test_in_a_vault_in_english_a_term_is_its_only_alternative():
    assert alternatives(lambda language: [language, "x"], ()) == ("en", "x")
    assert split_alternatives("apple") == ["apple"]


def test_stems_of_a_word_are_joined_and_equal_ones_stand_once():
    assert alternatives(lambda language: [language, "42"], BOTH) == (f"en{SEPARATOR}de{SEPARATOR}fr", "42")
    assert split_alternatives(f"en{SEPARATOR}de{SEPARATOR}fr") == ["en", "de", "fr"]


@pytest.mark.parametrize("phrase", ["42", "", "Häuser am See 42", "v1.2 机器", "l'été d'un snake_case"])
def test_a_phrase_is_asked_for_in_each_language(phrase):
    in_each = [phrase_terms(phrase), *[tuple(stem_all(phrase, language)) for language in BOTH]]

    assert phrase_alternatives(phrase_terms(phrase, BOTH)) == [*dict.fromkeys(filter(None, in_each))]


def stem_all(phrase, language):
    return (split_alternatives(term)[-1] for term in phrase_terms(phrase, (language,)))
