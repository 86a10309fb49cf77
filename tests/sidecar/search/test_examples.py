"""Queries to try: made from the vault, asked before they are offered."""

import pytest
from builders import Vault, settle

from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.errors import Cancelled, ModelMissing
from quarry.index import NoteFilter
from quarry.options import SearchOptions
from quarry.search.examples import MAX_SEARCHES, example_queries, is_thing, is_whole_question, question_of_task


def queries(engine: Engine, limit: int = 3) -> list[str]:
    return [one.query for one in engine.examples("en", limit)]


def test_each_example_of_the_sample_vault_is_answered_by_the_note_it_was_made_from(sample: Engine):
    found = sample.examples("en", 3)

    assert len(found) == len({one.path for one in found}) == 3
    for one in found:
        answer = sample.search(SearchOptions(query=one.query, limit=30))  # as the pane asks
        assert (answer.hits[0].path, answer.weakness) == (one.path, None)
        assert answer.confidence >= 0.5


def test_the_examples_are_the_same_every_time(sample: Engine):
    assert sample.examples("en", 10) == sample.examples("en-GB", 10)


def test_no_more_searches_are_made_than_allowed(sample: Engine):
    asked = []

    def ask(query: str):
        asked.append(query)
        return sample.search(SearchOptions(query=query, limit=1))

    with sample.reader() as reader:
        example_queries(sample.list_notes(NoteFilter(), 400, 0).notes, reader, "en", 100, ask)

    assert 5 < len(asked) <= MAX_SEARCHES


@pytest.fixture
def workshop(vault: Vault) -> Vault:
    vault.write_all(
        {
            "Hide glue.md": "# Hide glue\n\n## How long does hide glue keep?\n\nHide glue keeps for a year when dry.\n",
            "Barometer repair.md": "# Barometer repair\n\nThe barometer needs mercury.\n\n## Next steps\n\nCall.\n",
            "Walnut oil.md": "# Walnut oil\n\nWalnut oil is a drying oil for wood.\n\n## Next steps\n\nBuy some.\n",
            "Templates/Meeting minutes.md": "# Meeting minutes\n\nminutes of the meeting\n",
            "Index.md": "# Things of mine\n\n[[Walnut oil]]\n",
            "2024-05-03.md": "# 2024-05-03\n\nA day of rain.\n",
        }
    )
    return vault


def test_a_heading_that_is_a_question_comes_first(workshop: Vault, open_engine, bundled_encoder):
    engine = open_engine(load=lambda _: bundled_encoder)

    found = queries(engine, 10)

    assert found == ["How long does hide glue keep?", "What is walnut oil?"]


def test_a_title_that_says_what_to_do_is_asked_how(vault: Vault, open_engine, bundled_encoder):
    titles = ("Make hide glue", "Patching a bellows fold", "Patch notes of spring", "Leimtopf reinigen")
    vault.write_all({f"{title}.md": f"# {title}\n\n{title}, in three easy parts.\n" for title in titles})

    found = queries(open_engine(load=lambda _: bundled_encoder), 10)

    assert sorted(found) == ["How do I make hide glue?", "How do I patch a bellows fold?"]


def test_what_a_note_defines_is_asked_in_the_language_of_its_reader(vault: Vault, open_engine, bundled_encoder):
    vault.write_all(
        {
            "DID.md": "# DIDs\n\nDIDs are identifiers that nobody can take away.\n",
            "Fault.md": "# Faults\n\n## Byzantine fault\n\nA Byzantine fault is one that looks different to each.\n",
            "Garten.md": "# Komposthaufen\n\nEin Komposthaufen ist ein Haufen, der zu Erde wird.\n",
        }
    )
    engine = open_engine(load=lambda _: bundled_encoder)

    assert sorted(queries(engine, 10)) == ["What are DIDs?", "What is a Byzantine fault?"]
    assert [one.query for one in engine.examples("de", 10)] == ["Was ist ein Komposthaufen?"]
    assert engine.examples("ja", 10) == ()


