"""The whole path, from a corpus to measures, with the engine and the model that ship."""

import json
import sys
from math import log2

import pytest

from quarry.engine import Engine
from quarry.errors import ExtraMissing, IndexUnavailable, ModelMissing
from quarry.evaluation.collections import JudgedQuery, read_collection
from quarry.evaluation.runner import MEASURES, EvaluationTask, ask, evaluate, evaluate_all, indexed, means, measure
from quarry.evaluation.runner import SYSTEMS as ALL_SYSTEMS

SYSTEMS = ("keyword", "default")


def task(folder, work):
    return EvaluationTask(read_collection(folder), SYSTEMS, 100, work)


def test_a_collection_is_written_indexed_asked_and_measured(tmp_path, write_collection):
    judged = evaluate(task(write_collection(), tmp_path / "work"))

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

    remarks = evaluate(task(folder, tmp_path / "work")).remarks

    assert remarks == (
        "3 queries are left out: nothing is judged relevant to them",
        "1 judgments are of queries that are not there",
        "1 judgments name documents that are not there; they count as never found",
        "1 of 4 documents are not indexed",
    )


@pytest.mark.slow
def test_two_processes_give_what_one_gives_in_the_order_asked_for(tmp_path, write_collection):
    folders = [write_collection("a"), write_collection("b")]

    alone = list(evaluate_all([task(folder, tmp_path / "one") for folder in folders], workers=1))
    together = list(evaluate_all([task(folder, tmp_path / "two") for folder in folders], workers=2))

    assert [one.name for one in together] == ["a", "b"]
    assert [one.runs for one in together] == [one.runs for one in alone]
    assert [one.values for one in together] == [one.values for one in alone]


# --- asking one engine ---------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Tea.md").write_text("Brew tea for three minutes.\n", "utf-8")
    (folder / "Cafe\u0301.md").write_text("Coffee wants less time than tea.\n", "utf-8")
    return folder


def queries(*texts):
    return [JudgedQuery(str(number), text, "all", {"Tea.md": 1}) for number, text in enumerate(texts)]


def test_a_vault_is_searchable_when_it_is_handed_out(tmp_path, notes):
    seen = []

    with indexed(notes, tmp_path / "index.db", seen.append) as engine:
        assert engine.status().notes == 2
        assert seen


@pytest.mark.parametrize("system", ALL_SYSTEMS)
def test_documents_come_best_first_under_their_ids(tmp_path, notes, system):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries("brew tea"), ALL_SYSTEMS[system], 100, {"Tea.md": "p1", "Caf\u00e9.md": "p2"})

    assert asked.run["0"][0] == "p1"
    assert asked.refusals == ()


def test_paths_are_ids_in_nfc_where_there_are_no_others(tmp_path, notes):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries("coffee"), ALL_SYSTEMS["keyword"], 100)

    assert asked.run["0"] == ("Caf\u00e9.md",)


def test_a_query_that_cannot_be_read_finds_nothing_and_is_told(tmp_path, notes):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries('"open', "tea", "tag:", "-only"), ALL_SYSTEMS["keyword"], 100)

    assert "1" in asked.run
    assert len(asked.run) + len(asked.refusals) == 4
    assert asked.refusals


def test_a_query_that_fails_is_counted_and_the_others_are_asked(tmp_path, notes, monkeypatch):
    with indexed(notes, tmp_path / "index.db") as engine:
        search = engine.search
        answers = iter([KeyError("defect"), None])

        def fail_once(request):
            if error := next(answers):
                raise error
            return search(request)

        monkeypatch.setattr(engine, "search", fail_once)
        asked = ask(engine, queries("brew", "tea"), ALL_SYSTEMS["keyword"], 100)

    assert [*asked.run] == ["1"]
    assert "KeyError" in asked.refusals[0]


def test_a_vault_that_is_not_there_is_an_error_and_no_result_of_zero(tmp_path):
    with pytest.raises(IndexUnavailable, match="cannot be indexed"), indexed(tmp_path / "gone", tmp_path / "index.db"):
        pass


def test_a_missing_leg_is_an_error_and_no_result_of_the_other(tmp_path, notes, monkeypatch):
    def no_model(name):
        raise ModelMissing(f"{name} is not there")

    monkeypatch.setitem(Engine.open.__kwdefaults__, "load", no_model)

    with pytest.raises(IndexUnavailable, match="dense retriever"), indexed(notes, tmp_path / "index.db"):
        pass


# --- measures ------------------------------------------------------------------------------------

GRADES = {"best": 3, "good": 2, "fair": 1}
IDEAL = 3 + 2 / log2(3) + 1 / 2


def measured(found, grades=GRADES):
    return measure([JudgedQuery("q", "text", "all", grades)], {"q": found})["q"]


def test_measures_equal_values_worked_out_by_hand():
    sixth = measured([f"x{n}" for n in range(5)] + ["best"])

    assert measured(["best", "good", "fair"]) == pytest.approx(dict.fromkeys(MEASURES, 1.0))
    assert measured(["fair", "good", "best"])["nDCG@10"] == pytest.approx((1 + 2 / log2(3) + 3 / 2) / IDEAL)
    assert (sixth["nDCG@5"], sixth["Hit@1"]) == (0, 0)
    assert sixth["nDCG@10"] == pytest.approx(3 / log2(7) / IDEAL)
    assert sixth["MRR"] == pytest.approx(1 / 6)
    assert sixth["R@10"] == pytest.approx(1 / 3)
    assert measured([f"x{n}" for n in range(100)] + ["best"]) == dict.fromkeys(MEASURES, 0.0)


def test_the_order_of_the_run_decides_whatever_the_ids():
    assert measured(["m", "z", "a"], {"m": 1})["Hit@1"] == 1
    assert measured(["z", "m"], {"m": 1})["MRR"] == measured(["a", "m"], {"m": 1})["MRR"] == 0.5


def test_a_query_without_hits_and_a_document_outside_the_corpus_count_as_missed():
    queries = [JudgedQuery(name, "", "all", {"d": 1}) for name in ("empty", "absent", "found")]

    values = measure(queries, {"empty": (), "found": ("d",)})

    assert values["empty"] == values["absent"] == dict.fromkeys(MEASURES, 0.0)
    assert means(values.values())["MRR"] == pytest.approx(1 / 3)
    assert measured(["a"], {"a": 1, "not in the corpus": 1})["R@100"] == 0.5


def test_without_the_library_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)

    with pytest.raises(ExtraMissing, match="comes with the extra `eval`"):
        measure([], {})
