"""docs/TROUBLESHOOTING.md: each fault is caused with a real sidecar and repaired by the commands of its section."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from pages import Page

from quarry.client.discovery import read_discovery

pytestmark = pytest.mark.slow  # starts sidecars

PAGE = Page.read("docs/TROUBLESHOOTING.md").text
NOTES = {
    "Tea.md": "# Tea\n\nSteep the oolong for three minutes.\n",
    "Cider.md": "# Cider\n\nPress the apples in October, and let the juice ferment.\n",
    "Bread.md": "# Bread\n\nFold the sourdough four times.\n",
}
PATIENCE_S = 30.0


def commands(heading):
    """The shell block of the section whose heading begins with *heading*."""
    found = re.search(rf"^## {re.escape(heading)}.*?```sh\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


@pytest.fixture
def vault(person):
    folder = person / "Notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def index(person, vault, run_shell):
    """The index of the vault, which no sidecar has open."""
    assert run_shell("quarry index --vault ~/Notes; quarry stop --all").returncode == 0
    return next((person / "quarry" / "data").glob("*.db"))


def pid_of(person):
    (file,) = (person / "quarry" / "run").glob("*.json")
    return read_discovery(file).pid


def test_the_rule_that_excludes_a_note_is_named(vault, run_shell):
    (vault / "Archive").mkdir()
    (vault / "Archive" / "Old.md").write_text("# Old\n\nForgotten.\n", encoding="utf-8")
    (vault / ".quarry.toml").write_text('[folders]\nexclude = ["Archive"]\n', encoding="utf-8")

    explained = run_shell(commands("Why is my note not found?"))

    assert explained.returncode == 0
    assert "The settings exclude the folder “Archive”" in explained.stdout


def test_an_old_index_is_made_equal_to_the_vault(vault, index, run_shell):
    old = index.with_suffix(".old")
    shutil.copy(index, old)
    (vault / "Tea.md").unlink()
    (vault / "Perry.md").write_text("# Perry\n\nPears, pressed late.\n", encoding="utf-8")
    assert run_shell("quarry index --vault ~/Notes; quarry stop --all").returncode == 0
    shutil.copy(old, index)

    repaired = run_shell(commands("A changed note is not found"))
    found = run_shell("quarry list --vault ~/Notes --json")

    assert repaired.returncode == 0
    assert sorted(note["path"] for note in json.loads(found.stdout)["notes"]) == ["Bread.md", "Cider.md", "Perry.md"]


def test_a_missing_model_is_named_and_the_bundled_one_used_again(vault, run_shell):
    (vault / ".quarry.toml").write_text('[embedding]\nmodel = "/nowhere/model"\n', encoding="utf-8")
    before = run_shell("quarry search --vault ~/Notes --wait --files apples")

    repaired = run_shell(commands("The chosen model is not used"))
    after = run_shell("quarry search --vault ~/Notes --wait apples")

    assert before.stdout.startswith("Cider.md\n")
    assert "'/nowhere/model' does not exist" in repaired.stderr
    assert "model bundled: ready; the settings name /nowhere/model: it cannot be used now" in repaired.stdout
    assert "Cider.md\n" in repaired.stdout
    assert after.stderr == ""


def test_a_damaged_index_is_set_aside_and_rebuilt(vault, index, run_shell):
    data = bytearray(index.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    index.write_bytes(data)

    repaired = run_shell(commands("The index is damaged"))

    assert repaired.returncode == 0
    assert repaired.stdout.startswith("Cider.md\n")
    assert "damaged-1" in repaired.stderr
    assert index.with_name(f"{index.name}.damaged-1").exists()


def test_a_vault_is_made_ready_for_an_agent(person, vault, run_shell):
    prepared = run_shell(commands("An agent says"))

    assert prepared.returncode == 0, prepared.stderr
    assert pid_of(person)


def test_a_frozen_sidecar_is_ended_and_another_started(person, vault, run_shell):
    run_shell("quarry search --vault ~/Notes apples")
    frozen = pid_of(person)
    os.kill(frozen, signal.SIGSTOP)

    listed = run_shell("quarry ps")
    os.kill(frozen, signal.SIGKILL)  # as the page says where `quarry stop` fails; its files stay
    repaired = run_shell(commands('"Another process serves this vault"'))

    assert str(frozen) in listed.stdout
    assert "Cider.md\n" in repaired.stdout, repaired.stderr
    assert pid_of(person) != frozen


def test_a_program_with_the_vault_open_is_named_and_left_alone(person, vault, run_shell):
    code = "import quarry, sys\nwith quarry.Engine(sys.argv[1]) as e: e.wait(); print('open', flush=True); input()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(person), "QUARRY_HOME": str(person / "quarry")},
    )
    assert program.stdout.readline() == "open\n"

    refused = run_shell("quarry search --vault ~/Notes apples")
    run_shell("quarry stop --all")
    alive = program.poll() is None
    program.communicate("\n", timeout=PATIENCE_S)
    after = run_shell("quarry search --vault ~/Notes --files apples")

    assert refused.returncode == 3
    assert f"process {program.pid} has" in refused.stderr
    assert alive
    assert after.stdout.startswith("Cider.md\n")


@pytest.mark.parametrize("part", ["fts5", "sqlite-vec"])
def test_without_an_extension_the_rest_answers_and_reports_it(part, vault, run_shell):
    search = "quarry search --vault ~/Notes --wait --files apples"
    without = run_shell(f"export QUARRY_WITHOUT={part}; {search}; quarry stop --all")

    repaired = run_shell(commands("An extension is missing"))

    assert without.stdout.startswith("Cider.md\n")
    assert ("Search by words is not available" in without.stderr) is (part == "fts5")
    assert repaired.stdout.startswith("Cider.md\n")
    assert f"ok    {part}: works" in repaired.stdout


def test_sidecars_are_listed_with_their_memory_and_ended(person, vault, run_shell):
    shutil.copytree(vault, person / "Other")
    run_shell("quarry search --vault ~/Notes apples; quarry search --vault ~/Other apples")

    repaired = run_shell(commands("Too much memory"))

    assert re.search(r"Notes.* \d+ MB\n", repaired.stdout)
    assert re.search(r"Other.* \d+ MB\n", repaired.stdout)
    assert "no sidecar is running" in repaired.stdout + repaired.stderr
