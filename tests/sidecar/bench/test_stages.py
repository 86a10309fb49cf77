import json
import os

import pytest

from quarry.bench.stages import KeywordStage, RerankStage, block, evaluate_stages, stages_table
from quarry.embedding import load_encoder
from quarry.evaluation.collections import read_collection


@pytest.fixture
def collection(tmp_path):
    folder = tmp_path / "small"
    vault = folder / "vault"
    vault.mkdir(parents=True)
    (vault / "tea.md").write_text(
        "---\nproject: kitchen\nsummary: How long to steep it.\n---\n# Tea\n\nGreen: two.\n\nBlack."
    )
    (vault / "bread.md").write_text("Let the dough rise overnight.")
    (vault / "late.md").write_text("word " * 300 + "zeppelin")
    queries = [("1", "kitchen"), ("2", "baking a loaf of dough"), ("3", "zeppelin")]
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": i, "text": text}) + "\n" for i, text in queries))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ttea.md\t1\n2\tbread.md\t1\n3\tlate.md\t1\n")
    return read_collection(folder)


def test_the_first_stage_sees_front_matter_and_the_first_words_only(collection):
    report = evaluate_stages(collection, {}, with_hook=False)

    first, last = report.stages
    assert (report.notes, report.queries) == (3, 3)
    assert first.quality == {"R@50": pytest.approx(2 / 3), "nDCG@10": pytest.approx(2 / 3)}
    assert (last.name, last.quality) == ("block", {})


def test_each_encoder_has_a_second_stage(collection):
    report = evaluate_stages(collection, {"static": load_encoder}, with_hook=False)

    assert [stage.name for stage in report.stages] == ["keyword", "rerank: static", "block"]
    assert all(stage.cpu_ms.keys() == {"p50", "p95", "p99"} for stage in report.stages)
    assert "| rerank: static" in stages_table(report)


@pytest.mark.slow
def test_the_hook_stands_beside_them(collection, monkeypatch):
    monkeypatch.delenv("QUARRY_HOME", raising=False)

    *_, hook = evaluate_stages(collection, {}).stages

    assert hook.name.startswith("hook: ")
    assert hook.name.endswith(" of 3 prompts have context")
    assert 0 < hook.wall_ms["p50"] <= hook.wall_ms["p99"]
    assert "QUARRY_HOME" not in os.environ


def test_words_rank_by_bm25():
    stage = KeywordStage(["the green tea", "tea tea and tea", "a bicycle chain"])

    assert stage.top("tea", 5) == [1, 0]
    assert stage.top("the", 5) == []
    assert stage.top("green tea", 1) == [0]


def test_passages_rank_by_their_nearest():
    stage = RerankStage(load_encoder(), [["oil the bicycle chain"], ["gears", "baking bread at home"], []])

    assert stage.rerank("how to bake a loaf", [0, 1, 2]) == [1, 0, 2]


def test_a_block_has_title_summary_and_first_paragraph(collection):
    assert block(collection.corpus / "tea.md") == "Tea\nHow long to steep it.\nGreen: two."
