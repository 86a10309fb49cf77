"""What is written for each client, how it is recognised whoever wrote it, and how it is tried."""

import os
import sys
from pathlib import Path

import pytest

from quarry.agents.install import server_entry as module
from quarry.agents.install.clients import CLIENTS
from quarry.agents.install.server_entry import (
    Launcher,
    checked_name,
    hook_entries,
    is_same_vault,
    running_launcher,
    server_entry,
    server_name,
    vault_of,
    verify,
)
from quarry.errors import BadConfiguration

LAUNCHER = Launcher("/opt/quarry bin/quarry")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("Notes", "notes"),
        ("My Second Brain!", "my-second-brain"),
        ("Café", "cafe"),
        ("笔记", "notes"),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_server_is_named_as_its_vault(folder, name):
    assert server_name(Path("/home/me") / folder) == name
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "../x", "a.b", "x" * 41, "ä", "a\n", "-x"])
def test_a_name_that_a_client_would_not_take_is_refused(name):
    with pytest.raises(BadConfiguration, match="--name"):
        checked_name(name)


def test_a_server_is_started_by_an_absolute_path_for_one_vault(monkeypatch):
    monkeypatch.delenv("QUARRY_HOME")

    assert server_entry(CLIENTS["cursor"], LAUNCHER, "/Notes") == {
        "type": "stdio",
        "command": "/opt/quarry bin/quarry",
        "args": ["mcp", "--vault", "/Notes"],
    }
    assert "type" not in server_entry(CLIENTS["claude-desktop"], LAUNCHER, "/Notes")


def test_quarry_home_is_written_for_servers_and_hooks(home):
    hooks = CLIENTS["cursor"].hooks

    entries = hook_entries(CLIENTS["cursor"], hooks, LAUNCHER, "/Notes", outputs=True)

    assert server_entry(CLIENTS["zed"], LAUNCHER, "/Notes")["env"] == {"QUARRY_HOME": str(home)}
    assert {str(entry["command"]).rpartition(" --home ")[2] for entry in entries.values()} == {str(home)}


def test_hooks_of_claude_code_need_no_shell(monkeypatch):
    monkeypatch.delenv("QUARRY_HOME")
    hooks = CLIENTS["claude-code"].hooks

    written = hook_entries(CLIENTS["claude-code"], hooks, LAUNCHER, "/My Notes", outputs=False)

    assert written["PreToolUse"] == {
        "matcher": "Edit|Write|Bash",
        "hooks": [
            {
                "type": "command",
                "command": "/opt/quarry bin/quarry",
                "args": ["hook", "claude-code", "--vault", "/My Notes"],
                "timeout": 2,
            }
        ],
    }
    assert "matcher" not in written["SessionStart"]
    assert "PostToolUse" not in written  # it would run after each command, for settings that are off


def test_the_hook_for_outputs_runs_after_commands_alone():
    hooks = CLIENTS["claude-code"].hooks

    assert hook_entries(CLIENTS["claude-code"], hooks, LAUNCHER, "/N", outputs=True)["PostToolUse"]["matcher"] == "Bash"


