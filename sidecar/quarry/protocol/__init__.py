"""
The wire: every message that passes between the sidecar and its clients, defined once.

Transport
    JSON-RPC 2.0 in WebSocket text frames on 127.0.0.1, one message per frame, UTF-8, at most 1 MiB to the sidecar.
    The first message is `initialize` and carries the token from the discovery file.

Units
    Times are milliseconds since 1970 (`…Ms`). Offsets are UTF-16 code units, `[start, end)`: into the snippet for
    `marks`, into the note as an editor shows it (no byte order mark, one unit per line end) for all others.
    Lines count from 0, ranks from 1. Paths are vault-relative with `/`, in NFC. Scores: higher is better.

Queries
    Words rank the notes, in any form and by meaning; everything else is a condition that each hit satisfies.

    - `"rate limit"` adjacent words; `/v\\d+/` a regular expression (RE2)
    - `-word`, `-"a phrase"`, `-tag:x`, `-(a b)` without; `a OR b` either; `( )` a group
    - `path:`, `file:`, `folder:`, `tag:` or `#tag` the note's location and tags
    - `section:(a b)`, `task:x`, `task-todo:x`, `task-done:x` together in one section, in one task
    - `[name]`, `[name:value]`, `[name:<5]`, `[name:a OR b]`, `[name:null]` properties; also `type:`, `domain:`,
      `status:`
    - `created:`, `modified:` with `>=2026-01-01`, `2026-03`, `2026-01..2026-03`, `7d`, `"last week"`

Compatibility
    Replies may gain fields: ignore fields that you do not know. Unknown *request* parameters are rejected by name.
    `PROTOCOL_VERSION` changes only when an old client would misread a new sidecar.

The TypeScript types, the samples and docs/PROTOCOL.md are generated from this package (`npm run wire`).
"""

from quarry.limits import PROTOCOL_VERSION
from quarry.protocol.base import (
    CancelParams,
    Done,
    ExplainCode,
    ExplainReason,
    LegName,
    Message,
    MessageCode,
    MissingLeg,
    NoParams,
    Params,
    QueryProblem,
    ReasonCode,
    RegexProblem,
    RelaxedCode,
    StatusCode,
    UnderstoodCode,
    Value,
    code_points,
)
from quarry.protocol.blocks import (
    BlockContents,
    BlockProblem,
    BlocksCheckParams,
    BlocksCheckResult,
    BlocksReadParams,
    BlocksResult,
    BlockState,
    BlockStatus,
    StaleKind,
)
from quarry.protocol.capture import CaptureParams, CaptureResult, NoteType
from quarry.protocol.context import Abstention, ContextParams, ContextResult, Source
from quarry.protocol.examples import ExampleQuery, ExamplesParams, ExamplesResult
from quarry.protocol.explain import ExplainParams, ExplainResult, ExplainState
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.hits import Breakdown, Hit, MapOfContent, Mark, Passage, Signal, Why
from quarry.protocol.inspection import (
    FolderState,
    FoldersWriteParams,
    IndexedContent,
    InspectFoldersParams,
    InspectFoldersResult,
    InspectNoteParams,
    InspectNotesParams,
    InspectNotesResult,
    NoteReport,
    NoteState,
    NoteStateEntry,
    Reason,
    ReportState,
    StateCounts,
)
from quarry.protocol.methods import (
    CLIENT_NOTIFICATIONS,
    OWNER_METHODS,
    REQUESTS,
    SERVER_NOTIFICATIONS,
    SETTING_FOR_READERS,
)
from quarry.protocol.notes import (
    Accepted,
    Change,
    FeedbackKind,
    FeedbackParams,
    ListNotesParams,
    NoteList,
    NoteSummary,
    NoteText,
    ReadNoteParams,
    VaultChangedParams,
)
from quarry.protocol.query_params import Filters, Fusion, Mode, SortOrder, Weights
from quarry.protocol.related import RelatedNote, RelatedParams, RelatedResult
from quarry.protocol.search import (
    Clause,
    ClauseKind,
    Correction,
    Extract,
    PassagesParams,
    PassagesResult,
    RankedParams,
    Relaxed,
    RelaxStep,
    SearchParams,
    SearchResult,
    Weakness,
)
from quarry.protocol.session import (
    Access,
    Client,
    Deepening,
    IndexState,
    IndexStatus,
    IndexUpdated,
    InitializeParams,
    InitializeResult,
    Model,
    ModelState,
    Problem,
    Progress,
    RebuildParams,
    Settings,
    SettingsWriteParams,
    Stemming,
    Vault,
)

__all__ = [
    "CLIENT_NOTIFICATIONS",
    "OWNER_METHODS",
    "PROTOCOL_VERSION",
    "REQUESTS",
    "SERVER_NOTIFICATIONS",
    "SETTING_FOR_READERS",
    "Abstention",
    "Accepted",
    "Access",
    "BlockContents",
    "BlockProblem",
    "BlockState",
    "BlockStatus",
    "BlocksCheckParams",
    "BlocksCheckResult",
    "BlocksReadParams",
    "BlocksResult",
    "Breakdown",
    "CancelParams",
    "CaptureParams",
    "CaptureResult",
    "Change",
    "Clause",
    "ClauseKind",
    "Client",
    "ContextParams",
    "ContextResult",
    "Correction",
    "Deepening",
    "Done",
    "ExampleQuery",
    "ExamplesParams",
    "ExamplesResult",
    "ExplainCode",
    "ExplainParams",
    "ExplainReason",
    "ExplainResult",
    "ExplainState",
    "Extract",
    "FeedbackKind",
    "FeedbackParams",
    "Filters",
    "FolderState",
    "FoldersWriteParams",
    "Freshness",
    "Fusion",
    "Hit",
    "IndexState",
    "IndexStatus",
    "IndexUpdated",
    "IndexedContent",
    "InitializeParams",
    "InitializeResult",
    "InspectFoldersParams",
    "InspectFoldersResult",
    "InspectNoteParams",
    "InspectNotesParams",
    "InspectNotesResult",
    "LegName",
    "ListNotesParams",
    "MapOfContent",
    "Mark",
    "Message",
    "MessageCode",
    "MissingLeg",
    "Mode",
    "Model",
    "ModelState",
    "NoParams",
    "NoteList",
    "NoteReport",
    "NoteState",
    "NoteStateEntry",
    "NoteSummary",
    "NoteText",
    "NoteType",
    "Params",
    "Passage",
    "PassagesParams",
    "PassagesResult",
    "Problem",
    "Progress",
    "QueryProblem",
    "RankedParams",
    "ReadNoteParams",
    "ReadParams",
    "Reason",
    "ReasonCode",
    "RebuildParams",
    "RegexProblem",
    "RelatedNote",
    "RelatedParams",
    "RelatedResult",
    "RelaxStep",
    "Relaxed",
    "RelaxedCode",
    "ReportState",
    "SearchParams",
    "SearchResult",
    "Settings",
    "SettingsWriteParams",
    "Signal",
    "SortOrder",
    "Source",
    "StaleKind",
    "StateCounts",
    "StatusCode",
    "Stemming",
    "UnderstoodCode",
    "Value",
    "Vault",
    "VaultChangedParams",
    "Weakness",
    "Weights",
    "Why",
    "code_points",
]
