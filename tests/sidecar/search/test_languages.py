"""A vault in several languages: words are found in any of their forms, in each by its own rules."""

import pytest
from builders import Vault, ask, find

from quarry.engine import Engine
from quarry.options import Scope, SearchOptions
from quarry.search import Source

NOTES = {
    "Dach.md": "# Das Dach\n\nDie Häuser am Markt sind alt, und das Dach ist nicht mehr dicht.\n\n"
    "- [ ] Ziegel für die Häuser holen",
    "Hauen.md": "# Steine\n\nWir haben mit dem Hammer auf die Steine gehauen und dann noch ein Ei gegessen, "
    "das nicht gut war.",
    "Chevaux.md": "# Clinique\n\nLes chevaux de la ferme sont malades et le vétérinaire n'est pas là avec nous.",
    "House.md": "# The house\n\nThe houses in the market are old, and the roof is not tight any more.",
    "Mixed.md": "# Drucker\n\nDer Drucker ist kaputt und die Rechnung für das Papier nicht da.\n\n"
    "## Ticket\n\nThe printer does not answer, so they replaced the rollers and the cables of it.",
    "Птицы.md": "# Наблюдения\n\nНесколько заметок о птицах и о погоде.",
    "Nota.md": "---\nlang: es\n---\n# Canciones\n\nCanciones viejas",
}


@pytest.fixture
def engine(vault: Vault, open_engine) -> Engine:
    vault.write_all(NOTES)
    return open_engine()


def found(engine: Engine, typed: str, **options: object) -> list[str]:
    return find(engine, typed, mode="keyword", **options)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Haus", ["Dach.md"]),
        ("haeuser", ["Dach.md"]),
        ("hauser", ["Dach.md"]),
        ("cheval", ["Chevaux.md"]),
        ("houses", ["House.md"]),
        ("заметки", ["Птицы.md"]),
        ("canción", ["Nota.md"]),
        ("cancion", ["Nota.md"]),
        ("replacing", ["Mixed.md"]),
        ("Rechnungen", ["Mixed.md"]),
        ('"alte Häuser" OR "dem Hammer"', ["Hauen.md"]),
        ('"Häuser am Märkte"', ["Dach.md"]),
        ("task:Haus", ["Dach.md"]),
        ("section:Haus", ["Dach.md"]),
        ("dach -Haus", []),
        ("Steine -Häuser", ["Hauen.md"]),
    ],
)
def test_a_word_is_found_in_the_forms_that_its_language_gives_it(engine: Engine, typed: str, expected: list[str]):
    assert found(engine, typed) == expected


def test_stems_of_one_language_do_not_meet_those_of_another(engine: Engine):
    # to the English stemmer, `Eis` is `ei`, the German egg, and `Haus` is `hau`, the German stem of `gehauen`
    assert found(engine, "Eis") == []
    assert "Hauen.md" not in found(engine, "Haus")


def test_a_word_that_is_being_typed_is_found_by_its_beginning(engine: Engine):
    assert found(engine, "Häus", typing=True) == ["Dach.md"]
    assert found(engine, "Häuse", typing=True) == ["Dach.md"]
    assert found(engine, "chev", typing=True) == ["Chevaux.md"]


@pytest.mark.parametrize(
    ("typed", "marked"),
    [
        ("Haus", {"Häuser"}),
        ("haeuser", {"Häuser"}),
        ('"Haus am Märkte"', {"Häuser am Markt"}),
        ("cheval malade", {"chevaux", "malades"}),
        ("заметки птица", {"заметок", "птицах"}),
    ],
)
def test_the_forms_that_were_found_are_marked(engine: Engine, typed: str, marked: set[str]):
    snippet = ask(engine, typed, mode="keyword").hits[0].passages[0].snippet

    assert {snippet.text[mark.start : mark.end] for mark in snippet.marks} == marked


def test_a_typing_error_is_corrected_to_a_word_of_any_language(engine: Engine):
    for typed, used, path in (("Haüsser", "häuser", "Dach.md"), ("malaades", "malades", "Chevaux.md")):
        answer = ask(engine, typed, mode="keyword")

        assert [(each.typed, each.used) for each in answer.corrections] == [(typed.lower(), used)]
        assert [hit.path for hit in answer.hits] == [path]


@pytest.mark.parametrize(
    ("typed", "used", "path"),
    [("Marktdach", "markt dach", "Dach.md"), ("Rechnungspapier", "rechnungs papier", "Mixed.md")],
)
def test_a_compound_that_no_note_has_is_taken_apart(engine: Engine, typed: str, used: str, path: str):
    answer = ask(engine, typed, mode="keyword")

    assert [(each.typed, each.used) for each in answer.corrections] == [(typed.lower(), used)]
    assert answer.hits[0].path == path
    assert not ask(engine, f'"{typed}"', mode="keyword").corrections


def test_english_words_are_not_taken_apart(engine: Engine):
    assert not ask(engine, "roofhouse", mode="keyword").corrections


def test_a_word_of_another_language_is_not_taken_for_one_two_slips_away(engine: Engine):
    assert not ask(engine, "Rechnend", mode="keyword").corrections


def test_what_a_note_holds_is_told_by_the_same_stems(engine: Engine):
    explained = engine.explain(SearchOptions(query="Haus Märkte Hammer"), "Dach.md")

    assert explained is not None
    assert (explained.found, explained.lacking) == (("haus", "märkte"), ("hammer",))


def test_similar_notes_are_looked_for_by_the_same_stems(engine: Engine):
    related = engine.related(Source(text="ein Haus am Markt"), Scope(), 3, 0)

    assert related.notes[0].path == "Dach.md"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("wo ist das Dach für die Häuser", ("dach", "häuser")),
        ("die Häuser", ("die", "häuser")),  # one function word is no sign of a language
        ("où sont les chevaux de la ferme", ("chevaux", "ferme")),
        ("wo ist das für die", ("wo", "ist", "das", "für", "die")),
        ("why is the roof not tight", ("roof", "tight")),
        ("несколько заметок о птицах", ("несколько", "заметок", "птицах")),
    ],
)
def test_function_words_of_the_language_of_a_query_do_not_rank(engine: Engine, typed: str, words: tuple[str, ...]):
    explained = engine.explain(SearchOptions(query=typed), "Dach.md")

    assert sorted((*explained.found, *explained.lacking)) == sorted(words)


def test_while_such_a_word_is_typed_it_may_be_the_beginning_of_another(engine: Engine):
    assert "Dach.md" in found(engine, "wo ist das nicht mehr dic", typing=True)
