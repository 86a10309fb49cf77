"""Capture: a text becomes a new note."""

from typing import Annotated, Literal

import msgspec

from quarry.interfaces.protocol.base import Doc, Params, Value
from quarry.interfaces.protocol.freshness import MAX_WAIT_MS, Freshness

NoteType = Literal["note", "signal", "project", "moc", "daily"]


class CaptureParams(Params, frozen=True, kw_only=True):
    """A new note: credentials are redacted, front matter is added, and it can be found when the answer comes."""

    text: Annotated[str, Doc(description="Markdown. In UTF-8 at most 256 KiB.", max_length=262_144)]
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
                    'Below the vault; made if it is missing, "" is the vault itself. Null: the vault\'s setting. '
                    "Hidden folders, links and folders that are excluded from the index are refused."
                ),
                max_length=4096,
            ),
        ]
        | None
    ) = None
    wait_ms: Annotated[
        int,
        Doc(
            description="Wait at most so long, in milliseconds, until the note can be found.",
            ge=0,
            le=MAX_WAIT_MS,
        ),
    ] = 1000


class CaptureResult(Value, frozen=True, kw_only=True):
    """The note is written, and safe against a power cut."""

    path: str
    title: str
    created: Annotated[bool, Doc(description="False: the very same note lay there already, written today.")]
    searchable: Annotated[
        bool,
        Doc(description="False: it is not indexed yet, as the wait was too short or indexing is paused or failed."),
    ]
    redacted: Annotated[int, Doc(description="Credentials that were replaced by markers.")]
    redactions: Annotated[dict[str, int], Doc(description="How many there were of each kind.")]
    index: Freshness
