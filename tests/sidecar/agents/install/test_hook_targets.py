"""Hooks of others stay, in their order, and ours are known by client and vault."""

import json

from quarry.agents.install.hook_targets import JsonHooks

OURS = {"type": "command", "command": "/opt/quarry", "args": ["hook", "claude-code", "--vault", "/Notes"], "timeout": 2}
THEIRS = {"type": "command", "command": "guard.sh"}
HOOKS = JsonHooks("claude-code", {"PreToolUse": {"matcher": "Bash", "hooks": [OURS]}}, "/Notes")


def settings(*groups):
    return json.dumps({"hooks": {"PreToolUse": list(groups)}})


def test_a_group_is_added_behind_those_of_others():
    after = json.loads(HOOKS.add(settings({"matcher": "Edit", "hooks": [THEIRS]})).text)

    assert [group["matcher"] for group in after["hooks"]["PreToolUse"]] == ["Edit", "Bash"]


def test_of_a_group_with_others_only_ours_is_removed():
    text = settings({"hooks": [THEIRS, OURS, THEIRS]})

    assert json.loads(HOOKS.remove(text, [])) == json.loads(settings({"hooks": [THEIRS, THEIRS]}))


def test_a_hook_of_another_client_or_vault_is_not_ours():
    others = [
        {**OURS, "args": ["hook", "codex", "--vault", "/Notes"]},
        {**OURS, "args": ["hook", "claude-code", "--vault", "/Work"]},
    ]

    assert not HOOKS.has_ours(settings({"hooks": others}))


def test_an_event_twice_is_not_done():
    group = {"matcher": "Bash", "hooks": [OURS]}

    assert HOOKS.is_done(settings(group))
    assert not HOOKS.is_done(settings(group, group))
    assert json.loads(HOOKS.remove(settings(group, group), [])) == {"hooks": {"PreToolUse": []}}


def test_objects_that_were_made_go_and_others_stay():
    addition = HOOKS.add('{"hooks": {}}')

    assert json.loads(HOOKS.remove(addition.text, addition.containers)) == {"hooks": {}}


def test_lists_that_are_none_are_passed_over():
    assert not HOOKS.has_ours('{"hooks": {"PreToolUse": "x", "Stop": [1, null, {"hooks": 2}]}}')
