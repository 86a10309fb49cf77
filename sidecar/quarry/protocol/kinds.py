"""The kind of a note's file on the wire, and the place of a passage in it."""

from typing import Annotated

from quarry.kinds import DocumentKind
from quarry.protocol.base import Doc

Kind = Annotated[
    DocumentKind,
    Doc(description="note: a Markdown file. For other kinds, offsets and lines refer to the text from `note/read`."),
]
Anchor = Annotated[
    str | None,
    Doc(description="The place of the passage: `page=12` in a PDF, the id of a node in a canvas; null in a note."),
]
