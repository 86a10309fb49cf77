"""The folder that a caller named."""

from pathlib import Path

import pytest

from quarry import errors
from quarry.client.vault_root import vault_root


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "Notes").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    assert vault_root("~/Notes") == vault_root(tmp_path / "Notes") == tmp_path / "Notes"


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(errors.VaultMissing, match=r"there is no folder .*nowhere"):
        vault_root(tmp_path / "nowhere")


def test_a_home_folder_is_refused_unless_it_is_marked_as_a_vault(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    with pytest.raises(errors.BadRequest, match="your home folder"):
        vault_root("~")
    with pytest.raises(errors.BadRequest, match="a whole disk"):
        vault_root(Path(tmp_path.anchor))

    (tmp_path / ".quarry.toml").touch()

    assert vault_root("~") == tmp_path
