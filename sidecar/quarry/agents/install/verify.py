"""A configured MCP server, started and asked for its tools."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PROTOCOL_REVISION = "2025-06-18"  # of MCP; every client of the table speaks it, or a later one that begins alike
TIMEOUT_S = 20.0  # Codex gives a server 10; a cold disk and a busy machine
MAX_OUTPUT_BYTES = 4 * 1024 * 1024
MAX_WORDS = 300  # characters of what the server said last
_CLIENT = {"name": "quarry-install", "version": "1"}
_HELLO = {"protocolVersion": PROTOCOL_REVISION, "capabilities": {}, "clientInfo": _CLIENT}
_REQUESTS: tuple[dict[str, Any], ...] = (
    {"id": 1, "method": "initialize", "params": _HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)


class Verification(NamedTuple):
    """The names of the tools that a server listed, or what was wrong with it."""

    tools: tuple[str, ...]
    problem: str | None = None


def verify(
    command: Sequence[str], environment: Mapping[str, str] | None = None, timeout_s: float = TIMEOUT_S
) -> Verification:
    """Start *command*, an MCP server on standard input and output, and list its tools; it ends with its input."""
    requests = b"".join(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n" for request in _REQUESTS)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
        given.write(requests)
        given.seek(0)
        try:
            subprocess.run(  # noqa: S603 - the command that the client starts, without a shell
                command,
                stdin=given,  # files, as a process that outlives the server would keep a pipe open
                stdout=said,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                cwd=Path.home(),
                timeout=timeout_s,
                check=False,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows: no console window
            )
        except (OSError, ValueError) as error:
            return Verification((), f"`{command[0]}` cannot be started: {error}")
        except subprocess.TimeoutExpired:
            return Verification((), "it does not answer in time")
        said.seek(0)
        errors.seek(0)
        answers = said.read(MAX_OUTPUT_BYTES).splitlines()
        words = " ".join(errors.read(MAX_OUTPUT_BYTES).decode(errors="replace").split())[-MAX_WORDS:]
    tools = next((tools for line in answers if (tools := _tools(line)) is not None), None)
    if tools is None:
        return Verification((), f"it does not list its tools{f' ({words})' if words else ''}")
    return Verification(tools)


def _tools(line: bytes) -> tuple[str, ...] | None:
    """The names of the tools in an answer; None for another message."""
    try:
        message: Any = json.loads(line)
        return tuple(str(tool["name"]) for tool in message["result"]["tools"]) if message["id"] == 2 else None
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
