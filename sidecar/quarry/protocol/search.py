"""Searches: their parameters and results, and the further passages of a hit."""

from typing import Annotated, Literal

from quarry.protocol.base import Doc, Items, LegName, Message, MissingLeg, Value
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.hits import Hit, Passage
from quarry.protocol.kinds import Anchor
from quarry.protocol.query_params import Filters, FusionChoice, Mode, QueryText, SortOrder, Weights

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
        Doc(
            description="The query is still being typed: its last word may be a prefix, and `tag:` alone is not an "
            "error."
        ),
    ] = False
    detail: Annotated[
        Literal["scan", "full"],
        Doc(
            description=("scan: titles and 120-character snippets. full: also chunk text, score breakdown and signals.")
        ),
    ] = "scan"
    snippet_width: Annotated[
        Annotated[int, Doc(ge=40, le=1000)] | None,
        Doc(description="Maximum length of a snippet in characters; null: 120 with `scan`, 300 with `full`."),
    ] = None
    max_tokens: Annotated[
        int, Doc(description="Budget for all passages; 4 characters per token.", ge=50, le=100_000)
    ] = 4000
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: the vault's setting.")] = None
    guard: Annotated[
        bool,
        Doc(
            description="If few chunks contain a word of the query and the limit would drop more than half of their "
            "notes, return all of these notes."
        ),
    ] = True


class SearchParams(RankedParams, frozen=True, kw_only=True):
    """A query: words to rank notes by, and conditions that they must satisfy."""

    expand: Annotated[
        bool,
        Doc(description="Quote all passages of each hit, not only the best one; see `search/passages`."),
    ] = False
    offset: Annotated[
        int,
        Doc(
            description=(
                "How many hits to skip. The next page begins after the returned hits; with the same parameters and "
                "index, the pages form one list of `reachable` notes."
            ),
            ge=0,
            le=100_000,
        ),
    ] = 0
    sort: Annotated[
        SortOrder,
        Doc(
            description=(
                "relevance: best first. modified: last changed first. created: latest front matter date first, notes "
                "without a date last. name: by file name. All except relevance sort the notes that contain every word "
                "of the query, and those that are likely to answer (confidence of at least 0.1, among the first 100)."
            )
        ),
    ] = "relevance"
    extract: Annotated[
        bool, Doc(description="If the query is a question, look for a sentence of the first hit that answers it.")
    ] = False
    supersedes: Annotated[int | str | None, Doc(description="An earlier search of this client to cancel.")] = None


class PassagesParams(RankedParams, frozen=True, kw_only=True):
    """The further passages of one hit: the parameters of its search, and its path."""

    path: Annotated[str, Doc(description="The hit's note.", max_length=4096)]


class PassagesResult(Value, frozen=True, kw_only=True):
    """The further passages of a hit, best first; empty if the note is no longer a hit."""

    passages: list[Passage]
    truncated: Annotated[
        bool, Doc(description="Some passages were left out to fit the token budget, which counts only these passages.")
    ]
    index: Freshness


class Correction(Value, frozen=True, kw_only=True):
    """A word that no note contains, and the word that was searched for instead."""

    typed: str
    used: str


class Relaxed(Value, frozen=True, kw_only=True):
    """How the query was relaxed because it had no hits."""

    step: Annotated[
        RelaxStep,
        Doc(
            description=(
                "beginnings: the last word is a prefix. any-passage: the words may be anywhere, not adjacent. "
                "without-filters: the filters are dropped. meaning: the nearest in meaning, however far."
            )
        ),
    ]
    message: Annotated[str, Doc(description="A sentence to show to the user.")]
    told: Annotated[Message, Doc(description="`message` as a code with arguments.")]


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
    """A part of the query other than a word to rank by. To remove it, cut its range out of the query."""

    kind: Annotated[
        ClauseKind,
        Doc(
            description=(
                "tag: `#idea` or `tag:idea`. word: an excluded word. group: parentheses, with alternatives or "
                "negated. All others: the operator."
            )
        ),
    ]
    start: Annotated[int, Doc(description="UTF-16 code units into the query as typed.")]
    end: int
    name: Annotated[str, Doc(description="The name of a property; otherwise empty.")]
    value: Annotated[str, Doc(description="As typed, without delimiters; may be empty.")]
    negated: bool
    removable: Annotated[
        bool, Doc(description="Cutting its range removes this part and changes nothing else. False in alternatives.")
    ]


class Extract(Value, frozen=True, kw_only=True):
    """The sentence of the first hit that answers the question, word for word as in the note."""

    path: str
    text: str
    heading_path: list[str]
    line: Annotated[int, Doc(description="The line where it begins.")]
    match_start: Annotated[int, Doc(description="Where it begins in the note.")]
    match_end: int
    anchor: Anchor
    confidence: Annotated[
        float, Doc(description="The probability that it answers; four in five of the returned sentences do.")
    ]


class SearchResult(Value, Items[Hit], frozen=True, kw_only=True):
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
                "Notes that contain a word of the query or are close in meaning, on all pages; if `sort` is not "
                "relevance, the sorted notes."
            )
        ),
    ]
    reachable: Annotated[
        int,
        Doc(
            description=(
                "The end of paging: notes that were ranked or sorted. Less than `total` if more notes contain a "
                "word than are ranked."
            )
        ),
    ]
    sort: Annotated[
        SortOrder,
        Doc(description="The order of the hits: relevance, whatever was requested, if no note is worth sorting."),
    ]
    clauses: Annotated[list[Clause], Doc(description="The operators, filters and phrases of the query, in order.")]
    understood: Annotated[str, Doc(description="The query in plain words.")]
    understood_told: Annotated[
        list[Message],
        Doc(description="`understood` as codes with arguments: all conditions, then the words to rank by."),
    ]
    corrections: Annotated[list[Correction], Doc(description="Words that were treated as typing errors.")]
    unknown_words: Annotated[
        list[str],
        Doc(description="Words that no note contains and that were not corrected, if hits contain other words."),
    ]
    relaxed: Annotated[
        Relaxed | None, Doc(description="Set if the query had no hits and a relaxed query was searched instead.")
    ]
    confidence: Annotated[float, Doc(description="The confidence of the first hit; 0 if there is none.")]
    weakness: Annotated[
        Weakness | None,
        Doc(
            description=(
                "Set if the first hit is unlikely to answer and lacks words of the query. no-words: no hit contains "
                "any of them; the hits are the nearest in meaning. unlikely: some hits contain some words."
            )
        ),
    ]
    extract: Annotated[
        Extract | None,
        Doc(description="With `extract`: set if the query is a question and a sentence is likely to answer it."),
    ]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Requested retrievers that are unavailable.")]
    tokens: Annotated[int, Doc(description="An estimate for all returned passages.")]
    truncated: Annotated[bool, Doc(description="Some passages were cut or left out to fit the token budget.")]
    index: Freshness

    def _items(self) -> list[Hit]:
        return self.hits

    @property
    def lacks_words_under_filters(self) -> bool:
        """Whether none of the notes that the filters and exclusions admit has the words; other notes may."""
        return self.weakness == "no-words" and any(clause.kind != "phrase" for clause in self.clauses)
