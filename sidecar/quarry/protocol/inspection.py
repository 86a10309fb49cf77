"""Which notes are in the index, by folder and by note, and why one is not."""

from typing import Annotated, Literal

import msgspec

from quarry.limits import MAX_PAGE, MAX_PATH_CHARS
from quarry.messages import Message
from quarry.options import Params, Value, doc

MAX_FOLDERS = 100

NoteState = Literal["indexed", "partial", "hidden", "waiting", "excluded", "failed"]
ReportState = Literal["indexed", "partial", "hidden", "waiting", "excluded", "failed", "unknown"]

_STATES = (
    "indexed: found. partial: only a part of it is found. hidden: left out of answers because of its status. waiting: "
    "new or changed, and not indexed yet. excluded: excluded by a rule. failed: it could not be indexed."
)


class StateCounts(Value, frozen=True, kw_only=True):
    """How many notes are in each state."""

    indexed: int
    partial: int
    hidden: int
    waiting: int
    excluded: int
    failed: int
    without_vectors: Annotated[
        int, doc("Notes with a passage that still lacks a vector of a model in use; their words are found.")
    ]


class FolderState(Value, frozen=True, kw_only=True):
    """A folder with the states of all notes below it."""

    path: Annotated[str, doc('"" is the vault.')]
    counts: StateCounts
    folder_count: Annotated[int, doc("Direct subfolders with notes.")]
    excluded_by: Annotated[Message | None, doc("The setting that excludes all notes below it; null if there is none.")]


class NoteStateEntry(Value, frozen=True, kw_only=True):
    """The state of one note."""

    path: str
    state: NoteState
    reason: Annotated[Message | None, doc("Null if the note is found.")]


class InspectFoldersParams(Params, frozen=True, kw_only=True):
    """Count the notes in a folder and in its direct subfolders by state."""

    folder: Annotated[str, doc('"" is the vault.', max_length=MAX_PATH_CHARS)] = ""
    state: Annotated[NoteState | None, doc(f"Only folders with notes in this state. {_STATES}")] = None
    offset: Annotated[int, doc(ge=0, le=1_000_000_000)] = 0
    limit: Annotated[int, doc(ge=0, le=MAX_PAGE)] = 100


class InspectFoldersResult(Value, frozen=True, kw_only=True):
    """A folder, and a page of its direct subfolders, as counted at most a few seconds ago."""

    folder: FolderState
    folders: Annotated[list[FolderState], doc("By name.")]
    total: Annotated[int, doc("Folders on all pages.")]


class InspectNotesParams(Params, frozen=True, kw_only=True):
    """List the notes in a folder with their states."""

    folder: Annotated[str, doc('"" is the vault.', max_length=MAX_PATH_CHARS)] = ""
    state: Annotated[NoteState | None, doc("Only notes in this state.")] = None
    below: Annotated[bool, doc("Whether notes in its subfolders are listed, too.")] = False
    offset: Annotated[int, doc(ge=0, le=1_000_000_000)] = 0
    limit: Annotated[int, doc(ge=0, le=MAX_PAGE)] = 100


class InspectNotesResult(Value, frozen=True, kw_only=True):
    """A page of notes, by path."""

    notes: list[NoteStateEntry]
    total: int


class InspectNoteParams(Params, frozen=True, kw_only=True):
    """Explain whether a note can be found by any query, and what the index contains of it."""

    path: Annotated[str, doc("The note need not be indexed, or exist.", max_length=MAX_PATH_CHARS)]


class IndexedContent(Value, frozen=True, kw_only=True):
    """The content of a note in the index."""

    title: str
    chunks: int
    words: int
    languages: Annotated[list[str], doc("Languages other than English in which its words are stemmed.")]
    redactions: Annotated[dict[str, int], doc("Redacted credentials, by kind.")]
    skipped_sections: Annotated[list[str], doc("Headings whose sections the settings exclude; at most 20.")]
    has_vectors: Annotated[bool, doc("False: some of it still lacks a vector of a model in use.")]
    modified_ms: Annotated[int, doc("The modification time of the indexed version of the file.")]
    size_bytes: int


class NoteReport(Value, frozen=True, kw_only=True):
    """Why a note is or is not found."""

    path: str
    state: ReportState
    reasons: Annotated[list[Message], doc("All known reasons, that of the state first.")]
    indexed: Annotated[IndexedContent | None, doc("Null if nothing of it is in the index.")]
    modified_ms: Annotated[int | None, doc("The file's current modification time; null if unknown.")]
    size_bytes: int | None


class FoldersWriteParams(Params, frozen=True, kw_only=True):
    """
    Exclude folders from the index, or include them again, by single entries of the settings; all other entries stay.

    Including a folder removes every entry of `excludeFolders` that excludes it, also those of parent folders, and adds
    it to `includeFolders` if only listed folders are indexed and none of them contains it.
    """

    exclude: Annotated[list[str], doc(max_length=MAX_FOLDERS)] = msgspec.field(default_factory=list)
    include: Annotated[list[str], doc(max_length=MAX_FOLDERS)] = msgspec.field(default_factory=list)
