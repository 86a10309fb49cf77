"""Every kind of content keeps the promises of a target, whatever the file holds already."""

import pytest

from quarry.agents.install.hook_targets import JsonHooks
from quarry.agents.install.insertions import inserted, taken_out
from quarry.agents.install.instructions import CURSOR_RULE, MarkdownSection
from quarry.agents.install.server_targets import JsonServer, TomlServer

ENTRY = {"command": "/opt/quarry", "args": ["mcp", "--vault", "/Notes"]}
HOOK = {"hooks": [{"type": "command", "command": "/opt/quarry", "args": ["hook", "codex", "--vault", "/Notes"]}]}
KINDS = {
    "server in JSON": (
        JsonServer(("a", "servers"), "notes", ENTRY, "/Notes"),
        ["", "{}", '{"a": {"servers": {"x": {}}}}'],
    ),
    "server in TOML": (
        TomlServer(("servers",), "notes", ENTRY, "/Notes"),
        ["", "x = 1", '[servers.x]\ncommand = "y"\n'],
    ),
    "hooks": (
        JsonHooks("codex", {"Start": HOOK, "End": HOOK}, "/Notes", '{"version": 1}\n'),
        ["", '{"hooks": {"Start": [{"hooks": []}]}}', '{"version": 1, "hooks": {"Other": []}}'],
    ),
    "section": (MarkdownSection("notes", "## Notes", CURSOR_RULE), ["", "# Mine\n", "no line end"]),
}
CASES = [
    pytest.param(target, text, id=f"{kind}-{at}")
    for kind, (target, texts) in KINDS.items()
    for at, text in enumerate(texts)
]


@pytest.mark.parametrize(("target", "text"), CASES)
def test_what_is_added_is_there_by_the_steps_that_are_named(target, text):
    assert not target.is_done(text)
    assert not target.has_ours(text)

    addition = target.add(text)

    assert target.is_done(addition.text)
    assert target.has_ours(addition.text)
    replayed = text
    for step in addition.steps:
        replayed = inserted(replayed, step)
    assert replayed == addition.text
    for step in reversed(addition.steps):
        replayed = taken_out(replayed, step)
    assert replayed == text


@pytest.mark.parametrize(("target", "text"), CASES)
def test_what_is_removed_is_gone_without_a_record(target, text):
    addition = target.add(text)

    removed = target.remove(addition.text, addition.containers)

    assert not target.has_ours(removed)
    assert target.is_bare(removed) == (text in ("", "{}"))
