"""How prompts with and without an answer are read, asked and rated."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import BadRequest
from quarry.evaluation.collections import BadCollection
from quarry.evaluation.prompts import Judged, Prompt, auc, calibration_error, evaluate_prompts, read_prompts, report
from quarry.evaluation.runner import indexed
from quarry.evaluation.systems import CONFIDENT

NOTES = {
    "Glue.md": "Melt the granules of hide glue at sixty degrees.",
    "Valve.md": "Skive the leather of the valve to a third of a millimetre.",
    "Bread.md": "Feed the rye starter in the evening and bake in the morning.",
    "Boat.md": "The ferry leaves the north pier at ten past seven.",
}
PROMPTS = [
    {"id": "a", "text": "melt hide glue granules", "kind": "on", "paths": ["Glue.md"]},
    {"id": "b", "text": "when does the ferry leave the pier", "kind": "on", "paths": ["Boat.md"]},
    {"id": "c", "text": "who sells leather by the metre", "kind": "near", "paths": []},
    {"id": "d", "text": "ok, go on", "kind": "follow"},
    {"id": "e", "text": "quarterly earnings of airlines", "kind": "far", "paths": []},
    {"id": "f", "text": "tag:", "kind": "far", "paths": []},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "prompts.jsonl"
    path.write_text("\n".join(map(json.dumps, PROMPTS)) + "\n", "utf-8")
    return path


def rated(kind: str, confidence: float, *, is_right: bool = False) -> Judged:
    return Judged(Prompt("x", "x", kind, ("a.md",) if kind == "on" else ()), confidence, is_right)


def test_a_prompt_with_an_answer_is_asked_again_without_it(file: Path):
    prompts = read_prompts(file)

    assert [prompt.id for prompt in prompts] == ["a", "b", "c", "d", "e", "f", "a-removed", "b-removed"]
    assert prompts[-1] == Prompt("b-removed", PROMPTS[1]["text"], "removed", ("Boat.md",))
    assert [prompt.is_answered for prompt in prompts] == [True, True, *[False] * 6]


@pytest.mark.parametrize(
    "line",
    [
        {"id": "a", "text": "no kind"},
        {"id": "a", "text": "an unknown kind", "kind": "often"},
        {"id": "a", "text": "an answer without a note", "kind": "on", "paths": []},
        {"id": "a", "text": "a note without an answer", "kind": "far", "paths": ["a.md"]},
        {"id": 7, "text": "a number for an id", "kind": "far"},
    ],
)
def test_what_is_no_prompt_is_refused_by_its_line(tmp_path: Path, line: dict):
    file = tmp_path / "prompts.jsonl"
    file.write_text(json.dumps(PROMPTS[4]) + "\n" + json.dumps(line) + "\n", "utf-8")

    with pytest.raises(BadCollection, match="line 2"):
        read_prompts(file)


def test_an_id_that_occurs_twice_is_refused(tmp_path: Path):
    file = tmp_path / "prompts.jsonl"
    file.write_text(f"{json.dumps(PROMPTS[4])}\n" * 2, "utf-8")

    with pytest.raises(BadCollection, match="there already"):
        read_prompts(file)


def test_the_real_engine_is_asked_and_tells_answers_from_the_rest(tmp_path: Path, file: Path):
    vault = tmp_path / "vault"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, "utf-8")
    found = evaluate_prompts(vault, tmp_path / "index.db", read_prompts(file), CONFIDENT)

    assert list(found) == list(CONFIDENT)
    assert found["default"].prompts == {"on": 2, "near": 1, "follow": 1, "removed": 2, "far": 2}
    assert found["default"].auc == 1.0
    assert found["default"].precision == 1.0
    assert found["default"].told["on"]["shown"] == 2
    assert found["default"].told["far"]["shown"] == 0
    with indexed(vault, tmp_path / "index.db") as engine:
        assert engine.status().notes == len(NOTES)  # what was taken out was only left out of the search


def test_a_report_tells_near_misses_from_what_is_far():
    judged = [
        rated("on", 0.9, is_right=True),
        rated("on", 0.4),
        rated("near", 0.6),
        rated("follow", 0.1),
        rated("far", 0),
    ]
    found = report(judged)

    assert found.auc == pytest.approx((3 + 2) / 6)
    assert found.auc_near == pytest.approx((2 + 1) / 4)
    assert found.auc_far == 1.0
    assert found.kept == 0.5
    assert found.precision == 0.5


@pytest.mark.parametrize("kind", ["on", "far"])
def test_prompts_of_one_kind_cannot_be_told_apart_but_what_people_are_told_counts(kind: str):
    found = report([rated(kind, 0.5), Judged(rated(kind, 0.0).prompt, 0.2, is_right=False, told="weak")])

    assert found.auc is None
    assert found.kept is None
    assert found.told[kind] == {"nothing found": 0, "no note has the words": 0, "weak": 1, "shown": 1}
    assert found.sure == {kind: 1}


def test_a_report_of_nothing_is_refused():
    with pytest.raises(BadRequest, match="no prompts"):
        report([])


def test_auc_counts_ties_half_and_is_nothing_for_nothing():
    assert auc([0.5, 0.5], [0.5]) == 0.5
    assert auc([1, 0], [0.5]) == 0.5
    assert auc([], [0.5]) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_auc_is_the_share_of_pairs_in_order(higher: list[float], lower: list[float]):
    pairs = [(a > b) + (a == b) / 2 for a in higher for b in lower]

    assert auc(higher, lower) == pytest.approx(sum(pairs) / len(pairs))


def test_a_calibrated_confidence_has_no_error_and_a_boastful_one_has_its_boast():
    outcomes = [number % 2 == 0 for number in range(100)]

    assert calibration_error([0.5] * 100, outcomes) == pytest.approx(0.0)
    assert calibration_error([1.0] * 100, outcomes) == pytest.approx(0.5)
    assert calibration_error([0.0] * 10, [True] * 10) == pytest.approx(1.0)
