"""Canvases from the disk to the hit: indexed, watched, filtered, linked, read, refused with a reason."""

import json
from pathlib import Path

import apsw
import pytest
from builders import Vault, ask, find, modified, settle, tell

from quarry.engine import Engine
from quarry.errors import BadQuery, NoteNotFound
from quarry.options import Scope, SearchOptions
from quarry.search import Source
from quarry.types import VaultChange

KEY = "AKIA" + "IOSFODNN7QWERTYU"
LONG = "which is long enough for a passage of its own"


def canvas(*texts: str, files: tuple[str, ...] = ()) -> str:
    nodes = [{"id": f"text-{at}", "type": "text", "text": text, "y": 100 * at} for at, text in enumerate(texts)]
    nodes += [{"id": f"file-{at}", "type": "file", "file": path, "y": 9000} for at, path in enumerate(files)]
    return json.dumps({"nodes": nodes, "edges": []})


def problems(engine: Engine) -> list[tuple[str, str, bool]]:
    return [(each.path, str(each.reason), each.skipped) for each in engine.status().problems]


def test_a_canvas_is_found_by_its_texts_and_its_name_and_opens_at_the_node(vault: Vault, open_engine):
    vault.write("Work/Roadmap.canvas", canvas(f"walnut, {LONG}", f"cherry, {LONG}"))
    vault.write("a.md", "apple")
    engine = open_engine()

    [hit] = ask(engine, "cherry").hits

    assert hit.path == "Work/Roadmap.canvas"
    assert hit.passages[0].chunk.chunk.anchor == "text-1"
    assert find(engine, "roadmap") == ["Work/Roadmap.canvas"]


def test_kinds_and_names_of_files_can_be_asked_for(vault: Vault, open_engine):
    vault.write("Board.canvas", canvas("walnut"))
    vault.write_all({"Board.md": "walnut", "50%.md": "walnut", "a_b.md": "walnut", "axb.md": "walnut"})
    engine = open_engine()

    assert find(engine, "walnut kind:canvas") == ["Board.canvas"]
    assert (
        set(find(engine, "walnut -kind:canvas")) == set(find(engine, "walnut kind:Note")) != set(find(engine, "walnut"))
    )
    for query in ("file:*.canvas", "file:b*.canvas", "path:*d.canvas", "file:.canvas", "path:.canvas"):
        assert find(engine, f"walnut {query}") == ["Board.canvas"], query
    assert find(engine, "walnut file:*0%*") == ["50%.md"]
    assert find(engine, "walnut file:*a_b") == ["a_b.md"]
    assert ask(engine, "walnut kind:canv").total == ask(engine, "walnut").total  # it is being typed
    with pytest.raises(BadQuery, match="note, canvas, pdf"):
        ask(engine, "kind:board walnut")


def test_a_canvas_that_is_saved_renamed_and_deleted_is_followed(vault: Vault, open_engine):
    vault.write("a.canvas", canvas("walnut"))
    engine = open_engine()

    vault.write("a.canvas", canvas("cherry"))
    tell(engine, modified("a.canvas"))
    assert (find(engine, "walnut", mode="keyword"), find(engine, "cherry", mode="keyword")) == ([], ["a.canvas"])

    tell(engine, vault.rename("a.canvas", "b.canvas"))
    assert find(engine, "cherry") == ["b.canvas"]

    (vault.root / "b.canvas").unlink()
    tell(engine, VaultChange("deleted", "b.canvas"))
    assert find(engine, "cherry") == []


def test_notes_on_a_canvas_know_of_it(vault: Vault, open_engine):
    vault.write("Work/Board.canvas", canvas(files=("Work/Plan.md",)))
    vault.write("Work/Plan.md", "walnut")
    engine = open_engine()

    assert engine.read_note("Work/Plan.md").backlinks == ("Work/Board.canvas",)
    assert engine.read_note("Work/Board.canvas").links == ("Work/Plan.md",)
    related = engine.related(Source(path="Work/Plan.md"), Scope(), 5, 120)
    assert [(note.path, note.linked) for note in related.notes] == [("Work/Board.canvas", True)]


