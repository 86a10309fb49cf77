"""What every message is made of."""

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
    """Anything that stands inside a message."""


class Params(Value, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Parameters of a request. One that is not listed is refused by name."""


class NoParams(Params, frozen=True, kw_only=True):
    """A request that carries nothing."""


class CancelParams(Params, frozen=True, kw_only=True):
    """Forget a request; its answer is the error `cancelled`."""

    id: int | str


class Done(Value, frozen=True, kw_only=True):
    """Nothing to say but that it is done."""


class Message(Value, frozen=True, kw_only=True):
    """What an English sentence beside it says, for clients that word it themselves."""

    code: MessageCode
    args: Annotated[
        dict[str, str | int | list[str]],
        Doc(description="What it speaks of. Filters are written as in a query: `folder:Work`."),
    ]


class MissingLeg(Value, frozen=True, kw_only=True):
    """A retriever that cannot serve at the moment."""

    leg: LegName
    reason: Annotated[str, Doc(description="One sentence: why, and what to do.")]
    told: Annotated[Message, Doc(description="`reason`, by code.")]
