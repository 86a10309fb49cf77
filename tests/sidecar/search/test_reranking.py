"""The notes that stand first are looked at again, word by word."""

import pytest
from builders import Vault

from quarry.engine import Engine
from quarry.options import SearchOptions
from quarry.search.reranking import RERANKED


def shares(engine: Engine, typed: str, **options: object) -> dict[str, float]:
    """What `wording` adds to the score of each hit, by path."""
    request = SearchOptions(query=typed, limit=50, detail="scan", expand_small_results=False, **options)
    return {hit.path: hit.shares["wording"] for hit in engine.search(request).hits}


@pytest.fixture
def trees(vault: Vault, open_engine) -> Engine:
    """Notes of which one holds two words of three and others one."""
    vault.write_all({f"{n:02}.md": f"walnut number {n}" for n in range(RERANKED + 10)} | {"both.md": "walnut oil"})
    return open_engine()


def test_of_the_first_notes_the_one_with_most_of_the_words_gains_most_and_the_rest_nothing(trees: Engine):
    found = shares(trees, "walnut oil zebra")

    assert max(found, key=found.__getitem__) == "both.md"
    assert sum(share > 0 for share in found.values()) <= RERANKED < len(found)
    assert all(share >= 0 for share in found.values())


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        ("walnut oil zebra", {"mode": "keyword"}),
        ("walnut oil zebra", {"mode": "semantic"}),
        ('walnut zebra "walnut oil"', {}),
    ],
    ids=["by words alone", "by meaning alone", "with a phrase"],
)
def test_nothing_is_looked_at_again_where_it_would_tell_nothing(trees: Engine, typed: str, options: dict[str, str]):
    assert not any(shares(trees, typed, **options).values())


def test_one_note_is_not_compared_with_itself(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut"})

    assert shares(open_engine(), "walnut zebra yak") == {"a.md": 0}


def test_wording_is_a_share_of_the_score(trees: Engine):
    for hit in trees.search(SearchOptions(query="walnut oil zebra", limit=50)).hits:
        assert sum(hit.shares.values()) == pytest.approx(hit.score, abs=1e-5)
