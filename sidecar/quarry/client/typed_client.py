"""Requests and results as the wire's structs, over the client that every tool uses."""

from typing import TypeVar

import msgspec

from quarry import errors
from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.replies import json_text

T = TypeVar("T", bound=wire.Value)


def ask(client: SidecarClient, method: str, params: wire.Params, result: type[T]) -> T:
    """
    Ask *client*, and check that the answer is what the wire says that it is.

    Raises:
        RequestFailed: The sidecar refused it.
        ConnectionFailed: It cannot be reached any more, or does not follow the protocol.
    """
    answer = client.ask(method, msgspec.to_builtins(params))
    try:
        return msgspec.json.decode(json_text(answer, compact=True), type=result)
    except msgspec.DecodeError as error:
        raise errors.ConnectionFailed(f"the answer does not follow the sidecar's protocol ({error})") from error
