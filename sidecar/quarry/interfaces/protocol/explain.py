"""What became of one note in one search."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, Params, Value
from quarry.interfaces.protocol.hits import Breakdown, Signal
from quarry.interfaces.protocol.query_params import Filters, FusionChoice, Mode, QueryText, Weights

ExplainState = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]


class ExplainParams(Params, frozen=True, kw_only=True):
    """Why a note stands where it stands in the answer to a query, or why it is not in it."""

    query: QueryText
    path: Annotated[str, Doc(description="The note, indexed or not.", max_length=4096)]
    limit: Annotated[int, Doc(description="Hits that the search would show.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    fusion: FusionChoice = None
    typing: Annotated[bool, Doc(description="As with `search`.")] = False
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: as set for the vault.")] = None


class ExplainResult(Value, frozen=True, kw_only=True):
    """What became of the note."""

    path: str
    state: Annotated[
        ExplainState,
        Doc(
            description=(
                "hit: shown. beyond: ranked behind the limit. unranked: too far from the query to be ranked. refused: "
                "a condition of the query says no. listed: the query has no words to rank by. excluded: a rule of the "
                "vault leaves it out. pending: changed and not yet indexed. failed: it cannot be read. unknown: there "
                "is no such note."
            )
        ),
    ]
    message: Annotated[str, Doc(description="The state in a sentence for a person, with what to do about it.")]
    understood: Annotated[str, Doc(description="The query in plain words; empty where the note is not indexed.")]
    rank: Annotated[int | None, Doc(description="Null where it was not ranked.")]
    total: Annotated[int, Doc(description="Notes that were ranked.")]
    score: Annotated[float | None, Doc(description="Null where it was not ranked.")]
    breakdown: Annotated[Breakdown | None, Doc(description="Of its best passage; null where it was not ranked.")]
    signals: Annotated[list[Signal], Doc(description="What spoke for it, the strongest first; empty with `rrf`.")]
    words_found: Annotated[list[str], Doc(description="Words of the query that the note holds, in any form.")]
    words_lacking: Annotated[list[str], Doc(description="Words of the query that it does not hold.")]
