import re
import threading
import unicodedata

import apsw
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from quarry.analysis.languages import LANGUAGES, UNSTEMMED
from quarry.analysis.normalize import (
    MAX_TERM_CHARS,
    TAGS,
    fold,
    german_stem,
    language_of_term,
    plain_stem,
    stem,
    untagged,
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("CAFÉ", "cafe"),
        ("Straße", "strasse"),
        ("naïve", "naive"),
        ("数据", "数据"),
        ("가", "가"),
        ("ｆｕｌｌ", "full"),
        ("ｶﾞ", "ガ"),
        ("ﬁn", "fin"),
        ("हिन्दी", "हिन्दी"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("می‌خواهم", "میخواهم"),
        ("soft\u00adhyphen", "softhyphen"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
    ],
)
def test_words_are_folded(word, expected):
    assert fold(word) == expected


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("Jumping", "jump"),
        ("Résumés", "resum"),
        ("v1", "v1"),
        ("s", "s"),
        ("is", "is"),
        ("Häuser", "hauser"),
        ("日", "日"),
    ],
)
def test_english_looking_words_are_stemmed(word, term):
    assert stem(word) == term


@pytest.mark.parametrize(
    ("forms", "term"),
    [
        ("Заметка заметки заметок за\u0301метками", "заметк"),
        ("отец отца отцами", "отц"),
        ("копейка копейки копеек", "копеик"),
        ("ёлка елки ёлок", "елк"),
        ("нотатки нотаток", "нотатк"),
        ("он", "он"),
    ],
)
def test_cyrillic_words_are_stemmed_as_russian(forms, term):
    assert {stem(form) for form in forms.split()} == {term}


@given(st.text(alphabet="абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ", min_size=1, max_size=12))
def test_a_cyrillic_word_has_one_term_composed_or_not_and_in_capitals(word):
    assert stem(unicodedata.normalize("NFD", word)) == stem(word) == stem(word.upper())


@pytest.mark.parametrize(
    ("language", "forms", "term"),
    [
        ("de", "Häuser Hauses Haus haeuser HÄUSERN Ha\u0308user", "haus"),
        ("de", "Straße Strasse Straßen", "strass"),
        ("de", "gekauft kaufen", "kauf"),
        ("fr", "chevaux cheval", "cheval"),
        ("fr", "mangées manger", "mang"),
        ("es", "comía comer", "com"),
        ("es", "canciones canción cancion", "cancion"),
        ("pl", "łódka łódki", "łodk"),
        ("tr", "bunu", "bunu"),
    ],
)
def test_latin_words_are_stemmed_in_the_language_of_their_text(language, forms, term):
    assert {stem(form, language) for form in forms.split()} == {term + TAGS[language]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_any_language_letters_alone_are_tagged(language):
    assert [stem(word, language) for word in ("42", "v1", "заметок", "机", "가")] == ["42", "v1", "заметк", "机", "가"]
    for word in ("a", "ei", "été", "Łódź", "GitHub"):
        assert stem(word, language)[-1] == TAGS[language]
        assert language_of_term(stem(word, language)) == language
        assert stem(word, language) == untagged(stem(word, language)) + TAGS[language]


@pytest.mark.parametrize(
    ("word", "term"), [("Running", "running"), ("is", "is"), ("Häuser", "hauser"), ("Заметок", "заметок")]
)
def test_an_unstemmed_word_is_only_folded_and_has_a_tag(word: str, term: str):
    assert stem(word, UNSTEMMED) == plain_stem(word, UNSTEMMED) == term + TAGS[UNSTEMMED]
    assert (language_of_term(stem(word, UNSTEMMED)), untagged(stem(word, UNSTEMMED))) == (UNSTEMMED, term)


@pytest.mark.parametrize("word", ["v2", "机", "שלום", "2026", "αβγ"])
def test_what_has_no_stem_has_one_term_whether_words_are_stemmed_or_not(word: str):
    assert stem(word, UNSTEMMED) == stem(word)


def test_no_term_of_english_has_a_tag():
    assert not {stem(tag) for tag in TAGS.values()} & {*TAGS.values()}
    assert (language_of_term("apple"), untagged("apple"), language_of_term("")) == ("en", "apple", "en")


def test_a_word_typed_without_its_accents_has_a_stem_of_its_own():
    assert plain_stem("comía", "es") == stem("comia", "es") != stem("comía", "es")


def test_long_data_is_known_by_its_beginning():
    assert stem("A1" * 5000) == "a1" * (MAX_TERM_CHARS // 2)


@given(st.text(st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc", "Cs"])))
@example("ﷺ")
def test_a_folded_word_has_no_space(word):
    assert fold(word).split() in ([], [fold(word)])


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_folding_ascii_is_lowering(text):
    assert fold(text) == text.lower()


# Snowball's stemmer undoubles the letters that English doubles; a word that is an ending is stemmed in another way.
UNLIKE_FTS5 = re.compile(r"ies|eed|sses|.*(?:([cvy])\1|(?:bl|log)[yi])(?:ed|ing)|.*(?:bl|log)ie")


@given(st.text(alphabet="abcdefgilmnostuvy", min_size=3, max_size=12))
@example("abbli")
@example("obloglogies")
def test_stems_are_those_of_fts5(word):
    assume(not UNLIKE_FTS5.fullmatch(word))
    porter = apsw.Connection(":memory:").fts5_tokenizer("porter", ["ascii"])

    (expected,) = porter(
        word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
    )

    assert stem(word) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("possibly", "possible"),
        ("technology", "technological"),
        ("psychologies", "psychological"),
        ("assembly", "assembled"),
        ("analogies", "analog"),
        ("technologie", "technologies"),  # one letter before the end of it is typed
    ],
)
def test_forms_that_porters_later_rules_join_have_one_stem(one, other):
    assert stem(one) == stem(other)


def test_threads_do_not_share_a_stemmer():
    found = []
    threads = [threading.Thread(target=lambda: found.append([stem("jumping") for _ in range(200)])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [["jump"] * 200] * 8


@pytest.mark.parametrize(
    ("forms", "stem"),
    [
        ("haus häuser häusern haeuser hauses", "haus"),
        ("kaufen kaufe kauft gekauft kaufte", "kauf"),
        ("singen gesingt singst", "sing"),
        ("bezahlen bezahlt bezahlte", "bezahl"),
        ("fällen gefällt fällt faellt", "fall"),
        ("strasse strassen", "strass"),
        ("preis preise preisen preises", "preis"),
        ("gehen geht", "geh"),
        ("neue neues", "neu"),
        ("bauer bauern", "bauer"),
        ("hauen gehauen haut", "hau"),
        ("quelle quellen", "quell"),
        ("schritt schritte", "schritt"),
        ("liebe lieben", "lieb"),
        ("ei", "ei"),
        ("", ""),
    ],
)
def test_forms_of_a_word_have_one_stem(forms, stem):
    assert {german_stem(form) for form in forms.split() or [""]} == {stem}


def test_other_letters_are_left_as_they_are():
    assert german_stem("café") == "café"
    assert german_stem("łódź") == "łódź"
