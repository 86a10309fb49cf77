"""The notes nearest to a note, a passage or a text."""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc, LegName, MissingLeg, Params, Value
from quarry.interfaces.protocol.hits import Mark
from quarry.interfaces.protocol.query_params import Filters


class RelatedParams(Params, frozen=True, kw_only=True):
    """What is like a note, the passage at a line of it, or a text from anywhere. Give either `path` or `text`."""

    path: Annotated[Annotated[str, Doc(max_length=4096)] | None, Doc(description="A note in the index.")] = None
    line: Annotated[
        Annotated[int, Doc(ge=0)] | None,
        Doc(description="With `path`: what is like the passage at this line, from 0, not the whole note."),
    ] = None
    text: Annotated[Annotated[str, Doc(max_length=100_000)] | None, Doc(description="What to find the like of.")] = None
    limit: Annotated[int, Doc(description="Notes wanted.", ge=1, le=100)] = 10
    filters: Filters = Filters()


class RelatedNote(Value, frozen=True, kw_only=True):
    """A note that is like the source, by its passage that is most so."""

    path: str
    title: str
    score: float
    linked: Annotated[bool, Doc(description="One of the two links to the other.")]
    heading_path: list[str]
    snippet: str
    marks: list[Mark]
    start: Annotated[int, Doc(description="Where the passage's chunk starts in the note.")]
    line: Annotated[int, Doc(description="The line of `matchStart`.")]
    match_start: Annotated[int, Doc(description="Where to jump to: the first mark, in the note.")]
    match_end: int


class RelatedResult(Value, frozen=True, kw_only=True):
    """Notes like the source, best first, without itself."""

    notes: list[RelatedNote]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that could not serve.")]
