"""The events of each client as its maker documents them, and the command that answers them."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parent / "fixtures"
CLIENTS = ("claude-code", "codex", "cursor", "vscode", "gemini")
SESSIONS = ("session_id", "sessionId", "conversation_id")
PATIENT = {
    "QUARRY_HOOK_DEADLINE_MS": "60000"
}  # so that a busy machine decides nothing; the deadline has tests of its own

_numbers = itertools.count(1)


class Talk:
    """One conversation of a client: its events, each as the JSON of its documentation with what is given in place."""

    def __init__(self, client: str, cwd: str = "/nowhere") -> None:
        self.client = client
        self.session = f"session-{os.getpid()}-{next(_numbers)}"
        self.cwd = cwd
        self._events = json.loads((FIXTURES / f"{client}.json").read_text(encoding="utf-8"))["events"]

    def event(self, kind: str, **given: Any) -> dict[str, Any]:
        event = deepcopy(self._events[kind])
        for name in event.keys() & set(SESSIONS):
            event[name] = self.session
        event.update({"workspace_roots": [self.cwd]} if "workspace_roots" in event else {"cwd": self.cwd})
        return {**event, **given}

    def prompt(self, text: str, **given: Any) -> dict[str, Any]:
        return self.event("prompt", prompt=text, **given)

    def edit(self, path: str, **given: Any) -> dict[str, Any]:
        """The event at which notes may be quoted beside a tool that writes *path*, or runs a command about it."""
        tool_input = self._events["tool"]["tool_input"]
        name = next(name for name in ("file_path", "files", "command") if name in tool_input)
        written = {"files": [path], "command": f"vim '{path}'", "file_path": path}[name]
        return self.event("tool", tool_input={**tool_input, name: written}, **given)


def context_of(output: dict[str, Any] | None) -> str:
    """The text that *output* adds to a conversation, in either form."""
    if not output:
        return ""
    return output.get("additional_context") or output["hookSpecificOutput"]["additionalContext"]


@pytest.fixture
def talk() -> Callable[..., Talk]:
    """Begin a conversation of a client."""
    return Talk


@pytest.fixture
def context() -> Callable[[dict[str, Any] | None], str]:
    return context_of


@pytest.fixture
def hook(home: Path) -> Callable[..., Any]:
    """Run the command on an event; gives its output, whole JSON or None. Exit code and stderr are checked."""

    def run(client: str, event: object, vault: Path | None = None, **environment: str) -> Any:
        document = event if isinstance(event, bytes) else json.dumps(event).encode()
        options = ["--vault", str(vault)] if vault else []
        done = subprocess.run(
            [sys.executable, "-m", "quarry", "hook", client, *options],
            input=document,
            capture_output=True,
            timeout=100,
            check=False,
            env={**os.environ, **PATIENT, **environment},
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return json.loads(done.stdout) if done.stdout else None

    return run


@pytest.fixture
def log() -> Callable[[], list[str]]:
    """The reasons in the log of hooks, in order."""

    def read() -> list[str]:
        file = Path(os.environ["QUARRY_HOME"]) / "log" / "hooks.log"
        return [line.split()[3] for line in file.read_text(encoding="utf-8").splitlines()]

    return read
