"""Does the server that a client was told of start, and which tools does it have? It is started, and asked."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

PROTOCOL_REVISION = "2025-06-18"  # of MCP; every client of the table speaks it, or a later one that begins alike
TIMEOUT_S = 20.0  # Codex gives a server 10; a cold disk and a busy machine
LEAVE_TIMEOUT_S = 3.0  # from the end of its input to its own
MAX_LINE_BYTES = 1024 * 1024
MAX_WORDS = 300  # characters of what it said on the way out


class Proof(NamedTuple):
    """The names of the tools that a server listed, or what was wrong with it."""

    tools: tuple[str, ...]
    problem: str | None = None


def prove(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
    leave_timeout_s: float = LEAVE_TIMEOUT_S,
) -> Proof:
    """
    Start *command*, an MCP server on standard input and output, list its tools, and end it.

    Args:
        leave_timeout_s: How long it may take to leave when its input has ended, before it is killed.
    """
    deadline_s = time.monotonic() + timeout_s
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - what the client will start, without a shell
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                cwd=Path.home(),
                **_windowless(),
            )
        except (OSError, ValueError) as error:
            return Proof((), f"`{command[0]}` cannot be started: {error}")
        try:
            return Proof(_tools(process, deadline_s))
        except (_Silent, OSError) as error:
            return Proof((), f"{error}{_last_words(process, errors)}")
        finally:
            _end(process, leave_timeout_s)


def _windowless() -> dict[str, Any]:
    """Options that keep a console window from opening on Windows."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {}


class _Silent(Exception):
    """The server gave no answer, or none that can be understood."""


def _tools(process: "subprocess.Popen[bytes]", deadline_s: float) -> tuple[str, ...]:
    answers: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read_lines, args=(process, answers), name="quarry-proof", daemon=True).start()
    client = {"name": "quarry-install", "version": "1"}
    introduction = {"protocolVersion": PROTOCOL_REVISION, "capabilities": {}, "clientInfo": client}
    _send(process, {"id": 1, "method": "initialize", "params": introduction})
    _answer(answers, 1, deadline_s)
    _send(process, {"method": "notifications/initialized"})
    _send(process, {"id": 2, "method": "tools/list", "params": {}})
    tools = _answer(answers, 2, deadline_s).get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) and "name" in tool for tool in tools):
        raise _Silent("it lists no tools")
    return tuple(str(tool["name"]) for tool in tools)


def _send(process: "subprocess.Popen[bytes]", message: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def _answer(answers: "queue.Queue[bytes]", request_id: int, deadline_s: float) -> dict[str, Any]:
    """The result of the request; what else the server says is passed over."""
    while True:
        try:
            line = answers.get(timeout=max(deadline_s - time.monotonic(), 0.001))
        except queue.Empty:
            raise _Silent("it does not answer in time") from None
        if not line:
            raise _Silent("it ended without an answer")
        with contextlib.suppress(ValueError, RecursionError):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("id") == request_id:
                if isinstance(result := message.get("result"), dict):
                    return result
                raise _Silent(f"it answers with an error: {json.dumps(message.get('error'))[:MAX_WORDS]}")


def _read_lines(process: "subprocess.Popen[bytes]", answers: "queue.Queue[bytes]") -> None:
    """Put every line into *answers*, and an empty one at the end."""
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):  # closed at the end of the proof
        while line := process.stdout.readline(MAX_LINE_BYTES):
            answers.put(line)
    answers.put(b"")


def _last_words(process: "subprocess.Popen[bytes]", errors: "IO[bytes]") -> str:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.2)  # what it says last stands in the file once it has ended
    errors.seek(0)
    said = errors.read(64 * 1024).decode(errors="replace").split("\n")
    words = " ".join(line.strip() for line in said if line.strip())
    return f" ({words[-MAX_WORDS:]})" if words else ""


def _end(process: "subprocess.Popen[bytes]", timeout_s: float) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(OSError):
        process.stdout.close()
