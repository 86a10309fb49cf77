"""docs/MIGRATION.md: the commands of each section, run on an export in the format of that system."""

import re
import shutil

import pytest
from pages import REPOSITORY, Page

pytestmark = pytest.mark.slow  # starts sidecars

EXPORTS = REPOSITORY / "tests" / "documentation" / "exports"
PAGE = Page.read("docs/MIGRATION.md").text
SECTIONS = {
    "Apple Notes": "apple-notes",
    "Notion": "notion",
    "Google Docs": "google-docs",
    "Plain Markdown": "plain",
    "Joplin": "joplin",
    "Logseq": "logseq",
    "Roam Research": "roam",
}
FOUND = {
    "Notion": ["Sharpening chisels 3b6c", "Dovetail the drawer 4c7d"],
    "Plain Markdown": ["bike.md:3:", "recipes/flatbread.md:1:"],
    "Logseq": ["pages/Radio___Antennas.md:4:", "journals/2026_05_14.md:1:"],
    "Roam Research": ["Kelp forests.md:2:", "May 14th, 2026.md:2:"],
}


def section(name):
    found = re.search(rf"^##+ {name}\n(.*?)(?=^##|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found, name
    return found[1]


def block(text, language):
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return found[1] if found else None


@pytest.mark.parametrize("name", SECTIONS)
def test_the_commands_of_a_section_find_what_was_exported(name, run_shell, person):
    shutil.copytree(EXPORTS / SECTIONS[name], person / "Notes")

    ran = run_shell(block(section(name), "sh"))

    assert ran.returncode == 0, ran.stderr
    if expected := block(section(name), "text"):
        assert ran.stdout == expected
    first_lines = [line for line in ran.stdout.splitlines() if line]
    for beginning in FOUND.get(name, []):
        assert any(beginning in line for line in first_lines), ran.stdout


def test_old_versions_of_a_logseq_page_are_not_found(run_shell, person):
    shutil.copytree(EXPORTS / "logseq", person / "Notes")

    before = run_shell("quarry search --vault ~/Notes --files dipole")
    run_shell("quarry stop --all; printf 'logseq/\\n' > ~/Notes/.indexignore")
    after = run_shell("quarry search --vault ~/Notes --files dipole")

    assert "logseq/bak" in before.stdout
    assert "logseq/bak" not in after.stdout
    assert "pages/Radio___Antennas.md" in after.stdout


def test_every_system_has_an_export():
    assert sorted(path.name for path in EXPORTS.iterdir()) == sorted(SECTIONS.values())
