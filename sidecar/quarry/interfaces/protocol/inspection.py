"""Which notes are in the index, by folder and by note, and why one is not."""

from typing import Annotated, Literal

import msgspec

from quarry.interfaces.protocol.base import Doc, Params, ReasonCode, Value

MAX_PAGE = 500
MAX_FOLDERS = 100

NoteState = Literal["indexed", "partial", "hidden", "waiting", "excluded", "failed"]
ReportState = Literal["indexed", "partial", "hidden", "waiting", "excluded", "failed", "unknown"]

_STATES = (
    "indexed: found. partial: only part of it is found. hidden: left out of answers by its status. waiting: not "
    "indexed yet, or changed since. excluded: left out by a rule. failed: it could not be indexed."
)


class Reason(Value, frozen=True, kw_only=True):
    """Why a note is not found, or only partly."""

    code: ReasonCode
    message: Annotated[str, Doc(description="The same as a sentence, for clients that do not know the code.")]
    entry: Annotated[
        str | None, Doc(description="Of the rule: the folder, line or expression as it is written; or the status.")
    ]
    plugin: Annotated[str | None, Doc(description="Of `templates`: the plugin that keeps its templates there.")]


class StateCounts(Value, frozen=True, kw_only=True):
    """How many notes are in each state."""

    indexed: int
    partial: int
    hidden: int
    waiting: int
    excluded: int
    failed: int
    without_vectors: Annotated[
        int,
        Doc(description="Notes with a passage that waits for a vector of a model in use; their words are found."),
    ]


class FolderState(Value, frozen=True, kw_only=True):
    """A folder with the states of all notes below it."""

    path: Annotated[str, Doc(description='"" is the vault.')]
    counts: StateCounts
    folder_count: Annotated[int, Doc(description="Folders with notes that lie directly in it.")]
    excluded_by: Annotated[
        Reason | None, Doc(description="The setting that leaves out all notes below it; null where there is none.")
    ]


class NoteStateEntry(Value, frozen=True, kw_only=True):
    """The state of one note."""

    path: str
    state: NoteState
    reason: Annotated[Reason | None, Doc(description="Null where it is found.")]


class InspectFoldersParams(Params, frozen=True, kw_only=True):
    """The states of the notes in a folder, and the folders directly in it."""

    folder: Annotated[str, Doc(description='"" is the vault.', max_length=4096)] = ""
    state: Annotated[NoteState | None, Doc(description=f"Only folders that have notes in this state. {_STATES}")] = None
    offset: Annotated[int, Doc(ge=0, le=1_000_000_000)] = 0
    limit: Annotated[int, Doc(ge=0, le=MAX_PAGE)] = 100


class InspectFoldersResult(Value, frozen=True, kw_only=True):
    """A folder, and a page of those directly in it, as counted at most some seconds ago."""

    folder: FolderState
    folders: Annotated[list[FolderState], Doc(description="By name.")]
    total: Annotated[int, Doc(description="Folders on all pages.")]


class InspectNotesParams(Params, frozen=True, kw_only=True):
    """The states of the notes in a folder, one by one."""

    folder: Annotated[str, Doc(description='"" is the vault.', max_length=4096)] = ""
    state: Annotated[NoteState | None, Doc(description="Only notes in this state.")] = None
    below: Annotated[bool, Doc(description="Whether those in the folders below it are listed too.")] = False
    offset: Annotated[int, Doc(ge=0, le=1_000_000_000)] = 0
    limit: Annotated[int, Doc(ge=0, le=MAX_PAGE)] = 100


class InspectNotesResult(Value, frozen=True, kw_only=True):
    """A page of notes, by path."""

    notes: list[NoteStateEntry]
    total: int


class InspectNoteParams(Params, frozen=True, kw_only=True):
    """Why a note is found or not, whatever is searched for, and what of it is in the index."""

    path: Annotated[str, Doc(description="It need not be indexed, or exist.", max_length=4096)]


class IndexedContent(Value, frozen=True, kw_only=True):
    """What of a note is in the index."""

    title: str
    chunks: int
    words: int
    languages: Annotated[list[str], Doc(description="That words are stemmed in, besides English.")]
    redactions: Annotated[dict[str, int], Doc(description="Credentials that were blanked, by their kind.")]
    skipped_sections: Annotated[
        list[str], Doc(description="Headings whose sections the settings leave out; at most 20.")
    ]
    has_vectors: Annotated[bool, Doc(description="False: some of it waits for a vector of a model in use.")]
    modified_ms: Annotated[int, Doc(description="When the file was last changed, as it was indexed.")]
    size_bytes: int


class NoteReport(Value, frozen=True, kw_only=True):
    """Why a note is found or not."""

    path: str
    state: ReportState
    reasons: Annotated[list[Reason], Doc(description="Every one that is known, that of the state first.")]
    indexed: Annotated[IndexedContent | None, Doc(description="Null where nothing of it is in the index.")]
    modified_ms: Annotated[int | None, Doc(description="Of the file as it is now; null where that cannot be told.")]
    size_bytes: int | None


class FoldersWriteParams(Params, frozen=True, kw_only=True):
    """
    Leave folders out of the index, or take them in again, by single entries of the settings; all others stay.

    A folder is taken in by removing each entry of `excludeFolders` that leaves it out, be it of a folder above it, and
    by adding it to `includeFolders` where only those are indexed and none holds it.
    """

    exclude: Annotated[list[str], Doc(max_length=MAX_FOLDERS)] = msgspec.field(default_factory=list)
    include: Annotated[list[str], Doc(max_length=MAX_FOLDERS)] = msgspec.field(default_factory=list)
