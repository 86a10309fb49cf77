"""How well confidence must do on the sample vault: tell answers from the rest, and warn where there are none."""

from pathlib import Path

import pytest
from collected import HERE
from judged_prompts import ConfidenceReport, evaluate_prompts, read_prompts


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ConfidenceReport]:
    """What the default makes of each file of prompts."""
    index: Path = tmp_path_factory.mktemp("floors") / "index.db"
    prompts = {name: read_prompts(HERE / "prompts" / f"{name}.jsonl") for name in ("sample", "nothing")}
    return {
        name: evaluate_prompts(HERE / "vault", index, of_file, ["default"])["default"]
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
    assert sum(told["shown"] for told in found.told.values()) <= 4
