"""The order of the candidates: as published by their ranks, or by the sum of their signals."""

from itertools import pairwise

import pytest
from builders import Vault, ask, find, settle

from quarry.engine import Engine
from quarry.index import CHUNK_WEIGHTS, Deadline, KeywordQuery
from quarry.options import SearchOptions
from quarry.search.rrf import DEPTH
from quarry.search.signals import SIGNAL_NAMES


def many(count: int, text: str) -> dict[str, str]:
    return {f"many/{number:03}.md": text for number in range(count)}


# --- by rank, as published -------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["bellows cloth", "can't fall asleep at night", "pressure", "restore the backup"])
def test_by_rank_the_order_is_the_published_fusion_of_what_both_legs_propose(sample: Engine, typed: str):
    with sample.execution(SearchOptions(query="")) as execution:
        reader, encoder = execution.reader, execution.encoder
        deadline = Deadline.after(10)
        words = KeywordQuery.of([word for word in typed.split() if word not in ("the", "at")])
        retrievers = (
            reader.candidates(reader.keywords.query(words, deadline=deadline).top_chunks(None, 30, CHUNK_WEIGHTS)),
            reader.dense(encoder.encode([typed])[0], None, 30, deadline=deadline),
        )
    ranks = [{(c.path, c.number): rank for rank, c in enumerate(retriever, start=1)} for retriever in retrievers]
    scores = {
        chunk: sum(1 / (60 + retriever[chunk]) for retriever in ranks if chunk in retriever)
        for chunk in ranks[0].keys() | ranks[1].keys()
    }
    expected = sorted(
        scores,
        key=lambda chunk: (
            -round(scores[chunk], 12),
            sum(chunk in retriever for retriever in ranks) < 2,
            sum(retriever[chunk] for retriever in ranks if chunk in retriever),
            min(retriever[chunk] for retriever in ranks if chunk in retriever),
            chunk,
        ),
    )

    answer = ask(sample, typed, fusion="rrf", limit=60, max_tokens=1_000_000)

    assert [hit.path for hit in answer.hits] == list(dict.fromkeys(path for path, _ in expected))
    for hit in answer.hits:
        of_note = [chunk for chunk in expected if chunk[0] == hit.path]
        shown = [(p.chunk.path, p.chunk.chunk.number) for p in hit.passages]
        assert shown == of_note[: len(shown)]
        assert hit.score == pytest.approx(scores[of_note[0]], abs=1e-12)
        for chunk, passage in zip(of_note, hit.passages, strict=False):
            fused = passage.ranked
            assert fused.score == pytest.approx(scores[chunk], abs=1e-12)
            assert fused.scores[:2] == (ranks[0].get(chunk), ranks[1].get(chunk))


def test_by_rank_thirty_are_asked_of_each_leg(vault: Vault, open_engine):
    vault.write_all(many(80, "# Tree\nwalnut"))

    answer = ask(open_engine(), "walnut", fusion="rrf", limit=100)

    assert [hit.path for hit in answer.hits] == [f"many/{number:03}.md" for number in range(DEPTH)]
    assert answer.total == 80


def test_by_rank_one_leg_alone_gives_as_many_as_are_asked_for(vault: Vault, open_engine):
    vault.write_all(many(80, "walnut"))

    assert len(find(open_engine(), "walnut", fusion="rrf", mode="keyword", limit=60)) == 60


# --- by signals ------------------------------------------------------------------------------------


def test_the_shares_of_each_hit_add_up_to_its_score(sample: Engine):
    for typed in ("bellows cloth", "can't fall asleep at night", '"hide glue"', "浜松", "nothing that anyone wrote"):
        for hit in ask(sample, typed, limit=50).hits:
            assert tuple(hit.shares) == SIGNAL_NAMES
            assert sum(hit.shares.values()) == pytest.approx(hit.score, abs=1e-5)
            assert all(0 <= share <= 1 for share in hit.shares.values())


def test_hits_stand_in_the_order_of_their_scores_and_then_of_their_paths(sample: Engine):
    hits = ask(sample, "restore the backup", limit=50).hits

    assert all((-a.score, a.path) < (-b.score, b.path) for a, b in pairwise(hits))


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_notes_that_are_alike_stand_by_their_paths_whatever_order_they_were_indexed_in(
    vault: Vault, open_engine, mode: str
):
    engine = open_engine()
    for number in (5, 3, 0, 4, 1, 2):
        vault.write(f"{number}.md", "# Walnut\nthe same walnut in each of them")
        engine.reconcile()
        settle(engine)

    assert find(engine, "the same walnut", mode=mode) == [f"{number}.md" for number in range(6)]


def test_of_notes_that_are_alike_the_same_are_said_to_be_near_after_any_rebuild(vault: Vault, open_engine):
    engine = open_engine()
    for half in (range(30, 60), range(30)):  # so that ids run against paths until a rebuild
        for number in half:
            vault.write(f"{number:02}.md", "# Walnut\nwalnut")
        engine.reconcile()
        settle(engine)

    def near() -> list[str]:
        return [hit.path for hit in ask(engine, "walnut", limit=100).hits if "dense" in hit.retrievers]

    before = near()
    engine.rebuild()
    settle(engine)

    assert before == near() == [f"{number:02}.md" for number in range(DEPTH)]


def test_a_title_that_is_the_query_beats_notes_that_repeat_it(vault: Vault, open_engine):
    vault.write_all(many(40, "# Wood\n" + "walnut oil " * 30))
    vault.write("Walnut oil.md", "Pressed from the nut and good for bowls.")
    vault.write("b.md", "---\naliases: [Danish oil]\n---\n# Finishes\nA blend that hardens.")
    vault.write_all({f"d/{number}.md": "danish oil " * 20 for number in range(40)})
    engine = open_engine()

    assert find(engine, "walnut oil")[0] == "Walnut oil.md"
    assert find(engine, "danish oil")[0] == "b.md"


# --- passages -------------------------------------------------------------------------------------


def test_the_passage_that_speaks_most_of_the_query_comes_first(vault: Vault, open_engine):
    filling = "many other words that are of no use here " * 40
    vault.write(
        "a.md", f"## One\n{filling} walnut\n\n## Two\nwalnut oil, walnut oil, and {filling}\n\n## Three\n{filling}"
    )

    hit = ask(open_engine(), "walnut oil", mode="keyword").hits[0]

    assert [p.chunk.chunk.heading_path[-1] for p in hit.passages] == ["Two", "One"]
    assert hit.passages[0].ranked.scores.keyword_rank == 1
    assert hit.passages[0].ranked.scores.keyword_score > hit.passages[1].ranked.scores.keyword_score


def test_a_note_that_matches_only_as_a_whole_is_shown_by_its_best_passage(vault: Vault, open_engine):
    vault.write_all({f"{n:03}.md": "walnut walnut walnut" for n in range(150)})
    vault.write("Walnut.md", "# Walnut\n" + "\n".join(f"## {n}\n{'words of no use ' * 60}" for n in range(4)))

    hit = next(h for h in ask(open_engine(), "walnut", mode="keyword", limit=200).hits if h.path == "Walnut.md")

    assert hit.passages


def test_what_each_leg_says_of_a_passage_stands_beside_it(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})

    fused = ask(open_engine(), "walnut").hits[0].passages[0].ranked.scores

    assert (fused.keyword_rank, fused.dense_rank) == (1, 1)
    assert fused.keyword_score > 0
    assert 0 < fused.dense_score <= 1
