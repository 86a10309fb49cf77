"""Which passages of a note are shown."""

from builders import Vault, ask


def test_the_passage_that_speaks_most_of_the_query_comes_first(vault: Vault, open_engine):
    filling = "many other words that are of no use here " * 40
    vault.write(
        "a.md", f"## One\n{filling} walnut\n\n## Two\nwalnut oil, walnut oil, and {filling}\n\n## Three\n{filling}"
    )

    hit = ask(open_engine(), "walnut oil", mode="keyword").hits[0]

    assert [p.chunk.chunk.heading_path[-1] for p in hit.passages] == ["Two", "One"]
    assert hit.passages[0].fused.lexical_rank == 1
    assert hit.passages[0].fused.lexical_score > hit.passages[1].fused.lexical_score


def test_no_passage_is_shown_twice_and_all_carry_the_score_of_the_note(vault: Vault, open_engine):
    vault.write(
        "a.md", "\n".join(f"## Part {number}\nwalnut number {number} and {'more ' * 10}" for number in range(6))
    )

    hit = ask(open_engine(), "walnut").hits[0]

    assert len({p.chunk.chunk_id for p in hit.passages}) == len(hit.passages) == 3
    assert {p.fused.score for p in hit.passages} == {hit.score}


def test_a_note_that_matches_only_as_a_whole_is_shown_by_its_best_passage(vault: Vault, open_engine):
    vault.write_all({f"{n:03}.md": "walnut walnut walnut" for n in range(150)})
    vault.write("Walnut.md", "# Walnut\n" + "\n".join(f"## {n}\n{'words of no use ' * 60}" for n in range(4)))

    hit = next(h for h in ask(open_engine(), "walnut", mode="keyword", limit=200).hits if h.path == "Walnut.md")

    assert hit.passages


def test_what_each_leg_says_of_a_passage_stands_beside_it(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})

    fused = ask(open_engine(), "walnut").hits[0].passages[0].fused

    assert (fused.lexical_rank, fused.dense_rank) == (1, 1)
    assert fused.lexical_score > 0
    assert 0 < fused.dense_score <= 1
