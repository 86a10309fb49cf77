"""What is hardly meant as a vault is asked about, and vaults within vaults are named."""

import json
from pathlib import Path

import pytest

from quarry.client import scope
from quarry.errors import BadRequest


@pytest.fixture
def person(tmp_path, monkeypatch):
    """A home folder with a note in it."""
    folder = tmp_path / "users" / "me"
    folder.mkdir(parents=True)
    (folder / "Note.md").write_text("# Note\n")
    monkeypatch.setattr(Path, "home", lambda: folder)
    return folder


class Keys:
    """A terminal at which *typed* is typed."""

    def __init__(self, typed):
        self.typed = typed

    def isatty(self):
        return True

    def readline(self):
        return self.typed


def test_a_folder_of_notes_is_not_asked_about(person):
    (person / "Notes").mkdir()

    scope.confirm_scope(person / "Notes")


@pytest.mark.parametrize(("above", "what"), [(0, "is your home folder"), (1, "is a folder with home folders in it")])
def test_a_home_folder_is_refused_where_nobody_can_be_asked(person, command, above, what):
    folder = [person, person.parent][above]

    done = command("index", str(folder))

    assert done.code == 2
    assert what in done.err
    assert ".quarry.toml" in done.err
    assert command("search", "--vault", str(folder), "note").code == 2


def test_a_disk_is_refused(person):
    with pytest.raises(BadRequest, match="a whole disk"):
        scope.confirm_scope(Path(person.anchor))


@pytest.mark.parametrize(
    ("typed", "confirmed"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_at_a_terminal_the_answer_counts(person, monkeypatch, capsys, typed, confirmed):
    monkeypatch.setattr(scope.sys, "stdin", Keys(typed))
    monkeypatch.setattr(scope.sys.stderr, "isatty", lambda: True, raising=False)

    if confirmed:
        scope.confirm_scope(person)
    else:
        with pytest.raises(BadRequest):
            scope.confirm_scope(person)

    assert "[y/N]" in capsys.readouterr().err


@pytest.mark.slow
def test_a_home_folder_that_is_marked_or_indexed_is_no_question(person, command):
    (person / ".quarry.toml").touch()

    assert command("index", str(person)).code == 0
    (person / ".quarry.toml").unlink()

    assert command("list", "--vault", str(person)).out.endswith("Note.md\n")


@pytest.mark.slow
def test_the_status_names_the_vault_around_and_the_vaults_within(command, vault):
    (vault / ".obsidian").mkdir()
    for inner in ("Garden", ".hidden"):
        (vault / inner / ".obsidian").mkdir(parents=True)

    outside, inside = command("status", "--vault", str(vault)), command("status", "--vault", str(vault / "Garden"))
    told = json.loads(command("status", "--vault", str(vault / "Garden"), "--json").out)

    assert "another vault lies in this one, Garden;" in outside.err
    assert ".hidden" not in outside.err
    assert f"this vault lies in another, {vault}," in inside.err
    assert (told["outerVault"], told["innerVaults"]) == (str(vault), [])
