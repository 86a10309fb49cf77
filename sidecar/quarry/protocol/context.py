"""Quotes for a model, chosen by confidence."""

from typing import Annotated, Literal

from msgspec import field

from quarry.protocol.base import Doc, MissingLeg, Value
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.hits import Confidence
from quarry.protocol.query_params import Filters, QueryText

DEFAULT_MIN_CONFIDENCE = 0.1  # below it, a hit is reported as weak; see `search/confidence.py`


class ContextParams(ReadParams, frozen=True, kw_only=True):
    """Quote passages for a model to read, or give the reason why none is worth reading."""

    query: QueryText
    max_tokens: Annotated[
        int, Doc(description="Budget for the whole text; 4 characters per token.", ge=50, le=100_000)
    ] = 2000
    limit: Annotated[int, Doc(description="Maximum number of quotes, one per note.", ge=1, le=50)] = 8
    min_confidence: Annotated[
        float,
        Doc(
            description="Notes below this confidence are not quoted. Notes that are only listed are quoted.",
            ge=0,
            le=1,
        ),
    ] = DEFAULT_MIN_CONFIDENCE
    exclude: Annotated[
        list[str], Doc(description="Paths of notes not to quote, such as those already shown.", max_length=50)
    ] = field(default_factory=list)
    conversation: Annotated[
        Annotated[str, Doc(min_length=1, max_length=500)] | None,
        Doc(
            description=(
                "The client's name for a conversation, in which no passage is quoted twice. Quoted passages are kept "
                "for 12 hours, as hashes."
            )
        ),
    ] = None
    peek: Annotated[bool, Doc(description="With `conversation`: do not record these quotes as shown.")] = False
    filters: Filters = Filters()


class Source(Value, frozen=True, kw_only=True):
    """The place of a quoted passage."""

    path: str
    project: Annotated[str | None, Doc(description="From the front matter of the note.")]
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
                "Markdown: path, heading, line and project of each passage, and a quote of at most 500 characters "
                "behind `> `, ending with `...` if the passage continues. Fences and tags of notes are made inert."
            )
        ),
    ]
    sources: list[Source]
    tokens: int
    abstained: Annotated[
        Abstention | None,
        Doc(
            description=(
                "Why nothing is quoted. low-confidence: no note is likely enough to answer. all-seen: all likely notes "
                "are excluded, or were already quoted in the conversation. indexing: no note was found, and the index "
                "is not complete. budget: not a single quote fits."
            )
        ),
    ]
    missing: list[MissingLeg]
    index: Freshness

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.text)
