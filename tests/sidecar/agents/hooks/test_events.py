"""The events of five clients, as they send them, read into one kind of event."""

import json

import pytest

from quarry.agents.hooks.events import CLIENTS, MAX_BYTES, NoContext, parse_event

KINDS = ("start", "prompt", "tool", "compact")


def parsed(client, event):
    return parse_event(client, json.dumps(event).encode())


def reason(client, document):
    with pytest.raises(NoContext) as silence:
        parse_event(client, document)
    return silence.value.reason


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_event_of_each_client_is_understood(talk, client, kind):
    conversation = talk(client, cwd="/home/me/repository")
    event = parsed(client, conversation.event(kind))

    assert (event.client, event.kind, event.session) == (client, kind, conversation.session)
    assert event.folder == "/home/me/repository"
    assert event.takes_context == (kind in CLIENTS[client].contexts)


@pytest.mark.parametrize("client", ["claude-code", "cursor", "gemini"])
def test_the_end_of_a_conversation_is_understood_where_there_is_one(talk, client):
    assert parsed(client, talk(client).event("end")).kind == "end"


def test_an_event_of_cursor_is_cursors_whoever_it_was_meant_for(talk):
    event = talk("cursor").event("tool", hook_event_name="PostToolUse")

    assert parsed("claude-code", event).client == "cursor"
    assert parsed("claude-code", event).kind == "tool"
    assert reason("claude-code", json.dumps({**event, "hook_event_name": "preToolUse"}).encode()) == "unknown-event"


def test_an_event_of_vs_code_is_its_own_among_the_hooks_of_claude_code(talk):
    assert parsed("claude-code", talk("vscode").event("prompt")).client == "vscode"


def test_a_subagent_has_a_conversation_of_its_own(talk):
    conversation = talk("claude-code")
    main, sub = (
        parsed("claude-code", conversation.event("tool")),
        parsed("claude-code", conversation.event("tool", agent_id="a1")),
    )

    assert main.conversation == conversation.session
    assert sub.conversation == f"{conversation.session}/a1"


def test_ids_are_bounded_and_texts_are_text(talk):
    event = parsed("claude-code", talk("claude-code").prompt("half \ud83d", session_id="s" * 5000))

    assert len(event.session) == 200
    assert event.prompt == "half ?"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"", "bad-json"),
        (b"null", "bad-json"),
        (b"[]", "bad-json"),
        (b"\xff\xfe\x00", "bad-json"),
        (b"{" * 5000, "bad-json"),
        (b"1" * 5000, "bad-json"),
        (b" " * (MAX_BYTES + 1), "too-large"),
        (b"{}", "unknown-event"),
        (b'{"hook_event_name":["SessionStart"],"session_id":"s"}', "unknown-event"),
        (b'{"hook_event_name":"SessionStart","session_id":7}', "no-conversation"),
    ],
)
def test_what_is_no_event_has_its_reason(document, expected):
    assert reason("claude-code", document) == expected
    assert reason("nobody", b"{}") == "unknown-client"
