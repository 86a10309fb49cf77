"""The fusion as published: formula, worked example, ties."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.search.answer import RankedChunk
from quarry.search.ranking import PASSAGES_PER_HIT
from quarry.search.rrf import RRF_K, fuse, group_by_note
from quarry.types import Candidate, Ranking

EQUAL = {"keyword": 1.0, "dense": 1.0}


def ranking(names: list[str]) -> Ranking:
    """Candidates in this order; a name stands for note, chunk and id at once."""
    return tuple(Candidate(_id(name), name, 0, 1.0 / rank) for rank, name in enumerate(names, start=1))


def _id(name: str) -> int:
    return int.from_bytes(name.encode(), "big")


def ranking_with(places: dict[str, int], depth: int, filler: str) -> Ranking:
    """A ranking of *depth* in which each name of *places* stands at its rank and fillers stand elsewhere."""
    names = {rank: name for name, rank in places.items()}
    return ranking([names.get(rank, f"{filler}{rank}") for rank in range(1, depth + 1)])


def test_worked_example_of_the_published_system():
    keyword = ranking_with({"A": 3, "B": 1, "C": 7, "D": 2}, depth=12, filler="x")
    dense = ranking_with({"A": 1, "B": 8, "C": 2, "D": 12, "E": 3}, depth=12, filler="y")

    fused = [f for f in fuse(keyword, dense, EQUAL) if f.path in "ABCDE"]

    assert [f.path for f in fused] == ["A", "B", "C", "D", "E"]
    assert [f.score for f in fused] == pytest.approx([0.0323, 0.0311, 0.0310, 0.0300, 0.0159], abs=1e-4)


def test_score_is_the_weighted_sum_of_reciprocal_ranks():
    fused = fuse(ranking(["a", "b"]), ranking(["b", "c"]), {"keyword": 2.0, "dense": 0.5})

    assert {f.path: f.score for f in fused} == pytest.approx(
        {"a": 2 / (RRF_K + 1), "b": 2 / (RRF_K + 2) + 0.5 / (RRF_K + 1), "c": 0.5 / (RRF_K + 2)}
    )


def test_a_leg_of_weight_zero_proposes_nothing():
    fused = fuse(ranking(["a"]), ranking(["b"]), {"keyword": 1.0, "dense": 0.0})

    assert [f.path for f in fused] == ["a"]


@pytest.mark.parametrize(
    ("keyword", "dense", "weights", "order"),
    [
        ({"z": 62, "a": 1}, {"z": 62}, (1, 1), "za"),  # 2/122 = 1/61
        ({"z": 12, "a": 3}, {"z": 12, "a": 24}, (1, 1), "za"),  # 1/72 + 1/72 = 1/63 + 1/84
        ({"z": 3, "a": 24}, {"z": 45, "a": 24}, (3, 5), "za"),  # 3/63 + 5/105 = 3/84 + 5/84 = 2/21
        ({"z": 1, "a": 2}, {"z": 2, "a": 1}, (1, 1), "az"),
        ({"z": 1}, {"a": 1}, (1, 1), "az"),
    ],
    ids=["found by both", "lower sum of ranks", "lower single rank", "path", "path, found by one"],
)
def test_equal_scores_are_ordered_by(keyword, dense, weights, order):
    depth = max(*keyword.values(), *dense.values())
    rankings = ranking_with(keyword, depth, filler="x"), ranking_with(dense, depth, filler="y")

    fused = [f for f in fuse(*rankings, dict(zip(EQUAL, map(float, weights), strict=True))) if f.path in ("a", "z")]

    assert fused[0].score == pytest.approx(fused[1].score, abs=1e-15)
    assert "".join(f.path for f in fused) == order


@given(
    st.lists(st.sampled_from("abcdefghij"), unique=True),
    st.lists(st.sampled_from("abcdefghij"), unique=True),
)
def test_order_depends_on_ranks_and_names_alone(first: list[str], second: list[str]):
    fused = fuse(ranking(first), ranking(second), EQUAL)
    renumbered = fuse(
        tuple(Candidate(c.chunk_id + 7, c.path, c.number, c.score) for c in ranking(first)),
        tuple(Candidate(c.chunk_id + 7, c.path, c.number, c.score) for c in ranking(second)),
        EQUAL,
    )

    assert [f.path for f in fused] == [f.path for f in renumbered]
    assert {f.path for f in fused} == {*first, *second}
    assert all(a.score >= b.score for a, b in pairwise(fused))


def test_the_constant_may_be_another():
    [fused] = fuse(ranking(["a"]), (), EQUAL, k=1)

    assert fused.score == 1 / 2


def ranked(path: str, number: int, score: float) -> RankedChunk:
    return RankedChunk(number, path, score)


def test_a_note_stands_where_its_best_chunk_stands():
    groups = group_by_note([ranked("a", 0, 0.9), ranked("b", 0, 0.8), ranked("a", 1, 0.7)])

    assert list(groups) == ["a", "b"]
    assert [chunk.chunk_id for chunk in groups["a"]] == [0, 1]


def test_a_note_brings_only_its_best_passages():
    groups = group_by_note([ranked("a", number, 1 - number / 100) for number in range(PASSAGES_PER_HIT + 5)])

    assert [chunk.chunk_id for chunk in groups["a"]] == list(range(PASSAGES_PER_HIT))
