"""The exit codes: one table, in the help and in the user guide."""

import re
from pathlib import Path

from quarry.cli.exit_codes import MEANINGS, exit_code_table
from quarry.errors import QuarryError
from quarry.server.failures import presentation_of

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "GUIDE.md"


def family(kind=QuarryError):
    for child in kind.__subclasses__():
        if child.__module__ == "quarry.errors":
            yield child
            yield from family(child)


def test_the_guide_has_the_table_of_the_help():
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)

    assert {int(code): meaning for code, meaning in rows} == MEANINGS


def test_every_error_ends_with_a_code_of_the_table():
    for kind in family():
        assert presentation_of(kind.__new__(kind)).exit_code in MEANINGS


def test_the_table_has_a_line_for_each_code():
    assert len(exit_code_table().splitlines()) == len(MEANINGS)
