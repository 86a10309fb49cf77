"""A walk and the index are laid side by side; nothing is opened, and nothing written where nothing is new."""

import sys

import pytest
from builders import Vault, problems

from quarry.errors import VaultMissing
from quarry.index import Index
from quarry.indexing.diff import VaultDiff, diff_vault
from quarry.indexing.disk_state import DiskState
from quarry.indexing.indexer import Indexer
from quarry.types import FileSeen
from quarry.vault.rules import Rules


@pytest.fixture
def seen(vault: Vault, index: Index):
    drawings: dict[str, FileSeen] = {}
    survey = DiskState(vault.root, Rules(), drawings)

    def see(**options: bool) -> VaultDiff:
        return diff_vault(survey, index, **options)

    see.drawings = drawings  # type: ignore[attr-defined]
    return see


def test_an_index_that_equals_its_vault_differs_in_nothing(vault: Vault, index: Index, indexer: Indexer, seen):
    vault.write_all({"a.md": "walnut", "Folder/b.md": "cherry"})
    indexer.reconcile(index)

    found = seen()

    assert found.is_empty
    assert set(found.known) == set(found.comparison.same) == {"a.md", "Folder/b.md"}


def test_what_is_new_touched_or_gone_is_told(vault: Vault, index: Index, indexer: Indexer, seen):
    vault.write_all({"a.md": "walnut", "b.md": "cherry", "c.md": "plum"})
    indexer.reconcile(index)
    vault.write("a.md", "walnut and more")
    vault.remove("b.md")
    vault.write("d.md", "pear")

    found = seen()

    assert not found.is_empty
    assert (found.comparison.touched, found.comparison.gone, found.comparison.new) == (("a.md",), ("b.md",), ("d.md",))


def test_a_drawing_that_was_found_out_is_looked_at_only_when_asked(vault: Vault, index: Index, seen):
    vault.write("d.md", "a drawing")
    seen.drawings["d.md"] = seen().scan.files["d.md"]

    assert seen().is_empty
    assert seen(with_drawings=True).comparison.new == ("d.md",)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_what_is_skipped_is_put_on_record_once(vault: Vault, index: Index, seen, monkeypatch):
    vault.write("a.md", "walnut")
    (vault.root / "link.md").symlink_to("/nowhere")
    seen()
    assert [problem.path for problem in problems(index, 9)] == ["link.md"]

    monkeypatch.setattr(index, "replace_skipped", None)
    assert seen().scan.skipped

    monkeypatch.undo()
    (vault.root / "link.md").unlink()
    seen()
    assert not problems(index, 9)


def test_a_vault_that_is_not_there_is_no_empty_one(vault: Vault, seen):
    vault.root.rmdir()

    with pytest.raises(VaultMissing):
        seen()
