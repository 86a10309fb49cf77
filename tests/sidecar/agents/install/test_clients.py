"""The table of clients is whole, and every hook that it names is one that `quarry hook` knows."""

import pytest

from quarry.agents.hooks import events
from quarry.agents.install.clients import CLIENTS, SCOPES

NAMES = [
    *("claude-code", "codex", "cursor", "vscode", "antigravity", "gemini"),
    *("zed", "windsurf", "continue", "claude-desktop"),
]


def test_all_ten_clients_are_there():
    assert list(CLIENTS) == NAMES


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
