"""The measures against values worked out by hand, and what they do at the edges."""

import sys
from math import log2

import pytest

from quarry.errors import ExtraMissing
from quarry.evaluation.collections import JudgedQuery
from quarry.evaluation.measures import MEASURES, means, measure

GRADES = {"best": 3, "good": 2, "fair": 1}
IDEAL = 3 + 2 / log2(3) + 1 / 2


def of(found, grades=GRADES):
    query = JudgedQuery("q", "text", "all", grades)
    return measure([query], {"q": found})["q"]


def test_the_best_order_has_1_everywhere():
    assert of(["best", "good", "fair"]) == pytest.approx(dict.fromkeys(MEASURES, 1.0))


def test_gains_are_the_grades_themselves():
    assert of(["x", "best"])["nDCG@10"] == pytest.approx(3 / log2(3) / IDEAL)
    assert of(["fair", "good", "best"])["nDCG@10"] == pytest.approx((1 + 2 / log2(3) + 3 / 2) / IDEAL)


def test_each_measure_looks_as_far_as_its_name_says():
    sixth = of(["x"] * 0 + [f"x{n}" for n in range(5)] + ["best"])
    eleventh = of([f"x{n}" for n in range(10)] + ["best"])

    assert sixth["nDCG@5"] == 0
    assert sixth["nDCG@10"] == pytest.approx(3 / log2(7) / IDEAL)
    assert sixth["Hit@1"] == 0
    assert sixth["MRR"] == pytest.approx(1 / 6)
    assert sixth["R@10"] == pytest.approx(1 / 3)
    assert eleventh["nDCG@10"] == eleventh["R@10"] == 0
    assert eleventh["R@100"] == pytest.approx(1 / 3)
    assert eleventh["MRR"] == pytest.approx(1 / 11)


def test_what_stands_below_the_hundredth_place_counts_for_nothing():
    assert of([f"x{n}" for n in range(100)] + ["best"]) == dict.fromkeys(MEASURES, 0.0)


def test_a_grade_of_1_is_relevant():
    assert of(["fair"])["Hit@1"] == of(["fair"])["MRR"] == 1


def test_the_order_given_decides_whatever_names_say():
    grades = {"m": 1}

    assert of(["m", "z", "a"], grades)["Hit@1"] == 1
    assert of(["z", "m"], grades)["MRR"] == of(["a", "m"], grades)["MRR"] == 0.5


def test_a_query_that_found_nothing_or_was_not_asked_has_0():
    queries = [JudgedQuery(name, "", "all", {"d": 1}) for name in ("empty", "absent", "found")]

    values = measure(queries, {"empty": (), "found": ("d",)})

    assert values["empty"] == values["absent"] == dict.fromkeys(MEASURES, 0.0)
    assert values["found"]["MRR"] == 1
    assert means(values.values())["MRR"] == pytest.approx(1 / 3)


def test_a_judged_document_that_cannot_be_found_is_missed():
    assert of(["a"], {"a": 1, "not in the corpus": 1})["R@100"] == 0.5


def test_no_queries_have_means_of_0():
    assert means([]) == dict.fromkeys(MEASURES, 0.0)


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)

    with pytest.raises(ExtraMissing, match="comes with the extra `eval`"):
        measure([], {})
