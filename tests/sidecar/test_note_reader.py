"""Notes read whole: their file as it is now, and what the index knows of them."""

import unicodedata
from pathlib import Path

import pytest
from builders import Vault

from quarry.errors import NoteNotFound, VaultMissing

KEY = "gh" + "p_" + "Ab1Cd2" * 6


def test_a_note_is_read_with_what_the_index_knows(vault: Vault, open_engine):
    vault.write("a.md", "---\naliases: [Nut]\ntags: [tree]\nstatus: draft\n---\n# Walnut\nsee [[b]] and [[nowhere]]\n")
    vault.write("b.md", "back to [[a]]")

    note = open_engine().read_note("a.md")

    assert (note.path, note.title, note.aliases, note.tags) == ("a.md", "Walnut", ("Nut",), ("tree",))
    assert note.properties["status"] == "draft"
    assert note.links == ("b.md", "nowhere")
    assert note.backlinks == ("b.md",)
    assert note.text.startswith("---\naliases")


def test_a_note_is_read_as_it_is_now_and_scrubbed(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine.pause()
    vault.write("a.md", f"the key is {KEY} and more")

    text = engine.read_note("a.md").text

    assert KEY not in text
    assert "[REDACTED:" in text
    assert text.endswith("and more")


def test_a_note_is_found_by_any_composition_of_its_name(vault: Vault, open_engine):
    vault.write(unicodedata.normalize("NFD", "Köln.md"), "walnut")

    assert open_engine().read_note(unicodedata.normalize("NFC", "Köln.md")).text == "walnut"


def test_notes_that_are_not_indexed_are_not_read(vault: Vault, open_engine):
    vault.write_all(
        {
            ".indexignore": "/Private\n",
            "Private/a.md": "walnut",
            ".hidden/b.md": "x",
            "Board.md": "---\nkanban-plugin: x\n---\n",
        }
    )
    engine = open_engine()

    for path in ("Private/a.md", ".hidden/b.md", "Board.md", "../x.md", "/etc/passwd", "none.md", ""):
        with pytest.raises(NoteNotFound):
            engine.read_note(path)


def test_an_indexed_note_swapped_for_a_link_is_not_read(vault: Vault, tmp_path: Path, open_engine):
    outside = tmp_path / "outside.md"
    outside.write_text("canary")
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine.pause()
    vault.remove("a.md")
    (vault.root / "a.md").symlink_to(outside)

    with pytest.raises(NoteNotFound, match="link"):
        engine.read_note("a.md")


def test_a_note_of_a_vault_that_is_gone_is_not_called_gone(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine.pause()
    vault.root.rename(vault.root.with_name("away"))

    with pytest.raises(VaultMissing):
        engine.read_note("a.md")
