"""How well a hook must do on the sample vault: speak where a note answers, and be silent elsewhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from collected import HERE, LANGUAGES
from hook_prompts import MIN_CONFIDENCE, Said, measure, row
from wordings import FORMS, WITHOUT_ANSWER, share, table
from wordings import measure as measure_wordings


@pytest.fixture(scope="module")
def said(index_of: Callable[[str], Path]) -> list[Said]:
    """What is said to the prompts about the sample vault, and to those about nothing in it."""
    return measure(HERE / "vault", ("sample", "nothing"), index_of("sample"), [MIN_CONFIDENCE])[MIN_CONFIDENCE]


def test_more_than_half_of_the_prompts_that_notes_answer_have_one_of_them(said: list[Said]):
    assert row(MIN_CONFIDENCE, said).recall > 0.55


def test_what_is_said_is_mostly_right_and_nothing_is_said_off_topic(said: list[Said]):
    found = row(MIN_CONFIDENCE, said)

    assert found.precision > 0.78
    assert found.shown["far"] == found.shown["follow"] == 0
    assert found.shown["near"] < 0.3


def test_no_prompt_that_a_note_answers_is_silenced_by_its_form(said: list[Said]):
    assert not any(one.silenced for one in said if one.kind == "on")
    assert any(one.silenced for one in said if one.kind == "follow")


VAULTS = ("sample", "de", "es", "ru")  # that may be tuned on, of those that stand beside this file
FLOORS = {  # of their 32 subjects, for how many a note that answers is quoted, by the wording
    "subject": 28,
    "question": 28,
    "file": 26,
    "letter": 20,
    "task": 25,
    "report": 22,
    "paste": 24,
    "follow": 20,
}
CEILINGS = {"near": 8, "far": 2}  # of 28 and 100 prompts that no note answers


@pytest.fixture(scope="module")
def worded(index_of: Callable[[str], Path]) -> dict[str, dict[str, list[bool]]]:
    """What is quoted for each wording of the subjects of each vault."""
    places = {name: HERE / "vault" if name == "sample" else LANGUAGES / name / "vault" for name in VAULTS}
    return {name: measure_wordings(name, vault, index_of(name)) for name, vault in places.items()}


@pytest.mark.parametrize("form", FORMS)
def test_a_subject_is_answered_however_it_is_worded(worded: dict[str, dict[str, list[bool]]], form: str):
    said = [one for found in worded.values() for one in found[form]]

    assert len(said) == 32
    assert sum(said) >= FLOORS[form]


@pytest.mark.parametrize("form", WITHOUT_ANSWER)
def test_hardly_anything_is_said_where_no_note_answers(worded: dict[str, dict[str, list[bool]]], form: str):
    assert sum(one for found in worded.values() for one in found[form]) <= CEILINGS[form]


def test_a_share_stands_beside_its_interval(worded: dict[str, dict[str, list[bool]]]):
    assert "| question" in table(worded)
    assert share([True] * 9 + [False]) == "90% (70%-100%)"
    assert share([]) == ""
