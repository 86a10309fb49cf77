"""What a tool call is about."""

import pytest

from quarry.agents.hooks.outcome import Silence
from quarry.agents.hooks.tools import is_own_command, words_of_tool

AUTHORIZED = "curl Authorization Bearer x"
PATCH = (
    "*** Begin Patch\n*** Update File: src/token_store.py\n@@\n-a\n+b\n*** Add File: docs/rotation.md\n*** End Patch"
)


@pytest.mark.parametrize(
    ("tool", "tool_input", "words"),
    [
        ("Edit", {"file_path": "/home/me/src/token_store.py", "old_string": "a", "new_string": "b"}, "token_store"),
        ("Write", {"file_path": "C:\\work\\Tea.md"}, "Tea"),
        ("Write", {"file_path": ".gitignore"}, "gitignore"),
        ("Bash", {"command": "npx vitest run auth/session.test.ts --reporter dot"}, "vitest session.test dot"),
        ("Bash", {"command": ["restic", "restore", "latest"]}, "restic restore latest"),
        ("Bash", {"command": "ls -la && git status"}, ""),
        (
            "Bash",
            {"command": "curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' x.org"},
            AUTHORIZED,
        ),
        ("apply_patch", {"command": PATCH}, "token_store rotation"),
        ("editFiles", {"files": ["src/main.ts", 7]}, "main"),
        ("write_file", {"file_path": "a/beans.txt"}, "beans"),
        ("Edit", {"file_path": ["x"]}, ""),
        ("Bash", {}, ""),
        ("apply_patch", {"command": 7}, ""),
    ],
)
def test_a_call_is_about_its_file_or_its_command(tool, tool_input, words):
    assert words_of_tool(tool, tool_input) == words


@pytest.mark.parametrize("tool", ["Read", "Grep", "WebFetch", "mcp__quarry__search", "", "bash"])
def test_other_tools_are_preceded_by_nothing(tool):
    with pytest.raises(Silence, match="other-tool"):
        words_of_tool(tool, {"file_path": "Tea.md"})


@pytest.mark.parametrize(
    "command",
    [
        "quarry search tea",
        "/home/a/.local/bin/quarry context 'oauth'",
        "cd /x && QUARRY_VAULT=/y quarry read Tea",
        "python3 -m quarry search tea",
        "uv run quarry search tea",
        "echo x | quarry search",
        "'/opt/my tools/quarry' search x".replace(" tools", ""),
    ],
)
def test_our_own_commands_are_told(command):
    assert is_own_command(command)
    with pytest.raises(Silence, match="own-command"):
        words_of_tool("Bash", {"command": command})


@pytest.mark.parametrize("command", ["vim quarry.md", "cat quarry", "git commit -m 'quarry'", "", "A=1"])
def test_a_command_that_only_names_us_is_not_ours(command):
    assert not is_own_command(command)
