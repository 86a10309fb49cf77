"""The whole way, from a corpus to values, with the engine and the model that ship."""

import json

import pytest

from quarry.evaluation.collections import read_collection
from quarry.evaluation.judging import Task, judge, judge_all

SYSTEMS = ("keyword", "default")


def task(folder, work):
    return Task(read_collection(folder), SYSTEMS, 100, work, keep=False)


def test_a_collection_is_written_indexed_asked_and_measured(tmp_path, write_collection):
    judged = judge(task(write_collection(), tmp_path / "work"))

    assert tuple(judged.values) == SYSTEMS
    assert judged.runs["keyword"]["q2"][0] == "https://example.org/a#b"
    assert {query: values["Hit@1"] for query, values in judged.values["keyword"].items()} == {
        "q1": 1.0,
        "q2": 1.0,
        "q3": 1.0,
    }


def test_what_is_odd_is_told(tmp_path, write_collection):
    drawing = {"_id": "d", "title": "", "text": "---\nexcalidraw-plugin: parsed\n---\nx\n"}
    folder = write_collection(qrels="query-id\tcorpus-id\tscore\nq1\tHowto/Kettle.md\t1\nq1\tgone\t1\nq9\t7\t1\n")
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write(json.dumps(drawing) + "\n")

    remarks = judge(task(folder, tmp_path / "work")).remarks

    assert remarks == (
        "3 queries are left out: nothing is judged relevant to them",
        "1 judgments are of queries that are not there",
        "1 judgments name documents that are not there; they count as never found",
        "1 of 4 documents are not indexed",
    )


@pytest.mark.slow
def test_two_processes_give_what_one_gives_in_the_order_asked_for(tmp_path, write_collection):
    folders = [write_collection("a"), write_collection("b")]

    alone = list(judge_all([task(folder, tmp_path / "one") for folder in folders], workers=1))
    together = list(judge_all([task(folder, tmp_path / "two") for folder in folders], workers=2))

    assert [one.name for one in together] == ["a", "b"]
    assert [one.runs for one in together] == [one.runs for one in alone]
    assert [one.values for one in together] == [one.values for one in alone]
