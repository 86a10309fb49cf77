"""How well confidence must do on the sample vault: tell answers from the rest, and warn where there are none."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from collected import HERE, SAMPLE, further, sample
from judged_prompts import ConfidenceReport, evaluate_prompts, read_prompts
from verdicts import Count, identifiers, of_collection

from quarry.evaluation.runner import indexed
from quarry.options import SearchOptions


@pytest.fixture(scope="module")
def reports(index_of: Callable[[str], Path]) -> dict[str, ConfidenceReport]:
    """What the default makes of each file of prompts."""
    prompts = {name: read_prompts(HERE / "prompts" / f"{name}.jsonl") for name in ("sample", "nothing")}
    return {
        name: evaluate_prompts(HERE / "vault", index_of(SAMPLE), of_file, ["default"])["default"]
        for name, of_file in prompts.items()
    }


def test_prompts_with_an_answer_are_surer_than_those_without(reports: dict[str, ConfidenceReport]):
    found = reports["sample"]

    assert (found.auc_far or 0) > 0.94
    assert (found.auc_near or 0) > 0.85
    assert (found.kept or 0) > 0.5


def test_where_nothing_is_to_be_found_nothing_is_sure_and_hardly_anything_goes_without_a_warning(
    reports: dict[str, ConfidenceReport],
):
    found = reports["nothing"]

    assert sum(found.sure.values()) == 0
    assert sum(told["shown"] for told in found.told.values()) <= 6


@pytest.fixture(scope="module")
def judged(index_of: Callable[[str], Path]) -> dict[str, Count]:
    """How the queries of the sample vault are answered, by kind, and the identifiers that are asked of it."""
    found: defaultdict[str, Count] = defaultdict(Count)
    with indexed(HERE / "vault", index_of(SAMPLE)) as engine:
        for collection in (sample(), further()["more"]):
            for kind, one in of_collection(engine, collection, {}):
                found[kind].add(one)
        for count in identifiers(engine, SAMPLE).values():
            found["identifiers"] += count
    return found


def test_right_first_notes_are_seldom_under_the_heading_of_guesses(judged: dict[str, Count]):
    at_most = {"time": 0.25}  # 2 of 8: `what happened in November 2024?`

    for kind, count in judged.items():
        assert count.guesses <= at_most.get(kind, 0.1) * count.right, kind
        assert count.weak <= {"concept": 0.4, "time": 0.25, "cross-language": 0.7}.get(kind, 0.1) * count.right, kind


def test_identifiers_are_first_and_certain(judged: dict[str, Count]):
    found = judged["identifiers"]

    assert found.right >= 0.98 * found.asked
    assert found.sure >= 0.9 * found.right
    assert found.in_context == found.right
    assert found.sure_of_nothing <= 1  # of 8 that no note contains


def test_a_question_that_one_card_answers_is_not_weak(index_of: Callable[[str], Path]):
    with indexed(HERE / "vault", index_of(SAMPLE)) as engine:
        for query in ("what is my blood type", "2026-02-21"):
            assert engine.search(SearchOptions(query=query)).weakness is None
