"""Base types of all messages."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Generic, Literal, TypeVar, overload

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


T = TypeVar("T", covariant=True)


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A value inside a message."""


class Items(Generic[T]):
    """The sequence of the structs in a field of a result, which the result's class names."""

    __slots__ = ()

    def _items(self) -> Sequence[T]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items()[index]


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


def local_time(time_ms: int) -> datetime:
    """*time_ms*, milliseconds since 1970, as an aware `datetime` in local time."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone()


def code_points(text: str, utf16_offsets: Sequence[int]) -> list[int]:
    """
    Convert *utf16_offsets* into *text* to characters of Python, in which one beyond U+FFFF counts once.

    An offset inside a surrogate pair, or beyond the end, becomes the next one that exists.
    """
    positions = {offset: len(text) for offset in utf16_offsets}
    remaining = sorted(positions, reverse=True)
    units = 0
    for position, character in enumerate(text):
        while remaining and remaining[-1] <= units:
            positions[remaining.pop()] = position
        if not remaining:
            break
        units += 2 if character > "\uffff" else 1
    return [positions[offset] for offset in utf16_offsets]
