"""Which sentence of a note answers a question: taken from it word for word, or none."""

import numpy as np
import pytest
from builders import Vault, ask

from quarry.engine import Engine
from quarry.search.extraction import LIKELY, SHOWN, SentenceEvidence, best_sentence, defines, quotable_sentences

NOTE = """# Reeds

The reeds of the left hand are made of brass. They are held by wax that melts at sixty degrees.

```sh
tune --reeds the left hand
```

| reeds | metal |
|---|---|
| left  | brass |
"""


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            NOTE,
            ["The reeds of the left hand are made of brass.", "They are held by wax that melts at sixty degrees."],
        ),
        ("One sentence stands here.", ["One sentence stands here."]),
        ("", []),
        ("```\nan open fence", []),
    ],
    ids=["code, tables, headings", "no line end", "nothing", "an open fence"],
)
def test_only_prose_has_sentences(text, sentences):
    assert [text[span.start : span.end] for span in quotable_sentences(text)] == sentences


def test_a_question_gets_the_sentence_that_answers_it_as_it_stands_in_the_note(sample: Engine):
    question = "what pressure should a reed be blown with when it is measured?"

    found = ask(sample, question, limit=3, extract=True).extract

    assert found is not None
    assert found.path == "Projects/Tuning bench/Air supply.md"
    assert found.text.startswith("The reed must be blown at the pressure it will be played at")
    assert found.text in found.chunk.chunk.text
    assert found.confidence >= SHOWN


def test_no_sentence_is_taken_from_a_note_that_hardly_answers(sample: Engine):
    answer = ask(sample, "when does the passport expire?", extract=True)

    assert answer.hits
    assert answer.confidence < LIKELY
    assert answer.extract is None


def test_nothing_is_taken_where_nothing_is_asked(vault: Vault, open_engine):
    vault.write("a.md", NOTE)
    engine = open_engine()

    assert ask(engine, "reeds left hand brass", extract=True).extract is None
    assert ask(engine, "what are the reeds of the left hand made of?").extract is None


GARDEN = """# Digital garden

{}

A gardener waters a digital garden of notes each morning, and a digital garden of ideas at night, as this one does.
"""


@pytest.mark.parametrize(
    "definition",
    [
        "A **digital garden** is a web of notes that grow.",
        "[[garden|Digital gardens]] (see below) are webs of notes.",
    ],
)
def test_what_is_asked_of_a_thing_is_answered_by_a_sentence_of_which_it_is_the_subject(
    vault: Vault, open_engine, bundled_encoder, definition
):
    vault.write("Garden.md", GARDEN.format(definition))

    found = ask(open_engine(load=lambda _: bundled_encoder), "what is a digital garden", extract=True).extract

    assert found is not None
    assert found.text == definition
    assert found.confidence >= SHOWN


def test_and_by_none_where_there_is_no_such_sentence(vault: Vault, open_engine, bundled_encoder):
    vault.write("Garden.md", GARDEN.format("I tend to this digital garden, and it is good."))
    engine = open_engine(load=lambda _: bundled_encoder)

    answer = ask(engine, "what is a digital garden?", extract=True)

    assert answer.confidence >= LIKELY
    assert answer.extract is None


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("A digital garden is not a file cabinet.", True),
        ("Digital gardening means tending to notes.", True),
        ('"Digital garden" refers to notes.', True),
        ("Ein digitaler Garten ist ein Netz.", False),
        ("This is a digital garden.", False),
        ("Digital garden tools are many.", False),
        ("When I talk of a digital garden, it is a web.", False),
        ("", False),
    ],
)
def test_the_subject_is_told_by_where_it_stands(sentence, is_one):
    assert defines(sentence, "digital garden") == is_one


@pytest.mark.parametrize("end", [".", ":", ":**", "："])
def test_a_sentence_that_announces_the_answer_is_none(vault: Vault, open_engine, end):
    vault.write_all(
        {f"{number}.md": f"# Note {number}\n\nSomething else entirely, number {number}.\n" for number in range(30)}
    )
    vault.write(
        "Bread.md",
        f"# Bread\n\nThe rye bread of my grandmother is baked with these four things{end}\n\n- rye\n- salt\n",
    )

    found = ask(open_engine(), "what is the rye bread of my grandmother baked with?", extract=True).extract

    assert (found is not None) == (end == ".")


def evidence(max_sim, coverage, note_confidence=0.8) -> SentenceEvidence:
    """What speaks for some sentences."""
    return SentenceEvidence(np.array(max_sim), np.array(coverage), note_confidence)


def test_a_sentence_that_stands_out_is_shown_and_one_among_alike_is_not():
    at, sure = best_sentence(evidence([0.2, 0.9, 0.1], [0.0, 1.0, 0.0]))
    same, unsure = best_sentence(evidence([0.4, 0.4, 0.4], [0.3, 0.3, 0.3]))

    assert (at, same) == (1, 0)
    assert unsure < SHOWN <= sure


def test_the_confidence_of_the_note_counts():
    _, of_a_likely_note = best_sentence(evidence([0.7, 0.4], [0.7, 0.2], 0.9))
    _, of_an_unlikely_one = best_sentence(evidence([0.7, 0.4], [0.7, 0.2], 0.1))

    assert of_an_unlikely_one < of_a_likely_note


def test_a_sentence_without_a_rival_is_rated():
    at, confidence = best_sentence(evidence([0.9], [1.0]))

    assert at == 0
    assert 0 <= confidence <= 1
