import argparse
from typing import Annotated

import pytest

from quarry.cli.arguments import add_fields, given_fields, number, resolve_vault
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


@pytest.mark.parametrize("given", ["0", "101", "-5", "+-5", "", "x", "2.5"])
def test_a_number_out_of_range_is_refused_with_the_range(given):
    with pytest.raises(argparse.ArgumentTypeError, match=r"it takes a number from 1 to 100"):
        number(1, 100)(given)


@pytest.mark.parametrize("given", ["1", "100", " 7"])
def test_a_number_in_range_is_taken(given):
    assert number(1, 100)(given) == int(given)


def test_the_vault_is_looked_for_from_the_working_directory_up(tmp_path, monkeypatch):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")

    assert resolve_vault(argparse.Namespace(vault=None)) == tmp_path
