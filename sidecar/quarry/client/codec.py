"""Requests as JSON, and the answers to them as the structs of `quarry.protocol`."""

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from quarry import errors
from quarry import protocol as wire
from quarry.protocol.envelope import Notification, ServerMessage

T = TypeVar("T")

_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_making_decoder = threading.Lock()


class RequestFailed(errors.QuarryError):
    """
    The sidecar answered with an error: `kind` is a stable word for the case, `next` says what to do.

    `position` counts UTF-16 units into `query`; both are None unless the query is at fault.
    """

    def __init__(
        self, message: str, kind: str, next_step: str, position: int | None = None, query: str | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.next = next_step
        self.position = position
        self.query = query


def request_params(params: Mapping[str, object] | wire.Params | None) -> dict[str, object]:
    """*params* by their names on the wire, without those that are None."""
    given: Mapping[str, object] = msgspec.to_builtins(params) if isinstance(params, wire.Params) else params or {}
    return {name: value for name, value in given.items() if value is not None}


def request_text(message: Mapping[str, object]) -> str:
    """
    A request or notification as JSON.

    Raises:
        BadRequest: A parameter is not valid Unicode, as bytes from a command line may be.
    """
    try:
        return msgspec.json.encode({"jsonrpc": "2.0", **message}).decode()
    except UnicodeEncodeError:
        raise errors.BadRequest(f"the parameters of {message['method']} are not valid Unicode") from None


def decoded(data: str | bytes | msgspec.Raw, kind: type[T]) -> T:
    """
    The value of *kind* that the JSON *data* encodes.

    Raises:
        ConnectionFailed: It encodes none: the sidecar is of another version, or not a sidecar.
    """
    try:
        return _decoder_of(kind).decode(data)
    except msgspec.ValidationError as error:
        raise errors.ConnectionFailed(
            f"the answer does not follow the sidecar's protocol ({error}): it is of another version than this tool; "
            "stop it and try again"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise errors.ConnectionFailed(f"the answer does not follow the sidecar's protocol ({error})") from error


def _decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]:
    """
    The decoder for *kind*, made by one thread at a time.

    If two threads decode a struct for the first time at once, msgspec (0.22) ends the process by SIGSEGV: one uses the
    description of the struct's fields that the other has only begun.
    """
    with _making_decoder:
        if kind not in _decoders:
            _decoders[kind] = msgspec.json.Decoder(kind)
        return _decoders[kind]


def result_of(answer: ServerMessage, method: str, params: Mapping[str, object]) -> Any:
    """
    The result of *method* in the *answer* to a request with *params*.

    Raises:
        RequestFailed: The answer is an error.
        ConnectionFailed: The result is not one of *method*.
    """
    if answer.error:
        data, query = answer.error.data, params.get("query")
        asked = query if isinstance(query, str) else None
        raise RequestFailed(answer.error.message, data.kind, data.next, data.position, asked)
    return decoded(answer.result, wire.REQUESTS[method][1])


def notification_in(message: ServerMessage) -> Notification | None:
    """The notification in *message*; None if it is something else, or one that only a newer sidecar has."""
    kind = wire.SERVER_NOTIFICATIONS.get(message.method or "")
    return Notification(method=str(message.method), params=decoded(message.params, kind)) if kind else None
