"""
MCP on standard input and output: one JSON-RPC message per line, until the input ends.

The loop is our own, as the official SDK takes more than a second to import; the tests use it as their oracle. Requests
run on threads of their own, so that a slow one delays no other; those still running when the input ends are answered
before this process exits. Only messages go to standard output: whatever else is printed goes to standard error.

Up to revision 2025-11-25 a client shakes hands with `initialize`, and its revision applies to the connection. From
2026-07-28 on every request names its own in `_meta`, and there is no handshake.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

from quarry.limits import MAX_ID_CHARS
from quarry.mcp.server import METHODS, SERVER_INFO, answered, instructions, with_metadata
from quarry.mcp.vaults import INTERNAL_ERROR, STATELESS_VERSION, CallCancelled, PendingCall, ProtocolError, Vaults

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
VERSIONS = (*HANDSHAKE_VERSIONS, STATELESS_VERSION)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
UNSUPPORTED_VERSION = -32022

MAX_LINE_BYTES = 4 * 2**20  # a text to find similar notes for has 100 KB; this only bounds accidents
MAX_CALLS = 64  # at a time; a client has a handful, more is a flood
ENDING_SIGNALS = (signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else []))
# Claude Code starts a server for each conversation, with the name that its hooks give to it. Other clients may
# ask one server in all conversations, so that none is assumed.
CONVERSATION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
DRAIN_S = 15.0  # for calls that run when the input ends; a search takes a fraction of a second

Message = dict[str, Any]


class McpRequest(NamedTuple):
    """A message that is to be answered; of a notification, `id` is None."""

    id: str | int | None
    method: str
    params: Mapping[str, Any]


def serve_stdio(vaults: Vaults) -> None:
    """
    Serve until standard input ends, or the client stops reading.

    Any other end of this process is reported on standard error, which clients log.
    """
    faulthandler.enable()
    for number in ENDING_SIGNALS:
        signal.signal(number, _end_by_signal)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    session = Session(vaults, sink)
    while not session.is_closed and (line := source.readline(MAX_LINE_BYTES + 1)):
        session.receive(line)
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):  # the rest of a line that was refused
            line = source.readline(MAX_LINE_BYTES + 1)
    session.drain()


def _end_by_signal(number: int, _frame: object) -> None:
    """Report the signal, then end as this process would have ended without a handler."""
    os.write(2, f"quarry: ended by {signal.Signals(number).name}\n".encode())
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class Session:
    """One client's conversation."""

    def __init__(self, vaults: Vaults, sink: BinaryIO) -> None:
        self.version: str | None = None  # of the handshake
        self.is_closed = False  # the client reads no more
        self._vaults = vaults
        self._sink = sink
        self._writing = threading.Lock()
        self._calls: dict[Any, PendingCall] = {}
        self._threads: set[threading.Thread] = set()

    def receive(self, line: bytes) -> None:
        """Take in a line: answer it at once, or start the work that answers it."""
        value: Any = None
        try:
            if line.strip():
                value = _parsed(line)
                self._take(_request(value))
        except ProtocolError as error:
            request_id = value.get("id") if isinstance(value, dict) else None
            self._write_error(request_id if _is_id(request_id) else None, error)

    def drain(self) -> None:
        """Wait for the calls that still run, then close the connections to sidecars."""
        deadline_s = time.monotonic() + (0 if self.is_closed else DRAIN_S)
        for thread in list(self._threads):
            thread.join(max(0, deadline_s - time.monotonic()))
        self._vaults.close()

    def _take(self, request: McpRequest) -> None:
        if request.id is None:
            request_id = request.params.get("requestId")
            call = self._calls.get(request_id) if _is_id(request_id) else None
            if call and request.method == "notifications/cancelled":
                call.cancel()
            return
        version = self._version_of(request)
        if request.method in ("initialize", "server/discover"):
            introduction = self._introduction(request, version)
            self._write_result(request, with_metadata(introduction, request.method, version))
            self._vaults.warm_up()
        elif request.method == "ping" and version != STATELESS_VERSION:
            self._write_result(request, {})
        elif request.method in METHODS:
            self._start(request, version)
        else:
            message = f"there is no method {request.method[:60]!r} in revision {version}"
            raise ProtocolError(message, METHOD_NOT_FOUND)

    def _version_of(self, request: McpRequest) -> str:
        """
        The revision that *request* is of: its own, or that of the handshake.

        Raises:
            ProtocolError: There was no handshake, or it names a revision that is not supported.
        """
        meta = request.params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        if request.method == "initialize":
            requested = request.params.get("protocolVersion")
            if not isinstance(requested, str):
                raise ProtocolError("`protocolVersion` is a string such as 2025-11-25")
            self.version = requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        elif VERSION_KEY in meta or request.method == "server/discover":
            if lacking := [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]:
                raise ProtocolError(f"`_meta` lacks {' and '.join(lacking)}")
            if meta[VERSION_KEY] != STATELESS_VERSION:
                data = {"supported": [STATELESS_VERSION], "requested": meta[VERSION_KEY]}
                raise ProtocolError(f"`_meta` takes revision {STATELESS_VERSION}", UNSUPPORTED_VERSION, data)
            return STATELESS_VERSION
        elif self.version is None and request.method != "ping":
            message = f"send `initialize` first, or name the revision in `_meta` as of {STATELESS_VERSION}"
            raise ProtocolError(message, INVALID_REQUEST)
        return self.version or HANDSHAKE_VERSIONS[-1]

    def _introduction(self, request: McpRequest, version: str) -> dict[str, Any]:
        capabilities: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
        about = {"capabilities": capabilities, "instructions": instructions(self._vaults)}
        if request.method == "initialize":
            return {"protocolVersion": version, "serverInfo": SERVER_INFO, **about}
        return {"supportedVersions": [STATELESS_VERSION], **about}

    # --- requests that ask a sidecar -----------------------------------------------------------

    def _start(self, request: McpRequest, version: str) -> None:
        if request.id in self._calls:
            raise ProtocolError(f"request {request.id!r} is still at work; use a new id", INVALID_REQUEST)
        if len(self._calls) >= MAX_CALLS:
            message = "too many requests wait; wait for an answer, or cancel one"
            raise ProtocolError(message, INTERNAL_ERROR, {"kind": "busy"})
        meta = request.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None

        def report(elapsed_s: float, message: str) -> None:
            progress = {"progressToken": token, "progress": elapsed_s, "message": message}
            self._write({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})

        name = os.environ.get(CONVERSATION_VARIABLE, "")[:MAX_ID_CHARS]
        conversation = name.encode("utf-8", "replace").decode() or None  # an environment has any bytes
        call = PendingCall(version, report if _is_id(token) else None, conversation)
        thread = threading.Thread(target=self._answer, args=(request, call), name="quarry-mcp", daemon=True)
        self._calls[request.id] = call
        self._threads.add(thread)
        thread.start()

    def _answer(self, request: McpRequest, call: PendingCall) -> None:
        answer: dict[str, Any] | ProtocolError | None = None
        try:
            answer = answered(self._vaults, request.method, request.params, call)
        except CallCancelled:
            pass
        except ProtocolError as error:
            answer = error
        del self._calls[request.id]
        if isinstance(answer, ProtocolError) and not call.is_cancelled:
            self._write_error(request.id, answer)
        elif isinstance(answer, dict) and not call.is_cancelled:
            self._write_result(request, answer)
        self._threads.discard(threading.current_thread())

    # --- writing -------------------------------------------------------------------------------

    def _write_result(self, request: McpRequest, result: dict[str, Any]) -> None:
        self._write({"jsonrpc": "2.0", "id": request.id, "result": result})

    def _write_error(self, request_id: str | int | None, error: ProtocolError) -> None:
        content: dict[str, Any] = {"code": error.code, "message": str(error)}
        if error.data is not None:
            content["data"] = error.data
        self._write({"jsonrpc": "2.0", "id": request_id, "error": content})

    def _write(self, message: Message) -> None:
        line = encoded(message) + b"\n"
        with self._writing:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (OSError, ValueError) as error:
                self.is_closed = True
                print(f"quarry: the client reads no more ({error}); the server ends", file=sys.stderr)


