"""A query and its hits."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, LegName, MissingLeg, Params, Value
from quarry.interfaces.protocol.hits import Hit, Passage
from quarry.interfaces.protocol.query_params import Filters, FusionChoice, Mode, QueryText, Weights

RelaxStep = Literal["beginnings", "any-passage", "without-filters", "meaning"]


class RankedParams(Params, frozen=True, kw_only=True):
    """Everything that decides which notes answer a query, in which order, and how they are quoted."""

    query: QueryText
    limit: Annotated[int, Doc(description="Hits wanted, one a note.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    fusion: FusionChoice = None
    typing: Annotated[bool, Doc(description="The query is being typed: its last word may be the beginning of one.")] = (
        False
    )
    detail: Annotated[
        Literal["scan", "full"],
        Doc(
            description=(
                "scan: titles and 120-character snippets. full: chunk text, score breakdown and signals as well."
            )
        ),
    ] = "scan"
    max_tokens: Annotated[int, Doc(description="Budget for all passages; 4 characters a token.", ge=50, le=100_000)] = (
        4000
    )
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: as set for the vault.")] = None
    guard: Annotated[
        bool,
        Doc(description="Return every hit when few chunks match and the limit would drop more than half of them."),
    ] = True


class SearchParams(RankedParams, frozen=True, kw_only=True):
    """A query: words to rank by, and what the notes must satisfy."""

    expand: Annotated[
        bool,
        Doc(description="Quote all passages of each hit, not its best one alone; see `search/passages`."),
    ] = False
    supersedes: Annotated[int | str | None, Doc(description="An earlier search of this client to cancel.")] = None


class PassagesParams(RankedParams, frozen=True, kw_only=True):
    """The further passages of one hit: the parameters of its search, and its path."""

    path: Annotated[str, Doc(description="The hit's note.", max_length=4096)]


class PassagesResult(Value, frozen=True, kw_only=True):
    """The hit's passages behind its best one, best first; none where the note is no longer a hit."""

    passages: list[Passage]
    truncated: Annotated[
        bool, Doc(description="The token budget, which they have to themselves, ended before they did.")
    ]


class Correction(Value, frozen=True, kw_only=True):
    """A word that no note has, and the one that was looked for instead."""

    typed: str
    used: str


class Relaxed(Value, frozen=True, kw_only=True):
    """What was given up to find anything at all."""

    step: Annotated[
        RelaxStep,
        Doc(
            description=(
                "beginnings: the last word taken for the beginning of one. any-passage: the words anywhere, not side "
                "by side. without-filters: what the filters refuse. meaning: the least far in meaning, as none is near."
            )
        ),
    ]
    message: Annotated[str, Doc(description="One sentence for a person.")]


class SearchResult(Value, frozen=True, kw_only=True):
    """Hits, best first."""

    hits: list[Hit]
    total: Annotated[
        int, Doc(description="Notes that hold a word of the query or are near in meaning, before `limit`.")
    ]
    understood: Annotated[str, Doc(description="The query in plain words.")]
    corrections: Annotated[list[Correction], Doc(description="Words that were taken for slips of the finger.")]
    relaxed: Annotated[
        Relaxed | None, Doc(description="Set where nothing was found and an easier query was asked instead.")
    ]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that were asked for and could not serve.")]
    tokens: Annotated[int, Doc(description="An estimate for all passages returned.")]
    truncated: Annotated[bool, Doc(description="The token budget ended before the hits did.")]
