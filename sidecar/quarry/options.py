"""
The parameters of a search and the choices they offer, declared once.

`SearchOptions` is the engine's request and, in camelCase, the parameters of `search` on the wire. From its fields come
the options of the command line, the schema of the MCP tool, the keywords of the Python API, the TypeScript types and
docs/PROTOCOL.md. The `extra` of a field names the interfaces that offer it besides the wire.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from msgspec import Meta, Struct

from quarry.conditions import Condition, HasProperty, HasTag, InFolder, InPath, IsNote, Not, any_of
from quarry.limits import (
    MAX_LIMIT,
    MAX_OFFSET,
    MAX_PATH_CHARS,
    MAX_QUERY_CHARS,
    MAX_SNIPPET_WIDTH,
    MAX_TOKENS,
    MAX_WAIT_MS,
    MIN_SNIPPET_WIDTH,
    MIN_TOKENS,
    WEAK_CONFIDENCE,
)

Mode = Literal["hybrid", "keyword", "semantic"]
SortOrder = Literal["relevance", "modified", "created", "name"]
Fusion = Literal["convex", "rrf", "six-signals"]
Detail = Literal["scan", "full"]
Stemming = Literal["by-language", "none"]
NoteType = Literal["note", "signal", "project", "moc", "daily"]
Retriever = Literal["keyword", "dense"]
ConsentKind = Literal["download", "endpoint", "remote", "key", "reranker"]
"""
The user of this device may confirm that the files of a model are downloaded, that texts are sent to a model which
another program runs, that this is on another machine, that a key is sent there, and that a reranker is used.
"""

KnownLanguages = Literal["english", "scripts", "many"]
"""English; English, and languages of other scripts by way of it; many."""

MODES: tuple[Mode, ...] = get_args(Mode)
SORTS: tuple[SortOrder, ...] = get_args(SortOrder)
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)
NOTE_TYPES: tuple[NoteType, ...] = get_args(NoteType)
RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)

SCAN_WIDTH = 120  # characters of a snippet: two lines of a sidebar
FULL_WIDTH = 300

EVERYWHERE = {"interfaces": ("cli", "mcp", "python")}
IN_PYTHON = {"interfaces": ("python",)}
IN_CLI_AND_PYTHON = {"interfaces": ("cli", "python")}
IN_MCP_AND_PYTHON = {"interfaces": ("mcp", "python")}


def doc(description: str | None = None, **bounds: Any) -> Meta:
    """The description of a field, and the bounds of its value, as `msgspec.Meta` names them."""
    return Meta(description=description, **bounds)


class Value(Struct, frozen=True, kw_only=True, rename="camel"):
    """A value inside a message."""


class Params(Value, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Parameters of a request. Unknown parameters are rejected by name."""


class ReadParams(Params, frozen=True, kw_only=True):
    """Parameters of every request that reads the index."""

    wait_ms: Annotated[
        int,
        doc(
            "The longest time to wait, in milliseconds, until all changes reported before this request are "
            "indexed, no comparison with the vault is running and the model is loaded; then answer in any case. "
            "Unless the index is empty, work that is expected to take longer is not waited for.",
            ge=0,
            le=MAX_WAIT_MS,
            extra=IN_PYTHON,
        ),
    ] = 0
    after_ms: Annotated[
        int | None,
        doc(
            "Answer only when all changes reported up to this time (by `vault/changed`, whose result contains "
            "it, or by the sidecar's own watcher) are indexed, and wait for nothing else. If that takes longer "
            "than `waitMs`, or indexing is paused, the error is `index-behind`. A future time counts as now.",
            extra=IN_PYTHON,
        ),
    ] = None


Names = Annotated[tuple[str, ...], doc(max_length=100)]


class Filters(Params, frozen=True, kw_only=True):
    """Restrictions applied inside the index, before anything is ranked, in addition to operators in the query."""

    notes: Annotated[
        Names,
        doc("Any of these notes, by full path. In a single note, every passage with a word is found."),
    ] = ()
    not_notes: Names = ()
    folders: Annotated[Names, doc("Any of these folders, including subfolders.")] = ()
    not_folders: Names = ()
    paths: Annotated[Names, doc("Each must be a part of the path.")] = ()
    not_paths: Names = ()
    tags: Annotated[Names, doc("All of these tags, or tags nested in them.")] = ()
    not_tags: Names = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The filters as conditions, all of which must hold."""
        inside = (any_of(InFolder(folder) for folder in self.folders),) if self.folders else ()
        among = (any_of(IsNote(path) for path in self.notes),) if self.notes else ()
        return (
            *among,
            *(Not(IsNote(path)) for path in self.not_notes),
            *inside,
            *(Not(InFolder(folder)) for folder in self.not_folders),
            *(InPath(part) for part in self.paths),
            *(Not(InPath(part)) for part in self.not_paths),
            *(HasTag(tag) for tag in self.tags),
            *(Not(HasTag(tag)) for tag in self.not_tags),
            *self.status_conditions,
        )

    @property
    def status_conditions(self) -> tuple[Condition, ...]:
        """The conditions on the property `status`, which come from the settings."""
        return ()


class Scope(Filters, frozen=True, kw_only=True):
    """The filters of a request, and the statuses that the vault's settings leave out."""

    not_status: tuple[str, ...] = ()

    @property
    def status_conditions(self) -> tuple[Condition, ...]:
        """The conditions on the property `status`."""
        return tuple(Not(HasProperty("status", "is", status)) for status in self.not_status)


def scope_of(filters: Filters, not_status: tuple[str, ...]) -> Scope:
    """*filters*, without the notes that have one of the statuses."""
    restrictions = {name: getattr(filters, name) for name in Filters.__struct_fields__}
    return Scope(**restrictions, not_status=not_status)


