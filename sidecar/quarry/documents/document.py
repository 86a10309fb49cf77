"""
From the text of a canvas or a PDF file to a note.

Such files are read to a *document*: a text, and the sections of it that are read by themselves. From there on they are
handled as notes are: the whole text is scrubbed, and everything else is read from the scrubbed text. `canvas.py` reads
canvases; the text of PDF files is extracted in `indexing/pdf_worker.py`.
"""

import re
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.documents.chunking import TextSection, chunk_sections
from quarry.documents.markdown import MAX_HEADING_CHARS, read_outline
from quarry.documents.note import ParserSettings, context_line, tags_and_links
from quarry.kinds import bare_name
from quarry.messages import Message
from quarry.redaction.scrub import scrub, scrub_text
from quarry.types import PAGE_ANCHOR, Chunk, Link, Note, PropertyValue


class Document(Struct, frozen=True):
    """The text of a file, not scrubbed, and what it is divided into."""

    text: str
    sections: tuple[TextSection, ...]
    links: tuple[Link, ...] = ()  # that stand in no section's text as links
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    problems: tuple[Message, ...] = ()


class TextWriter:
    """Puts a text together and keeps where its sections are."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.sections: list[TextSection] = []
        self._length = 0

    def write(self, text: str) -> tuple[int, int]:
        """Append *text* with an empty line before it; returns its span."""
        between = "\n\n" if self.pieces else ""
        start = self._length + len(between)
        self.pieces += between, text
        self._length = start + len(text)
        return start, self._length

    def section(self, text: str, trail: tuple[str, ...], anchor: str, *, is_markdown: bool = True) -> None:
        """Append *text* as a section."""
        start, end = self.write(text)
        self.sections.append(TextSection(start, end, trail, anchor, is_markdown))


def note_of_document(path: str, document: Document, rules: ParserSettings) -> Note:
    """The note that the file at *path* is to the index."""
    scrubbed = scrub(document.text)
    title = scrub_text(bare_name(path))
    aliases = tuple(alias for each in document.aliases if (alias := scrub_text(each)) != title)
    properties = {name: scrub_text(str(value)) for name, value in document.properties.items()}
    trails = {trail: _scrubbed_trail(trail) for trail in {each.trail for each in document.sections}}
    sections = [replace(each, trail=trails[each.trail]) for each in document.sections]
    tags: dict[str, str] = {}
    links: list[Link] = []
    for section in document.sections:
        if section.is_markdown:
            start, end = scrubbed.scrubbed_offset(section.start), scrubbed.scrubbed_offset(section.end)
            text = scrubbed.text[start:end]
            of_section, linked = tags_and_links(text, read_outline(text), {})
            links += linked
            for tag in of_section:
                tags.setdefault(tag.lower(), tag)
    links += [
        Link(each.kind, scrub_text(each.target), each.heading and scrub_text(each.heading), None)
        for each in document.links
    ]
    chunked = chunk_sections(
        document.text,
        scrubbed,
        sections,
        skip_sections=rules.skip_sections,
        max_chunks=rules.max_chunks,
        context=context_line(title, ", ".join(tags.values()), ", ".join(aliases), ", ".join(properties.values())),
    )
    return Note(
        path=path,
        title=title,
        aliases=aliases,
        tags=tuple(tags.values()),
        properties=properties,
        links=tuple(links),
        chunks=chunked.chunks,
        redactions=dict(scrubbed.names()),
        problems=(*document.problems, *chunked.problems),
    )


def _scrubbed_trail(trail: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(scrub_text(each)[:MAX_HEADING_CHARS] for each in trail)


# --- PDF files ---------------------------------------------------------------------------------

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
    pieces: list[str] = []
    line = 0
    for chunk in chunks:
        gap = max(chunk.line - line, 1 if chunk.number else 0)
        pieces += "\n" * gap, chunk.text
        line += gap + chunk.text.count("\n")
    return "".join(pieces)