def test_a_note_whose_status_is_excluded_gives_none(workshop: Vault, open_engine, bundled_encoder):
    workshop.write(
        "Walnut oil.md", "---\nstatus: archived\n---\n# Walnut oil\n\nWalnut oil is a drying oil for wood.\n"
    )
    workshop.write(".quarry.toml", '[search]\nexclude_status = ["archived"]\n')

    found = queries(open_engine(load=lambda _: bundled_encoder), 10)

    assert found
    assert not any("walnut" in query for query in found)


def test_an_empty_vault_gives_none(open_engine):
    assert queries(open_engine()) == []


def test_by_words_alone_there_are_none(workshop: Vault, open_engine):
    def no_model(_: str) -> Encoder:
        raise ModelMissing("there is none")

    assert queries(open_engine(load=no_model)) == []


def test_a_change_of_the_vault_makes_other_examples(workshop: Vault, open_engine, bundled_encoder):
    engine = open_engine(load=lambda _: bundled_encoder)
    before = queries(engine, 10)

    workshop.write("Hide glue.md", "# Hide glue\n\nno question any more\n")
    engine.reconcile()
    settle(engine)

    assert before[0] == "How long does hide glue keep?"
    assert before[0] not in queries(engine, 10)


def test_it_can_be_cancelled(workshop: Vault, open_engine, bundled_encoder):
    engine = open_engine(load=lambda _: bundled_encoder)

    with pytest.raises(Cancelled):
        engine.examples("en", 3, lambda: True)
    assert queries(engine)  # nothing was kept of it


def test_hostile_titles_are_no_topics_and_break_nothing(vault: Vault, open_engine, bundled_encoder):
    titles = ["🎉 🎊", "<img src=x onerror=alert(1)> twice", "x" * 5_000, "\u202egnp.exe toor", "a OR b", "-not this"]
    vault.write_all({f"{at}.md": f"# {title}\n\n{title} is some text\n" for at, title in enumerate(titles)})

    assert queries(open_engine(load=lambda _: bundled_encoder), 10) == []


THINGS = ("Hide glue", "DID", "L'été à Brienz", "Byzantine fault")
NO_THINGS = (
    "one two three four five",
    "Meeting 2025-08-20",
    "Sourdough (old)",
    "#tag",
    "[[link]]",
    "🎉 🎊",
    "This",
    "a " + "b" * 50,
)
TASKS = {
    "Rotate SSH keys": "How do I rotate SSH keys?",
    "Using S3 triggers": "How do I use S3 triggers?",
    "Running gdb in a container": "How do I run gdb in a container?",
    "Build a raft": "How do I build a raft?",
    "Install Node": "How do I install Node?",
}
NO_TASKS = (
    "Use cases",
    "Patch notes",
    "Building permits",
    "Run Out Of Space",
    "Remove One List From Another",
    "Install",
    "make [x]",
)
QUESTIONS = ("How long does glue keep?", "Was kostet das?", "レートの上限は何ですか？", "لماذا السماء زرقاء اليوم؟")
NO_QUESTIONS = (
    *("Why?", "Open questions?", "🎉 🎊 🎉?", "What is a:b?", "What is this", "Is " + "so " * 40 + "?"),
    "Is \u202ethis one?",
)


@pytest.mark.parametrize("text", [*THINGS, *NO_THINGS])
def test_a_name_of_one_to_four_words_is_a_thing(text):
    assert is_thing(text) == (text in THINGS)


@pytest.mark.parametrize("name", [*TASKS, *NO_TASKS])
def test_what_is_to_be_done_is_told_by_its_verb(name):
    assert question_of_task(name, "en") == TASKS.get(name)
    assert question_of_task(name, "de") is None


@pytest.mark.parametrize("text", [*QUESTIONS, *NO_QUESTIONS])
def test_a_question_that_can_be_asked_as_it_stands_is_one(text):
    assert is_whole_question(text) == (text in QUESTIONS)
