"""Results: tables, run folders that other tools can read, and two of them compared."""

from itertools import product

import numpy as np
import pytest

from quarry.evaluation.collections import BadCollection, JudgedQuery
from quarry.evaluation.results import by_kind, compare, overview, randomisation, read_saved, save, summary
from quarry.evaluation.runner import MEASURES, Evaluation

QUERIES = (
    JudgedQuery("1", "tea", "word", {"Tea house.md": 1}),
    JudgedQuery("2", "moon\u2028rise", "concept", {"b.md": 1}),
)


def judged(name="small", **scores):
    scores = scores or {"keyword": (0.5, 1.0)}
    values = {
        system: {"1": dict.fromkeys(MEASURES, first), "2": dict.fromkeys(MEASURES, second)}
        for system, (first, second) in scores.items()
    }
    runs = {system: {"1": ("Tea house.md", "b.md")} for system in scores}
    return Evaluation(name, QUERIES, runs, values, (), 1.0)


def test_a_collection_has_a_row_and_a_system_a_column():
    table = overview([judged("small", keyword=(0, 1), rrf=(1, 1)), judged("b", keyword=(0, 0), rrf=(0, 0.5))])

    assert table.splitlines() == [
        "| nDCG@10 | queries | keyword |    rrf |",
        "|---------|--------:|--------:|-------:|",
        "| small   |       2 |  0.5000 | 1.0000 |",
        "| b       |       2 |  0.0000 | 0.2500 |",
        "| mean    |       4 |  0.2500 | 0.6250 |",
    ]


def test_kinds_have_a_table_and_a_summary_of_their_own():
    assert by_kind(judged()).splitlines()[2:] == [
        "| concept        |       1 |  1.0000 |",
        "| word           |       1 |  0.5000 |",
    ]
    found = summary([judged()], with_kinds=True)
    assert found["collections"]["small"]["keyword"] == {**dict.fromkeys(MEASURES, 0.75), "queries": 2}
    assert found["kinds"]["small"]["keyword"]["word"] == {**dict.fromkeys(MEASURES, 0.5), "queries": 1}


def test_a_run_folder_has_the_format_of_trec_and_is_read_back(tmp_path):
    save(judged(name="../../up"), tmp_path / "runs")

    folder = tmp_path / "runs" / "keyword"
    assert {file.parent for file in tmp_path.rglob("*") if file.is_file()} == {folder}
    assert next(folder.glob("*.trec")).read_text("utf-8").splitlines() == [
        "1\tQ0\tTea house.md\t1\t-1\tkeyword",
        "1\tQ0\tb.md\t2\t-2\tkeyword",
    ]
    found = list(read_saved(folder))
    assert [(row.id, row.text) for row in found] == [("1", "tea"), ("2", "moon\u2028rise")]
    assert found[0].values == dict.fromkeys(MEASURES, 0.5)


def test_two_results_are_compared_query_by_query(tmp_path):
    save(judged(keyword=(0.0, 1.0)), tmp_path / "a")
    save(judged(keyword=(0.75, 0.5)), tmp_path / "b")

    shown = compare(tmp_path / "a", tmp_path / "b")

    assert shown.startswith("keyword -> keyword")
    assert "| small   |       2 | 0.5000 | 0.6250 |    +0.1250 | 1.0000 |" in shown
    assert "| small      | 0.0000 | 0.7500 | tea   |" in shown
    assert ("1 won" in shown, "1 lost" in shown) == (True, True)


def test_the_mean_of_a_comparison_counts_each_collection_the_same(tmp_path):
    for folder, score in (("a", 0.0), ("b", 1.0)):
        save(judged(keyword=(score, score)), tmp_path / folder)
        save(judged("other", keyword=(0.5, 0.5)), tmp_path / folder)

    assert "| mean    |       4 | 0.2500 | 0.7500 |    +0.5000 |" in compare(tmp_path / "a", tmp_path / "b")


def test_folders_without_results_are_refused(tmp_path):
    save(judged(), tmp_path / "a")

    for other in (tmp_path / "nothing", tmp_path / "a" / "keyword"):
        with pytest.raises(BadCollection, match="no results to compare"):
            compare(tmp_path / "a", other)


@pytest.mark.parametrize("line", ["{", "[]", '{"_id": "1"}', '{"_id": "1", "text": "x", "nDCG@5": "high"}'])
def test_a_line_that_is_not_a_result_is_named(tmp_path, line):
    (tmp_path / "small.jsonl").write_text(f"{line}\n", "utf-8")

    with pytest.raises(BadCollection, match=r"small\.jsonl, line 1"):
        list(read_saved(tmp_path))


def exhaustive(gains):
    """The randomisation test over every choice of signs."""
    sums = [
        abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True)))
        for signs in product((1, -1), repeat=len(gains))
    ]
    return sum(total >= abs(sum(gains)) - 1e-9 for total in sums) / len(sums)


@pytest.mark.parametrize("gains", [[0.1, 0.2, 0.3, 0.4], [0.5, -0.1, 0.2, 0.0, 0.3], [0.3, -0.3, 0.1]])
def test_p_is_that_of_all_choices_of_signs(gains):
    assert randomisation(np.array(gains)) == pytest.approx(exhaustive([gain for gain in gains if gain]), abs=0.02)
    assert randomisation(np.zeros(3)) == 1.0
