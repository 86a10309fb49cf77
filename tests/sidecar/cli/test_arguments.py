import argparse
from typing import Annotated

import pytest

from quarry.cli.arguments import add_fields, given_fields, number, resolve_vault
from quarry.errors import VaultMissing
from quarry.options import EVERYWHERE, Mode, Params, doc


class Example(Params, frozen=True, kw_only=True):
    share: Annotated[float, doc(ge=0, le=1, extra=EVERYWHERE)] = 0.5
    max_count: Annotated[int, doc(ge=1, le=9, extra=EVERYWHERE)] = 3
    mode: Annotated[Mode, doc(extra=EVERYWHERE)] = "hybrid"
    is_on: Annotated[bool, doc(extra=EVERYWHERE)] = True
    name: Annotated[str | None, doc(extra=EVERYWHERE)] = None
    hidden: int = 0


def parsed(*arguments):
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_fields(parser, Example)
    return given_fields(parser.parse_args(arguments), Example)


def test_a_field_of_each_type_becomes_an_option_and_a_parameter():
    given = parsed("--share", ".25", "--max-count", "2", "--mode", "words", "--no-is-on", "--name", "x")

    assert given == {"share": 0.25, "maxCount": 2, "mode": "keyword", "isOn": False, "name": "x"}


def test_an_option_that_is_not_given_is_not_sent():
    assert parsed() == {}


@pytest.mark.parametrize("value", ["2", "-1", "x", "nan"])
def test_a_share_out_of_range_is_refused_with_the_range(value):
    with pytest.raises(argparse.ArgumentError, match="it takes a number from 0 to 1"):
        parsed(f"--share={value}")


def options(vault=None):
    return argparse.Namespace(vault=vault)


@pytest.mark.parametrize("given", ["0", "101", "-5", "+-5", "", "x", "2.5"])
def test_a_number_out_of_range_is_refused_with_the_range(given):
    with pytest.raises(argparse.ArgumentTypeError, match=r"it takes a number from 1 to 100"):
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
