"""`fusion = "six-signals"`: the published ranking, over notes of a vault."""

import pytest
from builders import Vault, ask, find

from quarry.options import SearchOptions

SIX = {"fusion": "six-signals"}


def shares(engine, query: str, **options: object) -> dict[str, dict[str, float]]:
    return {hit.path: dict(hit.shares) for hit in ask(engine, query, **SIX, **options).hits}


def test_a_hit_has_the_share_of_each_signal(vault: Vault, open_engine):
    vault.write("a.md", "---\nseverity: critical\ndomain: shed\ntags: [wood]\n---\nwalnut oil")
    vault.write("b.md", "walnut oil")

    found = shares(open_engine(), "walnut tag:wood domain:shed")

    assert found.keys() == {"a.md"}
    assert found["a.md"].keys() == {"words", "vector", "severity", "recency", "tags", "domain"}
    assert [found["a.md"][name] for name in ("severity", "tags", "domain")] == [0.15, 0.15, 0.15]


def test_without_meaning_words_have_the_other_weight(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    by_word, by_both = (shares(engine, "walnut", mode=mode)["a.md"] for mode in ("keyword", "hybrid"))

    assert by_word["words"] == pytest.approx(by_both["words"] * 0.40 / 0.25, abs=1e-5)
    assert by_word["vector"] == 0 < by_both["vector"]


def test_a_note_that_is_no_longer_valid_gains_nothing_from_its_age(vault: Vault, open_engine):
    vault.write("past.md", "---\nvalid_from: 2001-01-01\nvalid_until: 2001-12-31\n---\nwalnut")
    vault.write("present.md", "---\nvalid_from: 2001-01-01\nvalid_until: 2999-12-31\n---\nwalnut")
    vault.write("old.md", "---\nupdated: 2021-01-01\n---\nwalnut")

    found = shares(open_engine(), "walnut")

    assert found["past.md"]["recency"] == 0
    assert found["present.md"]["recency"] == 0.15
    assert 0 < found["old.md"]["recency"] < 0.05
    assert next(iter(found)) == "present.md"


def test_hits_have_a_confidence_and_their_place_is_explained(vault: Vault, open_engine):
    vault.write_all({f"{number}.md": f"walnut {'oil ' * number}" for number in range(5)})
    engine = open_engine()

    [first, *_] = ask(engine, "walnut oil", **SIX).hits

    assert 0 < first.confidence <= 1
    assert engine.explain(SearchOptions(query="walnut oil", **SIX), first.path).rank == 1


def test_a_retriever_of_weight_0_proposes_nothing(vault: Vault, open_engine):
    vault.write_all({"word.md": "walnut", "other.md": "kettle"})

    assert find(open_engine(), "walnut", weights={"lexical": 1.0, "dense": 0.0}, **SIX) == ["word.md"]
