"""The exit codes, which are one table in the help and the user guide, and the command that adds an extra."""

import re
from pathlib import Path

import pytest

from quarry.cli.failure import MEANINGS, exit_code_table, extra_command, install_command
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


@pytest.mark.parametrize(
    ("prefix", "source", "command"),
    [
        ("/home/me/.local/share/uv/tools/quarry-search", None, "uv tool install --force 'quarry-search[eval]'"),
        (
            "/home/me/.local/share/uv/tools/quarry-search",
            "/home/me/quarry/sidecar",
            "uv tool install --force '/home/me/quarry/sidecar[eval]'",
        ),
        ("/home/me/.local/pipx/venvs/quarry-search", None, "pipx install --force 'quarry-search[eval]'"),
        ("/home/me/venv", None, "/home/me/venv/bin/python -m pip install 'quarry-search[eval]'"),
        ("/home/me/venv", "/a b/sidecar", "/home/me/venv/bin/python -m pip install '/a b/sidecar[eval]'"),
    ],
)
def test_the_tool_that_installed_it_installs_the_extra(prefix, source, command):
    assert install_command("eval", source, prefix, "/home/me/venv/bin/python") == command


def test_this_installation_has_a_command():
    assert extra_command("eval").endswith(("[eval]", "[eval]'"))
