"""`quarry install`: the change is shown, asked about, written and proved."""

import json
import sys
from pathlib import Path

import pytest

from quarry.agents.install.clients import CLIENTS
from quarry.cli.failure import BAD_USAGE, FAILED, NO_VAULT, OK

TOKEN = "ghp_1234567890abcdefghijklmnopqrstuvwxyz12"


@pytest.fixture
def user(tmp_path, monkeypatch):
    """The home folder of a user, whose working directory is a project."""
    home = tmp_path / "user"
    (home / "project/.git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("PATH", "")  # no client's own command
    for name in ("XDG_CONFIG_HOME", "APPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home / "project")
    return home


@pytest.fixture
def install(command, vault):
    return lambda *arguments: command("install", *arguments, "--vault", str(vault))


def test_without_a_terminal_the_change_is_shown_and_nothing_written(user, install):
    done = install("cursor", "vscode")

    assert done.code == BAD_USAGE
    assert f"create {user}/.cursor/mcp.json" in done.out
    assert '+     "notes"' not in done.out  # it is named as its vault
    assert '+     "vault": {' in done.out
    assert "give --yes" in done.err
    assert not (user / ".cursor").exists()


def test_a_dry_run_writes_nothing_and_is_no_failure(user, install):
    done = install("cursor", "--dry-run", "--yes")

    assert done.code == OK
    assert done.out.startswith(f"create {user}/.cursor/mcp.json\n")
    assert "nothing was written: leave out --dry-run" in done.err
    assert not (user / ".cursor").exists()


@pytest.mark.parametrize(
    ("answer", "code"), [("y\n", OK), ("yes\n", OK), ("\n", FAILED), ("n\n", FAILED), ("", FAILED)]
)
def test_at_a_terminal_it_is_asked(user, install, type_at_terminal, answer, code):
    type_at_terminal(answer)

    done = install("cursor")

    assert done.code == code
    assert "Change this file? [y/N]" in done.err
    assert (user / ".cursor/mcp.json").exists() == (code == OK)


def test_what_was_written_is_started_and_its_tools_are_listed(user, install):
    done = install("cursor", "codex", "--hooks", "--yes")

    assert done.code == OK
    assert f"created {user}/.cursor/mcp.json" in done.out
    assert "the server starts and has" in done.out
    assert "search" in done.out
    assert "`/hooks`" in done.out


def test_a_second_time_there_is_nothing_to_do(user, install):
    install("claude-code", "--hooks", "--yes")
    before = {path: path.read_bytes() for path in user.rglob("*") if path.is_file()}

    done = install("claude-code", "--hooks")

    assert done.code == OK
    assert done.out.startswith("nothing to do\n")
    assert {path: path.read_bytes() for path in user.rglob("*") if path.is_file()} == before


def test_removal_leaves_nothing(user, install):
    before = sorted(user.rglob("*"))
    install(*CLIENTS, "--hooks", "--instructions", "--yes")

    done = install(*CLIENTS, "--remove", "--yes")

    assert done.code == OK
    assert sorted(user.rglob("*")) == before


def test_a_vault_that_is_gone_can_be_taken_out(user, install, vault):
    install("cursor", "--yes")
    vault.rename(vault.with_name("elsewhere"))

    assert install("cursor", "--yes").code == NO_VAULT
    assert install("cursor", "--remove", "--yes").code == OK
    assert not (user / ".cursor").exists()


def test_a_server_that_does_not_start_is_a_failure_that_says_what_to_do(user, install, monkeypatch):
    program = user / "quarry"
    program.write_text("#!/bin/sh\necho it is broken >&2; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])

    done = install("cursor", "--yes")

    assert done.code == FAILED
    assert "it is broken" in done.err
    assert "--remove" in done.err
    assert (user / ".cursor/mcp.json").exists()


@pytest.mark.parametrize("content", ["{\n  oops\n}", '{\n  // mine\n  "a": 1\n}'])
def test_a_file_that_cannot_be_changed_is_named_and_the_others_are_changed(user, install, content):
    (user / ".cursor").mkdir()
    (user / ".cursor/mcp.json").write_text(content)

    done = install("cursor", "codex", "--yes")

    assert done.code == FAILED
    assert f"{user}/.cursor/mcp.json is left alone: " in done.out
    assert "line 2" in done.err
    shown = done.out.partition("Add this to it yourself:\n")[2].partition("\n}\n")[0] + "\n}"
    assert json.loads(shown)["mcpServers"]["vault"]["args"][0] == "mcp"
    assert (user / ".cursor/mcp.json").read_text() == content
    assert (user / ".codex/config.toml").exists()


def test_the_whole_part_is_shown_of_a_file_on_one_line(user, install):
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text(json.dumps({"a": "x" * 2000, "hooks": {}}))

    done = install("claude-code", "--hooks", "--dry-run")

    assert done.out.count('"hook",') == 5
    assert "xxx" not in done.out


def test_the_clients_command_is_shown_before_it_is_run(user, install, monkeypatch):
    (user / "bin").mkdir()
    (user / "bin/claude").write_text("#!/bin/sh\nexit 1\n")
    (user / "bin/claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(user / "bin"))

    done = install("claude-code", "--yes")

    assert f"run {user}/bin/claude mcp add-json --scope user vault " in done.out
    assert "`claude mcp` failed: exit code 1" in done.err
    assert (user / ".claude.json").exists()


def test_credentials_of_others_are_not_shown(user, install):
    (user / ".cursor").mkdir()
    (user / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": {"gh": {"env": {"T": TOKEN}}}}))

    done = install("cursor", "--yes")

    assert TOKEN not in done.out + done.err
    assert TOKEN in (user / ".cursor/mcp.json").read_text()


def test_a_project_is_told_apart_from_the_user(user, install):
    done = install("vscode", "--scope", "project", "--yes")

    assert (user / "project/.vscode/mcp.json").exists()
    assert "think before you commit" in done.out


def test_what_a_client_cannot_do_is_said_and_the_rest_done(user, install):
    done = install("zed", "--hooks", "--yes")

    assert done.code == OK
    assert "Zed has no hooks that Quarry can use" in done.err


def test_clients_are_listed_with_what_they_are_told_of(user, install, command, vault):
    (user / ".codex").mkdir()
    install("cursor", "--yes")

    lines = {line.split()[0]: line for line in command("install", "--list").out.splitlines()}

    assert list(lines) == list(CLIENTS)
    assert f"vault -> {vault} (user)" in lines["cursor"]
    assert lines["codex"].endswith("not set up")
    assert lines["zed"].endswith("not found here")


def test_json_says_the_same(user, install, command):
    dry = json.loads(install("cursor", "--dry-run", "--json").out)
    assert [file["action"] for file in dry["files"]] == ["create"]
    assert dry["written"] is False

    done = json.loads(install("cursor", "--yes", "--json").out)
    assert done["written"] is True
    assert "search" in done["server"]["tools"]
    listed = json.loads(command("install", "--list", "--json").out)["clients"]
    assert [len(client["servers"]) for client in listed if client["client"] == "cursor"] == [1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "needs a client"),
        (["emacs"], "there is no client 'emacs'"),
        (["cursor", "--name", "a b"], "--name is 'a b'"),
        (["cursor", "--scope", "world"], "--scope is 'world'"),
        (["claude-desktop", "--scope", "project"], "leave --scope out"),
    ],
)
def test_mistakes_are_told(user, install, arguments, says):
    done = install(*arguments)

    assert done.code == BAD_USAGE
    assert says in done.err


def test_a_folder_that_holds_more_than_notes_is_not_handed_to_an_agent(user, command):
    done = command("install", "cursor", "--yes", "--vault", str(Path.home()))

    assert done.code == BAD_USAGE
    assert "your home folder" in done.err
