"""A change is shown before it is made."""

import json

from quarry.agents.install.diff import MAX_WIDTH, unified_diff

TOKEN = "ghp_1234567890abcdefghijklmnopqrstuvwxyz12"


def shown(desk, client, **more):
    [change] = [change for change in desk.plan(client, **more) if change.state.path == desk.configuration(client)]
    return unified_diff(change)


def test_the_lines_that_are_added_are_shown_in_their_place(filled):
    lines = shown(filled, "claude-desktop")

    path = filled.configuration("claude-desktop")
    assert lines[:2] == [f"--- {path}", f"+++ {path}"]
    assert lines[2] == "@@ -4,6 +4,17 @@"
    added = [line[1:] for line in lines[3:] if line.startswith("+")]
    assert '    "notes": {' in added
    assert [line for line in lines[3:] if line.startswith("-")] == []


def test_a_new_file_is_shown_as_one(desk):
    assert shown(desk, "cursor")[0] == "--- /dev/null"


def test_nothing_is_shown_where_nothing_changes(desk):
    desk.install("cursor")

    assert shown(desk, "cursor") == []


def test_credentials_beside_the_change_are_not_shown(desk):
    desk.configuration("cursor").write_text(
        json.dumps({"mcpServers": {"github": {"command": "x", "env": {"TOKEN": TOKEN}}}}, indent=1)
    )

    text = "\n".join(shown(desk, "cursor"))

    assert TOKEN not in text
    assert "[REDACTED:" in text


def test_of_a_file_on_one_line_the_change_is_shown(desk):
    long = {"history": ["x" * 50] * 1000, "mcpServers": {}}
    desk.configuration("cursor").write_text(json.dumps(long))

    lines = shown(desk, "cursor")

    assert max(map(len, lines)) <= MAX_WIDTH + 1
    assert '"notes": {"type": "stdio"' in lines[-1]
