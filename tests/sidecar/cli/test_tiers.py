"""`quarry tiers`, and `quarry search --tiers`."""

import json
import shlex

import pytest

pytestmark = pytest.mark.slow  # starts sidecars


@pytest.fixture
def other(tmp_path, tools):
    return tools.write_vault(tmp_path / "other", {"Oolong.md": "# Oolong\n\nOolong from Alishan.\n"})


@pytest.fixture
def repository(tmp_path, tools, monkeypatch):
    root = tools.write_vault(tmp_path / "rocket", {"docs/Fuel.md": "# Fuel\n\nOolong is no fuel.\n", "src/a.py": ""})
    (root / ".git").mkdir()
    monkeypatch.chdir(root / "src")
    return root


def test_a_tier_is_added_listed_and_removed(command, other):
    assert "No tiers are connected" in command("tiers").out

    added = command("tiers", "add", str(other), "--as", "team", "--name", "Crew", "--weight", "0.7")
    listed = json.loads(command("tiers", "--json").out)["tiers"]
    shown = command("tiers").out
    removed = command("tiers", "remove", "crew")

    assert added.code == removed.code == 0
    assert [(row["name"], row["kind"], row["weight"], row["place"]) for row in listed] == [
        ("Crew", "team", 0.7, str(other))
    ]
    assert shown.startswith("Crew  team")
    assert "started when it is searched" in shown
    assert json.loads(command("tiers", "--json").out)["tiers"] == []


@pytest.mark.parametrize("arguments", [["add"], ["remove"], ["remove", "nothing"]])
def test_a_place_that_is_missing_or_unknown_is_refused(command, arguments):
    assert command("tiers", *arguments).code == 2


def test_a_folder_that_is_not_there_is_refused(command, tmp_path):
    assert command("tiers", "add", str(tmp_path / "none")).code == 4


def test_a_service_is_written_as_an_address(command):
    refused = command("tiers", "add", "service=work")

    assert refused.code == 2
    assert "postgresql:///?service=work" in refused.err
    assert command("tiers", "add", "postgresql:///?service=work").out.startswith("work")


def test_the_agent_tier_has_a_folder_of_its_own(command, home):
    command("tiers", "add", "--as", "agent")

    (row,) = json.loads(command("tiers", "--json").out)["tiers"]
    assert (row["name"], row["place"]) == ("agent", str(home / "data" / "agent"))


def test_notes_of_a_repository_are_offered_and_not_taken(command, repository):
    listed = json.loads(command("tiers", "--json").out)

    assert listed == {"tiers": [], "offered": [{"kind": "project", "place": str(repository / "docs")}]}
    assert f"quarry tiers add {repository / 'docs'} --as project" in command("tiers").out
    command("tiers", "add", str(repository / "docs"), "--as", "project")
    assert json.loads(command("tiers", "--json").out)["offered"] == []


def test_an_offer_can_be_pasted_into_a_shell_whatever_its_folder_is_called(command, tools, monkeypatch, tmp_path):
    root = tools.write_vault(tmp_path / "a b;touch c", {"docs/Fuel.md": "# Fuel\n\nOolong is no fuel.\n"})
    (root / ".git").mkdir()
    monkeypatch.chdir(root)

    assert f"quarry tiers add {shlex.quote(str(root / 'docs'))} --as project" in command("tiers").out


def test_a_folder_of_a_repository_that_is_a_link_is_not_offered(command, repository, other):
    (repository / "notes").symlink_to(other)

    assert len(json.loads(command("tiers", "--json").out)["offered"]) == 1


def test_the_memory_of_claude_code_is_offered(command, repository, tools, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    slug = "".join(character if character.isalnum() else "-" for character in str(repository))
    tools.write_vault(tmp_path / ".claude" / "projects" / slug / "memory", {"MEMORY.md": "Use tabs.\n"})

    offered = json.loads(command("tiers", "--json").out)["offered"]
    assert [row["kind"] for row in offered] == ["project", "agent"]


def test_results_say_where_they_are_from(command, vault, other):
    command("tiers", "add", str(other))

    done = command("search", "--vault", str(vault), "--wait", "--tiers", "oolong")

    assert done.code == 0
    assert "Oolong  Oolong.md · in other (vault) ·" in done.out
    assert "Tea  Tea.md · words" in done.out


def test_a_program_gets_whole_paths_of_other_tiers(command, vault, other):
    command("tiers", "add", str(other))
    search = ("search", "--vault", str(vault), "--tiers=home,other", "oolong")
    hits = json.loads(command(*search, "--json").out)["hits"]

    files = command(*search, "--files").out.split("\n")
    compact = command(*search, "--compact").out

    assert {(hit["origin"]["name"], hit["path"]) for hit in hits} == {("vault", "Tea.md"), ("other", "Oolong.md")}
    assert sorted(filter(None, files)) == sorted([str(other / "Oolong.md"), "Tea.md"])
    assert f"{other / 'Oolong.md'}:3: " in compact


def test_a_project_is_searched_from_within_its_repository_alone(command, vault, repository, monkeypatch, tmp_path):
    command("tiers", "add", str(repository / "docs"), "--as", "project")
    search = ("search", "--vault", str(vault), "--files", "--tiers", "oolong")

    within = command(*search).out
    monkeypatch.chdir(tmp_path)
    outside = command(*search).out

    assert str(repository / "docs" / "Fuel.md") in within
    assert outside == "Tea.md\n"


def test_a_missing_tier_is_named_on_standard_error_and_is_no_failure(command, vault, other):
    command("tiers", "add", str(other))
    (other / "Oolong.md").unlink()
    other.rmdir()

    done = command("search", "--vault", str(vault), "--wait", "--tiers", "oolong")

    assert done.code == 0
    assert "The folder of other is not there" in done.err
    assert command("search", "--vault", str(vault), "--tiers=nope", "oolong").code == 2
