"""The table of clients is complete, its hooks are known to `quarry hook`, and its paths are right on each system."""

from pathlib import Path

import pytest

from quarry.agents.hooks import events
from quarry.agents.install.clients import CLIENTS, SCOPES, Host, config_paths, current_host, is_present


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_row_says_what_is_needed(client):
    assert client.servers["user"]
    assert set(client.servers) | set(client.instructions) <= set(SCOPES)
    assert client.documentation
    assert client.afterwards
    assert client.found_by


@pytest.mark.parametrize("client", [client for client in CLIENTS.values() if client.hooks], ids=lambda one: one.name)
def test_every_event_is_one_that_quarry_hook_answers(client):
    known = events.CLIENTS[client.name].kinds

    assert set(client.hooks.events) <= set(known)
    assert {known[event] for event in client.hooks.events} >= {"start", "prompt", "tool", "compact", "end"}
    assert set(client.hooks.files) == set(SCOPES)


# --- paths -----------------------------------------------------------------------------------------

HOME = Path("/home/me")
PROJECT = Path("/src/app")
SUPPORT = "/home/me/Library/Application Support"
ROAMING = "/home/me/AppData/Roaming"

USER_FILES = {
    "claude-code": (f"{HOME}/.claude.json",) * 3,
    "codex": (f"{HOME}/.codex/config.toml",) * 3,
    "cursor": (f"{HOME}/.cursor/mcp.json",) * 3,
    "vscode": (f"{HOME}/.config/Code/User/mcp.json", f"{SUPPORT}/Code/User/mcp.json", f"{ROAMING}/Code/User/mcp.json"),
    "antigravity": (f"{HOME}/.gemini/config/mcp_config.json",) * 3,
    "gemini": (f"{HOME}/.gemini/settings.json",) * 3,
    "zed": (f"{HOME}/.config/zed/settings.json", f"{HOME}/.config/zed/settings.json", f"{ROAMING}/zed/settings.json"),
    "windsurf": (
        f"{HOME}/.config/devin/mcp_config.json",
        f"{HOME}/.config/devin/mcp_config.json",
        f"{ROAMING}/devin/mcp_config.json",
    ),
    "continue": (f"{HOME}/.continue/mcpServers/notes.json",) * 3,
    "claude-desktop": (
        f"{HOME}/.config/Claude/claude_desktop_config.json",
        f"{SUPPORT}/Claude/claude_desktop_config.json",
        f"{ROAMING}/Claude/claude_desktop_config.json",
    ),
}


def host(system="linux", home=HOME, project=PROJECT, **environment):
    return Host(system, home, project, environment)


def test_all_ten_clients_are_there():
    assert list(CLIENTS) == list(USER_FILES)


@pytest.mark.parametrize(("place", "system"), [(0, "linux"), (1, "macos"), (2, "windows")])
@pytest.mark.parametrize("client", CLIENTS)
def test_the_users_file_is_where_the_documentation_has_it(client, place, system):
    [path] = config_paths(CLIENTS[client].servers["user"], host(system), "notes")

    assert path == Path(USER_FILES[client][place])


@pytest.mark.parametrize(
    ("client", "system", "variable", "expected"),
    [
        ("claude-code", "linux", "CLAUDE_CONFIG_DIR", "/else/.claude.json"),
        ("codex", "macos", "CODEX_HOME", "/else/config.toml"),
        ("gemini", "linux", "GEMINI_CLI_HOME", "/else/.gemini/settings.json"),
        ("continue", "linux", "CONTINUE_GLOBAL_DIR", "/else/mcpServers/notes.json"),
        ("zed", "linux", "XDG_CONFIG_HOME", "/else/zed/settings.json"),
        ("vscode", "windows", "APPDATA", "/else/Code/User/mcp.json"),
    ],
)
def test_a_folder_that_was_moved_is_followed(client, system, variable, expected):
    [path] = config_paths(CLIENTS[client].servers["user"], host(system, **{variable: "/else"}), "notes")

    assert path == Path(expected)
    [relative] = config_paths(CLIENTS[client].servers["user"], host(system, **{variable: "here"}), "notes")
    assert str(relative).startswith(str(HOME))


def test_both_places_of_a_client_that_moved_are_written(tmp_path):
    (tmp_path / ".codeium/windsurf").mkdir(parents=True)
    here = host(home=tmp_path)
    assert config_paths(CLIENTS["windsurf"].servers["user"], here) == [tmp_path / ".codeium/windsurf/mcp_config.json"]

    (tmp_path / ".config/devin").mkdir(parents=True)

    assert len(config_paths(CLIENTS["windsurf"].servers["user"], here)) == 2


def test_the_package_of_claude_desktop_on_windows_is_found(tmp_path):
    folder = tmp_path / "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude"
    folder.mkdir(parents=True)
    (folder / "claude_desktop_config.json").write_text("{}")

    assert config_paths(CLIENTS["claude-desktop"].servers["user"], host("windows", tmp_path)) == [
        folder / "claude_desktop_config.json"
    ]


def test_a_client_is_present_where_its_folder_is(tmp_path):
    here = host(home=tmp_path)
    assert not is_present(CLIENTS["cursor"].found_by, here)

    (tmp_path / ".cursor").mkdir()

    assert is_present(CLIENTS["cursor"].found_by, here)


def test_the_project_is_the_repository_that_one_is_in(tmp_path, monkeypatch):
    (tmp_path / "app/.git").mkdir(parents=True)
    (tmp_path / "app/src").mkdir()

    monkeypatch.chdir(tmp_path / "app/src")
    assert current_host().project == tmp_path / "app"
    monkeypatch.chdir(tmp_path)
    assert current_host().project == tmp_path
