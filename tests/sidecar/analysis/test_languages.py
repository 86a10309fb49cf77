import pytest

from quarry.analysis.analysis import phrase_terms
from quarry.analysis.languages import (
    LANGUAGES,
    STOP_WORDS,
    declared_language,
    function_words,
    hinted_languages,
    language_of,
)

TEXTS = {
    "de": "Das Haus ist alt und hat kein Dach. Wir haben es mit einem Nachbarn für die Kinder gekauft.",
    "fr": "La maison est vieille et elle n'a pas de toit. Nous l'avons achetée avec un voisin pour les enfants.",
    "es": "La casa es vieja y no tiene tejado. La compramos con un vecino para los niños, pero más tarde.",
    "it": "La casa è vecchia e non ha il tetto. Questa estate sono andato con gli amici della scuola.",
    "pt": "A casa é velha e não tem telhado. Isso foi feito com uma vizinha para os meninos, mas também pelo pai.",
    "nl": "Het huis is oud en heeft geen dak. Wij hebben het niet voor de kinderen maar met een buurman gekocht.",
    "sv": "Huset är gammalt och har inte något tak. Vi köpte det med en granne för barnen, men det var dyrt.",
    "da": "Huset er gammelt og har ikke noget tag. Vi købte det med en nabo for at få plads, hvad der blev meget dyrt.",
    "no": "Huset er gammelt og har ikke noe tak. Jeg vet ikke hva det kostet, men vi har mye plass etter flyttingen.",
    "fi": "Talo on vanha ja siinä ei ole kattoa. Se oli myös kallis, mutta minä olen nyt sitä mieltä että hän voi.",
    "hu": "A ház nagyon régi és nincs teteje. Azt mondta, hogy ez csak egy nagyon kis ház, de már minden van benne.",
    "ro": "Casa este foarte veche și nu are acoperiș. Am fost acolo după ce sunt și eu mai bine, dar fără copii.",
    "tr": "Ev çok eski ve çatısı yok. Bu yıl komşu ile birlikte aldık, ama çocuklar için daha sonra ne var bilmiyorum.",
    "pl": "Dom jest bardzo stary i nie ma dachu. Kupiliśmy go, żeby dzieci już nie były przy drodze, ale tylko że tak.",
    "cs": "Dům je velmi starý a nemá střechu. Koupili jsme ho pro děti, když jsem byl ještě mladý, protože se mi líbí.",
    "ca": "La casa és molt vella i no té teulada. Amb els veïns, però també perquè els nens són aquí i ja hi ha sol.",
    "en": "The house is old and has no roof. We bought it with a neighbour for the children.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_two_sentences_tell_their_language(language):
    assert language_of(TEXTS[language]) == language


def test_every_language_has_an_example():
    assert TEXTS.keys() == {*LANGUAGES, "en"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Milk, bread, eggs",
        "Zwirner",
        "int main(int argc, char *argv[]) { for (int i = 0; i < n; i++) a += s[i]; }",
        "2026-01-31 14:05 | 3.5 | 42",
        "заметки о птицах",
        "机器学习",
    ],
)
def test_names_lists_code_and_other_scripts_tell_none(text):
    assert language_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "El Festín de Satanás is a film of 1958.",
        "The Museum of the Château de Versailles: a visit with the children, and the way there.",
        "He will die in the war, so the man has to come to the old fin de siècle hotel in the Rue de la Paix.",
        "the gift of the tag on a hat, also bad, is for the den",
    ],
)
def test_foreign_names_and_words_with_two_meanings_leave_english_english(text):
    assert language_of(text) in ("en", None)


@pytest.mark.parametrize(
    ("properties", "language"),
    [
        ({"lang": "de"}, "de"),
        ({"Language": "German"}, "de"),
        ({"language": " Français "}, "fr"),
        ({"lang": "pt-BR"}, "pt"),
        ({"lang": "de_AT"}, "de"),
        ({"lang": "nb"}, "no"),
        ({"lang": "en"}, "en"),
        ({"lang": "uk"}, "en"),
        ({"lang": ""}, None),
        ({"lang": ("de", "en")}, None),
        ({"lang": 3}, None),
        ({"title": "de"}, None),
        ({}, None),
    ],
)
def test_a_property_declares_the_language(properties, language):
    assert declared_language(properties) == language


def test_every_language_has_function_words():
    assert "nicht" in function_words("de")
    assert all(len(function_words(language)) > 30 for language in LANGUAGES)


@pytest.mark.parametrize(
    ("text", "hinted"),
    [
        ("nach vorne", {"de"}),
        ("the café", {"en", "fr"}),
        ("a b I", set()),
        ("walnut oil", set()),
        ("Los Angeles", {"es"}),
    ],
)
def test_a_function_word_or_an_accent_hints_at_languages(text: str, hinted: set[str]):
    assert hinted <= hinted_languages(text)
    assert bool(hinted) == bool(hinted_languages(text))
    assert ("en" in hinted) == ("en" in hinted_languages(text))


def test_stop_words_are_single_words_as_they_are_compared():
    assert all(word.lower() == word and len(phrase_terms(word)) == 1 for word in STOP_WORDS)


def test_contractions_are_known_as_they_are_compared():
    assert {"dont", "isnt", "wont", "cant"} <= STOP_WORDS


def test_words_that_carry_meaning_in_notes_stay():
    assert not STOP_WORDS & {"no", "new", "first", "against", "without", "get", "use", "make"}
