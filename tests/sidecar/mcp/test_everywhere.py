"""`quarry mcp --tiers`: a search of all tiers, each of which is served by its name."""

import pytest

from quarry.tiers.connected import connect

pytestmark = pytest.mark.slow  # starts sidecars


@pytest.fixture
def other(tmp_path, tools):
    """A connected vault."""
    root = tools.write_vault(tmp_path / "other", {"Oolong.md": "# Oolong\n\nOolong from Alishan.\n"})
    connect(str(root), "team", "Crew")
    return root


def ready(speaker, tools):
    """The hits of a search, once every tier has answered."""
    return tools.eventually(
        lambda: (found := speaker.structured("search", query="oolong"))["results"][1:] and found,
        "an answer of the tier",
    )


def test_a_hit_names_the_vault_that_other_tools_take(speak, vault, other, home, tools):
    speaker = speak(vault, home=home, options=["--tiers"])

    found = ready(speaker, tools)

    assert {(hit["vault"], hit["file_path"]) for hit in found["results"]} == {
        ("vault", "Tea.md"),
        ("Crew", "Oolong.md"),
    }
    read = speaker.structured("read_note", paths=["Oolong.md"], vault="Crew")["notes"]
    assert read[0]["title"] == "Oolong"
    assert speaker.structured("read_note", paths=["Tea.md"])["notes"][0]["title"] == "Tea"


def test_one_tier_can_be_searched_and_a_scan_names_it_as_well(speak, vault, other, home, tools):
    speaker = speak(vault, home=home, options=["--tiers"])
    ready(speaker, tools)

    scanned = speaker.structured("search", query="oolong", detail="scan", vault="all")["results"]
    alone = speaker.structured("search", query="oolong", vault="Crew")["results"]

    assert {hit["vault"] for hit in scanned} == {"vault", "Crew"}
    assert [hit["file_path"] for hit in alone] == ["Oolong.md"]


def test_without_the_option_a_client_reaches_no_tier(speak, vault, other, home):
    speaker = speak(vault, home=home)

    assert [hit["file_path"] for hit in speaker.structured("search", query="oolong")["results"]] == ["Tea.md"]
    assert "isError" in speaker.tool("search", query="oolong", vault="Crew")


def test_a_tier_that_is_gone_is_named(speak, vault, other, home, tools):
    speaker = speak(vault, home=home, options=["--tiers"])
    (other / "Oolong.md").unlink()
    other.rmdir()

    assert "The folder of Crew is not there" in speaker.structured("search", query="oolong")["message"]


def test_only_the_search_takes_all_of_them(speak, vault, other, home):
    listed = speak(vault, home=home, options=["--tiers"]).result("tools/list")["tools"]
    taken = {tool["name"]: tool["inputSchema"]["properties"]["vault"]["enum"] for tool in listed}

    assert taken["search"] == ["all", "vault", "Crew"]
    assert taken["read_note"] == taken["get_context"] == ["vault", "Crew"]


@pytest.mark.parametrize("listen", [[], ["--listen", "127.0.0.1:0"]])
def test_over_http_tiers_are_not_served(vault, other, quarry, listen):
    done = quarry("mcp", "--vault", str(vault), "--tiers", "--http", *listen)

    assert done.returncode == 2
    assert "--tiers is not offered with --http" in done.stderr


def test_a_tier_whose_name_is_a_kind_brings_in_no_other_of_that_kind(speak, vault, home, tools, tmp_path, monkeypatch):
    mine, foreign = (
        tools.write_vault(tmp_path / name, {"docs/Fuel.md": f"# Fuel\n\nOolong is no fuel of {name}.\n"})
        for name in ("project", "foreign")
    )
    for root in (mine, foreign):
        (root / ".git").mkdir()
        connect(str(root / "docs"), "project")
    monkeypatch.chdir(mine)
    speaker = speak(vault, home=home, options=["--tiers"])

    assert {hit["vault"] for hit in ready(speaker, tools)["results"]} == {"vault", "project"}
    later = tools.write_vault(tmp_path / "later", {"Later.md": "# Later\n\nOolong.\n"})
    connect(str(later), "project")
    assert {hit["vault"] for hit in ready(speaker, tools)["results"]} == {"vault", "project"}
