"""Explanations of a note's rank for a query."""

from typing import Annotated, Literal

from quarry.protocol.base import Doc, Message, Value
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.hits import Breakdown, Signal
from quarry.protocol.query_params import Filters, FusionChoice, Mode, QueryText, Weights

ExplainState = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]


class ExplainParams(ReadParams, frozen=True, kw_only=True):
    """Explain a note's rank for a query, or why the note is not among the hits."""

    query: QueryText
    path: Annotated[str, Doc(description="The note, indexed or not.", max_length=4096)]
    limit: Annotated[int, Doc(description="The limit of the search.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    fusion: FusionChoice = None
    typing: Annotated[bool, Doc(description="As for `search`.")] = False
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: the vault's setting.")] = None


class ExplainResult(Value, frozen=True, kw_only=True):
    """A note's rank among the hits of a query, or the reason why it is not among them."""

    path: str
    state: Annotated[
        ExplainState,
        Doc(
            description=(
                "hit: shown. beyond: ranked beyond the limit. unranked: too far from the query to be ranked. refused: "
                "it does not meet a condition of the query. listed: the query has no words to rank by. excluded: a "
                "rule of the vault excludes it. pending: changed and not yet indexed. failed: it cannot be read. "
                "unknown: there is no such note."
            )
        ),
    ]
    messages: Annotated[
        list[Message], Doc(description="Sentences to show to the user: the state, and what to do about it.")
    ]
    understood: Annotated[
        Message | None, Doc(description="How the query was understood; null if the note is not indexed.")
    ]
    rank: Annotated[int | None, Doc(description="Null if it was not ranked.")]
    total: Annotated[int, Doc(description="Notes that the search finds, like `total` in its result.")]
    score: Annotated[float | None, Doc(description="Null if it was not ranked.")]
    confidence: Annotated[
        float | None, Doc(description="The probability that it answers the query; null if it was not ranked.")
    ]
    breakdown: Annotated[Breakdown | None, Doc(description="For its best passage; null if it was not ranked.")]
    signals: Annotated[
        list[Signal], Doc(description="Signals that contributed to its score, strongest first; empty with `rrf`.")
    ]
    words_found: Annotated[list[str], Doc(description="Words of the query that the note contains, in any form.")]
    words_lacking: Annotated[list[str], Doc(description="Words of the query that it does not contain.")]
    index: Freshness
