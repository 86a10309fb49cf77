"""A vault whose words are not stemmed: a word is found as it is written, and nothing else is different."""

import pytest
from builders import Vault, ask, everything_found, find, settle

from quarry.engine import Engine
from quarry.options import SearchOptions

UNSTEMMED = '[keyword]\nstemming = "none"'
NOTES = {
    "Running.md": "# Running\n\nHe was running along the canal, and a naïve passer-by was watching.",
    "Run.md": "# A run\n\nOne run along the canal is enough; `getStaleFiles` and snake_case are names.",
    "Häuser.md": "# Straße\n\nDie Häuser am Markt sind alt, und das Dach ist nicht mehr dicht.",
    "Заметки.md": "# Дневник\n\nНесколько заметок о птицах.",
    "机器.md": "# 机器学习\n\n机器学习是人工智能的一部分。",
}


@pytest.fixture
def engine(vault: Vault, open_engine) -> Engine:
    vault.write_all(NOTES | {".quarry.toml": UNSTEMMED})
    return open_engine()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("run", ["Run.md"]),
        ("running", ["Running.md"]),
        ('"Runs"', []),
        ("naive", ["Running.md"]),
        ("Häuser", ["Häuser.md"]),
        ("hauser", ["Häuser.md"]),
        ("Haus", []),
        ("заметок", ["Заметки.md"]),
        ('"птица"', []),
        ("机器", ["机器.md"]),
        ("stale", ["Run.md"]),
        ("snakecase", ["Run.md"]),
        ('"run along the canal"', ["Run.md"]),
        ('"runs along the canal"', []),
        ("canal -run", ["Running.md"]),
        ("canal -runs", ["Run.md", "Running.md"]),
        ("section:run", ["Run.md"]),
        ("line:(run canal)", ["Run.md"]),
    ],
)
def test_only_a_word_itself_is_found(engine: Engine, typed: str, expected: list[str]):
    answer = ask(engine, typed, mode="keyword")

    assert sorted(hit.path for hit in answer.hits if not answer.relaxed) == sorted(expected)


def test_a_word_that_is_being_typed_is_found_by_its_beginning(engine: Engine):
    assert find(engine, "runn", typing=True, mode="keyword") == ["Running.md"]
    assert find(engine, "Häus", typing=True, mode="keyword") == ["Häuser.md"]


def test_what_is_marked_is_what_was_found(engine: Engine):
    def marked(typed: str) -> set[str]:
        snippet = ask(engine, typed, mode="keyword").hits[0].passages[0].snippet
        return {snippet.text[mark.start : mark.end] for mark in snippet.marks if mark.kind == "word"}

    assert marked("running naive") == {"running", "naïve"}
    assert marked("run") == {"run"}
    assert marked('"Häuser am Markt"') == {"Häuser am Markt"}
    assert marked("заметок") == {"заметок"}


def test_a_form_that_no_note_has_is_lacking(engine: Engine):
    explained = engine.explain(SearchOptions(query="run canal", mode="keyword"), "Running.md")

    assert (explained.found, explained.lacking) == (("canal",), ("run",))


@pytest.mark.parametrize(("typed", "used"), [("runnning", "running"), ("passser-by canall", "canal")])
def test_a_typing_error_is_corrected_to_a_word_as_it_is_written(engine: Engine, typed: str, used: str):
    assert used in [each.used for each in ask(engine, typed, mode="keyword").corrections]


def test_two_slips_in_a_long_word_are_believed(vault: Vault, open_engine):
    vault.write_all({".quarry.toml": UNSTEMMED, "a.md": "configuration"})

    assert find(open_engine(), "confgiuratoin", mode="keyword") == ["a.md"]


def test_changing_it_gives_the_index_that_a_new_one_would_be(vault: Vault, open_engine, tmp_path):
    queries = ["run", "running canal", '"am Markt"', "заметка", "机器 run", "Häuser Haus", "canal -run", "cannal"]
    vault.write_all(NOTES)
    said = {}
    for stemming in ("by-language", "none"):
        vault.write(".quarry.toml", f'[keyword]\nstemming = "{stemming}"')
        engine = open_engine(index=tmp_path / f"{stemming}.db")
        said[stemming] = everything_found(engine, queries)
        engine.close()

    engine = open_engine(index=tmp_path / "by-language.db")
    after_a_start = everything_found(engine, queries)
    engine.write_settings({"stemming": "by-language"})
    settle(engine)
    after_going_back = everything_found(engine, queries)

    assert said["none"] != said["by-language"]
    assert after_a_start == said["none"]
    assert after_going_back == said["by-language"]
