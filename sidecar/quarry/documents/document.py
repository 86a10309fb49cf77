"""
From the text of a canvas or a PDF file to a note.

Such files are read to a *document*: a text, and the sections of it that are read by themselves. From there on they are
handled as notes are: the whole text is scrubbed, and everything else is read from the scrubbed text.
"""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from quarry.documents.chunking import TextSection, chunk_sections
from quarry.documents.markdown import MAX_HEADING_CHARS, read_outline
from quarry.documents.note import ParserSettings, context_line, tags_and_links
from quarry.kinds import bare_name
from quarry.messages import Message
from quarry.redaction.scrub import scrub, scrub_text
from quarry.types import Link, Note, PropertyValue


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
