"""Which folder is the vault, what is hardly meant as one, and the vaults around and inside it."""

import json
from pathlib import Path

import pytest

from quarry.client.vault_folder import confirm_scope, describe_scope, find_vault, is_vault, vault_root
from quarry.errors import BadRequest, VaultMissing


@pytest.fixture
def marked(tmp_path):
    """A vault, with a folder far down in it."""
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (tmp_path / "vault" / "a" / "b").mkdir(parents=True)
    return tmp_path / "vault"


def test_the_nearest_marked_folder_is_the_vault(marked):
    assert find_vault(None, marked / "a" / "b") == marked
    (marked / "a" / ".quarry.toml").touch()
    assert find_vault(None, marked / "a" / "b") == marked / "a"


def test_what_is_named_goes_first_and_then_the_environment(marked, tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_VAULT", str(tmp_path))

    assert find_vault(str(marked / "a"), marked) == marked / "a"
    assert find_vault(None, marked) == tmp_path


@pytest.mark.parametrize("start", ["/nowhere/at/all", "/"])
def test_where_none_is_near_that_is_told(start):
    with pytest.raises(VaultMissing, match="nor any of its parent folders"):
        find_vault(None, Path(start))


def test_only_a_marked_folder_is_a_vault(marked):
    assert is_vault(marked)
    assert not is_vault(marked / "a")


def test_a_home_folder_holds_more_than_notes(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home" / "anna")
    (tmp_path / "home" / "anna" / "Notes").mkdir(parents=True)

    assert describe_scope(tmp_path / "home" / "anna") == "your home folder"
    assert describe_scope(tmp_path / "home") == "a folder with home folders in it"
    assert describe_scope(tmp_path / "home" / "anna" / "Notes") is None
    assert describe_scope(Path("/")) == "a whole disk"


@pytest.fixture
def person(tmp_path, monkeypatch):
    """A home folder with a note in it."""
    folder = tmp_path / "users" / "me"
    folder.mkdir(parents=True)
    (folder / "Note.md").write_text("# Note\n")
    monkeypatch.setattr(Path, "home", lambda: folder)
    return folder


def test_a_folder_of_notes_is_not_asked_about(person):
    (person / "Notes").mkdir()

    confirm_scope(person / "Notes")


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
        confirm_scope(Path(person.anchor))


@pytest.mark.parametrize(
    ("typed", "confirmed"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_at_a_terminal_the_answer_counts(person, type_at_terminal, capsys, typed, confirmed):
    type_at_terminal(typed)

    if confirmed:
        confirm_scope(person)
    else:
        with pytest.raises(BadRequest):
            confirm_scope(person)

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


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "Notes").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    assert vault_root("~/Notes") == vault_root(tmp_path / "Notes") == tmp_path / "Notes"


@pytest.mark.parametrize("name", ["nowhere", "note.md"])
def test_a_missing_folder_is_named_and_not_replaced_by_the_vault_around_it(marked, name):
    (marked / "note.md").touch()
    for find in (vault_root, lambda named: find_vault(named, marked)):
        with pytest.raises(VaultMissing, match=f"there is no folder .*{name}"):
            find(marked / name)


def test_a_home_folder_is_refused_unless_it_is_marked_as_a_vault(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    with pytest.raises(BadRequest, match="your home folder"):
        vault_root("~")
    with pytest.raises(BadRequest, match="a whole disk"):
        vault_root(Path(tmp_path.anchor))

    (tmp_path / ".quarry.toml").touch()

    assert vault_root("~") == tmp_path