class Weights(Params, frozen=True, kw_only=True):
    """The weight of each retriever in the fusion."""

    keyword: Annotated[float, doc(ge=0, le=100)] = 1.0
    dense: Annotated[float, doc(ge=0, le=100)] = 1.0


QueryText = Annotated[
    str,
    doc(
        (
            'Words, "phrases", -not, a OR b, (groups), /regular expressions/, path: file: folder: tag: #tag, '
            "section:(a b), task: task-todo: task-done:, [property] [property:value] [property:<5], type: domain: "
            "status:, created: modified: (`>=2026-01-01`, `7d`, `last week`)."
        ),
        max_length=MAX_QUERY_CHARS,
    ),
]


class SearchOptions(ReadParams, frozen=True, kw_only=True):
    """A query: words to rank notes by, and conditions that they must satisfy."""

    reads_times: ClassVar[bool] = True  # plain words about time are a filter

    query: QueryText
    limit: Annotated[int, doc("Maximum number of hits, one per note.", ge=1, le=MAX_LIMIT, extra=EVERYWHERE)] = 10
    offset: Annotated[
        int,
        doc(
            "How many hits to skip. The next page begins after the returned hits; with the same parameters and "
            "index, the pages form one list of `reachable` notes.",
            ge=0,
            le=MAX_OFFSET,
            extra=EVERYWHERE,
        ),
    ] = 0
    sort: Annotated[
        SortOrder,
        doc(
            "relevance: best first. modified: last changed first. created: latest front matter date first, notes "
            "without a date last. name: by file name. All except relevance sort the notes that contain every word "
            "of the query, and those that are likely to answer (confidence of at least 0.1, among the first 100).",
            extra=EVERYWHERE,
        ),
    ] = "relevance"
    mode: Annotated[
        Mode,
        doc("hybrid: by words and by meaning. keyword: by words. semantic: by meaning.", extra=EVERYWHERE),
    ] = "hybrid"
    fusion: Annotated[
        Fusion | None,
        doc(
            "How the rankings of the retrievers are combined: by a weighted sum of signals, by rank alone "
            "(reciprocal rank fusion), or by six signals (words, meaning, severity, age, tags, domain). Null: the "
            "vault's setting.",
            extra=IN_CLI_AND_PYTHON,
        ),
    ] = None
    typing: Annotated[
        bool,
        doc("The query is still being typed: its last word may be a prefix, and `tag:` alone is not an error."),
    ] = False
    paused: Annotated[
        bool,
        doc(
            "With `typing`: the typing rests. Until then, a last word that no note contains is not compared in meaning."
        ),
    ] = False
    strict: Annotated[
        bool, doc("Find nothing where no note matches the query as it stands, instead of relaxing it.")
    ] = False
    detail: Annotated[
        Detail,
        doc(
            "scan: titles and 120-character snippets. full: also chunk text, score breakdown and signals.",
            extra=IN_MCP_AND_PYTHON,
        ),
    ] = "scan"
    snippet_width: Annotated[
        Annotated[int, doc(ge=MIN_SNIPPET_WIDTH, le=MAX_SNIPPET_WIDTH)] | None,
        doc(
            "Maximum length of a snippet in characters; null: 120 with `scan`, 300 with `full`.",
            extra=IN_PYTHON,
        ),
    ] = None
    max_tokens: Annotated[
        int,
        doc(
            "Budget for all passages; 4 characters per token.",
            ge=MIN_TOKENS,
            le=MAX_TOKENS,
            extra=EVERYWHERE,
        ),
    ] = 4000
    expand: Annotated[
        bool,
        doc(
            "Quote all passages of each hit, not only the best one; see `search/passages`.",
            extra=IN_PYTHON,
        ),
    ] = False
    expand_small_results: Annotated[
        bool,
        doc(
            "If few chunks contain a word of the query and the limit would drop more than half of their "
            "notes, return all of these notes.",
            extra=IN_PYTHON,
        ),
    ] = True
    extract: Annotated[
        bool, doc("If the query is a question, look for a sentence of the first hit that answers it.")
    ] = False
    filters: Annotated[Filters, doc(extra=IN_PYTHON)] = Filters()
    weights: Annotated[Weights | None, doc("Null: the vault's setting.", extra=IN_PYTHON)] = None
    supersedes: Annotated[int | str | None, doc("An earlier search of this client to cancel.")] = None

    @property
    def with_text(self) -> bool:
        """Whether passages are returned whole, not only their snippets."""
        return self.detail == "full"

    @property
    def width(self) -> int:
        """The maximum length of a snippet."""
        if self.snippet_width is not None:
            return self.snippet_width
        return FULL_WIDTH if self.with_text else SCAN_WIDTH

    def weights_or(self, default: Mapping[Retriever, float]) -> Mapping[Retriever, float]:
        """The weight of each retriever; where none are given, the *default*."""
        return {"keyword": self.weights.keyword, "dense": self.weights.dense} if self.weights else default


class PromptOptions(SearchOptions, frozen=True, kw_only=True):
    """
    A search for what a prompt is about, to be quoted: its likely hits have the excerpts that answer as passages.

    `the repair from last year` says when something was, not which notes.
    """

    least_confidence: float = WEAK_CONFIDENCE  # of a likely hit

    reads_times: ClassVar[bool] = False


class HitOptions(SearchOptions, frozen=True, kw_only=True):
    """A search, and one note among its hits."""

    path: Annotated[str, doc("The note.", max_length=MAX_PATH_CHARS)]
