"""The six signals of a published system, and the ranking of notes by them."""

import math

import pytest
from builders import Vault, ask, find

from quarry.search.six_signals import (
    FIELD_WEIGHTS,
    MS_PER_DAY,
    WITH_VECTORS,
    WITHOUT_VECTORS,
    SixSignalCandidate,
    SixSignalQuery,
    cosine,
    jaccard,
    keyword_score,
    recency,
    shares_of,
    tfidf_idf,
    validity,
)

NOW_MS = 20_000 * MS_PER_DAY


def entry(**values):
    fields = {name: tuple(values.pop(name, "").split()) for name in ("title", "id", "description", "context")}
    given = {
        "cosine": 0.0,
        "severity": "",
        "updated_ms": NOW_MS,
        "valid_from_ms": None,
        "valid_until_ms": None,
        "tags": frozenset(),
        "domain": "",
        **values,
    }
    return SixSignalCandidate(fields={**fields, "tags": tuple(sorted(given["tags"]))}, **given)


def wanted(terms="oil", *, idf=None, tags=(), domain="", has_vector=False):
    known = dict.fromkeys((*terms.split(), "other", "wood"), 1.0)
    return SixSignalQuery(tuple(terms.split()), {**known, **(idf or {})}, frozenset(tags), domain, NOW_MS, has_vector)


def test_both_columns_of_weights_add_up_to_one():
    for weights in (WITHOUT_VECTORS, WITH_VECTORS):
        assert math.fsum(weights.values()) == pytest.approx(1)
    assert (WITH_VECTORS["words"], WITH_VECTORS["vector"]) == (0.25, 0.15)
    assert (WITHOUT_VECTORS["words"], WITHOUT_VECTORS["vector"]) == (0.40, 0.0)


def test_idf_is_as_published():
    assert tfidf_idf(0, 99) == math.log(100) + 1
    assert tfidf_idf(99, 99) == 1


def test_the_cosine_of_texts():
    idf = {"a": 2.0, "b": 1.0, "c": 1.0}

    assert cosine({"a": 1}, {"a": 3}, idf) == pytest.approx(1)
    assert cosine({"a": 1}, {"b": 1}, idf) == 0
    assert cosine({"a": 1, "b": 1}, {"a": 1, "c": 1}, idf) == pytest.approx(4 / 5)


def test_recency_halves_every_year():
    assert [recency(days) for days in (0, 365, 730)] == [1, 0.5, 0.25]


@pytest.mark.parametrize(("day", "expected"), [(-5, 1), (0, 1), (50, 1), (75, 1), (87.5, 0.5), (100, 0), (200, 0)])
def test_within_its_window_an_entry_counts_in_full_until_the_last_quarter(day, expected):
    assert validity(round(day * MS_PER_DAY), 0, 100 * MS_PER_DAY) == pytest.approx(expected)


def test_the_jaccard_index_of_tags():
    assert jaccard({"a", "b"}, {"b", "c"}) == pytest.approx(1 / 3)
    assert jaccard(set(), set()) == 0


def test_each_signal_has_its_share():
    one = entry(title="oil", severity="warning", tags=frozenset({"wood"}), domain="shed", cosine=0.5)

    shares = shares_of(one, wanted("oil", tags=("wood",), domain="shed", has_vector=True))

    assert shares == {
        "words": pytest.approx(0.25 / math.sqrt(2), abs=1e-6),
        "vector": 0.075,
        "severity": 0.105,
        "recency": 0.15,
        "tags": 0.15,
        "domain": 0.15,
    }


def test_a_window_stands_in_for_the_age():
    old = NOW_MS - 730 * MS_PER_DAY

    assert shares_of(entry(updated_ms=old), wanted())["recency"] == pytest.approx(0.15 / 4)
    assert shares_of(entry(updated_ms=old, valid_until_ms=NOW_MS + 730 * MS_PER_DAY), wanted())["recency"] == 0.15
    assert shares_of(entry(valid_from_ms=0, valid_until_ms=NOW_MS), wanted())["recency"] == 0


def test_without_a_domain_in_the_query_none_matches():
    assert shares_of(entry(), wanted())["domain"] == 0


def test_fields_weigh_as_published():
    fields = ("title", "id", "description", "tags", "context")
    found = [
        keyword_score(entry(tags=frozenset({"oil"})) if name == "tags" else entry(**{name: "oil"}), {"oil": 2.0}, 1)
        for name in fields
    ]

    assert list(FIELD_WEIGHTS.values()) == [10, 5, 3, 2, 1]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
    assert found[-1] == pytest.approx(2.0 * 2.2 / 2.2)


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


def test_a_retriever_of_weight_0_proposes_nothing(vault: Vault, open_engine):
    vault.write_all({"word.md": "walnut", "other.md": "kettle"})

    assert find(open_engine(), "walnut", weights={"keyword": 1.0, "dense": 0.0}, **SIX) == ["word.md"]
