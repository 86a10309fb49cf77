"""The whole path on a few documents, and the table."""

import json
from pathlib import Path

import pytest
from contextual import Outcome, Rehearsed, compare, table

from quarry.embedding import load_contextual_encoder
from quarry.evaluation.collections import read_collection

MINILM_LAYER = Path(__file__).parents[1] / "models" / "minilm-1-layer"
DOCUMENTS = {
    "a": "Sourdough bread needs a warm kitchen.",
    "b": "How to rename a branch in git.",
    "c": "The dentist is open on Monday.",
}


def values(*scores: float) -> dict[str, dict[str, float]]:
    return {str(number): {"nDCG@10": score} for number, score in enumerate(scores)}


@pytest.mark.slow
def test_a_collection_is_asked_before_and_after_its_index_is_deepened(tmp_path: Path) -> None:
    folder = tmp_path / "three"
    folder.mkdir()
    lines = [json.dumps({"_id": name, "title": "", "text": text}) for name, text in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": "change the name of a git branch"}))
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\tb\t1\n")
    encoder = load_contextual_encoder(str(MINILM_LAYER))
    assert encoder
    rehearsed = Rehearsed(encoder)

    outcome = compare(read_collection(folder), str(MINILM_LAYER), rehearsed, tmp_path / "work")

    assert outcome.passages == 6
    assert outcome.cpu_seconds > 0
    assert outcome.after["semantic"]["1"]["nDCG@10"] == 1
    assert outcome.bytes_after > outcome.bytes_before
    assert len(rehearsed.query_seconds) == 1


def test_the_table_has_means_differences_and_costs() -> None:
    before, after = (
        {"semantic": values(0.5, 0.7), "default": values(0.8, 0.8)},
        {
            "semantic": values(0.7, 0.9),
            "default": values(0.8, 0.8),
        },
    )

    lines = table([Outcome("docs", before, after, 1_200, 120.0, 2_000_000, 3_500_000)]).splitlines()

    assert "0.600 > 0.800" in lines[2]
    assert "0.800 > 0.800 (p 1.000)" in lines[2]
    assert [cell.strip() for cell in lines[2].split("|")[4:-1]] == ["1,200", "2.0", "10.0", "2.0 > 3.5"]
    assert "0.600 > 0.800" in lines[3]
