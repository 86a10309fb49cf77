"""What an HTTP request says: its headers and its body, and the status that it is refused with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from quarry.mcp import messages, versions
from quarry.mcp.messages import ProtocolError

MAX_BODY_BYTES = 4 * 2**20  # as of a line on standard input

STATUS_OF = {
    messages.PARSE_ERROR: 400,
    messages.INVALID_REQUEST: 400,
    messages.INVALID_PARAMS: 400,
    messages.HEADER_MISMATCH: 400,
    messages.UNSUPPORTED_VERSION: 400,
    messages.METHOD_NOT_FOUND: 404,
}
"""HTTP status of an error's answer in stateless revisions; elsewhere, and for all others, it is 200."""

SAID = {
    401: "send the token: Authorization: Bearer TOKEN",
    403: "web pages may not ask",
    404: "there is no such session, or no such path: the path is /mcp",
    405: "POST takes messages, GET with a session streams, DELETE ends a session",
    408: "the request did not come whole in time",
    409: "the stream of this session is open already",
    413: f"a message has at most {MAX_BODY_BYTES:,} bytes",
    415: "send Content-Type: application/json",
    421: "this is 127.0.0.1 and no other host",
}


class HttpRefusal(Exception):
    """A request is answered with an HTTP status alone."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message or SAID.get(status, "the request cannot be served"))
        self.status = status


class HttpRequest(NamedTuple):
    """A request that has been read."""

    method: str
    headers: Mapping[str, list[str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of a header that may stand once."""
        found = self.headers.get(name, [])
        if len(found) > 1:
            raise HttpRefusal(400, f"the header {name} stands more than once")
        return found[0] if found else None


def is_stateless(value: Any, version: str | None) -> bool:
    """Whether a body is of a stateless revision: its `_meta` or its header says so."""
    params = value.get("params") if isinstance(value, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return (isinstance(meta, dict) and versions.VERSION_KEY in meta) or (
        version is not None and versions.is_stateless(version)
    )


def check_headers(asked: HttpRequest, request: messages.McpRequest) -> None:
    """Refuse a request whose headers contradict its body: a proxy that routes by them would be misled."""
    meta = request.params.get("_meta")
    named = meta.get(versions.VERSION_KEY) if isinstance(meta, dict) else None
    key = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(request.method)
    wanted = {"mcp-method": request.method}
    if named is not None:
        wanted["mcp-protocol-version"] = named
    if key and isinstance(request.params.get(key), str):
        wanted["mcp-name"] = request.params[key]
    for name, value in wanted.items():
        if _plain(asked.header(name)) != value:
            raise ProtocolError(messages.HEADER_MISMATCH, f"the header {name} does not say what the body says")


def _plain(value: str | None) -> str | None:
    """The value of a header, which may be written as `=?base64?…?=`."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    import base64

    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        return None


def id_of(value: Any) -> messages.Id | None:
    """The id of a message, where it has one."""
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None
