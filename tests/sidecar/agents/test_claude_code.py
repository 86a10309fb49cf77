"""
The plugin for Claude Code is what its documentation asks for (code.claude.com/docs: plugins, plugins-reference,
plugin-marketplaces, skills; November 2026), and everything that it starts exists.

`claude plugin validate --strict` of 2.1.197 accepts both folders, and its `mcp list` connects to the server.
"""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.server_entry import Launcher, hook_entries
from quarry.cli.main import full_parser

REPOSITORY = Path(__file__).parents[3]
PLUGIN = REPOSITORY / "sidecar/agents/claude-code"
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))
VAULT = "${user_config.vault}"


def loaded(path):
    return json.loads(path.read_text(encoding="utf-8"))


def front_matter(skill):
    _, header, body = skill.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(header), body


def test_the_marketplace_names_the_plugin_and_where_it_is():
    marketplace = loaded(REPOSITORY / ".claude-plugin/marketplace.json")

    assert marketplace["name"] == "quarry"
    assert marketplace["owner"]["name"]
    [plugin] = marketplace["plugins"]
    assert plugin["name"] == loaded(PLUGIN / ".claude-plugin/plugin.json")["name"]
    assert plugin["source"].startswith("./")
    assert (REPOSITORY / plugin["source"]).resolve() == PLUGIN


def test_the_manifest_has_what_is_required_and_the_projects_version():
    manifest = loaded(PLUGIN / ".claude-plugin/plugin.json")

    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == loaded(REPOSITORY / "manifest.json")["version"]
    assert manifest["description"]
    assert manifest["author"]["name"] == loaded(REPOSITORY / "manifest.json")["author"]
    assert set(manifest["userConfig"]) == {"vault"}
    assert set(manifest["userConfig"]["vault"]) == {"type", "title", "description", "required"}  # others are refused


def test_the_folder_of_the_manifest_holds_nothing_else():
    assert [path.name for path in (PLUGIN / ".claude-plugin").iterdir()] == ["plugin.json"]


def test_the_hooks_are_those_that_install_writes(monkeypatch):
    hooks = CLIENTS["claude-code"].hooks
    assert hooks is not None
    monkeypatch.delenv("QUARRY_HOME")
    written = hook_entries(CLIENTS["claude-code"], hooks, Launcher("quarry"), VAULT, outputs=True)

    assert loaded(PLUGIN / "hooks/hooks.json")["hooks"] == {event: [entry] for event, entry in written.items()}


def test_the_server_is_the_one_that_install_writes():
    assert loaded(PLUGIN / ".mcp.json") == {
        "mcpServers": {"notes": {"type": "stdio", "command": "quarry", "args": ["mcp", "--vault", VAULT]}}
    }


def test_there_are_two_skills():
    assert [skill.parent.name for skill in SKILLS] == ["capture", "search"]


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.parent.name)
def test_a_skill_says_when_it_is_used(skill):
    header, body = front_matter(skill)

    assert header["name"] == skill.parent.name
    assert 50 < len(header["description"]) <= 1024
    assert "$ARGUMENTS" in body
    assert VAULT in body


def test_only_a_person_has_a_note_written():
    """What an agent was talked into writing would be quoted to every agent after it."""
    header, _ = front_matter(PLUGIN / "skills/capture/SKILL.md")

    assert header["disable-model-invocation"] is True


def calls():
    """Every command line of quarry in the skills."""
    return [
        (skill.parent.name, shlex.split(line.split("<<")[0]))
        for skill in SKILLS
        for block in re.findall(r"```sh\n(.*?)```", front_matter(skill)[1], re.DOTALL)
        for line in re.sub(r"\\\n\s*", " ", block).splitlines()
        if line.strip().startswith("quarry ")
    ]


@pytest.mark.parametrize(("skill", "call"), calls())
def test_every_command_that_a_skill_calls_exists_with_its_options(skill, call):
    allowed = front_matter(PLUGIN / "skills" / skill / "SKILL.md")[0]["allowed-tools"]

    assert f"Bash(quarry {call[1]}:*)" in allowed
    assert full_parser().parse_args(call[1:]).vault == Path(VAULT)
