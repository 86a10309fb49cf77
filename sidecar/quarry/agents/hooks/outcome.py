"""What comes of an event: text for the conversation, or silence with its reason. Silence is an answer, and no error."""

from collections.abc import Mapping
from typing import Any, NamedTuple

REASONS: Mapping[str, str] = {
    "bad-json": "what was given is no JSON object",
    "too-large": "what was given is larger than 1 MiB",
    "unknown-client": "there is no client of that name",
    "unknown-event": "the event is none that is answered",
    "no-conversation": "the event names no conversation",
    "no-vault": "no vault is named, and the agent works in none that was ever indexed on this machine",
    "no-notes": "the folder holds more than notes, and was never indexed",
    "cold": "no sidecar is running; the hook starts one",
    "starting": "a sidecar was started a moment ago",
    "busy": "the sidecar serves as many clients as it can",
    "unreachable": "the sidecar cannot be reached",
    "refused": "the sidecar refused to answer; it may be of another version",
    "deadline": "there was no answer in time",
    "noted": "the event was noted; it takes no answer",
    "no-context": "the client takes no text at this event",
    "empty": "the prompt is empty",
    "command": "the prompt is a command",
    "acknowledgement": "the prompt only acknowledges",
    "pasted": "the prompt is pasted output without a word about it",
    "no-subject": "the prompt names no subject",
    "other-tool": "the tool is none that is preceded by context",
    "own-command": "the command is one of ours",
    "nothing-to-ask": "neither the prompt nor the tool call names a subject",
    "given": "a tool call after this prompt was answered already",
    "no-blocks": "there are no context blocks to load",
    "not-tried": "shortening an output stores the original, so a test does not do it",
    "low-confidence": "no note is likely enough to answer",
    "all-seen": "the passages that answer were shown in this conversation",
    "indexing": "none is found, and the index is not complete",
    "budget": "not one quote fits into the budget",
    "failed": "it failed; see the log",
}
"""Every reason, with a sentence for a person."""


class Silence(Exception):
    """Nothing is said, for a reason that `REASONS` lists."""

    def __init__(self, reason: str) -> None:
        assert reason in REASONS, reason
        super().__init__(reason)
        self.reason = reason


class HookOutcome(NamedTuple):
    """
    The answer to an event, and the reasons for it.

    `output` is the object for standard output; None: silence, with its `reason`. `details` is for `--test`.
    """

    output: Mapping[str, Any] | None
    reason: str | None
    details: Mapping[str, Any]
