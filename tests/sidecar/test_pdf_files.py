"""PDF files from the disk to the hit, where the settings say that they are searched."""

import apsw
import pytest
from builders import Vault, ask, find, modified, settle, tell
from pdf_files import pdf

from quarry.indexing import policy
from quarry.options import SearchOptions

pytestmark = pytest.mark.slow
ON = "[files]\npdf = true\n"


def test_pdf_files_are_not_searched_until_the_settings_say_so(vault: Vault, open_engine):
    vault.write("a.pdf", pdf("walnut"))
    vault.write("a.md", "walnut")
    engine = open_engine()

    assert find(engine, "walnut") == ["a.md"]
    assert engine.status().excluded == 0
    assert "files.pdf" in str(engine.explain(SearchOptions(query="walnut"), "a.pdf").messages[0])

    engine.write_settings({"index_pdfs": True})
    settle(engine)
    assert set(find(engine, "walnut")) == {"a.md", "a.pdf"}

    engine.write_settings({"index_pdfs": False})
    settle(engine)
    assert find(engine, "walnut") == ["a.md"]


def test_a_pdf_file_is_found_and_read_by_page(vault: Vault, open_engine):
    vault.write(".quarry.toml", ON)
    vault.write("Papers/Trees.pdf", pdf("walnut trees grow slowly and late", "cherry trees blossom in early spring"))
    engine = open_engine()

    [hit] = ask(engine, "blossom kind:pdf").hits
    text = engine.read_note("Papers/Trees.pdf").text

    assert hit.path == "Papers/Trees.pdf"
    assert hit.passages[0].chunk.chunk.anchor == "page=2"
    assert text.split("\n")[hit.passages[0].chunk.chunk.line].strip() == "cherry trees blossom in early spring"
    assert find(engine, "author:Ada OR [author:Ada] kind:pdf") == ["Papers/Trees.pdf"]


def test_a_pdf_file_that_changes_is_read_again(vault: Vault, open_engine):
    vault.write(".quarry.toml", ON)
    vault.write("a.pdf", pdf("walnut"))
    engine = open_engine()

    vault.write("a.pdf", pdf("cherry"))
    tell(engine, modified("a.pdf"))

    assert find(engine, "walnut", mode="keyword") == []
    assert find(engine, "cherry") == ["a.pdf"]


def test_one_that_cannot_be_read_is_told_found_by_its_name_and_not_tried_again_until_it_changes(
    vault: Vault, open_engine, tmp_path
):
    vault.write(".quarry.toml", ON)
    vault.write("Broken walnut.pdf", b"not a PDF file")
    engine = open_engine()
    [problem] = engine.status().problems
    before = _generation(tmp_path)

    assert (problem.path, problem.skipped) == ("Broken walnut.pdf", False)
    assert "damaged" in str(problem.reason)
    assert find(engine, "walnut") == ["Broken walnut.pdf"]
    engine.close()
    open_engine()
    assert _generation(tmp_path) == before

    engine = open_engine()
    vault.write("Broken walnut.pdf", pdf("cherry"))
    tell(engine, modified("Broken walnut.pdf"))
    assert find(engine, "cherry") == ["Broken walnut.pdf"]
    assert engine.status().problems == ()


def test_without_the_library_the_setting_says_what_to_install_and_notes_are_searched(
    vault: Vault, open_engine, monkeypatch
):
    monkeypatch.setattr(policy, "can_read_pdfs", lambda: False)
    vault.write(".quarry.toml", ON)
    vault.write("a.pdf", pdf("walnut"))
    vault.write("a.md", "walnut")
    engine = open_engine()

    assert find(engine, "walnut") == ["a.md"]
    assert "./sidecar[pdf]" in str(engine.status().problems[0].reason)


def _generation(tmp_path) -> int:
    connection = apsw.Connection(str(tmp_path / "index.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute("SELECT max(generation) FROM changes").fetchone()[0]
    finally:
        connection.close()
