"""Every client is set up by its own command or in its file, and nothing of it stays after removal."""

import json
import re
import tomllib

import pytest

from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.config_edit import parse_jsonc
from quarry.agents.install.desired_state import Installed, Unreadable, installed, instructions, left_behind, left_out
from quarry.errors import BadConfiguration

CLAUDE = """
scope, name = sys.argv[4:6]
home = Path(os.environ["HOME"])
path = home / ".claude.json" if scope == "user" else Path(".mcp.json")
table = json.loads(path.read_text()) if path.exists() else {}
servers = table.setdefault("mcpServers", {})
if (sys.argv[2] == "add-json") == (name in servers):
    sys.exit(f"{name} is there" if name in servers else f"No MCP server {name}")
if sys.argv[2] == "add-json":
    servers[name] = json.loads(sys.argv[6])
else:
    del servers[name]
path.write_text(json.dumps(table, indent=2))
"""
CODE = """
path = Path(os.environ["HOME"], ".config/Code/User/mcp.json")
entry = json.loads(sys.argv[2])
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps({"servers": {entry.pop("name"): entry}}))
"""


def meaning(path):
    text = path.read_text(encoding="utf-8-sig")
    return tomllib.loads(text) if path.suffix == ".toml" else parse_jsonc(text)


def calls(record):
    return [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []


def meaning_if_any(path):
    """The table in *path* without empty values; empty for no file."""
    return {key: value for key, value in meaning(path).items() if value} if path.exists() else {}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_filled_configuration_means_the_same_after_installation_and_removal(filled, client):
    path = filled.configuration(client)
    files = [path, *([filled.hooks_file(client)] if CLIENTS[client].hooks else [])]
    before = [meaning_if_any(file) for file in files]
    has_comments = client in ("gemini", "vscode", "zed")

    changes = filled.install(client, hooks=True)
    between = filled.content()
    filled.install(client, hooks=True)

    assert filled.content() == between
    assert changes[0].action == ("left" if has_comments else "change")
    assert [entry.client for entry in installed(filled.host)] == ([] if has_comments else [client])
    filled.remove(client)
    assert [meaning_if_any(file) for file in files] == before


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("client", CLIENTS)
def test_new_files_and_folders_go_again(desk, client, scope):
    if scope not in CLIENTS[client].servers:
        with pytest.raises(BadConfiguration, match="leave --scope out"):
            desk.install(client, scope=scope)
        return
    before = desk.content()

    desk.install(client, scope=scope, hooks=True, instructions=True)
    [found] = installed(desk.host)
    assert (found.client, found.scope, found.name, found.vault) == (client, scope, "notes", str(desk.vault))
    assert found.command == ("/opt/quarry/bin/quarry", "mcp", "--vault", str(desk.vault))
    assert set(found.environment) == {"QUARRY_HOME"}
    desk.remove(client, scope=scope)

    assert desk.content() == before


def test_the_clients_own_command_adds_and_removes(desk):
    record = desk.program("claude", CLAUDE)

    desk.install("claude-code")
    desk.install("claude-code", name="other")
    [found] = installed(desk.host)
    desk.remove("claude-code")

    assert found.name == "other"
    assert [call[:5] for call in calls(record)] == [
        ["mcp", "add-json", "--scope", "user", "notes"],
        ["mcp", "remove", "--scope", "user", "notes"],
        ["mcp", "add-json", "--scope", "user", "other"],
        ["mcp", "remove", "--scope", "user", "other"],
    ]
    assert list(installed(desk.host)) == []


def test_a_client_without_a_remove_command_is_edited_after_its_add_command(desk):
    record = desk.program("code", CODE)

    desk.install("vscode")
    [found] = installed(desk.host)
    desk.remove("vscode")

    assert found.client == "vscode"
    assert [call[0] for call in calls(record)] == ["--add-mcp"]
    assert list(installed(desk.host)) == []


@pytest.mark.parametrize("body", ["sys.exit('broken')", "pass", "os.kill(os.getpid(), 9)"])
def test_where_the_command_fails_or_does_nothing_the_file_is_edited(desk, body):
    desk.program("gemini", body)

    [change] = desk.install("gemini")

    assert bool(change.failures) == (body != "pass")
    assert change.action == "create"
    assert len(list(installed(desk.host))) == 1


def test_no_command_is_run_for_a_file_that_is_read_only(desk):
    record = desk.program("claude", CLAUDE)
    desk.configuration("claude-code").write_text("{}")
    desk.configuration("claude-code").chmod(0o444)

    [change] = desk.install("claude-code")

    assert (change.action, change.problem) == ("left", "it is read-only")
    assert calls(record) == []


def test_gemini_gets_its_arguments_behind_two_hyphens(desk, home):
    record = desk.program("gemini", "")

    desk.install("gemini")

    assert calls(record) == [
        [
            *("mcp", "add", "--scope", "user", f"--env=QUARRY_HOME={home}", "notes", "/opt/quarry/bin/quarry", "--"),
            *("mcp", "--vault", str(desk.vault)),
        ]
    ]


@pytest.mark.parametrize("name", ["claude.cmd", "claude.bat"])
def test_scripts_of_windows_are_not_run(desk, name):
    (desk.bin / name).write_text("")
    (desk.bin / name).chmod(0o755)
    (desk.bin / "claude").symlink_to(desk.bin / name)

    assert [plan.commands for plan in desk.plan("claude-code")] != [[]]  # a link is no script by its name
    desk.host = desk.host._replace(environment={"PATH": "."})
    assert [plan.commands for plan in desk.plan("claude-code")] == [[]]


def test_a_name_that_a_command_would_take_for_an_option_is_removed_from_the_file(desk):
    record = desk.program("claude", CLAUDE)
    entry = {"command": "quarry", "args": ["mcp", "--vault", str(desk.vault)]}
    desk.configuration("claude-code").write_text(json.dumps({"mcpServers": {"--help": entry}}))

    desk.remove("claude-code")

    assert calls(record) == []
    assert list(installed(desk.host)) == []


def test_a_name_of_another_program_is_refused(desk):
    path = desk.configuration("cursor")
    path.write_text('{"mcpServers": {"notes": {"command": "other", "args": ["x"]}}}')

    with pytest.raises(BadConfiguration, match="starts `other x`; give another name"):
        desk.install("cursor")
    assert json.loads(path.read_text())["mcpServers"]["notes"]["command"] == "other"


def test_two_vaults_are_served_and_one_is_removed(desk):
    other = desk.vault.with_name("Work")
    other.mkdir()
    desk.install("cursor", hooks=True)
    desk.install("cursor", hooks=True, vault=str(other))

    desk.remove("cursor")

    assert [entry.name for entry in installed(desk.host)] == ["work"]
    assert str(desk.vault) not in desk.hooks_file("cursor").read_text()
    assert str(other) in desk.hooks_file("cursor").read_text()


def test_hooks_of_others_in_one_group_stay(desk):
    path = desk.hooks_file("claude-code")
    desk.install("claude-code", hooks=True)
    table = json.loads(path.read_text())
    table["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "mine"})
    path.write_text(json.dumps(table))

    desk.remove("claude-code", hooks=True)

    assert json.loads(path.read_text())["hooks"] == {
        "PreToolUse": [{"matcher": "Edit|Write|Bash", "hooks": [{"type": "command", "command": "mine"}]}]
    }
    assert list(left_behind(desk.setup("claude-code", hooks=True), desk.host, ["claude-code"])) == [
        "Claude Code keeps the server 'notes'; --remove alone removes it as well"
    ]


@pytest.mark.parametrize("setting", ["compress_outputs", "capture_outputs"])
def test_the_hook_for_outputs_is_installed_where_a_setting_needs_it(desk, setting):
    setup = desk.setup("claude-code", hooks=True)
    assert any("PostToolUse is left out" in sentence for sentence in left_out(setup))
    desk.install("claude-code", hooks=True)
    assert "PostToolUse" not in meaning(desk.hooks_file("claude-code"))["hooks"]

    (desk.vault / ".quarry.toml").write_text(f"[hooks]\n{setting} = true\n")
    desk.install("claude-code", hooks=True)

    assert not list(left_out(setup))
    assert meaning(desk.hooks_file("claude-code"))["hooks"]["PostToolUse"][0]["matcher"] == "Bash"


def test_a_shared_file_of_instructions_keeps_its_section_for_the_other_client(desk):
    for client in ("codex", "zed"):
        desk.install(client, scope="project", instructions=True)

    setup = desk.setup("zed", scope="project")
    assert list(left_behind(setup, desk.host, ["zed"])) == ["the section in AGENTS.md stays, as Codex reads it too"]
    desk.remove("zed", scope="project")
    assert "quarry:notes" in (desk.project / "AGENTS.md").read_text()
    desk.remove("codex", scope="project")

    assert not (desk.project / "AGENTS.md").exists()


def test_a_client_says_what_it_cannot_do(desk):
    assert list(left_out(desk.setup("zed", hooks=True, instructions=True))) == [
        "Zed has no hooks that Quarry can use; --hooks does nothing for it",
        "Zed reads no instructions there; use --scope project",
    ]


def test_in_the_home_folder_nothing_is_found_twice(desk):
    desk.host = desk.host._replace(project=desk.home)
    desk.install("cursor")

    assert len(list(installed(desk.host))) == 1


@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"mcpServers": 1}', b"[]"])
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_read(desk, content):
    desk.install("vscode")
    desk.configuration("cursor").write_bytes(content)

    found = list(installed(desk.host))

    assert [entry.client for entry in found if isinstance(entry, Installed)] == ["vscode"]
    assert [entry.client for entry in found if isinstance(entry, Unreadable)] == ["cursor"]


def test_three_example_queries_name_the_servers_tools():
    text = instructions("notes")

    assert re.findall(r"`(\w+)\(", text) == ["search", "search", "get_context"]
    assert "MCP server `notes`" in text
    assert not re.search(r"/home|/Users|--vault", text)
