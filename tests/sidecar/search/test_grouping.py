"""Chunks become one hit a note."""

from quarry.search.grouping import FEW_CHUNKS, PASSAGES_PER_HIT, effective_limit, group_by_note

from quarry.types import Fused


def fused(path: str, number: int, score: float) -> Fused:
    return Fused(hash((path, number)), path, number, score, 1, None, score, None)


def test_a_note_stands_where_its_best_chunk_stands():
    groups = group_by_note([fused("a", 0, 0.9), fused("b", 0, 0.8), fused("a", 1, 0.7)])

    assert list(groups) == ["a", "b"]
    assert [chunk.number for chunk in groups["a"]] == [0, 1]


def test_a_note_brings_only_its_best_passages():
    groups = group_by_note([fused("a", number, 1 - number / 100) for number in range(PASSAGES_PER_HIT + 5)])

    assert [chunk.number for chunk in groups["a"]] == list(range(PASSAGES_PER_HIT))


def test_all_is_shown_where_a_small_answer_would_lose_most():
    assert effective_limit(limit=10, note_count=25, matching_chunks=FEW_CHUNKS - 1) == 25


def test_the_limit_holds_where_half_or_more_is_shown():
    assert effective_limit(limit=10, note_count=20, matching_chunks=FEW_CHUNKS - 1) == 10


def test_the_limit_holds_where_many_chunks_match():
    assert effective_limit(limit=10, note_count=25, matching_chunks=FEW_CHUNKS) == 10
