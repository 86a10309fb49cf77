"""The facade: notes read and listed, the state told, listeners, opening and closing."""

from pathlib import Path

import pytest
from builders import Vault, ask, find, settle, wait_until
from embedding_server import EmbeddingServer

from quarry.embedding import endpoint_name
from quarry.engine import Engine
from quarry.errors import BadSettings, Cancelled, IndexUnavailable, ModelMissing, SchemaTooNew, VaultMissing
from quarry.index import Index, NoteFilter
from quarry.options import Scope, SearchOptions
from quarry.search import Source
from quarry.types import VaultChange

KEY = "gh" + "p_" + "Ab1Cd2" * 6


def test_notes_are_listed_newest_first_by_page(vault: Vault, open_engine):
    for number in range(5):
        vault.write(f"f/{number}.md", "walnut", mtime_ns=(1 + number) * 10**18)
    vault.write("other.md", "walnut")

    page = open_engine().list_notes(NoteFilter(Scope(folders=("f",))), limit=2, offset=1)

    assert [note.path for note in page.notes] == ["f/3.md", "f/2.md"]
    assert page.total == 5


def test_the_status_counts(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "## One\n" + "x " * 30 + "\n## Two\n" + "y " * 30})
    status = open_engine().status()

    assert (status.state, status.notes, status.chunks, status.pending, status.excluded) == ("live", 2, 3, 0, 0)
    assert (status.model_name, status.model_state, status.model_message) == ("bundled", "ready", None)
    assert (dict(status.missing), status.problem_count, status.message, status.progress) == ({}, 0, None, None)
    assert status.indexed_ms
    assert status.size_bytes > 4096


def test_the_status_lists_problems_of_rules_and_notes(vault: Vault, open_engine):
    vault.write(".quarry.toml", "[serch]\nkeyword_weight = 1.0\n")
    (vault.root / "a.md").symlink_to("nowhere.md")

    status = open_engine().status()

    assert status.problem_count == len(status.problems) == 2
    assert status.problems[0].path == ""
    assert status.problems[0].reason.code == "reason.settings"
    assert "serch" in str(status.problems[0].reason)
    assert status.problems[1].path == "a.md"


def test_the_status_answers_when_the_index_does_not(vault: Vault, open_engine, monkeypatch):
    vault.write("a.md", "walnut")
    engine = open_engine()

    def refuse(self: Index) -> None:
        raise IndexUnavailable("the index cannot be used (disk I/O error)")

    monkeypatch.setattr(Index, "reader", refuse)
    status = engine.status()

    assert status.notes == 0
    assert "disk I/O error" in str(status.message)
    assert status.message.code == "status.index-unavailable"


