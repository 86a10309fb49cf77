"""The examples of docs/PYTHON.md: they run, print what the page says, and are typed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # sidecars, an engine, and mypy

REPOSITORY = Path(__file__).resolve().parents[3]
PAGE = (REPOSITORY / "docs" / "PYTHON.md").read_text(encoding="utf-8")
SAMPLE_VAULT = REPOSITORY / "tests" / "retrieval" / "vault"
EXAMPLES = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, re.DOTALL)


@pytest.fixture
def person(tmp_path):
    """The home folder of somebody with the sample vault in ~/Notes."""
    folder = tmp_path / "person"
    shutil.copytree(SAMPLE_VAULT, folder / "Notes")
    return folder


@pytest.fixture
def run(person, tools, home):
    def run_code(code, quarry_home):
        environment = tools.environment(quarry_home, HOME=str(person), USERPROFILE=str(person))
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, timeout=100
        )

    return run_code


def test_the_page_has_examples_with_their_output():
    assert len(EXAMPLES) > 8
    assert sum(bool(output) for _, output in EXAMPLES) > 6


@pytest.mark.parametrize(("code", "output"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_prints_what_the_page_says(code, output, run, home):
    ran = run(code, home)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    assert not output or ran.stdout == output


def test_the_examples_are_typed(tmp_path):
    for number, (code, _) in enumerate(EXAMPLES):
        (tmp_path / f"example_{number}.py").write_text(code, encoding="utf-8")
    (tmp_path / "mistaken.py").write_text(
        'import quarry\n\nwith quarry.open("~/Notes") as notes:\n'
        '    reveal_type(notes.search("x")[0].confidence)\n    notes.search("x", limits=1)\n'
        '    quarry.opne("~/Notes")\n    print(notes.read("x").txt)\n',
        encoding="utf-8",
    )

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(REPOSITORY / "sidecar"), "PATH": ""},
    )

    assert 'Revealed type is "builtins.float"' in checked.stdout or 'Revealed type is "float"' in checked.stdout
    mistakes = [line.split(":", 2)[:2] for line in checked.stdout.splitlines() if ": error:" in line]
    assert mistakes == [["mistaken.py", "5"], ["mistaken.py", "6"], ["mistaken.py", "7"]], checked.stdout
