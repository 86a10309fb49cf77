"""docs/AGENTS.md: its commands run on the sample vault, and its tables equal the code."""

import json
import re
import shutil

import pytest
from pages import REPOSITORY, Page

from quarry.agents.install.clients import CLIENTS
from quarry.cli.mcp import DEFAULT_PORT
from quarry.mcp.http_server import PATH
from quarry.mcp.prompts import RECIPES
from quarry.mcp.server import TOOLS

PAGE = Page.read("docs/AGENTS.md")
RUN = ("Hooks", "Context blocks", "Five recipes")
PLACES = {
    "{home}": "~",
    "{claude_state}": "~",
    "{claude}": "~/.claude",
    "{codex}": "~/.codex",
    "{gemini}": "~/.gemini",
    "{continue}": "~/.continue",
    "{dot_config}": "~/.config",
    "{project}/": "",
    "{name}": "NAME",
}


def section(name):
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", PAGE.text, re.DOTALL | re.MULTILINE)
    assert found, name
    return Page(PAGE.path, found[1])


@pytest.fixture
def vault(person):
    return shutil.copytree(REPOSITORY / "tests" / "retrieval" / "vault", person / "Notes")


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_section_run_and_print_something(name, vault, run_shell):
    run_shell("quarry index --vault ~/Notes")

    results = [run_shell(body) for language, body in section(name).blocks if language == "sh"]

    assert results
    for ran in results:
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout


@pytest.mark.slow
def test_clients_are_configured_and_restored(vault, person, run_shell):
    for folder in (".codex", ".cursor"):
        (person / folder).mkdir()
    before = {path: path.read_bytes() for path in person.rglob("*") if path.is_file() and "Notes" not in path.parts}

    installed = run_shell("quarry install codex cursor --vault ~/Notes --yes")
    servers = json.loads((person / ".cursor" / "mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    removed = run_shell("quarry install codex cursor --vault ~/Notes --remove --yes")

    assert installed.returncode == 0, installed.stderr
    assert any("mcp" in server["args"] for server in servers.values())
    assert (person / ".codex" / "config.toml").exists() or removed.returncode == 0
    assert removed.returncode == 0, removed.stderr
    assert not (person / ".cursor" / "mcp.json").exists() or "quarry" not in (
        person / ".cursor" / "mcp.json"
    ).read_text(encoding="utf-8")
    assert all(path.read_bytes() == content for path, content in before.items())


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_the_table_names_the_files_of_each_client(client):
    row = next(line for line in PAGE.text.splitlines() if line.startswith(f"| `{client.name}` |"))
    files = [*client.servers.get("user", ()), *client.servers.get("project", ())]
    files += [client.hooks.files["user"]] if client.hooks else []

    for file in files:
        for place, shown in PLACES.items():
            file = file.replace(place, shown)
        assert f"`{file}`" in row or "{" in file, file
    hooks, instructions = (cell.strip() for cell in row.split("|")[4:6])
    assert (hooks == "no" or "runs Claude" in hooks) is (client.hooks is None)
    assert (instructions == "no") is (not client.instructions)
    assert all(file.rpartition("/")[2] in instructions for file in client.instructions.values())


def test_every_example_of_a_server_is_json_and_starts_quarry():
    examples = [json.loads(body) for language, body in PAGE.blocks if language == "json"]

    servers = [example["mcpServers"]["notes"] for example in examples]
    assert ["mcp" in server["args"] for server in servers if "args" in server] == [True, True]
    assert [server["url"] for server in servers if "url" in server] == [f"http://127.0.0.1:{DEFAULT_PORT}{PATH}"]


def test_the_tools_and_prompts_of_the_server_are_those_of_the_page():
    listed = re.findall(r"^\| `(\w+)` \|", section("The MCP server").text, re.MULTILINE)

    assert listed == list(TOOLS)
    assert all(f"`{name}`" in section("The MCP server").text for name in RECIPES)
