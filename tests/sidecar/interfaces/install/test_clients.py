"""The table of clients is whole, and every hook that it names is one that `quarry hook` knows."""

import pytest

from quarry.interfaces.install.clients import CLIENTS, SCOPES

NAMES = [
    *("claude-code", "codex", "cursor", "vscode", "antigravity", "gemini"),
    *("zed", "windsurf", "continue", "claude-desktop"),
]
EVENTS = {
    "claude-code": {
        "SessionStart": None,
        "UserPromptSubmit": None,
        "PreToolUse": "Edit|Write|Bash",
        "PostToolUse": None,
        "PreCompact": None,
        "SessionEnd": None,
    },
    "codex": {"SessionStart": None, "UserPromptSubmit": None},
}


def test_all_ten_clients_are_there():
    assert list(CLIENTS) == NAMES


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
def test_a_row_says_what_is_needed(client):
    assert client.servers["user"]
    assert set(client.servers) | set(client.instructions) <= set(SCOPES)
    assert client.documentation
    assert client.afterwards
    assert client.found_by


@pytest.mark.parametrize("client", EVENTS)
def test_the_events_of_hooks_are_those_of_the_documentation(client):
    hooks = CLIENTS[client].hooks

    assert hooks is not None
    assert hooks.events == EVENTS[client]
    assert set(hooks.files) == set(SCOPES)
