"""The measuring programs run on a few notes, and give what can be checked by hand."""

import json
from pathlib import Path

import additions
import pytest
from chunking import Place, Quality, Question, by_engine, by_meaning, quality
from contextual import Rehearsed, compare
from conversation_cost import CONVERSATIONS, WAYS, hold, read_conversation, vaults
from judged_prompts import auc, calibration_error, evaluate_prompts, read_prompts, tables
from stages import evaluate_stages, stages_table, static_embedder
from stages_hook import measure_systems, table

from quarry.embedding import load_contextual_encoder
from quarry.evaluation.collections import Collection, read_collection

MINILM_LAYER = Path(__file__).parents[1] / "models" / "minilm-1-layer"
MOST_TOKENS = 10_500  # of ten prompts with three blocks; a published system's, whose prompts cost 15,000 without
NOTES = {
    "tea.md": "---\nproject: kitchen\ntags: [brew]\nupdated: 2025-01-01\n---\n# Tea\n\nTwo minutes.",
    "bread.md": "---\nupdated: 2026-01-01\n---\nLet the dough rise overnight. [[tea]]",
    "late.md": "word " * 300 + "zeppelin",
}
QUERIES = {"1": ("kitchen", "tea.md"), "2": ("baking a loaf of dough", "bread.md"), "3": ("zeppelin", "late.md")}


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    folder = tmp_path / "small"
    (folder / "vault").mkdir(parents=True)
    for name, text in NOTES.items():
        (folder / "vault" / name).write_text(text, "utf-8")
    rows = [json.dumps({"_id": number, "text": text}) for number, (text, _) in QUERIES.items()]
    (folder / "queries.jsonl").write_text("\n".join(rows), "utf-8")
    judged = [f"{number}\t{path}\t1" for number, (_, path) in QUERIES.items()]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]), "utf-8")
    return read_collection(folder)


def test_the_three_stages_have_a_row_each(collection: Collection):
    report = evaluate_stages(collection, {"static": static_embedder})

    assert [stage.name for stage in report.stages] == ["keyword", "rerank: static", "block"]
    assert report.stages[0].quality == {"R@50": pytest.approx(2 / 3), "nDCG@10": pytest.approx(2 / 3)}
    assert "| rerank: static" in stages_table(report)


@pytest.mark.slow
def test_a_hook_says_what_the_three_stages_find(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "performance"))
    (tmp_path / "work").mkdir()

    measured, report = measure_systems(collection, str(MINILM_LAYER), tmp_path / "work", rounds=1)

    stages, quarry = measured["stages: minilm-1-layer"], measured["Quarry"]
    assert (stages.recall, quarry.recall) == (pytest.approx(2 / 3), 1)  # the last stands behind the first 200 words
    assert stages.said == 2
    assert table(measured).count("\n") == 4
    assert [stage.name for stage in report.stages][1:3] == ["rerank: static", f"rerank: {MINILM_LAYER.name}"]


def test_notes_are_recorded_with_the_facts_that_signals_need(collection: Collection, tmp_path: Path):
    records = additions.record(collection, tmp_path / "work")

    facts = dict(zip(records[0].notes, records[0].facts, strict=True))
    assert facts["tea.md"].links == 1
    assert facts["tea.md"].tags == {"brew"}
    assert facts["tea.md"].age_days == 365


@pytest.mark.slow
def test_a_collection_is_asked_before_and_after_its_contextual_vectors(collection: Collection, tmp_path: Path):
    encoder = load_contextual_encoder(str(MINILM_LAYER))
    assert encoder

    outcome = compare(collection, str(MINILM_LAYER), Rehearsed(encoder), tmp_path / "work")

    assert outcome.cpu_seconds > 0
    assert outcome.bytes_after > outcome.bytes_before


# --- chunking ------------------------------------------------------------------------------------


def test_measures_of_chunking_are_shares_of_characters():
    question = Question("what is red?", "fruit", ((100, 150), (300, 350)))
    found = [Place("fruit", 50, 150), Place("fruit", 400, 500)]

    measured = quality(question, found, found)

    assert (measured.recall, measured.precision, measured.iou) == (50 / 100, 50 / 200, 50 / 250)
    assert quality(question, [Place("bread", 100, 350)], [Place("bread", 100, 350)]) == Quality(0, 0, 0, 0)


def test_texts_are_cut_and_asked_by_the_real_parts(tmp_path: Path):
    bread = "# Baking\n\n## Flour\n\nRye flour makes a dense loaf.\n\n## Oven\n\nSteam gives the loaf its crust."
    answer = "Steam gives the loaf its crust."
    for name, text in (("baking", bread), ("boats", "# Boats\n\nA keel keeps a sailing boat upright in the wind.")):
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    start = bread.index(answer)
    questions = [Question("how does bread get a crust?", "baking", ((start, start + len(answer)),))]

    every, nearest = by_meaning(sorted(tmp_path.glob("*.md")), questions)

    found = [nearest, by_engine(sorted(tmp_path.glob("*.md")), questions)]
    assert [quality(questions[0], lists[0], every).recall for lists in found] == [1, 1]


# --- prompts and conversations -------------------------------------------------------------------


def test_prompts_are_asked_with_and_without_the_notes_that_answer_them(collection: Collection, tmp_path: Path):
    file = tmp_path / "prompts.jsonl"
    rows = [
        {"id": "a", "text": "let dough rise overnight", "kind": "on", "paths": ["bread.md"]},
        {"id": "b", "text": "a loan for a house", "kind": "far"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    prompts = read_prompts(file)

    reports = evaluate_prompts(collection.corpus, tmp_path / "index.db", prompts, ["default"])

    assert [prompt.id for prompt in prompts] == ["a", "b", "a-removed"]
    assert reports["default"].auc == 1.0
    assert tables("small", reports).startswith("| small ")


def test_confidence_is_measured_by_auc_and_calibration_error():
    assert auc([0.9, 0.5], [0.5, 0.1]) == 0.875
    assert auc([], [0.5]) is None
    assert calibration_error([0.5] * 20, [True, False] * 10) == pytest.approx(0.0)


@pytest.mark.slow
def test_ten_prompts_with_three_blocks_stay_below_the_published_cost(tmp_path: Path):
    ((name, vault),) = vaults(None, tmp_path)
    prompts, settings = read_conversation(CONVERSATIONS / f"{name}.toml")

    held = hold(vault, prompts, settings, tmp_path / "index.db")

    assert tuple(held) == WAYS
    assert held["prompts"].tokens < held["blocks"].tokens <= MOST_TOKENS
    assert held["blocks"].tokens < held["search"].tokens / 2
    assert held["blocks"].answered >= held["prompts"].answered
