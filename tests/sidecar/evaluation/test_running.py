"""Asking: as typed, in the engine's order, and never of an index that is not what it should be."""

import pytest

from quarry.engine import Engine
from quarry.errors import IndexUnavailable, ModelMissing
from quarry.evaluation.collections import JudgedQuery
from quarry.evaluation.running import ask, indexed
from quarry.evaluation.systems import SYSTEMS


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


@pytest.mark.parametrize("system", SYSTEMS)
def test_documents_come_best_first_under_their_ids(tmp_path, notes, system):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries("brew tea"), SYSTEMS[system], 100, {"Tea.md": "p1", "Caf\u00e9.md": "p2"})

    assert asked.run["0"][0] == "p1"
    assert asked.refusals == ()


def test_paths_are_ids_in_nfc_where_there_are_no_others(tmp_path, notes):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries("coffee"), SYSTEMS["keyword"], 100)

    assert asked.run["0"] == ("Caf\u00e9.md",)


def test_a_query_that_cannot_be_read_finds_nothing_and_is_told(tmp_path, notes):
    with indexed(notes, tmp_path / "index.db") as engine:
        asked = ask(engine, queries('"open', "tea", "tag:", "-only"), SYSTEMS["keyword"], 100)

    assert "1" in asked.run
    assert len(asked.run) + len(asked.refusals) == 4
    assert asked.refusals


def test_a_vault_that_is_not_there_is_an_error_and_no_result_of_zero(tmp_path):
    with pytest.raises(IndexUnavailable, match="cannot be indexed"), indexed(tmp_path / "gone", tmp_path / "index.db"):
        pass


def test_a_missing_leg_is_an_error_and_no_result_of_the_other(tmp_path, notes, monkeypatch):
    def no_model(name):
        raise ModelMissing(f"{name} is not there")

    monkeypatch.setitem(Engine.open.__kwdefaults__, "load", no_model)

    with pytest.raises(IndexUnavailable, match="dense retriever"), indexed(notes, tmp_path / "index.db"):
        pass
