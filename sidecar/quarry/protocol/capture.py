"""Capture: a text becomes a new note."""

from typing import Annotated, Literal

import msgspec

from quarry.protocol.base import Doc, Params, Value
from quarry.protocol.freshness import MAX_WAIT_MS, Freshness

NoteType = Literal["note", "signal", "project", "moc", "daily"]


class CaptureParams(Params, frozen=True, kw_only=True):
    """Write a new note, with redacted credentials and front matter, and answer once it can be found."""

    text: Annotated[str, Doc(description="Markdown, at most 256 KiB in UTF-8.", max_length=262_144)]
    title: (
        Annotated[
            str, Doc(description="Null: the first line of the text. The file is named after it.", max_length=1000)
        ]
        | None
    ) = None
    domain: Annotated[str, Doc(max_length=1000)] = ""
    tags: Annotated[list[str], Doc(description="With or without `#`; spaces become dashes.", max_length=100)] = (
        msgspec.field(default_factory=list)
    )
    type: NoteType = "note"
    source: Annotated[
        str, Doc(description="Where the text comes from: a program, an address, a book.", max_length=1000)
    ] = ""
    folder: (
        Annotated[
            str,
            Doc(
                description=(
                    'Relative to the vault; created if it is missing. "" is the vault itself. Null: the vault\'s '
                    "setting. Hidden folders, links and folders excluded from the index are rejected."
                ),
                max_length=4096,
            ),
        ]
        | None
    ) = None
    wait_ms: Annotated[
        int,
        Doc(
            description="The longest time to wait, in milliseconds, until the note can be found.",
            ge=0,
            le=MAX_WAIT_MS,
        ),
    ] = 1000


class CaptureResult(Value, frozen=True, kw_only=True):
    """The note is written, and safe against a power cut."""

    path: str
    title: str
    created: Annotated[bool, Doc(description="False: an identical note, written today, already existed.")]
    searchable: Annotated[
        bool,
        Doc(
            description="False: it is not indexed yet, because the wait was too short, or indexing is paused or has "
            "failed."
        ),
    ]
    redacted: Annotated[int, Doc(description="Credentials that were replaced by markers.")]
    redactions: Annotated[dict[str, int], Doc(description="The number of each kind.")]
    index: Freshness