def test_a_canvas_is_read_as_text_without_its_secrets(vault: Vault, open_engine):
    vault.write("a.canvas", canvas("# Walnut", f"key {KEY} of ours"))

    text = open_engine().read_note("a.canvas").text

    assert text == "# Walnut\n\nkey [REDACTED:aws-access-key-id] of ours"


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"{", "not JSON"), (b"[" * 100_000, "nested too deeply"), (b"[]", "not a canvas"), (b"\xff\xfe\x00", "not JSON")],
)
def test_a_broken_canvas_is_told_and_ends_nothing(vault: Vault, open_engine, data, reason):
    vault.write("a.canvas", data)
    vault.write("a.md", "walnut")
    engine = open_engine()

    assert find(engine, "walnut") == ["a.md"]
    [(path, told, skipped)] = problems(engine)
    assert (path, skipped) == ("a.canvas", True)
    assert reason in told
    explained = engine.explain(_request("walnut"), "a.canvas")
    assert explained.state == "failed"
    assert reason in str(explained.messages[0])


def test_a_canvas_that_is_broken_later_keeps_what_it_said_until_it_is_mended(vault: Vault, open_engine):
    vault.write("a.canvas", canvas("walnut"))
    engine = open_engine()

    vault.write("a.canvas", "{")
    tell(engine, modified("a.canvas"))
    assert find(engine, "walnut") == ["a.canvas"]
    assert problems(engine)[0][2] is False
    with pytest.raises(NoteNotFound, match="not JSON"):
        engine.read_note("a.canvas")

    vault.write("a.canvas", canvas("cherry"))
    tell(engine, modified("a.canvas"))
    assert find(engine, "cherry") == ["a.canvas"]
    assert problems(engine) == []


def test_canvases_can_be_switched_off_and_on_again(vault: Vault, open_engine):
    for number in range(30):  # more than half of the vault, and believed all the same
        vault.write(f"{number}.canvas", canvas("walnut"))
    vault.write("a.md", "walnut")
    engine = open_engine()
    assert len(find(engine, "walnut", limit=50)) == 31

    engine.write_settings({"index_canvases": False})
    settle(engine)
    assert find(engine, "walnut", limit=50) == ["a.md"]
    assert "files.canvas" in str(engine.explain(_request("walnut"), "1.canvas").messages[0])

    engine.write_settings({"index_canvases": True})
    settle(engine)
    assert len(find(engine, "walnut", limit=50)) == 31


def test_rules_leave_canvases_out_as_they_do_notes(vault: Vault, open_engine):
    vault.write(".indexignore", "Private/\n")
    vault.write("Private/a.canvas", canvas("walnut"))

    engine = open_engine()

    assert find(engine, "walnut") == []
    assert engine.status().excluded == 1


def test_an_index_from_before_takes_canvases_in_without_reading_notes_again(vault: Vault, open_engine, tmp_path: Path):
    vault.write("a.md", "walnut")
    vault.write("a.canvas", canvas("walnut"))
    vault.write(".quarry.toml", "[files]\ncanvas = false\n")
    open_engine().close()
    before = _changed(tmp_path / "index.db")

    vault.write(".quarry.toml", "")
    open_engine().close()

    after = _changed(tmp_path / "index.db")
    assert sorted(before) == ["a.md"]
    assert sorted(after) == ["a.canvas", "a.md"]
    assert after["a.md"] == before["a.md"]


def _request(query: str) -> SearchOptions:
    return SearchOptions(query=query)


def _changed(file: Path) -> dict[str, int]:
    """In which generation each note of an index was last written."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return dict(connection.execute("SELECT path, generation FROM notes JOIN changes ON note_id = id"))
    finally:
        connection.close()