def test_listeners_are_told_what_a_commit_changed(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    told: list[object] = []
    engine.listen(told.append)

    vault.write("b.md", "cherry")
    engine.vault_changed([vault.rename("a.md", "c.md"), VaultChange("created", "b.md")])
    settle(engine)

    news = [updated for updated in told if updated]
    assert {path for updated in news for path in updated.indexed} == {"b.md", "c.md"}
    assert {path for updated in news for path in updated.removed} == {"a.md"}
    assert told[-1] is None


def test_a_listener_that_fails_stops_nothing(vault: Vault, open_engine):
    engine = open_engine()
    engine.listen(lambda _: 1 // 0)

    vault.write("a.md", "walnut")
    engine.vault_changed([VaultChange("created", "a.md")])
    settle(engine)

    assert find(engine, "walnut") == ["a.md"]


def test_an_index_of_a_newer_version_is_left_alone(vault: Vault, tmp_path: Path, open_engine):
    open_engine().close()
    file = tmp_path / "index.db"
    content = bytearray(file.read_bytes())
    content[60:64] = (999).to_bytes(4)
    file.write_bytes(content)

    with pytest.raises(SchemaTooNew):
        open_engine()

    assert file.read_bytes() == content


def test_bad_settings_are_refused_and_nothing_is_written(vault: Vault, open_engine):
    engine = open_engine()

    with pytest.raises(BadSettings):
        engine.write_settings({"keyword_weight": -1})

    assert not (vault.root / ".quarry.toml").exists()


def test_the_settings_are_read_as_the_file_has_them_before_indexing_has_looked(vault: Vault, open_engine):
    engine = open_engine()
    settle(engine)
    engine.pause()

    vault.write(".quarry.toml", '[context.tea]\nquery = "oolong"\n')

    assert [block.name for block in engine.read_settings().blocks] == ["tea"]
    vault.write(".quarry.toml", "[context")
    with pytest.raises(BadSettings):
        engine.read_settings()


def test_weights_of_the_settings_hold_for_searches(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry"})
    engine = open_engine()

    engine.write_settings({"dense_weight": 0.0})
    settle(engine)
    wait_until(lambda: engine.settings.dense_weight == 0.0)

    assert find(engine, "walnut") == ["a.md"]


def test_nothing_but_what_the_user_asked_for_is_written_into_the_vault(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    ask(engine, "walnut")
    engine.rebuild()
    settle(engine)

    assert [file.name for file in vault.root.rglob("*")] == ["a.md"]


def test_a_closed_engine_says_so_and_closes_twice(vault: Vault, open_engine):
    engine = open_engine()
    engine.close()
    engine.close()

    with pytest.raises(IndexUnavailable):
        engine.search(SearchOptions(query="walnut"))


def test_closing_leaves_the_database_and_its_side_file(vault: Vault, tmp_path: Path, open_engine):
    vault.write("a.md", "walnut")
    open_engine().close()

    assert sorted(file.name for file in tmp_path.glob("index*")) == ["index.db", "index.db.postings"]


def test_opening_again_finds_what_changed_meanwhile(vault: Vault, open_engine):
    vault.write_all({"a.md": "# A\nwalnut", "b.md": "# B\ncherry", "c.md": "# C\noak"})
    open_engine().close()
    vault.write("a.md", "# A\npear")
    vault.remove("b.md")
    vault.rename("c.md", "d.md")

    engine: Engine = open_engine()

    assert find(engine, "pear", mode="keyword") == ["a.md"]
    assert find(engine, "cherry walnut", mode="keyword") == []
    assert find(engine, "oak", mode="keyword") == ["d.md"]


def test_the_fusion_of_the_settings_holds_for_searches_and_explanations(vault: Vault, open_engine):
    vault.write_all({"a.md": "walnut", "b.md": "cherry", ".quarry.toml": '[search]\nfusion = "rrf"\n'})
    engine = open_engine()

    assert ask(engine, "walnut").hits[0].shares == {}
    assert engine.explain(SearchOptions(query="walnut"), "a.md").score == ask(engine, "walnut").hits[0].score


def test_an_explanation_of_a_vault_that_is_gone_says_so(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine.pause()
    vault.root.rename(vault.root.with_name("away"))

    with pytest.raises(VaultMissing):
        engine.explain(SearchOptions(query="walnut"), "none.md")


def test_explaining_and_relating_can_be_cancelled(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()

    with pytest.raises(Cancelled):
        engine.explain(SearchOptions(query="walnut"), "a.md", lambda: True)
    with pytest.raises(Cancelled):
        engine.related(Source(path="a.md"), Scope(), 5, 120, lambda: True)


def test_notes_of_an_excluded_status_are_neither_listed_nor_related(vault: Vault, open_engine):
    vault.write_all(
        {
            ".quarry.toml": '[search]\nexclude_status = ["draft"]',
            "a.md": "walnut oil",
            "b.md": "walnut oil too",
            "draft.md": "---\nstatus: Draft\n---\nwalnut oil as well",
        }
    )
    engine = open_engine()

    listed = engine.list_notes(NoteFilter(), 10, 0)

    assert ({note.path for note in listed.notes}, listed.total) == ({"a.md", "b.md"}, 2)
    assert [note.path for note in engine.list_notes(NoteFilter(status="draft"), 10, 0).notes] == ["draft.md"]
    for path, similar in (("a.md", ["b.md"]), ("draft.md", ["a.md", "b.md"])):
        related = engine.related(Source(path=path), Scope(), 10, 120)
        assert sorted(note.path for note in related.notes) == similar


def test_a_model_that_ollama_does_not_have_is_not_chosen_unless_ollama_is_not_running(
    vault: Vault, open_engine, monkeypatch
):
    server = EmbeddingServer(models=("nomic-embed-text:latest", "written:2b")).start()
    monkeypatch.setattr(endpoint_name, "OLLAMA_ORIGIN", server.origin)
    engine = open_engine()

    with pytest.raises(ModelMissing, match="pull it first: ollama pull nope"):
        engine.use_model("ollama:nope", ["endpoint"])
    assert not (vault.root / ".quarry.toml").exists()
    for name in ("ollama:nomic-embed-text", "ollama:nomic-embed-text:latest", "ollama:written:2b"):
        assert engine.use_model(name, ["endpoint"]).model == name

    server.stop()
    assert engine.use_model("ollama:nope", ["endpoint"]).model == "ollama:nope"
