"""Tables that read well as text and as Markdown."""

from quarry.evaluation import tables
from quarry.evaluation.collections import JudgedQuery
from quarry.evaluation.comparison import compare
from quarry.evaluation.measures import MEASURES
from quarry.evaluation.runner import Evaluation


def judged(name, **scores):
    queries = (JudgedQuery("1", "tea", "word", {"a": 1}), JudgedQuery("2", "a | b", "concept", {"b": 1}))
    values = {
        system: {"1": dict.fromkeys(MEASURES, first), "2": dict.fromkeys(MEASURES, second)}
        for system, (first, second) in scores.items()
    }
    return Evaluation(name, queries, {}, values, (), 0.0)


def test_a_collection_has_a_row_and_a_system_a_column():
    table = tables.overview([judged("small", keyword=(0, 1), rrf=(1, 1)), judged("b", keyword=(0, 0), rrf=(0, 0.5))])

    assert table.splitlines() == [
        "| nDCG@10 | queries | keyword |    rrf |",
        "|---------|--------:|--------:|-------:|",
        "| small   |       2 |  0.5000 | 1.0000 |",
        "| b       |       2 |  0.0000 | 0.2500 |",
        "| mean    |       4 |  0.2500 | 0.6250 |",
    ]


def test_kinds_have_a_table_where_there_are_several():
    one = judged("small", keyword=(0, 1))
    alike = Evaluation("plain", one.queries[:1], {}, {"keyword": {"1": dict.fromkeys(MEASURES, 1.0)}}, (), 0.0)

    assert tables.by_kind(one).splitlines()[2:] == [
        "| concept        |       1 |  1.0000 |",
        "| word           |       1 |  0.0000 |",
    ]
    assert tables.by_kind(alike) == ""


def test_a_comparison_shows_means_and_the_queries_that_moved():
    found = compare({"small": {"1": 0.0, "2": 1.0}}, {"small": {"1": 0.75, "2": 0.5}})

    assert "| small   |       2 | 0.5000 | 0.6250 |    +0.1250 | 1.0000 |" in tables.differences(found)
    assert tables.changes(found, {("small", "1"): "tea " * 40, ("small", "2"): "a | b"}).count("\n1 ") == 1
    assert r"| small      | 1.0000 | 0.5000 | a \| b |" in tables.changes(
        found, {("small", "1"): "tea", ("small", "2"): "a | b"}
    )
