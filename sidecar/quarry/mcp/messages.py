"""JSON-RPC 2.0 as MCP uses it: what a client sent, and what is sent to it."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Id = str | int
Params = Mapping[str, Any]
Message = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # up to 2025-11-25; later revisions have `INVALID_PARAMS`
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022


class ProtocolError(Exception):
    """A request that is answered with a JSON-RPC error, for the client program rather than for the model."""

    def __init__(self, code: int, message: str, data: Any = None, request_id: Id | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.request_id = request_id


class McpRequest(NamedTuple):
    """A message that is to be answered."""

    id: Id
    method: str
    params: Params


class McpNotification(NamedTuple):
    """A message that is never answered."""

    method: str
    params: Params


def parsed(raw: bytes) -> Any:
    """
    The JSON value that *raw* is.

    Raises:
        ProtocolError: It is none.
    """
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of thousands of digits
        raise ProtocolError(PARSE_ERROR, f"this is not JSON: {_reason(error)}") from None


def envelope(value: Any) -> McpRequest | McpNotification | None:
    """
    The request or notification that *value* is; None for an answer, as nothing was asked.

    Raises:
        ProtocolError: It is no JSON-RPC 2.0 message; with the id, where that can be read.
    """
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_REQUEST, "a message is one JSON object {jsonrpc, id, method, params}")
    request_id = value.get("id")
    known_id = request_id if _is_id(request_id) else None
    if value.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'a message has "jsonrpc": "2.0"', request_id=known_id)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method, params = value.get("method"), value.get("params", {})
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, "`method` is a string", request_id=known_id)
    if "id" not in value:
        return McpNotification(method, params if isinstance(params, dict) else {})
    if known_id is None:
        raise ProtocolError(INVALID_REQUEST, "`id` is a string or a whole number")
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "`params` is an object", request_id=known_id)
    return McpRequest(known_id, method, params)


def encoded(message: Message | list[Message]) -> bytes:
    """*message* as UTF-8 JSON on one line, without the line end."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair, escaped in what was asked and quoted in the answer
        return json.dumps(message, separators=(",", ":")).encode()


def result_message(request_id: Id, result: Mapping[str, Any]) -> Message:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_message(error: ProtocolError, request_id: Id | None = None) -> Message:
    """The answer to a request that failed; its id is null where it could not be read."""
    content: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        content["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id if request_id is not None else error.request_id, "error": content}


def notification_message(method: str, params: Mapping[str, Any] | None = None) -> Message:
    """A message that asks for no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return "it is nested too deeply" if isinstance(error, RecursionError) else "a number is out of range"
