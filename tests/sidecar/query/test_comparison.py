"""Which texts compare two subjects, and which subjects."""

import pytest

from quarry.query.comparison import read_comparison


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("TCP vs UDP", ("TCP", "UDP")),
        ("bellows cloth versus split sheepskin", ("bellows cloth", "split sheepskin")),
        ("What is the difference between hide glue and shellac?", ("hide glue", "shellac")),
        ("compare the graph view with the tree view", ("graph view", "tree view")),
        ("should we use hooks or pods?", ("hooks", "pods")),
        ("traits or templates", ("traits", "templates")),
        ("In Praise of Shadows vs. The Craftsman", ("In Praise of Shadows", "Craftsman")),
        ("Was ist der Unterschied zwischen Biber und Schiefer?", ("Biber", "Schiefer")),
        ("Vergleiche Chor und Rad", ("Chor", "Rad")),
        ("différence entre fièvre et diarrhée", ("fièvre", "diarrhée")),
        ("¿Cuál es la diferencia entre el engrudo y el dorado?", ("engrudo", "dorado")),
        ("qual è la differenza tra colla e gommalacca", ("colla", "gommalacca")),
        ("чем отличается сравни лес и дом", ("лес", "дом")),
    ],
)
def test_a_comparison_has_two_subjects(text, subjects):
    assert read_comparison(text) == subjects


@pytest.mark.parametrize(
    "text",
    [
        "how do I tune a reed",
        "difference engine of Babbage",
        "vs",
        "or",
        "vs UDP",
        "the reeds that I filed or broke between six and seven in the evening were of steel",
        "salt OR pepper in the recipes of the ship's cook, which of those",
        "",
    ],
)
def test_other_texts_compare_nothing(text):
    assert read_comparison(text) is None
