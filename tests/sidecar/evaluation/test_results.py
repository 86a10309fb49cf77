"""Results on disk: what is written can be read, compared, and understood by other tools."""

import pytest

from quarry.evaluation.collections import BadCollection, JudgedQuery
from quarry.evaluation.measures import MEASURES
from quarry.evaluation.results import pairs, read_saved, save, summary
from quarry.evaluation.runner import Evaluation

QUERIES = (
    JudgedQuery("1", "tea", "word", {"Tea house.md": 1}),
    JudgedQuery("2", "moon\u2028rise", "concept", {"b.md": 1}),
)


def judged(name="small", system="keyword", value=0.5):
    values = {"1": dict.fromkeys(MEASURES, value), "2": dict.fromkeys(MEASURES, 1.0)}
    return Evaluation(name, QUERIES, {system: {"1": ("Tea house.md", "b.md")}}, {system: values}, (), 1.0)


def test_the_summary_has_one_shape():
    assert summary([judged()]) == {
        "collections": {"small": {"keyword": {**dict.fromkeys(MEASURES, 0.75), "queries": 2}}}
    }


def test_kinds_stand_apart_so_that_the_shape_stays():
    found = summary([judged()], by_kind=True)

    assert found["collections"] == summary([judged()])["collections"]
    assert found["kinds"]["small"]["keyword"] == {
        "concept": {**dict.fromkeys(MEASURES, 1.0), "queries": 1},
        "word": {**dict.fromkeys(MEASURES, 0.5), "queries": 1},
    }


def test_a_run_has_a_line_a_document(tmp_path):
    save(judged(), tmp_path)

    assert (tmp_path / "keyword" / "small.trec").read_text("utf-8").splitlines() == [
        "1\tQ0\tTea house.md\t1\t-1\tkeyword",
        "1\tQ0\tb.md\t2\t-2\tkeyword",
    ]


def test_values_come_back_with_their_queries(tmp_path):
    save(judged(), tmp_path)

    found = list(read_saved(tmp_path / "keyword"))

    assert [(row.collection, row.id, row.text) for row in found] == [
        ("small", "1", "tea"),
        ("small", "2", "moon\u2028rise"),
    ]
    assert found[0].values == dict.fromkeys(MEASURES, 0.5)


def test_a_collection_cannot_name_a_file_elsewhere(tmp_path):
    save(judged(name="../../up"), tmp_path / "runs")

    assert {file.parent for file in tmp_path.rglob("*") if file.is_file()} == {tmp_path / "runs" / "keyword"}


def test_two_run_folders_pair_by_system_and_two_systems_pair_at_all(tmp_path):
    save(judged(), tmp_path / "a")
    save(judged(system="rrf"), tmp_path / "a")
    save(judged(), tmp_path / "b")

    assert pairs(tmp_path / "a", tmp_path / "b") == [("keyword", tmp_path / "a/keyword", tmp_path / "b/keyword")]
    assert [title for title, _, _ in pairs(tmp_path / "a/rrf", tmp_path / "a/keyword")] == ["rrf -> keyword"]


def test_what_holds_no_results_says_so(tmp_path):
    save(judged(), tmp_path / "a")

    for other in (tmp_path / "nothing", tmp_path / "a" / "keyword"):
        with pytest.raises(BadCollection, match="no results to compare"):
            pairs(tmp_path / "a", other)


@pytest.mark.parametrize("line", ["{", "[]", '{"_id": "1"}', '{"_id": "1", "text": "x", "nDCG@5": "high"}'])
def test_a_line_that_is_no_result_is_named(tmp_path, line):
    (tmp_path / "small.jsonl").write_text(f"{line}\n", "utf-8")

    with pytest.raises(BadCollection, match=r"small\.jsonl, line 1"):
        list(read_saved(tmp_path))