@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor"])
@pytest.mark.parametrize("vault", ["/Notes", "/My Notes", '/it\'s $HOME `x` "y"', "/筆記"])
def test_every_hook_that_is_written_is_recognised(client, vault):
    hooks = CLIENTS[client].hooks

    for entry in hook_entries(CLIENTS[client], hooks, LAUNCHER, vault, outputs=True).values():
        handlers = entry.get("hooks", [entry])
        assert [vault_of(handler, "hook", client) for handler in handlers] == [vault]
        assert [vault_of(handler, "hook", "other") for handler in handlers] == [None]


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/usr/bin/quarry", "args": ["mcp", "--vault", "/Notes"]},
        {"command": "C:\\Tools\\quarry.exe", "args": ["mcp", "--vault", "/Notes"]},
        {"command": "quarry", "args": ["mcp", "--http", "--vault", "/Notes"]},
        {"command": "/usr/bin/python3", "args": ["-m", "quarry", "mcp", "--vault", "/Notes"]},
        {"command": "quarry mcp --vault /Notes"},
    ],
)
def test_a_server_of_ours_is_recognised(entry):
    assert vault_of(entry, "mcp") == "/Notes"


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        "quarry mcp --vault /Notes",
        {},
        {"command": 1},
        {"command": "quarry"},
        {"command": "quarry", "args": ["serve", "--vault", "/Notes"]},
        {"command": "quarry", "args": ["mcp", "--vault"]},
        {"command": "other", "args": ["mcp", "--vault", "/Notes"]},
        {"command": "not-quarry", "args": ["mcp", "--vault", "/Notes"]},
        {"command": "quarry 'mcp"},
        {"url": "https://example.com/quarry"},
    ],
)
def test_what_others_wrote_is_not_taken_for_ours(entry):
    assert vault_of(entry, "mcp") is None


def test_one_folder_is_one_vault_by_whichever_path(tmp_path):
    (tmp_path / "Notes").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "Notes")

    assert is_same_vault(str(tmp_path / "link"), str(tmp_path / "Notes"))
    assert not is_same_vault(None, str(tmp_path))
    assert not is_same_vault("with \0 in it", str(tmp_path))


def program(folder):
    folder.mkdir(parents=True)
    (folder / "quarry").write_text("#!/bin/sh\n")
    (folder / "quarry").chmod(0o755)
    return folder / "quarry"


def test_the_program_is_named_as_it_was_started_with_links_kept(tmp_path, monkeypatch):
    real = program(tmp_path / "venv/bin")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/quarry").symlink_to(real)
    monkeypatch.setattr(sys, "argv", [os.fspath(tmp_path / "bin/quarry"), "install"])

    assert running_launcher() == Launcher(str(tmp_path / "bin/quarry"))


def test_without_a_script_python_starts_the_module(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/x/quarry/__main__.py"])
    monkeypatch.setattr(module.sysconfig, "get_path", lambda name: str(tmp_path))

    launcher = running_launcher()

    assert launcher == Launcher(sys.executable, ("-m", "quarry"))
    assert vault_of(server_entry(CLIENTS["cursor"], launcher, "/Notes"), "mcp") == "/Notes"


def test_a_program_that_will_be_gone_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [os.fspath(program(tmp_path / "uv/archive-v0/x/bin"))])

    with pytest.raises(BadConfiguration, match="uv tool install"):
        running_launcher()


# --- trying a server -------------------------------------------------------------------------------

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        tools = [{"name": "search"}, {"name": os.environ.get("EXTRA", "read_note")}]
        result = {"tools": tools} if message["method"] == "tools/list" else {"protocolVersion": "2025-06-18"}
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def of(program, timeout_s=20, **environment):
    return verify([sys.executable, "-c", program], environment, timeout_s)


def test_the_tools_of_a_server_are_listed():
    assert of(SERVER) == (("search", "read_note"), None)


def test_the_entrys_environment_is_used():
    assert of(SERVER, EXTRA="mine").tools == ("search", "mine")


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import sys; sys.stderr.write('no such vault\\n'); sys.exit(4)", "does not list its tools (no such vault)"),
        ("print('not JSON'); print('[1]'); print('{\"id\": 1}')", "does not list its tools"),
        (SERVER.replace('"tools": tools', '"tools": 1'), "does not list its tools"),
        ("print('[' * 100000)", "does not list its tools"),
    ],
)
def test_a_broken_server_is_described(program, says):
    found = of(program)

    assert found.tools == ()
    assert says in found.problem


def test_a_silent_server_is_ended_though_its_child_lives_on():
    child = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(5)'])"

    found = of(f"{child}; time.sleep(600)", timeout_s=0.5)

    assert found.problem == "it does not answer in time"


def test_a_program_that_is_missing_is_named(tmp_path):
    found = verify([str(tmp_path / "quarry"), "mcp"])

    assert str(tmp_path / "quarry") in found.problem
