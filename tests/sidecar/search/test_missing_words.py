"""Each hit names the words of the query that its note does not hold."""

from builders import Vault, ask

NOTES = {
    "crossing.md": "# Crossing\nThe zebra crossing was repainted.",
    "cross.md": "# Roads\nCross the road here.",
    "other.md": "# Ferries\nThe ferry leaves at noon.",
}


def missing(engine, query: str, **options: object) -> dict[str, tuple[str, ...]]:
    return {hit.path: hit.missing_words for hit in ask(engine, query, **options).hits}


def test_a_hit_names_the_words_that_its_note_holds_in_no_form(vault: Vault, open_engine):
    vault.write_all(NOTES)
    found = missing(open_engine(), "zebras crossing", mode="keyword")

    assert found["crossing.md"] == ()
    assert found["cross.md"] == ("zebras",)


def test_a_word_that_stands_elsewhere_in_the_note_is_not_missing(vault: Vault, open_engine):
    filler = "\n\n".join(f"# Part {number}\nNothing of the kind here, {number}." for number in range(40))
    vault.write_all({**NOTES, "long.md": f"# Start\nA zebra.\n\n{filler}\n\n# End\nThe crossing."})

    assert missing(open_engine(), "zebra crossing", mode="keyword")["long.md"] == ()


def test_a_word_that_is_being_typed_is_held_by_its_beginning(vault: Vault, open_engine):
    vault.write_all(NOTES)
    engine = open_engine()

    assert missing(engine, "crossing zeb", mode="keyword", typing=True)["crossing.md"] == ()
    assert missing(engine, "crossing zeb", mode="keyword")["crossing.md"] == ("zeb",)


def test_a_word_that_may_be_typed_to_its_end_is_held_as_it_stands(vault: Vault, open_engine):
    vault.write_all({**NOTES, "keys.md": "# Keys\nThe key and the keys.", "keypad.md": "# Pads\nA keypad, crossing."})
    engine = open_engine()

    assert missing(engine, "crossing key", mode="keyword", typing=True)["keys.md"] == ("crossing",)
    assert missing(engine, "crossing key", mode="keyword", typing=True)["keypad.md"] == ()


def test_one_or_two_letters_that_are_being_typed_are_no_word_yet(vault: Vault, open_engine):
    vault.write_all(NOTES)

    assert missing(open_engine(), "crossing ze", mode="keyword", typing=True)["crossing.md"] == ()


def test_a_corrected_word_is_the_one_that_was_searched_for(vault: Vault, open_engine):
    vault.write_all(NOTES)
    found = ask(open_engine(), "zebrra ferry", mode="keyword")

    assert [correction.used for correction in found.corrections] == ["zebra"]
    assert {hit.path: hit.missing_words for hit in found.hits}["other.md"] == ("zebra",)


def test_by_meaning_alone_no_word_is_missing(vault: Vault, open_engine):
    vault.write_all(NOTES)

    assert set(missing(open_engine(), "zebra unicorns", mode="semantic").values()) <= {()}
