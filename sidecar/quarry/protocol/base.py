"""Base types of all messages."""

from typing import Annotated, Literal

import msgspec

from quarry.messages import (
    ExplainCode,
    ExplainReason,
    MessageCode,
    QueryProblem,
    ReasonCode,
    RegexProblem,
    RelaxedCode,
    StatusCode,
    UnderstoodCode,
)

__all__ = [
    "CancelParams",
    "Doc",
    "Done",
    "ExplainCode",
    "ExplainReason",
    "LegName",
    "Message",
    "MessageCode",
    "MissingLeg",
    "NoParams",
    "Params",
    "QueryProblem",
    "ReasonCode",
    "RegexProblem",
    "RelaxedCode",
    "StatusCode",
    "UnderstoodCode",
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


class Message(Value, frozen=True, kw_only=True):
    """The content of the English sentence beside it, for clients that use their own wording."""

    code: MessageCode
    args: Annotated[
        dict[str, str | int | list[str]],
        Doc(description="The values in the sentence. Filters are written as in a query: `folder:Work`."),
    ]


class MissingLeg(Value, frozen=True, kw_only=True):
    """A retriever that is unavailable at the moment."""

    leg: LegName
    reason: Annotated[str, Doc(description="One sentence: why, and what to do.")]
    told: Annotated[Message, Doc(description="`reason`, by code.")]
