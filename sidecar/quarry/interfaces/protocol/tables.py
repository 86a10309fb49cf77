"""Every method with what it carries and what comes back, and everything that is said unasked."""

from quarry.interfaces.protocol.base import CancelParams, Done, NoParams, Params, Value
from quarry.interfaces.protocol.context import ContextParams, ContextResult
from quarry.interfaces.protocol.explain import ExplainParams, ExplainResult
from quarry.interfaces.protocol.notes import ListNotesParams, NoteList, NoteText, ReadNoteParams
from quarry.interfaces.protocol.opening import InitializeParams, InitializeResult
from quarry.interfaces.protocol.related import RelatedParams, RelatedResult
from quarry.interfaces.protocol.search import PassagesParams, PassagesResult, SearchParams, SearchResult
from quarry.interfaces.protocol.settings import Settings, SettingsWriteParams
from quarry.interfaces.protocol.status import IndexStatus, IndexUpdated, RebuildParams
from quarry.interfaces.protocol.vault import Accepted, VaultChangedParams

REQUESTS: dict[str, tuple[type[Params], type[Value]]] = {
    "initialize": (InitializeParams, InitializeResult),
    "search": (SearchParams, SearchResult),
    "search/passages": (PassagesParams, PassagesResult),
    "explain": (ExplainParams, ExplainResult),
    "related": (RelatedParams, RelatedResult),
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
