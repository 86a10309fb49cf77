"""The comparison of what ships with what is exact, on the sample vault."""

from pathlib import Path

import pytest
from collected import sample, some_queries
from exactness import Outcome, signs_propose, table, weigh
from msgspec.structs import replace

from quarry.evaluation.runner import EvaluationTask, evaluate
from quarry.index.vectors import matrix


def outcome(shipped: float, exact: float, by_signs: float | None = None) -> Outcome:
    return Outcome("a", 10, shipped, exact, 1, by_signs)


@pytest.mark.slow
def test_the_engine_is_within_the_tolerance_and_measures_what_the_judge_measures(tmp_path: Path):
    collection = some_queries(sample(), 25)

    found = weigh(collection, tmp_path / "weighed")

    values = evaluate(EvaluationTask(collection, ("default",), 10, tmp_path / "judged")).values["default"]
    assert found.shipped == pytest.approx(sum(of_query["nDCG@10"] for of_query in values.values()) / 25)
    assert (found.queries, found.is_within, found.by_signs) == (25, True, None)


def test_a_search_that_finds_less_than_exactness_does_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for leg in ("top_chunks", "top_titles"):
        monkeypatch.setattr(f"quarry.index.vectors.vector_query.MemoryDenseQuery.{leg}", lambda *_: [])
    concepts = tuple(query for query in sample().queries if query.kind == "concept")
    collection = replace(sample(), queries=concepts)

    found = weigh(collection, tmp_path)

    assert not found.is_within
    assert found.difference < 0 < found.moved


def test_signs_propose_as_long_as_they_are_to(tmp_path: Path):
    before = matrix.DEFAULT_LIMITS

    with signs_propose(7):
        assert (matrix.DEFAULT_LIMITS.exact_rows, matrix.DEFAULT_LIMITS.shortlist) == (0, 7)

    assert before == matrix.DEFAULT_LIMITS


@pytest.mark.parametrize(
    ("shipped", "exact", "is_within"), [(0.5, 0.5049, True), (0.5, 0.5051, False), (0.5051, 0.5, False)]
)
def test_a_difference_counts_in_both_directions(shipped: float, exact: float, is_within: bool):
    assert outcome(shipped, exact).is_within is is_within


def test_the_table_has_a_row_a_collection_and_their_mean():
    rows = table([outcome(0.5, 0.51, 0.4), outcome(0.7, 0.7)]).splitlines()

    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows[2:]] == [
        ["a", "10", "0.5000", "0.5100", "-0.0100", "1", "no", "0.4000"],
        ["a", "10", "0.7000", "0.7000", "+0.0000", "1", "yes", ""],
        ["mean", "20", "0.6000", "0.6050", "-0.0050", "2", "", ""],
    ]
