"""From the text of the pages of a PDF file to a note. Extraction is in `indexing/pdf_worker.py`."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from quarry.documents.document import Document, TextWriter, note_of_document
from quarry.documents.note import ParserSettings
from quarry.messages import Message
from quarry.types import PAGE_ANCHOR, Chunk, Note

MAX_FIELD_CHARS = 500  # of a title or an author
_PROPERTIES = ("author", "subject", "keywords")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_REPLACED: Mapping[int, str | None] = {**_LIGATURES, 0: None, 0x0B: "\n", 0x0C: "\n", 0xA0: " "}
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])(?:-|\u00ad)[ \t]*\n[ \t]*(?=[^\W\d_A-Z])")
_BLANKS = re.compile(r"[ \t]+(?=\n|\Z)")


class PdfText(Struct, frozen=True):
    """The text of each page of a PDF file, "" for one without, and what the file says of itself."""

    pages: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)  # `title`, `author`, `subject`, `keywords`
    problems: tuple[Message, ...] = ()


def read_pdf(path: str, found: PdfText, rules: ParserSettings) -> Note:
    """The note that the PDF file at *path* is to the index; one without text is found by its name."""
    writer = TextWriter()
    for number, page in enumerate(found.pages, start=1):
        if text := cleaned(page):
            writer.section(text, (), f"{PAGE_ANCHOR}{number}", is_markdown=False)
    said = {name: " ".join(cleaned(value).split())[:MAX_FIELD_CHARS] for name, value in found.fields.items()}
    title = said.get("title", "")
    document = Document(
        "".join(writer.pieces),
        tuple(writer.sections),
        aliases=(title,) if any(map(str.isalpha, title)) else (),
        properties={name: said[name] for name in _PROPERTIES if said.get(name)},
        problems=found.problems,
    )
    return note_of_document(path, document, rules)


def cleaned(page: str) -> str:
    """The text of a page as it is searched: words that the end of a line broke are whole, ligatures are letters."""
    text = page.replace("\r\n", "\n").replace("\r", "\n").translate(_REPLACED)
    text = text.encode("utf-8", "replace").decode()  # halves of characters
    return _BROKEN_WORD.sub("", _BLANKS.sub("", text)).replace("\u00ad", "").strip()


def text_of_chunks(chunks: tuple[Chunk, ...]) -> str:
    """The text of a PDF file as the index has it: each passage at its line."""
    return "".join(_placed(chunks))


def _placed(chunks: tuple[Chunk, ...]) -> Iterator[str]:
    line = 0
    for chunk in chunks:
        least = 2 if chunk.number else 0
        gap = max(chunk.line - line, min(least, 1))
        yield "\n" * gap + chunk.text
        line += gap + chunk.text.count("\n")
