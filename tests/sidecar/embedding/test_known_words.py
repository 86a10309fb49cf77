import pytest

from quarry.embedding import Encoder, is_known_word


@pytest.mark.parametrize("word", ["resource", "Gardening", "night"])
def test_common_words_are_known_in_any_case(word: str):
    assert is_known_word(word)


@pytest.mark.parametrize("word", ["", "resorce", "xqzt", "##ing", "[UNK]", "Rechnung"])
def test_slips_names_of_tokens_and_other_languages_are_not(word: str):
    assert not is_known_word(word)


def test_what_is_known_without_a_model_is_what_the_bundled_one_knows(bundled_encoder: Encoder):
    words = ["walnut", "accordion", "acordion", "casting", "costing", "brot", "backen", "sunday", "reeds", "tuning"]

    assert [is_known_word(word) for word in words] == [bundled_encoder.is_word(word) for word in words]
