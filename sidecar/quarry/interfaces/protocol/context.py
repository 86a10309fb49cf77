"""Quotes for a model, chosen by confidence."""

from typing import Annotated, Literal

from msgspec import field

from quarry.interfaces.protocol.base import Doc, MissingLeg, Value
from quarry.interfaces.protocol.freshness import Freshness, ReadParams
from quarry.interfaces.protocol.hits import Confidence
from quarry.interfaces.protocol.query_params import Filters, QueryText

DEFAULT_MIN_CONFIDENCE = 0.1  # below it a hit is told as weak; see `ranking/confidence.py`


class ContextParams(ReadParams, frozen=True, kw_only=True):
    """A block of quoted passages for a model to read, or the reason why there is none that is worth reading."""

    query: QueryText
    max_tokens: Annotated[
        int, Doc(description="Budget for the whole text; 4 characters a token.", ge=50, le=100_000)
    ] = 2000
    limit: Annotated[int, Doc(description="Maximum number of quotes, one per note.", ge=1, le=50)] = 8
    min_confidence: Annotated[
        float,
        Doc(
            description="Quote no note that is less likely to answer. Notes that are only listed are quoted.",
            ge=0,
            le=1,
        ),
    ] = DEFAULT_MIN_CONFIDENCE
    exclude: Annotated[
        list[str], Doc(description="Paths of notes not to quote, as they were shown before.", max_length=50)
    ] = field(default_factory=list)
    conversation: Annotated[
        Annotated[str, Doc(min_length=1, max_length=500)] | None,
        Doc(
            description=(
                "Names a conversation, as the client does: no passage is quoted in it twice. What was quoted is kept "
                "for 12 hours, as hashes."
            )
        ),
    ] = None
    peek: Annotated[bool, Doc(description="With `conversation`: do not count what is quoted now.")] = False
    filters: Filters = Filters()


class Source(Value, frozen=True, kw_only=True):
    """The place of a quoted passage."""

    path: str
    heading_path: list[str]
    line: Annotated[int, Doc(description="Where the quote begins.")]
    confidence: Confidence


Abstention = Literal["low-confidence", "all-seen", "indexing", "budget"]


class ContextResult(Value, frozen=True, kw_only=True):
    """Passages chosen by confidence per token, within the budget: quoted, most confident first."""

    text: Annotated[
        str,
        Doc(
            description=(
                "Markdown: path, heading and line of each passage, and a quote of at most 500 characters behind `> `, "
                "ended with `...` where the passage goes on. Fences and tags of notes are made inert."
            )
        ),
    ]
    sources: list[Source]
    tokens: int
    abstained: Annotated[
        Abstention | None,
        Doc(
            description=(
                "Why nothing is quoted. low-confidence: no note is likely enough to answer. all-seen: those that are, "
                "are excluded, or were quoted in the conversation. indexing: none is found, and the index is not "
                "complete. budget: not one quote fits."
            )
        ),
    ]
    missing: list[MissingLeg]
    index: Freshness
