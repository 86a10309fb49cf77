"""How well a hook must do on the sample vault: speak where a note answers, and be silent elsewhere."""

from pathlib import Path

import pytest
from collected import HERE
from hook_prompts import MIN_CONFIDENCE, Said, measure, row
from wordings import FORMS, WITHOUT_ANSWER, table
from wordings import measure as measure_wordings


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Said]:
    """What is said to the prompts about the sample vault, and to those about nothing in it."""
    index: Path = tmp_path_factory.mktemp("hooks") / "index.db"
    return measure(HERE / "vault", ("sample", "nothing"), index, [MIN_CONFIDENCE])[MIN_CONFIDENCE]


def test_more_than_half_of_the_prompts_that_notes_answer_have_one_of_them(said: list[Said]):
    assert row(MIN_CONFIDENCE, said).recall > 0.55


def test_what_is_said_is_mostly_right_and_nothing_is_said_off_topic(said: list[Said]):
    found = row(MIN_CONFIDENCE, said)

    assert found.precision > 0.8
    assert found.shown["far"] == found.shown["follow"] == 0
    assert found.shown["near"] < 0.25


def test_no_prompt_that_a_note_answers_is_silenced_by_its_form(said: list[Said]):
    assert not any(one.silenced for one in said if one.kind == "on")
    assert any(one.silenced for one in said if one.kind == "follow")


def test_a_subject_and_a_question_are_answered_however_they_are_worded(tmp_path: Path):
    found = measure_wordings("sample", HERE / "vault", tmp_path / "index.db")

    assert [*found] == [*FORMS, *WITHOUT_ANSWER]
    assert all(found[form][0] >= 9 and found[form][1] == 12 for form in ("subject", "question"))
    assert found["far"][0] <= 2
    assert "| question" in table({"sample": found})
