"""Which kind of file is a note on the wire, and where in it does a passage stand?"""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc
from quarry.kinds import DocumentKind

Kind = Annotated[
    DocumentKind,
    Doc(description="note: a Markdown file. Of others, offsets and lines count in the text that `note/read` gives."),
]
Anchor = Annotated[
    str | None,
    Doc(description="Where the passage stands: `page=12` of a PDF, the id of a node of a canvas; null in a note."),
]
