"""The learned ranker starts from what ships, and learns what the grades say."""

from pathlib import Path

import learned_ranker as ranker
import numpy as np
import pytest
from collected import sample, some_queries
from recording import session

from quarry.evaluation.collections import JudgedQuery


def example(number: int, signal: str, *, best: int) -> ranker.Example:
    """Two candidates of which *signal* prefers the first; *best* answers."""
    inputs = np.zeros((2, len(ranker.NAMES)))
    inputs[0, ranker.NAMES.index(signal)] = 0.3
    inputs[:, ranker.NAMES.index("note")] = 0.2
    notes = ("a.md", "b.md")
    grades = np.array([float(at == best) for at in range(2)])
    return ranker.Example(JudgedQuery(str(number), "walnut", "all", {notes[best]: 1}), notes, inputs, grades)


@pytest.mark.parametrize(("best", "is_raised"), [(0, True), (1, False)])
def test_a_signal_counts_more_where_it_is_right_and_less_where_it_is_wrong(best: int, is_raised: bool):
    factors = ranker.fit([[example(number, "title", best=best) for number in range(8)]])

    assert (factors[ranker.NAMES.index("title")] > 1) == is_raised
    assert factors[ranker.NAMES.index("exact")] == 1  # no candidate has it


def test_each_collection_counts_alike_however_many_queries_it_has():
    many = [example(number, "title", best=0) for number in range(40)]
    few = [example(number, "title", best=1) for number in range(2)]

    assert ranker.fit([many, few])[ranker.NAMES.index("title")] == pytest.approx(
        ranker.fit([many[:2], few])[ranker.NAMES.index("title")]
    )


def test_candidates_are_ranked_by_the_factors():
    every = [example(number, "title", best=1) for number in range(3)]
    against = ranker.shipped()
    against[ranker.NAMES.index("title")] = -1

    assert ranker.ndcg(every, against) == 1 > ranker.ndcg(every, ranker.shipped())


def test_the_factors_that_ship_give_the_scores_of_the_engine(tmp_path: Path):
    with session(some_queries(sample(), 5), tmp_path) as asked:
        for _, ranking, _, notes in asked.ranked():
            at = ranking.order[: len(notes)]
            scores = ranker.inputs_of(ranking, at, asked.reader) @ ranker.shipped()
            assert scores == pytest.approx(ranking.scores[at], abs=1e-6)
