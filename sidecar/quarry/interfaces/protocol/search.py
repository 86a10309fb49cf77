"""Finding notes: hits of a query, explanations of their rank, similar notes, and quotes for a model."""

from typing import Annotated, Literal

from msgspec import field

from quarry.interfaces.protocol.base import Doc, LegName, Message, MissingLeg, Value
from quarry.interfaces.protocol.freshness import Freshness, ReadParams
from quarry.interfaces.protocol.kinds import Anchor, Kind
from quarry.interfaces.protocol.query_params import Filters, FusionChoice, Mode, QueryText, SortOrder, Weights

DEFAULT_MIN_CONFIDENCE = 0.1  # below it a hit is told as weak; see `ranking/confidence.py`

Why = Literal["exact", "meaning", "both"]


class Mark(Value, frozen=True, kw_only=True):
    """A span of a text to highlight."""

    start: int
    end: int
    kind: Annotated[Literal["word", "sentence"], Doc(description="A query word, or the sentence nearest in meaning.")]


class Breakdown(Value, frozen=True, kw_only=True):
    """The rank and score of a passage in each retriever, and the fused score."""

    lexical_rank: int | None
    lexical_score: Annotated[float | None, Doc(description="BM25.")]
    dense_rank: int | None
    dense_score: Annotated[
        float | None, Doc(description="Cosine; that of a contextual model is standardised, see decisions/019.")
    ]
    fused: Annotated[float, Doc(description="The score that its note is ranked by.")]


class Signal(Value, frozen=True, kw_only=True):
    """A feature that contributed to the score of a note, and by how much."""

    name: Annotated[
        str,
        Doc(
            description=(
                "`passage`: words in its best passage. `note`: words in the whole note. `phrase`: adjacent words. "
                "`meaning`: similarity in meaning. `wording`: similarity to each word by itself. "
                "`title`: words in its title. `exact`: the query is its title. "
                "Later versions may add others."
            )
        ),
    ]
    share: Annotated[float, Doc(description="What it adds to the note's score.")]


class Passage(Value, frozen=True, kw_only=True):
    """A chunk of a note that matches the query."""

    heading_path: list[str]
    snippet: str
    marks: list[Mark]
    start: Annotated[int, Doc(description="Where the chunk starts in the note.")]
    line: Annotated[int, Doc(description="The line of `matchStart`.")]
    match_start: Annotated[int, Doc(description="Where to jump to: the first mark, in the note.")]
    match_end: int
    tokens: Annotated[int, Doc(description="An estimate for the whole chunk.")]
    text: Annotated[str | None, Doc(description="The chunk itself; null with `scan`.")]
    truncated: Annotated[bool, Doc(description="`text` was cut to fit the budget.")]
    anchor: Anchor
    breakdown: Annotated[Breakdown | None, Doc(description="Null with `scan`, and where notes are only listed.")]


Confidence = Annotated[
    float,
    Doc(
        description=(
            "The probability that the note answers the query, 0 to 1: comparable across queries and vaults, as `score` "
            "is not. 0 where notes are only listed."
        )
    ),
]
Weakness = Literal["no-words", "unlikely"]


class MapOfContent(Value, frozen=True, kw_only=True):
    """A note that lists others by links: `moc`, `map` or `index` to its author, or mostly links."""

    path: str
    title: str


class Hit(Value, frozen=True, kw_only=True):
    """A note that matches the query, with its passages, best first."""

    path: str
    kind: Kind
    title: str
    title_marks: Annotated[list[Mark], Doc(description="Query words in the title.")]
    score: Annotated[float | None, Doc(description="Null where notes are only listed.")]
    confidence: Confidence
    why: Annotated[
        Why | None, Doc(description="Found by its words, by its meaning, or by both; null where notes are only listed.")
    ]
    modified_ms: int
    type: Annotated[str | None, Doc(description="Of its front matter, as `domain` is.")]
    domain: str | None
    tags: list[str]
    passages: Annotated[list[Passage], Doc(description="The best one; with `expand` all that fit into the budget.")]
    further_passages: Annotated[
        int, Doc(description="Further passages that match and are not quoted here; `search/passages` returns them.")
    ]
    signals: Annotated[
        list[Signal] | None,
        Doc(description="Signals that contributed to its score, strongest first; null with `scan`, empty with `rrf`."),
    ]
    maps: Annotated[list[MapOfContent], Doc(description="Maps of content that link to it, at most two.")]
    missing_words: Annotated[
        list[str], Doc(description="Words of the query, as they were searched for, that the note holds in no form.")
    ]


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


ExplainState = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]


class ExplainParams(ReadParams, frozen=True, kw_only=True):
    """Why a note ranks where it does for a query, or why it is not among the hits."""

    query: QueryText
    path: Annotated[str, Doc(description="The note, indexed or not.", max_length=4096)]
    limit: Annotated[int, Doc(description="The limit of the search.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    fusion: FusionChoice = None
    typing: Annotated[bool, Doc(description="As for `search`.")] = False
    filters: Filters = Filters()
    weights: Annotated[Weights | None, Doc(description="Null: the vault's setting.")] = None


class ExplainResult(Value, frozen=True, kw_only=True):
    """The place of a note among the hits of a query, or why it is not among them."""

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
    message: Annotated[str, Doc(description="A sentence to show to the user: the state, and what to do about it.")]
    told: Annotated[list[Message], Doc(description="`message`, by codes, sentence by sentence.")]
    understood: Annotated[str, Doc(description="The query in plain words; empty where the note is not indexed.")]
    rank: Annotated[int | None, Doc(description="Null where it was not ranked.")]
    total: Annotated[int, Doc(description="Notes that the search finds, as `total` of its answer.")]
    score: Annotated[float | None, Doc(description="Null where it was not ranked.")]
    confidence: Annotated[
        float | None, Doc(description="The probability that it answers the query; null where it was not ranked.")
    ]
    breakdown: Annotated[Breakdown | None, Doc(description="Of its best passage; null where it was not ranked.")]
    signals: Annotated[
        list[Signal], Doc(description="Signals that contributed to its score, strongest first; empty with `rrf`.")
    ]
    words_found: Annotated[list[str], Doc(description="Words of the query that occur in the note, in any form.")]
    words_lacking: Annotated[list[str], Doc(description="Words of the query that do not occur in it.")]
    index: Freshness


class RelatedParams(ReadParams, frozen=True, kw_only=True):
    """Find notes similar to a note, to the passage at a line of it, or to any text. Give `path`, `text` or both."""

    path: Annotated[Annotated[str, Doc(max_length=4096)] | None, Doc(description="A note in the index.")] = None
    line: Annotated[
        Annotated[int, Doc(ge=0)] | None,
        Doc(description="With `path`: compare with the passage at this line, counting from 0, not with the note."),
    ] = None
    text: Annotated[
        Annotated[str, Doc(max_length=100_000)] | None,
        Doc(description="The text to compare with. With `path`: it stands in that note, which is left out."),
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
    match_start: Annotated[int, Doc(description="Where to jump to: the first mark, in the note.")]
    match_end: int
    anchor: Anchor


class RelatedResult(Value, frozen=True, kw_only=True):
    """Notes similar to the source, best first; the source itself is left out."""

    notes: list[RelatedNote]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that are unavailable.")]
    index: Freshness


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
