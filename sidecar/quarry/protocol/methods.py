"""Every method with its parameters and result, and every notification."""

from quarry.options import HitOptions, Params, SearchOptions, Value
from quarry.protocol.base import CancelParams, Done, NoParams
from quarry.protocol.context import (
    BlocksCheckParams,
    BlocksCheckResult,
    BlocksReadParams,
    BlocksResult,
    ContextParams,
    ContextResult,
)
from quarry.protocol.inspection import (
    FoldersWriteParams,
    InspectFoldersParams,
    InspectFoldersResult,
    InspectNoteParams,
    InspectNotesParams,
    InspectNotesResult,
    NoteReport,
)
from quarry.protocol.notes import (
    Accepted,
    CaptureParams,
    CaptureResult,
    FeedbackParams,
    ListNotesParams,
    NoteList,
    NoteText,
    ReadNoteParams,
    VaultChangedParams,
)
from quarry.protocol.search import (
    ExamplesParams,
    ExamplesResult,
    ExplainResult,
    PassagesResult,
    RelatedParams,
    RelatedResult,
    SearchResult,
)
from quarry.protocol.session import (
    ForgetModelParams,
    IndexStatus,
    IndexUpdated,
    InitializeParams,
    InitializeResult,
    ModelsListParams,
    ModelsListResult,
    ModelsUseParams,
    RebuildParams,
    Settings,
    SettingsWriteParams,
)
from quarry.protocol.tiered import TierAnswer, TierList, TierSearchParams, TierSearchResult

REQUESTS: dict[str, tuple[type[Params], type[Value]]] = {
    "initialize": (InitializeParams, InitializeResult),
    "search": (SearchOptions, SearchResult),
    "search/passages": (HitOptions, PassagesResult),
    "search/examples": (ExamplesParams, ExamplesResult),
    "explain": (HitOptions, ExplainResult),
    "related": (RelatedParams, RelatedResult),
    "context": (ContextParams, ContextResult),
    "blocks/read": (BlocksReadParams, BlocksResult),
    "blocks/check": (BlocksCheckParams, BlocksCheckResult),
    "note/read": (ReadNoteParams, NoteText),
    "notes/list": (ListNotesParams, NoteList),
    "capture": (CaptureParams, CaptureResult),
    "vault/changed": (VaultChangedParams, Accepted),
    "feedback": (FeedbackParams, Done),
    "index/status": (NoParams, IndexStatus),
    "index/reconcile": (NoParams, IndexStatus),
    "index/rebuild": (RebuildParams, IndexStatus),
    "index/forgetModel": (ForgetModelParams, IndexStatus),
    "index/pause": (NoParams, IndexStatus),
    "index/resume": (NoParams, IndexStatus),
    "inspect/folders": (InspectFoldersParams, InspectFoldersResult),
    "inspect/notes": (InspectNotesParams, InspectNotesResult),
    "inspect/note": (InspectNoteParams, NoteReport),
    "settings/read": (NoParams, Settings),
    "settings/write": (SettingsWriteParams, Settings),
    "settings/folders": (FoldersWriteParams, Settings),
    "models/list": (ModelsListParams, ModelsListResult),
    "models/use": (ModelsUseParams, Settings),
    "tiers/search": (TierSearchParams, TierSearchResult),
    "tiers/answer": (SearchOptions, TierAnswer),
    "tiers/list": (NoParams, TierList),
    "shutdown": (NoParams, Done),
}
"""Client to sidecar: method -> (parameters, result)."""

OWNER_METHODS = frozenset(
    {"capture", "index/reconcile", "index/rebuild", "index/forgetModel", "index/pause", "index/resume"}
    | {"settings/write", "settings/folders", "inspect/folders", "inspect/notes", "inspect/note", "shutdown"}
    | {"models/list", "models/use", "tiers/search", "tiers/list"}
)
"""
Methods that need the owner's token: they change what other programs find, reveal excluded notes or other vaults, or
stop the sidecar that others use.
"""

SETTING_FOR_READERS = {"capture": ("capture", "by_agents")}
"""Methods of the owner that a setting in `.quarry.toml` (its table and key) opens to the reader's token."""

CLIENT_NOTIFICATIONS: dict[str, type[Params]] = {"$/cancel": CancelParams}
SERVER_NOTIFICATIONS: dict[str, type[Value]] = {"index/progress": IndexStatus, "index/updated": IndexUpdated}
