"""Searches: what is asked for, the answer, and what was done to find it; and the further passages of a hit."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, LegName, Message, MissingLeg, Value
from quarry.interfaces.protocol.freshness import Freshness, ReadParams
from quarry.interfaces.protocol.hits import Hit, Passage
from quarry.interfaces.protocol.kinds import Anchor
from quarry.interfaces.protocol.query_params import Filters, FusionChoice, Mode, QueryText, SortOrder, Weights

Weakness = Literal["no-words", "unlikely"]
RelaxStep = Literal["beginnings", "any-passage", "without-filters", "meaning"]


class RankedParams(ReadParams, frozen=True, kw_only=True):
    """Parameters that decide which notes match a query, in which order, and how they are quoted."""

    query: QueryText
    limit: Annotated[int, Doc(description="Maximum number of hits, one per note.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    fusion: FusionChoice = None
    typing: Annotated[
        bool,
        Doc(description="The query is still being typed: its last word may be a prefix, and `tag:` alone is no error."),
    ] = False
    detail: Annotated[
        Literal["scan", "full"],
        Doc(
            description=(
                "scan: titles and 120-character snippets. full: chunk text, score breakdown and signals as well."
            )
        ),
    ] = "scan"
    snippet_width: Annotated[
        Annotated[int, Doc(ge=40, le=1000)] | None,
        Doc(description="Maximum length of a snippet in characters; null: 120 with `scan`, 300 with `full`."),
    ] = None
    max_tokens: Annotated[int, Doc(description="Budget for all passages; 4 characters a token.", ge=50, le=100_000)] = (
        4000
    )
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: the vault's setting.")] = None
    guard: Annotated[
        bool,
        Doc(
            description="Return every note with a word of the query where few chunks have one and the limit would drop "
            "more than half of these notes."
        ),
    ] = True


class SearchParams(RankedParams, frozen=True, kw_only=True):
    """A query: words to rank notes by, and conditions that they must satisfy."""

    expand: Annotated[
        bool,
        Doc(description="Quote all passages of each hit, not its best one alone; see `search/passages`."),
    ] = False
    offset: Annotated[
        int,
        Doc(
            description=(
                "How many hits stand before the first that is returned. The next page begins behind the hits that "
                "came; with the same parameters and index, the pages make up one list, of `reachable` notes."
            ),
            ge=0,
            le=100_000,
        ),
    ] = 0
    sort: Annotated[
        SortOrder,
        Doc(
            description=(
                "relevance: best first. modified: last changed first. created: the latest by front matter first, notes "
                "without a date last. name: by file name. All but relevance sort the notes that hold every word of the "
                "query, and those that are likely to answer (confidence of at least 0.1, among the first 100)."
            )
        ),
    ] = "relevance"
    extract: Annotated[
        bool, Doc(description="Look for a sentence of the first hit that answers, where the query is a question.")
    ] = False
    supersedes: Annotated[int | str | None, Doc(description="An earlier search of this client to cancel.")] = None


class PassagesParams(RankedParams, frozen=True, kw_only=True):
    """The further passages of one hit: the parameters of its search, and its path."""

    path: Annotated[str, Doc(description="The hit's note.", max_length=4096)]


class PassagesResult(Value, frozen=True, kw_only=True):
    """The further passages of a hit, best first; empty where the note is no longer a hit."""

    passages: list[Passage]
    truncated: Annotated[
        bool, Doc(description="Some passages were left out to fit the token budget, which is theirs alone.")
    ]
    index: Freshness


class Correction(Value, frozen=True, kw_only=True):
    """A word that occurs in no note, and the one that was searched for instead."""

    typed: str
    used: str


class Relaxed(Value, frozen=True, kw_only=True):
    """How the query was relaxed because it had no hits."""

    step: Annotated[
        RelaxStep,
        Doc(
            description=(
                "beginnings: the last word taken as a prefix. any-passage: the words anywhere, not next to each "
                "other. without-filters: notes that the filters exclude. meaning: the nearest in meaning, if far."
            )
        ),
    ]
    message: Annotated[str, Doc(description="A sentence to show to the user.")]
    told: Annotated[Message, Doc(description="`message`, by code.")]


ClauseKind = Literal[
    "word",
    "phrase",
    "regex",
    "property",
    "group",
    "path",
    "file",
    "folder",
    "kind",
    "tag",
    "type",
    "domain",
    "status",
    "created",
    "modified",
    "content",
    "section",
    "line",
    "block",
    "task",
    "task-todo",
    "task-done",
    "match-case",
    "ignore-case",
]


class Clause(Value, frozen=True, kw_only=True):
    """A part of the query that is more than a word to rank by. To take it away is to cut its range out of the query."""

    kind: Annotated[
        ClauseKind,
        Doc(
            description=(
                "tag: `#idea` or `tag:idea`. word: one that is excluded. group: what stands in parentheses, with "
                "alternatives or negated. All others: the operator."
            )
        ),
    ]
    start: Annotated[int, Doc(description="UTF-16 code units into the query as typed.")]
    end: int
    name: Annotated[str, Doc(description="Of a property; else empty.")]
    value: Annotated[str, Doc(description="As typed, without delimiters; empty where it has none.")]
    negated: bool
    removable: Annotated[
        bool, Doc(description="Without its range, the query says the same but for this. False within alternatives.")
    ]


class Extract(Value, frozen=True, kw_only=True):
    """The sentence of the first hit that answers the question, word for word as it stands in the note."""

    path: str
    text: str
    heading_path: list[str]
    line: Annotated[int, Doc(description="The line where it begins.")]
    match_start: Annotated[int, Doc(description="Where it begins in the note.")]
    match_end: int
    anchor: Anchor
    confidence: Annotated[
        float, Doc(description="The probability that it answers; of those that are given, four in five do.")
    ]


class SearchResult(Value, frozen=True, kw_only=True):
    """Hits, best first."""

    hits: list[Hit]
    listed: Annotated[
        bool,
        Doc(description="The query has no words to rank by: the hits are the newest notes that satisfy it."),
    ]
    total: Annotated[
        int,
        Doc(
            description=(
                "Notes that contain a word of the query or are near in meaning, on all pages; where `sort` is not "
                "relevance, those that are sorted."
            )
        ),
    ]
    reachable: Annotated[
        int,
        Doc(
            description=(
                "Where paging ends: notes that were ranked or sorted. Less than `total` where more notes contain a "
                "word than are ranked."
            )
        ),
    ]
    sort: Annotated[
        SortOrder,
        Doc(description="The order of the hits. relevance whatever was asked for where no note is worth sorting."),
    ]
    clauses: Annotated[list[Clause], Doc(description="The operators, filters and phrases of the query, in order.")]
    understood: Annotated[str, Doc(description="The query in plain words.")]
    understood_told: Annotated[
        list[Message], Doc(description="`understood`, by codes: all conditions, and the words to rank by last.")
    ]
    corrections: Annotated[list[Correction], Doc(description="Words that were taken for typing errors.")]
    unknown_words: Annotated[
        list[str],
        Doc(description="Words that no note contains and that were not corrected, where hits contain others."),
    ]
    relaxed: Annotated[
        Relaxed | None, Doc(description="Set where the query had no hits and a relaxed one was searched instead.")
    ]
    confidence: Annotated[float, Doc(description="That of the first hit; 0 where there is none.")]
    weakness: Annotated[
        Weakness | None,
        Doc(
            description=(
                "Set where the first hit is unlikely to answer and lacks words of the query. no-words: no hit contains "
                "any; they are the nearest in meaning. unlikely: some contain a few."
            )
        ),
    ]
    extract: Annotated[
        Extract | None,
        Doc(description="With `extract`: set where a question is asked and a sentence likely answers it."),
    ]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Requested retrievers that are unavailable.")]
    tokens: Annotated[int, Doc(description="An estimate for all passages returned.")]
    truncated: Annotated[bool, Doc(description="Some passages were cut or left out to fit the token budget.")]
    index: Freshness
