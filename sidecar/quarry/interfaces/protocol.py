"""
The wire: every message that passes between the sidecar and its clients, defined once.

Transport
    JSON-RPC 2.0 in WebSocket text frames on 127.0.0.1, one message a frame, UTF-8, at most 1 MiB to the sidecar.
    The first message is `initialize` and carries the token of the discovery file.

Units
    Times are milliseconds since 1970 (`…Ms`). Offsets are UTF-16 code units, `[start, end)`: into the snippet for
    `marks`, into the note as an editor shows it (no byte order mark, every line end one unit) for all others.
    Lines count from 0, ranks from 1. Paths are vault-relative with `/`, in NFC. Scores: higher is better.

Growth
    Replies may gain fields: read what you know and skip the rest. Unknown *request* parameters are refused by name.
    `PROTOCOL_VERSION` changes only when an old client would misread a new sidecar.

The TypeScript types, the samples and docs/PROTOCOL.md are generated from this file (`npm run wire`).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

PROTOCOL_VERSION = 1

Mode = Literal["hybrid", "keyword", "semantic"]
Why = Literal["exact", "meaning", "both"]
LegName = Literal["lexical", "dense"]

Doc = Meta  # reads well in the annotations below


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Anything that stands inside a message."""


class Params(Value, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a request carries. A parameter that is not listed is refused by its name."""


class NoParams(Params, frozen=True, kw_only=True):
    """A request that carries nothing."""


# --- initialize --------------------------------------------------------------------------------


class Client(Value, frozen=True, kw_only=True):
    """Who is asking; shown in `quarry status` and in the log."""

    name: Annotated[str, Doc(max_length=100)]
    version: Annotated[str, Doc(max_length=100)] = ""


class InitializeParams(Params, frozen=True, kw_only=True):
    """The first message of every connection."""

    token: Annotated[str, Doc(description="The token of the discovery file.", max_length=200)]
    protocol: Annotated[int, Doc(description="The protocol version that the client speaks.")]
    client: Client


class Vault(Value, frozen=True, kw_only=True):
    """The folder that this sidecar serves."""

    id: Annotated[str, Doc(description="Stable for one folder on one machine.")]
    name: str
    path: Annotated[str, Doc(description="Absolute path on this machine.")]


# --- index -------------------------------------------------------------------------------------

IndexState = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]
ModelState = Literal["loading", "ready", "missing"]


class Progress(Value, frozen=True, kw_only=True):
    """How far the work in hand has come."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: Annotated[int | None, Doc(description="Null until the rate is known.")]


class Model(Value, frozen=True, kw_only=True):
    """The embedding model."""

    name: str
    state: ModelState
    message: Annotated[str | None, Doc(description="Why it is missing and what to do; null when all is well.")]


class Problem(Value, frozen=True, kw_only=True):
    """A note that was skipped, cut short, or only partly read."""

    path: str
    reason: str
    skipped: Annotated[bool, Doc(description="True: nothing of it can be found. False: it can, but not all of it.")]


class MissingLeg(Value, frozen=True, kw_only=True):
    """A retriever that cannot serve at the moment."""

    leg: LegName
    reason: Annotated[str, Doc(description="One sentence: why, and what to do.")]


class IndexStatus(Value, frozen=True, kw_only=True):
    """What the index holds and what it is doing."""

    state: IndexState
    notes: Annotated[int, Doc(description="Notes that can be found now.")]
    chunks: int
    pending: Annotated[int, Doc(description="Notes known to have changed and not yet indexed.")]
    excluded: Annotated[int, Doc(description="Notes left out by a rule at the last scan.")]
    progress: Annotated[Progress | None, Doc(description="Null when nothing is being done.")]
    model: Model
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that cannot serve now; empty when all is well.")]
    problem_count: int
    problems: Annotated[list[Problem], Doc(description="At most 100, by path.")]
    indexed_ms: Annotated[int | None, Doc(description="When the index last became equal to the vault.")]
    size_bytes: Annotated[int, Doc(description="Of the index on disk.")]
    message: Annotated[str | None, Doc(description="Something the user should know, and what to do about it.")]


class InitializeResult(Value, frozen=True, kw_only=True):
    """The connection is open."""

    protocol: int
    version: Annotated[str, Doc(description="Of the sidecar.")]
    vault: Vault
    status: IndexStatus


# --- search ------------------------------------------------------------------------------------


class Filters(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Restrictions applied inside the index, before anything is ranked. They add to operators in the query."""

    folders: Annotated[list[str], Doc(description="Any of these folders, with what is below.", max_length=100)] = []
    not_folders: Annotated[list[str], Doc(max_length=100)] = []
    paths: Annotated[list[str], Doc(description="Each is a part of the path.", max_length=100)] = []
    not_paths: Annotated[list[str], Doc(max_length=100)] = []
    tags: Annotated[list[str], Doc(description="Every one, or a tag nested in it.", max_length=100)] = []
    not_tags: Annotated[list[str], Doc(max_length=100)] = []


class Weights(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much each retriever counts in the fusion."""

    lexical: Annotated[float, Doc(ge=0, le=100)] = 1.0
    dense: Annotated[float, Doc(ge=0, le=100)] = 1.0


class SearchParams(Params, frozen=True, kw_only=True):
    """A query: words, "phrases", -not, path:, folder:, tag:."""

    query: Annotated[str, Doc(max_length=4096)]
    limit: Annotated[int, Doc(description="Hits wanted, one a note.", ge=1, le=100)] = 10
    mode: Mode = "hybrid"
    detail: Annotated[
        Literal["scan", "full"],
        Doc(description="scan: titles and 120-character snippets. full: chunk text and score breakdown as well."),
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
    supersedes: Annotated[int | str | None, Doc(description="An earlier search of this client to cancel.")] = None


class Mark(Value, frozen=True, kw_only=True):
    """A stretch of the snippet to mark."""

    start: int
    end: int
    kind: Annotated[Literal["word", "sentence"], Doc(description="A query word, or the sentence nearest in meaning.")]


class Breakdown(Value, frozen=True, kw_only=True):
    """Where the passage stood in each retriever and what that gave."""

    lexical_rank: int | None
    lexical_score: float | None
    dense_rank: int | None
    dense_score: float | None
    fused: float


class Passage(Value, frozen=True, kw_only=True):
    """One chunk of a note that matched."""

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
    breakdown: Annotated[Breakdown | None, Doc(description="Null with `scan`.")]


class Hit(Value, frozen=True, kw_only=True):
    """A note that answers, with its best passages first."""

    path: str
    title: str
    score: float
    why: Annotated[Why, Doc(description="Found by its words, by its meaning, or by both.")]
    modified_ms: int
    tags: list[str]
    passages: list[Passage]


class SearchResult(Value, frozen=True, kw_only=True):
    """Hits, best first."""

    hits: list[Hit]
    total: Annotated[int, Doc(description="Notes among the candidates, before `limit`.")]
    legs: Annotated[list[LegName], Doc(description="The retrievers that served this answer.")]
    missing: Annotated[list[MissingLeg], Doc(description="Retrievers that were asked for and could not serve.")]
    tokens: Annotated[int, Doc(description="An estimate for all passages returned.")]
    truncated: Annotated[bool, Doc(description="The token budget ended before the hits did.")]


# --- notes -------------------------------------------------------------------------------------


class ReadNoteParams(Params, frozen=True, kw_only=True):
    """One note's text, with credentials blanked."""

    path: Annotated[str, Doc(max_length=4096)]
    start_line: Annotated[int, Doc(description="From 0.", ge=0)] = 0
    max_tokens: Annotated[int, Doc(ge=50, le=100_000)] = 10_000


class NoteText(Value, frozen=True, kw_only=True):
    """A note, or as much of it as was asked for."""

    path: str
    title: str
    aliases: list[str]
    tags: list[str]
    properties: dict[str, str | int | float | bool | list[str]]
    modified_ms: int
    text: str
    start_line: int
    line_count: Annotated[int, Doc(description="Lines of the whole note.")]
    truncated: bool
    links: Annotated[list[str], Doc(description="Paths of the notes it links to; unresolved ones as written.")]
    backlinks: Annotated[list[str], Doc(description="Paths of the notes that link to it.")]


class ListNotesParams(Params, frozen=True, kw_only=True):
    """Notes by folder, tag, type or date, newest first."""

    folder: str | None = None
    tag: str | None = None
    type: str | None = None
    modified_after_ms: int | None = None
    modified_before_ms: int | None = None
    limit: Annotated[int, Doc(ge=1, le=1000)] = 20
    offset: Annotated[int, Doc(ge=0, le=1_000_000_000)] = 0


class NoteSummary(Value, frozen=True, kw_only=True):
    """One line of a listing."""

    path: str
    title: str
    tags: list[str]
    type: str | None
    modified_ms: int
    size_bytes: int


class NoteList(Value, frozen=True, kw_only=True):
    """A page of notes."""

    notes: list[NoteSummary]
    total: int


class ContextParams(Params, frozen=True, kw_only=True):
    """A block of quoted passages for a model to read."""

    query: Annotated[str, Doc(max_length=4096)]
    max_tokens: Annotated[int, Doc(ge=50, le=100_000)] = 2000
    limit: Annotated[int, Doc(ge=1, le=50)] = 8
    filters: Filters = Filters()


class Source(Value, frozen=True, kw_only=True):
    """Where a quoted passage stands."""

    path: str
    heading_path: list[str]
    line: int


class ContextResult(Value, frozen=True, kw_only=True):
    """Quoted passages, best first, within the budget."""

    text: Annotated[str, Doc(description="Markdown: path, heading and quote of each passage.")]
    sources: list[Source]
    tokens: int
    missing: list[MissingLeg]


# --- vault -------------------------------------------------------------------------------------


class Change(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened to a file or a folder. The sidecar reads the disk; this says where to look."""

    kind: Literal["created", "modified", "deleted", "renamed"]
    path: Annotated[str, Doc(max_length=4096)]
    old_path: Annotated[str, Doc(description="Only with `renamed`.", max_length=4096)] | None = None


class VaultChangedParams(Params, frozen=True, kw_only=True):
    """Changes in the order in which they happened."""

    changes: Annotated[list[Change], Doc(max_length=5000)]


class Accepted(Value, frozen=True, kw_only=True):
    """The changes are queued; `index/updated` follows when they can be found."""

    accepted: int


class IndexUpdated(Value, frozen=True, kw_only=True):
    """Sent after a commit: an open query may have other answers now."""

    indexed: Annotated[list[str], Doc(description="Notes that are current now; at most 100.")]
    removed: Annotated[list[str], Doc(description="At most 100.")]
    status: IndexStatus


class RebuildParams(Params, frozen=True, kw_only=True):
    """Build the index anew beside the old one, which answers until then."""


# --- settings ----------------------------------------------------------------------------------


class Settings(Value, frozen=True, kw_only=True):
    """The vault's settings, as `.quarry.toml` at its root gives them, or the defaults."""

    include_folders: Annotated[list[str], Doc(description="When given, only these folders are indexed.")]
    exclude_folders: list[str]
    model: Annotated[str, Doc(description='"bundled", a local folder, or a Hugging Face name.')]
    skip_sections: Annotated[list[str], Doc(description="Headings whose sections are left out of chunks.")]
    lexical_weight: float
    dense_weight: float


class SettingsWriteParams(Params, frozen=True, kw_only=True):
    """Only what is given changes; comments in `.quarry.toml` stay."""

    include_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    exclude_folders: list[str] | msgspec.UnsetType = msgspec.UNSET
    model: str | msgspec.UnsetType = msgspec.UNSET
    skip_sections: list[str] | msgspec.UnsetType = msgspec.UNSET
    lexical_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET
    dense_weight: Annotated[float, Doc(ge=0, le=100)] | msgspec.UnsetType = msgspec.UNSET


class CancelParams(Params, frozen=True, kw_only=True):
    """Forget a request; its answer is the error `cancelled`."""

    id: int | str


class Done(Value, frozen=True, kw_only=True):
    """Nothing to say but that it is done."""


# --- the tables --------------------------------------------------------------------------------

REQUESTS: dict[str, tuple[type[Params], type[Value]]] = {
    "initialize": (InitializeParams, InitializeResult),
    "search": (SearchParams, SearchResult),
    "context": (ContextParams, ContextResult),
    "note/read": (ReadNoteParams, NoteText),
    "notes/list": (ListNotesParams, NoteList),
    "vault/changed": (VaultChangedParams, Accepted),
    "index/status": (NoParams, IndexStatus),
    "index/rebuild": (RebuildParams, IndexStatus),
    "index/pause": (NoParams, IndexStatus),
    "index/resume": (NoParams, IndexStatus),
    "settings/read": (NoParams, Settings),
    "settings/write": (SettingsWriteParams, Settings),
    "shutdown": (NoParams, Done),
}
"""Client to sidecar: method -> (parameters, result)."""

CLIENT_NOTIFICATIONS: dict[str, type[Params]] = {"$/cancel": CancelParams}
SERVER_NOTIFICATIONS: dict[str, type[Value]] = {"index/progress": IndexStatus, "index/updated": IndexUpdated}
