"""Which folder is the vault."""

from pathlib import Path

import pytest

from quarry.client.vault_folder import describe_scope, find_vault, is_vault
from quarry.errors import VaultMissing


@pytest.fixture
def marked(tmp_path):
    """A vault, with a folder far down in it."""
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (tmp_path / "vault" / "a" / "b").mkdir(parents=True)
    return tmp_path / "vault"


def test_the_nearest_marked_folder_is_the_vault(marked):
    assert find_vault(None, marked / "a" / "b") == marked
    (marked / "a" / ".quarry.toml").touch()
    assert find_vault(None, marked / "a" / "b") == marked / "a"


def test_what_is_named_goes_first_and_then_the_environment(marked, tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_VAULT", str(tmp_path))

    assert find_vault(str(marked / "a"), marked) == marked / "a"
    assert find_vault(None, marked) == tmp_path


@pytest.mark.parametrize("start", ["/nowhere/at/all", "/"])
def test_where_none_is_near_that_is_told(start):
    with pytest.raises(VaultMissing, match="nor any of its parent folders"):
        find_vault(None, Path(start))


def test_only_a_marked_folder_is_a_vault(marked):
    assert is_vault(marked)
    assert not is_vault(marked / "a")


def test_a_home_folder_holds_more_than_notes(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home" / "anna")
    (tmp_path / "home" / "anna" / "Notes").mkdir(parents=True)

    assert describe_scope(tmp_path / "home" / "anna") == "your home folder"
    assert describe_scope(tmp_path / "home") == "a folder with home folders in it"
    assert describe_scope(tmp_path / "home" / "anna" / "Notes") is None
    assert describe_scope(Path("/")) == "a whole disk"
