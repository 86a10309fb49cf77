"""
The events of agents' hooks, read from each client's JSON into one type, and their outcomes.

Formats, by the documentation of their makers: Claude Code 2.1.240, Codex 0.144, Cursor 2026.09, VS Code of July 2026
(preview), Gemini CLI 0.30. A client that runs another's hooks, as Cursor and VS Code run Claude Code's, is recognised
by what it sends.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from quarry.limits import MAX_ID_CHARS

Kind = Literal["start", "prompt", "tool", "done", "compact", "end"]
Output = Literal["nested", "flat", "none"]

MAX_BYTES = 2**20  # a prompt with a pasted file; larger events are not answered


class HookClient(NamedTuple):
    """
    The hooks of one client.

    `kinds` maps the names of its events to what they mean here, `contexts` says for which of these text can be added
    to the conversation, `output` how: `nested` in `hookSpecificOutput`, `flat` as `additional_context`.
    """

    kinds: Mapping[str, Kind]
    contexts: frozenset[Kind]
    output: Output


_CLAUDE: Mapping[str, Kind] = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool",
    "PostToolUse": "done",
    "PreCompact": "compact",
    "SessionEnd": "end",
}
_CURSOR: Mapping[str, Kind] = {
    "SessionStart": "start",  # of Claude Code's hooks, which it may run
    "UserPromptSubmit": "prompt",
    "PostToolUse": "tool",
    "PreCompact": "compact",
    "SessionEnd": "end",
    "sessionStart": "start",
    "beforeSubmitPrompt": "prompt",
    "postToolUse": "tool",  # after it: before a tool runs, an answer is a permission, not context
    "preCompact": "compact",
    "sessionEnd": "end",
}
_GEMINI: Mapping[str, Kind] = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "AfterTool": "tool",  # before it, no context can be added
    "PreCompress": "compact",
    "SessionEnd": "end",
}
CLIENTS: Mapping[str, HookClient] = {
    "claude-code": HookClient(_CLAUDE, frozenset({"start", "prompt", "tool", "done"}), "nested"),
    "codex": HookClient(_CLAUDE, frozenset({"start", "prompt", "tool"}), "nested"),
    "cursor": HookClient(_CURSOR, frozenset({"start", "tool"}), "flat"),
    "vscode": HookClient(_CLAUDE, frozenset({"start", "tool"}), "nested"),
    "gemini": HookClient(_GEMINI, frozenset({"start", "prompt", "tool"}), "nested"),
}


class Event(NamedTuple):
    """One event. Texts are "" where the client gives none."""

    client: str
    kind: Kind
    name: str  # as the client calls it
    session: str
    agent: str  # of a subagent
    folder: str  # that the agent works in
    source: str  # of a start: startup, resume, clear, compact, …
    prompt: str
    tool: str
    tool_input: Mapping[str, Any]
    raw: Mapping[str, Any]

    @property
    def takes_context(self) -> bool:
        """Whether text can be added to the conversation."""
        return self.kind in CLIENTS[self.client].contexts

    @property
    def conversation(self) -> str:
        """The name of the conversation; a subagent, which sees nothing of what the main one does, has its own."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


def parse_event(client: str, document: bytes) -> Event:
    """
    The event that *client* reports in *document*.

    Raises:
        NoContext: Such an event is not answered.
    """
    if len(document) > MAX_BYTES:
        raise NoContext("too-large")
    if client not in CLIENTS:
        raise NoContext("unknown-client")
    try:
        raw = json.loads(document)
    except (ValueError, RecursionError):
        raise NoContext("bad-json") from None
    if not isinstance(raw, dict):
        raise NoContext("bad-json")
    return _event(_speaker(client, raw), raw)


def _speaker(client: str, raw: Mapping[str, Any]) -> str:
    """The client that *raw* comes from, which may run the hooks that were meant for *client*."""
    if "cursor_version" in raw:
        return "cursor"
    return "vscode" if client == "claude-code" and "hookEventName" in raw and "sessionId" in raw else client


def _event(client: str, raw: Mapping[str, Any]) -> Event:
    name = _text(raw, "hook_event_name", "hookEventName")
    kind = CLIENTS[client].kinds.get(name)
    if kind is None:
        raise NoContext("unknown-event")
    session = _text(raw, "session_id", "sessionId", "conversation_id")
    if not session:
        raise NoContext("no-conversation")
    tool_input = raw.get("tool_input")
    return Event(
        client=client,
        kind=kind,
        name=name,
        session=session[:MAX_ID_CHARS],
        agent=_text(raw, "agent_id")[:MAX_ID_CHARS],
        folder=_folder(raw),
        source=_text(raw, "source"),
        prompt=_text(raw, "prompt"),
        tool=_text(raw, "tool_name"),
        tool_input=tool_input if isinstance(tool_input, dict) else {},
        raw=raw,
    )


def _folder(raw: Mapping[str, Any]) -> str:
    """The folder that the agent works in: `cwd`, or the first of Cursor's workspace folders."""
    roots = raw.get("workspace_roots")
    if isinstance(roots, list) and roots and isinstance(roots[0], str):
        return roots[0]
    return _text(raw, "cwd")


def _text(raw: Mapping[str, Any], *names: str) -> str:
    """The first of the members *names* that is a non-empty string; "" if none is."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, str) and value:
            return value.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent on
    return ""


# --- outcomes --------------------------------------------------------------------------------------


class NoContext(Exception):
    """No context is given, for a *reason* whose sentence is `abstained.REASON` in the catalogue of messages."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class HookOutcome(NamedTuple):
    """
    The answer to an event, and the reasons for it.

    `output` is the object for standard output; None: no output, with its `reason`. `details` is for `--test`.
    """

    output: Mapping[str, Any] | None
    reason: str | None
    details: Mapping[str, Any]
