"""How a connection begins."""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc, Params, Value
from quarry.interfaces.protocol.status import IndexStatus


class Client(Value, frozen=True, kw_only=True):
    """Who is asking; shown in `quarry status` and in the log."""

    name: Annotated[str, Doc(max_length=100)]
    version: Annotated[str, Doc(max_length=100)] = ""


class InitializeParams(Params, frozen=True, kw_only=True):
    """The first message of every connection."""

    token: Annotated[str, Doc(description="The token of the discovery file.", max_length=200)]
    protocol: Annotated[int, Doc(description="The protocol version that the client speaks.")]
    client: Client


class Vault(Value, frozen=True, kw_only=True):
    """The folder that this sidecar serves."""

    id: Annotated[str, Doc(description="Stable for one folder on one machine.")]
    name: str
    path: Annotated[str, Doc(description="Absolute path on this machine.")]


class InitializeResult(Value, frozen=True, kw_only=True):
    """The connection is open."""

    protocol: int
    version: Annotated[str, Doc(description="Of the sidecar.")]
    vault: Vault
    status: IndexStatus
