import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from quarry.embedding.extension import has_runs
from quarry.embedding.model_files import BUNDLED, TRANSLATIONS_FILE, hash_model
from quarry.embedding.static import StaticEncoder, load_static_encoder
from quarry.embedding.translations import MAX_ENDING, Translations

LIST = BUNDLED.path / TRANSLATIONS_FILE


@pytest.fixture(scope="module")
def shipped() -> Translations:
    return Translations(LIST)


def test_every_line_has_a_word_that_the_model_lacks_and_english_words_that_it_has(bundled: StaticEncoder) -> None:
    lines = LIST.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]

    assert len(rows) > 40_000
    assert all(former[0] < latter[0] for former, latter in pairwise(rows))
    assert [
        word for word, _ in rows if bundled.is_word(word) or not re.fullmatch(r"[^\W\d_]+", word) or has_runs(word)
    ] == []
    english = {each for _, words in rows for each in words.split(" ")}
    assert [each for each in english if not bundled.is_word(each)] == []
    assert {len(words.split(" ")) for _, words in rows} == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("word", "english"),
    [("kerze", "candle"), ("ordinateur", "computer"), ("código", "code"), ("não", "not"), ("urządzenia", "device")],
)
def test_a_word_of_another_language_has_english_words(shipped: Translations, word: str, english: str) -> None:
    assert english in shipped.english(word).split()


def test_an_inflected_form_has_those_of_the_word_that_begins_alike(tmp_path: Path) -> None:
    (tmp_path / "list.tsv").write_text("kerze\tcandle\nlampen\tlamp\nlampenschirm\tshade\n", "utf-8")
    own = Translations(tmp_path / "list.tsv")

    assert [own.english(word) for word in ("kerze", "kerzen", "kerzens")] == ["candle"] * 3
    assert own.english("lampenlicht") == ""  # more letters behind the stem than an ending has
    assert own.english("lampenschir") == "shade"
    assert own.english("kerz") == ""  # too short for a stem
    assert own.english("z" * (5 + MAX_ENDING)) == own.english("") == own.english("\ud800") == ""


def test_a_text_has_english_words_in_the_place_of_those_asked_for(bundled: StaticEncoder) -> None:
    assert bundled.in_english("Kerze und Docht", ["kerze"]) == "candle light und Docht"
    assert bundled.in_english("Kerze, Xqzvbn, und", ["kerze", "xqzvbn", "und"]) == "candle light, , und"


@pytest.mark.parametrize("text", ["Xqzvbn", "waxing a reed", "笔记 ветка", "", "\ud800"])
def test_a_text_without_such_words_stays(bundled: StaticEncoder, text: str) -> None:
    assert bundled.in_english(text, text.lower().split()) == text


def test_a_translated_text_is_near_what_it_means(bundled: StaticEncoder) -> None:
    text = "ordinateur portable volé"
    meant, near, as_written = bundled.encode([bundled.in_english(text, text.split()), "stolen laptop computer", text])

    assert np.dot(meant, near) > np.dot(as_written, near) + 0.2


def test_only_the_bundled_model_has_the_list(bundled_copy: Path) -> None:
    assert load_static_encoder(str(bundled_copy)).in_english("Kerze", ["kerze"]) == "Kerze"


def test_a_vector_does_not_depend_on_it(bundled: StaticEncoder) -> None:
    without = replace(BUNDLED, must_have_translations=False)

    assert bundled.fingerprint.weights_sha256 == hash_model(BUNDLED) == hash_model(without)
