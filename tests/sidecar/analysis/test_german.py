import pytest

from quarry.analysis.german import german_stem


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
