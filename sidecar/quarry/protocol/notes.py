"""Notes: reading one, listing many, and reporting changes."""

from datetime import datetime
from typing import Annotated, Literal

from quarry.protocol.base import Doc, Items, Params, Value, local_time
from quarry.protocol.freshness import Freshness, ReadParams
from quarry.protocol.kinds import Kind


class ReadNoteParams(ReadParams, frozen=True, kw_only=True):
    """Read the text of a note, with credentials redacted."""

    path: Annotated[str, Doc(max_length=4096)]
    start_line: Annotated[int, Doc(description="From 0.", ge=0)] = 0
    max_tokens: Annotated[int, Doc(ge=50, le=100_000)] = 10_000


class NoteText(Value, frozen=True, kw_only=True):
    """A note, or the requested part of it."""

    path: str
    kind: Kind
    title: str
    aliases: list[str]
    tags: list[str]
    properties: dict[str, str | int | float | bool | list[str]]
    modified_ms: int
    text: str
    start_line: int
    line_count: Annotated[int, Doc(description="Lines of the whole note.")]
    truncated: bool
    links: Annotated[list[str], Doc(description="Paths of the notes it links to; unresolved links as written.")]
    backlinks: Annotated[list[str], Doc(description="Paths of the notes that link to it.")]
    index: Freshness

    def __str__(self) -> str:
        return self.text

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)


class ListNotesParams(ReadParams, frozen=True, kw_only=True):
    """List notes by folder, tag, type, domain, status or date, newest first."""

    folder: str | None = None
    tag: str | None = None
    type: Annotated[str | None, Doc(description="From the front matter, like `domain` and `status`.")] = None
    domain: str | None = None
    status: Annotated[
        str | None, Doc(description="Notes with a status excluded by the settings are only listed if it is given here.")
    ] = None
    modified_after_ms: int | None = None
    modified_before_ms: int | None = None
    limit: Annotated[int, Doc(ge=1, le=1000)] = 20
    offset: Annotated[int, Doc(ge=0, le=1_000_000_000)] = 0


class NoteSummary(Value, frozen=True, kw_only=True):
    """One line of a listing."""

    path: str
    kind: Kind
    title: str
    tags: list[str]
    type: str | None
    domain: str | None
    status: str | None
    modified_ms: int
    size_bytes: int

    @property
    def modified(self) -> datetime:
        """When the file changed, in local time."""
        return local_time(self.modified_ms)


class NoteList(Value, Items[NoteSummary], frozen=True, kw_only=True):
    """A page of notes."""

    notes: list[NoteSummary]
    total: int
    index: Freshness

    def _items(self) -> list[NoteSummary]:
        return self.notes


class Change(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of a file or folder. It only says where to look: the sidecar reads the disk."""

    kind: Literal["created", "modified", "deleted", "renamed"]
    path: Annotated[str, Doc(max_length=4096)]
    old_path: Annotated[str, Doc(description="Only with `renamed`.", max_length=4096)] | None = None


class VaultChangedParams(Params, frozen=True, kw_only=True):
    """Report changes, in the order in which they happened."""

    changes: Annotated[list[Change], Doc(max_length=5000)]


FeedbackKind = Literal["opened", "dismissed", "restored", "copied", "inserted", "used"]


class FeedbackParams(Params, frozen=True, kw_only=True):
    """Report what the user did with a hit. It is stored on this machine only, as hashes of the query and the path."""

    query: Annotated[str, Doc(max_length=4096)]
    path: Annotated[str, Doc(description="The hit's note.", max_length=4096)]
    kind: Annotated[
        FeedbackKind,
        Doc(
            description="opened: by a person. dismissed: as not relevant. restored: it was dismissed by mistake. "
            "copied: its text, or a link to it. inserted: into a note, as a link or a quotation. used: by an agent."
        ),
    ]


class Accepted(Value, frozen=True, kw_only=True):
    """The changes are queued; `index/updated` follows when they can be found."""

    accepted: int
    reported_ms: Annotated[int, Doc(description="When the changes were reported: a value for `afterMs`.")]
