"""The envelope of every message: JSON-RPC 2.0 requests, responses, errors and notifications."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from quarry.messages import Message
from quarry.options import Value, doc


class ErrorData(Value, frozen=True, kw_only=True):
    """Details of an error, for a program to act on."""

    kind: Annotated[str, doc("A stable word for the case, such as `bad-query` or `vault-locked`.")]
    next: Annotated[str, doc("What to do next, for a person.")]
    position: Annotated[int | None, doc("UTF-16 offset into the query, where one can be named.")] = None
    message: Annotated[Message | None, doc("With `bad-query`, the message by code; null for other kinds.")] = None


class Error(Value, frozen=True, kw_only=True):
    """A JSON-RPC error object."""

    PARSE: ClassVar[int] = -32700
    INVALID_REQUEST: ClassVar[int] = -32600
    METHOD_NOT_FOUND: ClassVar[int] = -32601
    INVALID_PARAMS: ClassVar[int] = -32602
    INTERNAL: ClassVar[int] = -32603
    CANCELLED: ClassVar[int] = -32800  # as in the Language Server Protocol
    UNAUTHORIZED: ClassVar[int] = -32001
    PROTOCOL_MISMATCH: ClassVar[int] = -32002
    FORBIDDEN: ClassVar[int] = -32003
    BAD_QUERY: ClassVar[int] = -32010
    NOT_FOUND: ClassVar[int] = -32011
    UNAVAILABLE: ClassVar[int] = -32012
    DEADLINE: ClassVar[int] = -32013
    BUSY: ClassVar[int] = -32014

    code: int
    message: str
    data: ErrorData


class ClientMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope of a client's message; `params` stays raw until the method is known."""

    jsonrpc: Literal["2.0"]
    method: Annotated[str, doc(max_length=100)]
    id: int | str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw(b"{}")


class RequestId(msgspec.Struct, frozen=True):
    """Only the id of a message that is otherwise not a valid request."""

    id: int | str | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The envelope of a result."""

    id: int | str
    result: Any
    jsonrpc: Literal["2.0"] = "2.0"


class ErrorResponse(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope of a failure; `id` is null when the request had none that could be read."""

    id: int | str | None
    error: Error
    jsonrpc: Literal["2.0"] = "2.0"


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """The envelope of a notification from the sidecar."""

    method: str
    params: Any
    jsonrpc: Literal["2.0"] = "2.0"


class ServerMessage(msgspec.Struct, frozen=True):
    """The envelope of a response, an error or a notification; its content is decoded once its type is known."""

    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: Error | None = None
