"""
Between the engine's values and the wire's: offsets become UTF-16, paths NFC, and every text is scrubbed once more.

The second scrub is a line of defence: notes were scrubbed when indexed, but what leaves is what counts.
"""

from quarry.server.encode.answers import (
    examples_result,
    explain_result,
    passages_result,
    related_result,
    search_result,
)
from quarry.server.encode.context import context_result
from quarry.server.encode.inspection import folder_states, note_report, note_states
from quarry.server.encode.requests import (
    context_request,
    draft,
    listing,
    related_source,
    vault_change,
)
from quarry.server.encode.state import (
    capture_result,
    freshness,
    index_status,
    missing_retrievers,
    note_list,
    note_text,
    settings,
)

__all__ = [
    "capture_result",
    "context_request",
    "context_result",
    "draft",
    "examples_result",
    "explain_result",
    "folder_states",
    "freshness",
    "index_status",
    "listing",
    "missing_retrievers",
    "note_list",
    "note_report",
    "note_states",
    "note_text",
    "passages_result",
    "related_result",
    "related_source",
    "search_result",
    "settings",
    "vault_change",
]
