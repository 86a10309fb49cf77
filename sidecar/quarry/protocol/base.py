"""Base types of all messages."""

from typing import Annotated, Literal

import msgspec

from quarry.messages import Message

__all__ = [
    "CancelParams",
    "Doc",
    "Done",
    "LegName",
    "Message",
    "MissingLeg",
    "NoParams",
    "Params",
    "Value",
]

Doc = msgspec.Meta  # reads well in annotations

LegName = Literal["lexical", "dense"]


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A value inside a message."""


class Params(Value, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Parameters of a request. Unknown parameters are rejected by name."""


class NoParams(Params, frozen=True, kw_only=True):
    """A request without parameters."""


class CancelParams(Params, frozen=True, kw_only=True):
    """Cancel a request; its answer is the error `cancelled`."""

    id: int | str


class Done(Value, frozen=True, kw_only=True):
    """An empty result: the request is done."""


class MissingLeg(Value, frozen=True, kw_only=True):
    """A retriever that is unavailable at the moment."""

    leg: LegName
    reason: Annotated[Message, Doc(description="Why, and what to do.")]
