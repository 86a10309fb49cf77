"""Queries to try: made from the vault, asked before they are offered."""

import pytest
from builders import Vault, settle

from quarry.embedding import Encoder
from quarry.engine import Engine
from quarry.errors import BadRequest, Cancelled, ModelMissing
from quarry.index import NoteFilter
from quarry.options import SearchOptions
from quarry.search.examples import MAX_SEARCHES, MAX_TOPIC, example_queries, is_topic, is_whole_question

TEMPLATES = ["What do I know about {topic}?"]


def queries(engine: Engine, limit: int = 3) -> list[str]:
    return [one.query for one in engine.examples(TEMPLATES, limit)]


def test_each_example_of_the_sample_vault_is_answered_by_the_note_it_was_made_from(sample: Engine):
    found = sample.examples([*TEMPLATES, "What about {topic}?"], 3)

    assert len(found) == len({one.path for one in found}) == 3
    for one in found:
        answer = sample.search(SearchOptions(query=one.query, limit=30))  # as the pane asks
        assert (answer.hits[0].path, answer.weakness) == (one.path, None)
        assert answer.confidence >= 0.5


def test_the_examples_are_the_same_every_time_and_differ_in_their_templates(sample: Engine):
    templates = ["What do I know about {topic}?", "What about {topic}?"]

    found = sample.examples(templates, 10)

    assert sample.examples(templates, 10) == found
    assert {one.query.partition(" about ")[0] for one in found} == {"What do I know", "What"}


def test_no_more_searches_are_made_than_allowed(sample: Engine):
    asked = []

    def ask(query: str):
        asked.append(query)
        return sample.search(SearchOptions(query=query, limit=1))

    with sample.reader() as reader:
        example_queries(sample.list_notes(NoteFilter(), 400, 0).notes, reader, TEMPLATES, 100, ask)

    assert 10 < len(asked) <= MAX_SEARCHES


@pytest.fixture
def workshop(vault: Vault) -> Vault:
    vault.write_all(
        {
            "Hide glue.md": "# Hide glue\n\n## How long does hide glue keep?\n\nHide glue keeps for a year when dry.\n",
            "Barometer repair.md": "# Barometer repair\n\nThe barometer needs mercury.\n\n## Next steps\n\nCall.\n",
            "Walnut oil.md": "# Walnut oil\n\nOil from walnuts dries slowly.\n\n## Next steps\n\nBuy some.\n",
            "Templates/Meeting minutes.md": "# Meeting minutes\n\nminutes of the meeting\n",
            "Index.md": "# Things of mine\n\n[[Walnut oil]]\n",
            "2024-05-03.md": "# 2024-05-03\n\nA day of rain.\n",
        }
    )
    return vault


def test_a_heading_that_is_a_question_comes_first(workshop: Vault, open_engine, bundled_encoder):
    engine = open_engine(load=lambda _: bundled_encoder)

    found = queries(engine, 10)

    assert found[0] == "How long does hide glue keep?"
    assert set(found[1:]) <= {f"What do I know about {title}?" for title in ("Barometer repair", "Walnut oil")}
    assert len(found) >= 2


def test_a_title_that_says_what_to_do_is_asked_how_and_a_name_is_left_as_it_is(
    vault: Vault, open_engine, bundled_encoder
):
    titles = (
        "Make hide glue",
        "Patch a bellows fold",
        "Patch notes of spring",
        "Set theory basics",
        "Leimtopf reinigen",
    )
    vault.write_all({f"{title}.md": f"# {title}\n\n{title}, in three easy parts.\n" for title in titles})

    found = {one.query for one in open_engine(load=lambda _: bundled_encoder).examples(["{topic}"], 10)}

    assert {"how to make hide glue", "how to patch a bellows fold"} <= found
    assert found - {"how to make hide glue", "how to patch a bellows fold"} <= set(titles[2:])
    assert len(found) >= 4


def test_a_note_whose_status_is_excluded_gives_none(workshop: Vault, open_engine, bundled_encoder):
    workshop.write("Walnut oil.md", "---\nstatus: archived\n---\n# Walnut oil\n\nOil from walnuts dries slowly.\n")
    workshop.write(".quarry.toml", '[search]\nexclude_status = ["archived"]\n')

    found = queries(open_engine(load=lambda _: bundled_encoder), 10)

    assert found
    assert not any("Walnut" in query for query in found)


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


@pytest.mark.parametrize("template", ["What is it?", "{topic} and {topic}", "{ topic }"])
def test_a_template_without_one_place_for_the_name_is_refused(open_engine, template):
    with pytest.raises(BadRequest, match="exactly once"):
        open_engine().examples([*TEMPLATES, template], 3)


def test_it_can_be_cancelled(workshop: Vault, open_engine, bundled_encoder):
    engine = open_engine(load=lambda _: bundled_encoder)

    with pytest.raises(Cancelled):
        engine.examples(TEMPLATES, 3, lambda: True)
    assert queries(engine)  # nothing was kept of it


def test_hostile_titles_are_no_topics_and_break_nothing(vault: Vault, open_engine, bundled_encoder):
    titles = ["🎉 🎊", "<img src=x onerror=alert(1)> twice", "x" * 5_000, "\u202egnp.exe toor", "a OR b", "-not this"]
    vault.write_all({f"{at}.md": f"# {title}\n\nsome text\n" for at, title in enumerate(titles)})
    vault.write("rtl.md", "# ניקוי המכונה\n\nניקוי המכונה כל שבוע\n")

    found = queries(open_engine(load=lambda _: bundled_encoder), 10)

    assert set(found) <= {"What do I know about ניקוי המכונה?"}


TOPICS = (
    *("Hide glue", "Rotate SSH keys", "L'été à Brienz", "浜松の楽器博物館", "ניקוי המכונה", "नमस्ते दुनिया"),
    "Lin Wenbo 林文博",
)
NO_TOPICS = (
    *(
        "",
        "Glue",
        "one two three four five six",
        "Meeting 2025-08-20",
        "Sourdough (old)",
        "#tag here",
        "[[link]] in it",
    ),
    *("🎉 🎊", "cats OR dogs", "-minus word", 'a "phrase" here', "path: x", "\u202eabc def", "a " + "b" * MAX_TOPIC),
)
QUESTIONS = ("How long does glue keep?", "Was kostet das?", "レートの上限は何ですか？", "لماذا السماء زرقاء اليوم؟")
NO_QUESTIONS = (
    *("Why?", "Open questions?", "🎉 🎊 🎉?", "What is a:b?", "What is this", "Is " + "so " * 40 + "?"),
    "Is \u202ethis one?",
)


@pytest.mark.parametrize("text", [*TOPICS, *NO_TOPICS])
def test_a_name_of_two_to_five_words_is_a_topic(text):
    assert is_topic(text) == (text in TOPICS)


@pytest.mark.parametrize("text", [*QUESTIONS, *NO_QUESTIONS])
def test_a_question_that_can_be_asked_as_it_stands_is_one(text):
    assert is_whole_question(text) == (text in QUESTIONS)
