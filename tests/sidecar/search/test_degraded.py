"""What is lost is said, and the rest answers."""

import itertools

import pytest
from builders import HashEncoder, Vault, ask, everything_found, find

from quarry.errors import ModelMissing
from quarry.options import Scope, SearchOptions
from quarry.search import Source


def no_model(name: str) -> HashEncoder:
    raise ModelMissing(f"there is no model {name!r} here; set embedding.model")


PARTS = ("sqlite-vec", "fts5", "model")
LOSSES = [set(lost) for size in range(4) for lost in itertools.combinations(PARTS, size)]
LOSS_IDS = [" and ".join(sorted(lost)) or "nothing" for lost in LOSSES]  # a set prints in another order in each process


@pytest.fixture
def open_without(open_engine, encoder: HashEncoder):
    """Open an engine that lacks some of `PARTS`."""
    return lambda lost: open_engine(
        load=no_model if "model" in lost else lambda _: encoder, without=frozenset(lost - {"model"})
    )


@pytest.mark.parametrize("lost", LOSSES, ids=LOSS_IDS)
@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_every_loss_of_legs_still_answers_and_says_so(vault: Vault, open_without, lost: set[str], fusion: str):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_without(lost)

    for mode in ("hybrid", "keyword", "semantic"):
        answer = ask(engine, "walnut", mode=mode, fusion=fusion)

        wanted = {"hybrid": {"keyword", "dense"}, "keyword": {"keyword"}, "semantic": {"dense"}}[mode]
        gone = {retriever for retriever, part in (("keyword", "fts5"), ("dense", "model")) if part in lost}
        able = {"keyword", "dense"} - gone
        assert set(answer.missing) == wanted & gone
        assert all(answer.missing.values())
        assert set(answer.retrievers) == (wanted & able or able)
        assert ([hit.path for hit in answer.hits][:1] == ["a.md"]) == bool(able)
    assert set(engine.status().missing) == gone


@pytest.mark.parametrize("lost", LOSSES, ids=LOSS_IDS)
def test_conditions_hold_whatever_is_lost(vault: Vault, open_without, lost: set[str]):
    vault.write_all(
        {"x/a.md": "hot hide #tree", "x/b.md": "hide that is hot #tree", "y/c.md": "hot hide", "d.md": "oak"}
    )
    engine = open_without(lost)

    assert sorted(find(engine, '"hot hide"')) == ["x/a.md", "y/c.md"]
    assert find(engine, '"hot hide" folder:x') == ["x/a.md"]
    assert find(engine, 'tag:tree -"hot hide"') == ["x/b.md"]
    assert sorted(find(engine, "/hide$|oak/")) == ["d.md", "y/c.md"]


@pytest.mark.parametrize("lost", LOSSES, ids=LOSS_IDS)
def test_explanations_and_the_like_of_a_note_are_given_whatever_is_lost(vault: Vault, open_without, lost: set[str]):
    vault.write_all({"a.md": "walnut oil from the mill", "b.md": "walnut oil, too", "c.md": "cherry"})
    engine = open_without(lost)
    able = {"fts5", "model"} - lost

    explained = engine.explain(SearchOptions(query="walnut"), "a.md")
    related = engine.related(Source(path="a.md"), Scope(), 5, 120)

    assert explained.state == ("hit" if able else "unranked")
    assert [note.path for note in related.notes][:1] == (["b.md"] if able else [])
    assert set(related.missing) == {
        retriever for retriever, part in (("keyword", "fts5"), ("dense", "model")) if part in lost
    }


def test_without_sqlite_vec_the_answers_are_the_same(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": f"walnut {'cherry ' * n} oak{n}" for n in range(20)})
    queries = ["walnut", "oak3 cherry", "folder:x walnut", "cherry -oak5"]
    first = open_engine()
    with_it = everything_found(first, queries)
    first.close()

    assert everything_found(open_engine(without=frozenset({"sqlite-vec"})), queries) == with_it


def test_without_a_model_nothing_is_said_to_be_near_in_meaning(vault: Vault, open_without):
    vault.write_all({"a.md": "walnut", "b.md": "walnut and more"})

    hits = ask(open_without({"model"}), "walnut").hits

    assert all(hit.retrievers == {"keyword"} and hit.shares["meaning"] == 0 for hit in hits)
    assert hits[0].score > hits[1].score
