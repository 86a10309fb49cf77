"""Notes: reading, listing and capturing them, and reporting changes."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from quarry.limits import (
    MAX_CAPTURE_BYTES,
    MAX_LISTED_LINKS,
    MAX_LISTED_TAGS,
    MAX_PATH_CHARS,
    MAX_QUERY_CHARS,
    MAX_TOKENS,
    MAX_WAIT_MS,
    MIN_TOKENS,
)
from quarry.options import NoteType, Params, ReadParams, Value, doc
from quarry.protocol.base import Freshness, Items, local_time
from quarry.protocol.hits import Kind


class ReadNoteParams(ReadParams, frozen=True, kw_only=True):
    """Read the text of a note, with credentials redacted."""

    path: Annotated[str, doc(max_length=MAX_PATH_CHARS)]
    start_line: Annotated[int, doc("From 0.", ge=0)] = 0
    max_tokens: Annotated[int, doc(ge=MIN_TOKENS, le=MAX_TOKENS)] = 10_000


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
    line_count: Annotated[int, doc("Lines of the whole note.")]
    truncated: bool
    links: Annotated[
        list[str], doc(f"Paths of the notes it links to, unresolved links as written; the first {MAX_LISTED_LINKS}.")
    ]
    link_count: int
    backlinks: Annotated[list[str], doc(f"Paths of the notes that link to it; the first {MAX_LISTED_LINKS}.")]
    backlink_count: int
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
    type: Annotated[str | None, doc("From the front matter, like `domain` and `status`.")] = None
    domain: str | None = None
    status: Annotated[
        str | None, doc("Notes with a status excluded by the settings are only listed if it is given here.")
    ] = None
    modified_after_ms: int | None = None
    modified_before_ms: int | None = None
    limit: Annotated[int, doc(ge=1, le=1000)] = 20
    offset: Annotated[int, doc(ge=0, le=1_000_000_000)] = 0


class NoteSummary(Value, frozen=True, kw_only=True):
    """One line of a listing."""

    path: str
    kind: Kind
    title: str
    tags: Annotated[list[str], doc(f"The first {MAX_LISTED_TAGS}; `note/read` returns all.")]
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
    path: Annotated[str, doc(max_length=MAX_PATH_CHARS)]
    old_path: Annotated[str, doc("Only with `renamed`.", max_length=MAX_PATH_CHARS)] | None = None


class VaultChangedParams(Params, frozen=True, kw_only=True):
    """Report changes, in the order in which they happened."""

    changes: Annotated[list[Change], doc(max_length=5000)]


FeedbackKind = Literal["opened", "dismissed", "restored", "copied", "inserted", "used"]


class FeedbackParams(Params, frozen=True, kw_only=True):
    """Report what the user did with a hit. It is stored on this machine only, as hashes of the query and the path."""

    query: Annotated[str, doc(max_length=MAX_QUERY_CHARS)]
    path: Annotated[str, doc("The hit's note.", max_length=MAX_PATH_CHARS)]
    kind: Annotated[
        FeedbackKind,
        doc(
            "opened: by a person. dismissed: as not relevant. restored: it was dismissed by mistake. "
            "copied: its text, or a link to it. inserted: into a note, as a link or a quotation. used: by an agent."
        ),
    ]


class Accepted(Value, frozen=True, kw_only=True):
    """The changes are queued; `index/updated` follows when they can be found."""

    accepted: int
    reported_ms: Annotated[int, doc("When the changes were reported: a value for `afterMs`.")]


class CaptureParams(Params, frozen=True, kw_only=True):
    """Write a new note, with redacted credentials and front matter, and answer once it can be found."""

    text: Annotated[str, doc("Markdown, at most 256 KiB in UTF-8.", max_length=MAX_CAPTURE_BYTES)]
    title: (
        Annotated[str, doc("Null: the first line of the text. The file is named after it.", max_length=1000)] | None
    ) = None
    domain: Annotated[str, doc(max_length=1000)] = ""
    tags: Annotated[list[str], doc("With or without `#`; spaces become dashes.", max_length=100)] = msgspec.field(
        default_factory=list
    )
    type: NoteType = "note"
    source: Annotated[str, doc("Where the text comes from: a program, an address, a book.", max_length=1000)] = ""
    folder: (
        Annotated[
            str,
            doc(
                (
                    'Relative to the vault; created if it is missing. "" is the vault itself. Null: the vault\'s '
                    "setting. Hidden folders, links and folders excluded from the index are rejected."
                ),
                max_length=MAX_PATH_CHARS,
            ),
        ]
        | None
    ) = None
    wait_ms: Annotated[
        int, doc("The longest time to wait, in milliseconds, until the note can be found.", ge=0, le=MAX_WAIT_MS)
    ] = 1000


class CaptureResult(Value, frozen=True, kw_only=True):
    """The note is written, and safe against a power cut."""

    path: str
    title: str
    created: Annotated[bool, doc("False: an identical note, written today, already existed.")]
    searchable: Annotated[
        bool, doc("False: it is not indexed yet, because the wait was too short, or indexing is paused or has failed.")
    ]
    redacted: Annotated[int, doc("Credentials that were replaced by markers.")]
    redactions: Annotated[dict[str, int], doc("The number of each kind.")]
    index: Freshness
