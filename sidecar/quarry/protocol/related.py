"""Similar notes."""

from typing import Annotated

from quarry.protocol.base import Doc, Items, LegName, MissingLeg, Value
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.hits import Mark
from quarry.protocol.kinds import Anchor, Kind
from quarry.protocol.query_params import Filters


class RelatedParams(ReadParams, frozen=True, kw_only=True):
    """Find notes similar to a note, to the passage at one of its lines, or to any text. Give `path`, `text` or both."""

    path: Annotated[Annotated[str, Doc(max_length=4096)] | None, Doc(description="A note in the index.")] = None
    line: Annotated[
        Annotated[int, Doc(ge=0)] | None,
        Doc(description="With `path`: compare with the passage at this line (from 0), not with the whole note."),
    ] = None
    text: Annotated[
        Annotated[str, Doc(max_length=100_000)] | None,
        Doc(description="The text to compare with. With `path`: the text is from that note, which is left out."),
    ] = None
    snippet_width: Annotated[
        Annotated[int, Doc(ge=40, le=1000)] | None,
        Doc(description="Maximum length of a snippet in characters; null: 120."),
    ] = None
    limit: Annotated[int, Doc(description="Maximum number of notes.", ge=1, le=100)] = 10
    filters: Filters = Filters()


class RelatedNote(Value, frozen=True, kw_only=True):
    """A note similar to the source, shown by its most similar passage."""

    path: str
    kind: Kind
    title: str
    score: float
    linked: Annotated[bool, Doc(description="One of the two notes links to the other.")]
    heading_path: list[str]
    snippet: str
    marks: list[Mark]
    start: Annotated[int, Doc(description="Where the passage's chunk starts in the note.")]
    line: Annotated[int, Doc(description="The line of `matchStart`.")]
    match_start: Annotated[int, Doc(description="The jump target: the first mark, as an offset into the note.")]
    match_end: int
    anchor: Anchor


class RelatedResult(Value, Items[RelatedNote], frozen=True, kw_only=True):
    """Notes similar to the source, best first; the source itself is left out."""

    notes: list[RelatedNote]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that are unavailable.")]
    index: Freshness

    def _items(self) -> list[RelatedNote]:
        return self.notes
