"""`quarry hook --test`: what would be said to an event, and why."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from quarry.agents.hooks.events import parse_event
from quarry.agents.hooks.respond import MIN_CONFIDENCE, HookSession

GLUE = {
    "session_id": "told",
    "cwd": "/nowhere",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "what gram strength of hide glue do I use?",
}


@pytest.fixture
def told(tmp_path, command, at_shared):
    """What is told of an event, in words or as JSON."""

    def run(event, *options, client="claude-code"):
        file = tmp_path / "event.json"
        file.write_text(event if isinstance(event, str) else json.dumps(event), encoding="utf-8")
        return command("hook", client, "--test", str(file), *options)

    return run


@pytest.fixture
def hook_once(at_shared):
    """Answer an event for good."""

    def run(event):
        parsed = parse_event("claude-code", json.dumps(event).encode())
        session = HookSession(parsed, at_shared.vault)
        assert session.respond().output
        return session

    found = []
    yield lambda event: found.append(run(event))
    for session in found:
        session.main.drop("seen", "blocks")


def test_it_tells_in_words_what_it_would_say(told):
    done = told(GLUE)

    assert done.code == 0
    assert "event         UserPromptSubmit of claude-code\n" in done.out
    assert "query         what gram strength of hide glue do I use\n" in done.out
    assert "Howto/Make hide glue.md › Make hide glue (line 5)\n" in done.out
    assert "The user's notes that mention this" in done.out


def test_it_tells_as_json_what_it_would_say_and_counts_nothing_as_shown(told):
    first, second = json.loads(told(GLUE, "--json").out), json.loads(told(GLUE, "--json").out)

    assert first["output"] == second["output"] != None  # noqa: E711 - a chain
    assert first["sources"][0]["confidence"] > first["minConfidence"]
    assert 0 < first["tokens"] <= 500
    assert first["reason"] is None
    assert (first["budget"], first["shownBefore"]) == (500, False)


def test_it_tells_what_was_shown_before(told, hook_once):
    hook_once(GLUE)
    report = json.loads(told(GLUE, "--json").out)

    assert report["shownBefore"]
    assert 0 < report["leftTokens"] < 8_000
    assert f"{report['leftTokens']} tokens for the rest of this conversation\n" in told(GLUE).out


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("{", "bad-json"),
        ({**GLUE, "prompt": "yes"}, "acknowledgement"),
        ({**GLUE, "prompt": "who won the 1998 world cup final"}, "low-confidence"),
        ({**GLUE, "hook_event_name": "Stop"}, "unknown-event"),
        ({**GLUE, "hook_event_name": "PostToolUse"}, "not-tried"),
    ],
)
def test_it_tells_why_nothing_would_be_said(told, event, reason):
    report = json.loads(told(event, "--json").out)

    assert report["reason"] == reason
    assert report["message"]
    assert report["output"] is None
    assert f"{reason}: {report['message']}" in told(event).out


def test_it_tells_how_far_the_likeliest_note_is_from_a_quote(told):
    asked = {**GLUE, "prompt": "who won the 1998 world cup final"}
    report = json.loads(told(asked, "--json").out)

    assert 0 < report["confidence"] < report["minConfidence"] == MIN_CONFIDENCE
    assert f"{report['confidence']:.2f} at most; a note is quoted from {MIN_CONFIDENCE} on\n" in told(asked).out
    assert "at most" not in told(GLUE).out


def test_it_reads_standard_input(command, at_shared, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(json.dumps(GLUE).encode())))

    assert "says" in command("hook", "claude-code", "--test", "-").out


def test_a_file_that_is_not_there_is_told(command):
    done = command("hook", "claude-code", "--test", "/nowhere/event.json")

    assert done.code == 2
    assert "the event /nowhere/event.json cannot be read" in done.err


def test_a_client_that_nobody_knows_is_told(command):
    assert "codex" in command("hook", "emacs", "--test", "x").err
