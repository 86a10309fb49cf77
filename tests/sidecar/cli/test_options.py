import argparse

import pytest

from quarry.cli.options import number, resolve_vault
from quarry.errors import VaultMissing


def options(vault=None):
    return argparse.Namespace(vault=vault)


@pytest.mark.parametrize("given", ["0", "101", "-5", "+-5", "", "x", "2.5"])
def test_a_number_out_of_range_is_refused_with_the_range(given):
    with pytest.raises(argparse.ArgumentTypeError, match=r"it takes (a number from )?1 to 100"):
        number(1, 100)(given)


@pytest.mark.parametrize("given", ["1", "100", " 7"])
def test_a_number_in_range_is_taken(given):
    assert number(1, 100)(given) == int(given)


@pytest.mark.parametrize("mark", [".obsidian", ".quarry.toml"])
def test_inside_a_vault_that_one_is_meant(tmp_path, monkeypatch, mark):
    deep = tmp_path / "vault" / "deep" / "er"
    deep.mkdir(parents=True)
    (tmp_path / "vault" / mark).touch()
    monkeypatch.chdir(deep)

    assert resolve_vault(options()) == tmp_path / "vault"


def test_the_nearest_vault_is_meant(tmp_path, monkeypatch):
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / ".obsidian").mkdir()
    (inner / ".obsidian").mkdir()
    monkeypatch.chdir(inner)

    assert resolve_vault(options()) == inner


def test_what_is_named_goes_before_the_variable_and_that_before_where_we_are(tmp_path, monkeypatch):
    for name in ("named", "variable", "here"):
        (tmp_path / name / ".obsidian").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("QUARRY_VAULT", str(tmp_path / "variable"))

    assert resolve_vault(options(tmp_path / "named")) == tmp_path / "named"
    assert resolve_vault(options()) == tmp_path / "variable"
    monkeypatch.delenv("QUARRY_VAULT")
    assert resolve_vault(options()) == tmp_path / "here"


def test_a_named_folder_that_is_not_there_is_not_replaced_by_another(tmp_path, monkeypatch):
    (tmp_path / ".obsidian").mkdir()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(VaultMissing, match="nowhere"):
        resolve_vault(options(tmp_path / "nowhere"))


def test_a_file_is_no_vault(tmp_path):
    (tmp_path / "note.md").touch()

    with pytest.raises(VaultMissing):
        resolve_vault(options(tmp_path / "note.md"))


def test_outside_every_vault_one_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(VaultMissing, match="nor any of its parent folders is a vault"):
        resolve_vault(options())
