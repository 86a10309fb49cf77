"""Quotes for a model to read."""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc, MissingLeg, Params, Value
from quarry.interfaces.protocol.query_params import Filters, QueryText


class ContextParams(Params, frozen=True, kw_only=True):
    """A block of quoted passages for a model to read."""

    query: QueryText
    max_tokens: Annotated[int, Doc(ge=50, le=100_000)] = 2000
    limit: Annotated[int, Doc(ge=1, le=50)] = 8
    filters: Filters = Filters()


class Source(Value, frozen=True, kw_only=True):
    """Where a quoted passage stands."""

    path: str
    heading_path: list[str]
    line: int


class ContextResult(Value, frozen=True, kw_only=True):
    """Quoted passages, best first, within the budget."""

    text: Annotated[str, Doc(description="Markdown: path, heading and quote of each passage.")]
    sources: list[Source]
    tokens: int
    missing: list[MissingLeg]
