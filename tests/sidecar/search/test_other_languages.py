"""A query in another language than the notes: compared by English words, its own still missing from every note."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from builders import Vault, ask, execution_over, find
from msgspec.structs import replace

from quarry.embedding import Encoder, load_encoder, model_files
from quarry.embedding.model_files import BUNDLED, TRANSLATIONS_FILE
from quarry.engine import Engine
from quarry.query.parse import parse_query
from quarry.search.prepare import PreparedQuery, prepare_query

NOW = datetime(2026, 3, 1)  # noqa: DTZ001
NOTES = {
    "Laptop.md": "# When a laptop is stolen\n\nCall the insurance, and have the phone number of the shop ready.",
    "Bread.md": "# Rye bread\n\nThe oven has to be hot before the loaf goes in.",
    "Candle.md": "# Candles\n\nBeeswax burns longer than paraffin.",
    "Kitchen.md": "# Kitchen\n\nShelves above the sink, and a lamp.",
}


@pytest.fixture
def engine(vault: Vault, open_engine, bundled_encoder: Encoder) -> Engine:
    vault.write_all(NOTES)
    return open_engine(load=lambda _: bundled_encoder)


def prepared(engine: Engine, typed: str, encoder: Encoder) -> PreparedQuery:
    with engine.reader() as reader:
        return prepare_query(parse_query(typed, now=NOW), execution_over(reader, encoder), typing=False)


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("ordinateur portable volé", "Laptop.md"),
        ("Brot backen", "Bread.md"),
        ("chleb żytni", "Bread.md"),
        ("bougie", "Candle.md"),
        ("mutfak", "Kitchen.md"),
    ],
)
def test_the_note_that_means_it_comes_first(engine: Engine, typed: str, path: str):
    assert find(engine, typed)[0] == path


def test_its_words_are_still_said_to_be_missing(engine: Engine, bundled_encoder: Encoder):
    query = prepared(engine, "ordinateur volé, laptop", bundled_encoder)

    assert query.unknown_words == ("ordinateur", "volé")
    assert [word for word, _ in query.words_used] == ["ordinateur", "volé", "laptop"]
    assert set(ask(engine, "ordinateur volé, laptop").unknown_words) == {"ordinateur", "volé"}


@pytest.mark.parametrize(
    "typed",
    [
        "laptop insurance",  # words of the notes
        "grammar of verbs",  # of no note, in English
        "hot oven for brot",  # one of several
        "the oven was warm when Jadwiga baked",
        "wie entkalke ich die xqzvbn",  # in another language, but only its function words have English ones
    ],
)
def test_any_other_query_is_compared_as_it_is_written(engine: Engine, bundled_encoder: Encoder, typed: str):
    vector = prepared(engine, typed, bundled_encoder).vector

    assert vector is not None
    assert vector.tobytes() == bundled_encoder.encode([typed])[0].tobytes()


def test_a_query_in_a_language_of_the_notes_is_compared_as_it_is_written(
    vault: Vault, open_engine, bundled_encoder: Encoder
):
    vault.write_all({**NOTES, "Dach.md": "Das Dach ist nicht dicht, und die Ziegel sind für den Giebel nicht da."})
    german = "wie oft und warum wird der Lohn mit der Kerze bezahlt"

    vector = prepared(open_engine(load=lambda _: bundled_encoder), german, bundled_encoder).vector

    assert vector is not None
    assert vector.tobytes() == bundled_encoder.encode([german])[0].tobytes()


def test_function_words_of_its_language_are_left_out_of_what_is_compared(engine: Engine, bundled_encoder: Encoder):
    vector = prepared(engine, "où est le seigle et la bougie", bundled_encoder).vector

    assert vector is not None
    assert vector.tobytes() == bundled_encoder.encode(["rye barley candle light"])[0].tobytes()


def test_a_query_is_answered_without_the_list(
    vault: Vault, open_engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = Path(shutil.copytree(BUNDLED.path, tmp_path / "model"))
    monkeypatch.setattr(model_files, "BUNDLED", replace(BUNDLED, path=folder))
    encoder = load_encoder()
    (folder / TRANSLATIONS_FILE).unlink()
    vault.write_all(NOTES)

    assert find(open_engine(load=lambda _: encoder), "ordinateur volé insurance")[0] == "Laptop.md"
