"""Which sentence of a note answers a question: taken from it word for word, or none."""

import pytest
from builders import Vault, ask
from quarry.search.sentence_confidence import SHOWN

from quarry.engine import Engine
from quarry.search.extraction import LIKELY, quotable_sentences

NOTE = """# Reeds

The reeds of the left hand are made of brass. They are held by wax that melts at sixty degrees.

```sh
tune --reeds the left hand
```

| reeds | metal |
|---|---|
| left  | brass |
"""


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in quotable_sentences(text)]


def test_code_tables_and_headings_are_no_sentences():
    assert sentences(NOTE) == [
        "The reeds of the left hand are made of brass.",
        "They are held by wax that melts at sixty degrees.",
    ]


def test_text_without_a_line_end_and_no_text_are_read():
    assert sentences("One sentence stands here.") == ["One sentence stands here."]
    assert sentences("") == []
    assert sentences("```\nan open fence") == []


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
