"""Several vaults searched at once: the home vault, whose sidecar is asked, and the tiers connected on this device."""

from typing import Annotated, Literal

from quarry.limits import MAX_PATH_CHARS, MAX_TIER_MS, MIN_TIER_MS, TIER_MS
from quarry.messages import Message
from quarry.options import IN_CLI_AND_PYTHON, Names, SearchOptions, Value, doc
from quarry.protocol.base import Items
from quarry.protocol.hits import Hit
from quarry.protocol.search import SearchResult

TierKind = Annotated[
    Literal["home", "agent", "project", "team", "vault"],
    doc(
        "home: the vault whose sidecar is asked. agent: notes of agents. project: notes in a repository. team: notes "
        "of a team. vault: another vault."
    ),
]


class Origin(Value, frozen=True, kw_only=True):
    """The tier that a hit comes from."""

    kind: TierKind
    name: str
    path: Annotated[str | None, doc("The absolute path of its folder; null if the notes are in a database.")]


class TierHit(Hit, frozen=True, kw_only=True):
    """A hit, and the tier that it comes from."""

    origin: Origin


class AbsentTier(Value, frozen=True, kw_only=True):
    """A tier that did not answer in time, or not with all of its notes."""

    origin: Origin
    message: Annotated[Message, doc("Why, and what to do.")]


class TierSearchParams(SearchOptions, frozen=True, kw_only=True):
    """A search of several tiers at once."""

    tiers: Annotated[
        Names, doc("Names or kinds of tiers; `home` is this vault. Empty: all of them.", extra=IN_CLI_AND_PYTHON)
    ] = ()
    folder: Annotated[
        Annotated[str, doc(max_length=MAX_PATH_CHARS)] | None,
        doc("A working directory: without names, project tiers of other repositories are left out. Null: none is."),
    ] = None
    deadline_ms: Annotated[
        int,
        doc(
            "How long to wait for tiers, in milliseconds. One that is late is left out and named in `absent`.",
            ge=MIN_TIER_MS,
            le=MAX_TIER_MS,
            extra=IN_CLI_AND_PYTHON,
        ),
    ] = TIER_MS


class TierSearchResult(SearchResult, Items[TierHit], frozen=True, kw_only=True):
    """
    Hits of all tiers, best first: by the weight of the tier times `confidence`, in each tier in its own order.

    A note or text that several tiers have is a hit of the highest one. `total` and `reachable` are sums. Sorted by
    `created`, the tiers follow one another.
    """

    hits: list[TierHit]  # type: ignore[assignment]  # a message is never changed
    absent: list[AbsentTier]

    def _items(self) -> list[TierHit]:  # type: ignore[override]
        return self.hits


class TierAnswer(SearchResult, frozen=True, kw_only=True):
    """The answer of one tier, which the sidecar of another vault merges with those of others."""

    digests: Annotated[
        list[list[str]], doc("For each hit: two hits of different tiers are the same if they have one in common.")
    ]

    def __post_init__(self) -> None:
        if len(self.digests) != len(self.hits):  # one tier's defect is not to fail the search of all
            raise ValueError("digests are not one for each hit")


class TierState(Value, frozen=True, kw_only=True):
    """A connected tier."""

    origin: Origin
    weight: float
    place: Annotated[str, doc("The absolute path of its folder, or the address of its database.")]
    obstacle: Annotated[Message | None, doc("Why it cannot be searched, and what to do; null if nothing is known.")]


class TierList(Value, Items[TierState], frozen=True, kw_only=True):
    """The tiers that `tiers/search` can ask, this vault first, then by weight."""

    tiers: list[TierState]

    def _items(self) -> list[TierState]:
        return self.tiers