def encoded(message: Message) -> bytes:
    """*message* as UTF-8 JSON on one line, without the line end."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair, escaped in a request and quoted in the answer
        return json.dumps(message, separators=(",", ":")).encode()


def _parsed(line: bytes) -> Any:
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"a message has at most {MAX_LINE_BYTES:,} bytes", INVALID_REQUEST)
    try:
        return json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, a number of thousands of digits
        raise ProtocolError(f"this is not JSON: {error}", PARSE_ERROR) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _request(value: Any) -> McpRequest:
    """
    The request or notification that *value* is. An answer is read as a notification, as this server asks nothing.

    Raises:
        ProtocolError: It is not a JSON-RPC 2.0 message.
    """
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise ProtocolError('a message is one JSON object {"jsonrpc": "2.0", id, method, params}', INVALID_REQUEST)
    if "method" not in value and ("result" in value or "error" in value):
        return McpRequest(None, "", {})
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        raise ProtocolError("`method` is a string", INVALID_REQUEST)
    if "id" in value and not _is_id(value["id"]):
        raise ProtocolError("`id` is a string or a whole number", INVALID_REQUEST)
    if "id" in value and not isinstance(params, dict):
        raise ProtocolError("`params` is an object")
    return McpRequest(value.get("id"), method, params if isinstance(params, dict) else {})


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
