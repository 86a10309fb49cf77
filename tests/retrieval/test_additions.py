import math

import additions
import numpy as np
import pytest

from quarry.evaluation.collections import JudgedQuery, read_collection

NO_FACTS = additions.Facts(math.inf, 0.0, frozenset(), frozenset(), 0.0)


def recorded(text="walnut oil", facts=(NO_FACTS, NO_FACTS)):
    query = JudgedQuery("1", text, "all", {"b.md": 1})
    terms = frozenset(text.split())
    return additions.Recorded(query, terms, np.array([0.5, 0.48]), np.array([0.0, 0.1]), ("a.md", "b.md"), facts)


def test_a_signal_moves_a_note_by_its_weight():
    linked = additions.Facts(math.inf, 1.0, frozenset(), frozenset(), 0.0)
    of = recorded(facts=(NO_FACTS, linked))

    by_weight = [additions.reordered(of, additions.added(weight, additions.authority)(of)) for weight in (0.01, 0.03)]

    assert by_weight == [("a.md", "b.md"), ("b.md", "a.md")]


def test_notes_that_score_alike_stay_in_their_order():
    of = recorded()

    assert additions.reordered(of, np.array([0.5, 0.5])) == ("a.md", "b.md")


@pytest.mark.parametrize(("text", "moved"), [("how do I oil walnut", True), ("walnut oil", False)])
def test_meaning_counts_more_for_the_queries_that_are_meant(text, moved):
    scores = additions.VARIANTS["meaning of questions x 1.5"](recorded(text))

    assert (scores[1] > 0.5) == moved


def test_a_note_is_compared_with_what_the_query_names():
    facts = additions.Facts(365, 0.0, frozenset({"oil", "wood"}), frozenset({"oil"}), 0.7)

    assert additions.age(recorded(), facts) == 0.5
    assert additions.age(recorded(), NO_FACTS) == 0
    assert additions.tags(recorded(), facts) == 0.5
    assert additions.domain(recorded(), facts) == 1
    assert additions.domain(recorded("walnut"), facts) == 0


def test_the_default_is_recorded_in_its_order_with_what_is_known_of_each_note(tmp_path):
    vault = tmp_path / "small/vault"
    vault.mkdir(parents=True)
    (vault / "oil.md").write_text("---\nupdated: 2025-01-01\ntags: [wood]\n---\nWalnut oil.")
    (vault / "map.md").write_text("---\nupdated: 2026-01-01\n---\n[[oil]] and walnut.")
    (tmp_path / "small/queries.jsonl").write_text('{"_id": "1", "text": "walnut oil"}\n')
    (tmp_path / "small/qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\toil.md\t1\n")

    [of] = additions.record(read_collection(tmp_path / "small"), tmp_path / "work")

    assert of.notes == ("oil.md", "map.md")
    assert [facts.age_days for facts in of.facts] == [365, 0]
    assert [facts.links for facts in of.facts] == [1, 0]
    assert of.facts[0].tags == {"wood"}
    assert additions.compare([of])["default"] == (1.0, 1.0)
