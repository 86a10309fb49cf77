"""
From the bytes of a Markdown file to a note: title, tags, links and chunks.

The stages in order: decode, scrub the whole text, then read everything else from the scrubbed text, so that no secret
can reach a title, a tag, a property, a heading or a label.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from quarry.documents.chunking import NOTE_START, ChunkDetail, chunk_body
from quarry.documents.decoding import cut_at_character, decode_note
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.inline import (
    find_links,
    find_tags,
    flatten_block,
    flatten_properties,
    has_tag_sign,
    is_data,
    link_spans,
)
from quarry.documents.markdown import MAX_HEADING_CHARS, Outline, TextRegions, code_spans, inline_comments, read_outline
from quarry.faults import fault_point
from quarry.messages import Message, message
from quarry.options import Stemming
from quarry.redaction.scrub import scrub
from quarry.types import Link, Note, PropertyValue

SCRUBBER_VERSION = 2
"""Raise it with every change to the rules in `redaction/`, so that notes indexed before are scrubbed again."""

READER_VERSION = 2
"""Raise it with every change to what `note.py` extracts from a note, so that notes indexed before are read again."""


class ParserSettings(Struct, frozen=True):
    """The settings that decide what of a note is indexed, and as which terms."""

    skip_sections: tuple[str, ...] = ("Related", "See also", "Links", "References")
    max_bytes: int = 10 * 2**20  # a longer file is a log or an export; its beginning says what it is
    max_chunks: int = 2_000
    stemming: Stemming = "by-language"


MAX_ALIASES = 100
MAX_LINKS = 5_000  # of a note; a reply resolves each of them, and a generated list of links has no end
MAX_TAGS = 1_000
MAX_CONTEXT_CHARS = 1_000  # of the line `title | type | tags | aliases`; it is copied into every chunk

_IN_CONTEXT_LINE = frozenset({"title", "type", "tags", "tag", "aliases", "alias"})
_COMMA = re.compile(r"[ \t]*,[ \t]*")


def read_note(path: str, data: bytes, rules: ParserSettings) -> Note:
    """
    Read a Markdown file.

    Args:
        path: Vault-relative, as spelled on disk.
        data: The file's bytes; of a long file, one byte more than `rules.max_bytes` is enough.
        rules: The settings.
    """
    problems: list[Message] = []
    if len(data) > rules.max_bytes:
        problems.append(message("reason.too-large.note", megabytes=f"{rules.max_bytes / 2**20:g}"))
        data = cut_at_character(data, rules.max_bytes)
    decoded = decode_note(data)
    fault_point("scrub")
    scrubbed = scrub(decoded)
    text = scrubbed.text
    front = read_front_matter(text)
    outline = read_outline(text, front.body_start)
    tags, links = tags_and_links(text, outline, front.properties, front.body_start)
    title = _title(path, front.properties, outline)
    aliases = _aliases(front.properties)
    fault_point("chunk")
    chunked = chunk_body(
        decoded,
        scrubbed,
        outline,
        body_start=front.body_start,
        skip_sections=rules.skip_sections,
        max_chunks=rules.max_chunks,
        context=context_line(title, _text_property(front.properties, "type"), ", ".join(tags), ", ".join(aliases)),
        details=tuple(_details(text, front.properties, outline)),
    )
    for name, count, limit in (("links", len(links), MAX_LINKS), ("tags", len(tags), MAX_TAGS)):
        if count > limit:
            problems.append(message(f"reason.too-large.{name}", limit=limit))
    return Note(
        path=path,
        title=title,
        aliases=aliases,
        tags=tags[:MAX_TAGS],
        properties=front.properties,
        links=links[:MAX_LINKS],
        chunks=chunked.chunks,
        redactions=dict(scrubbed.names()),
        problems=(*problems, *front.problems, *chunked.problems),
    )


def tags_and_links(
    text: str, outline: Outline, properties: Mapping[str, PropertyValue], body_start: int = 0
) -> tuple[tuple[str, ...], tuple[Link, ...]]:
    """Tags and links; inline code is searched for only if there is a tag or link that it could contain."""
    may_link = "[[" in text or "](" in text
    may_tag = has_tag_sign(text, body_start)
    inert = [(region.start, region.end) for region in outline.protected]
    if (may_link or may_tag) and "`" in text:
        inert += code_spans(text, outline.protected, body_start)
    if (may_link or may_tag) and "%%" in text:
        inert += inline_comments(text, body_start)
    regions = TextRegions(inert)
    links = find_links(text, regions) if may_link else ()
    if may_tag and may_link:
        regions = TextRegions([*inert, *link_spans(text, regions)])
    return find_tags(text, regions, properties, body_start if may_tag else len(text)), links


def _title(path: str, properties: Mapping[str, PropertyValue], outline: Outline) -> str:
    """The `title` property, otherwise the first H1, otherwise the file name."""
    written = _text_property(properties, "title")
    if written:
        return " ".join(written.split())[:MAX_HEADING_CHARS]
    heading = next((heading.text for heading in outline.headings if heading.level == 1 and heading.text), None)
    return heading or scrub(path.rpartition("/")[2].removesuffix(".md")).text


def _aliases(properties: Mapping[str, PropertyValue]) -> tuple[str, ...]:
    """The values of `aliases` and `alias`: a list, or text separated by commas."""
    aliases: dict[str, None] = {}
    for name in ("aliases", "alias"):
        value = _property(properties, name)
        for written in value if isinstance(value, tuple) else _COMMA.split("" if value is None else str(value)):
            if alias := " ".join(written.split())[:MAX_HEADING_CHARS]:
                aliases[alias] = None
    return tuple(aliases)[:MAX_ALIASES]


def context_line(*fields: str) -> str:
    """*fields* on one line, without the empty ones; it is indexed with every chunk of the note."""
    return " | ".join(" ".join(field.split()) for field in fields if field)[:MAX_CONTEXT_CHARS]


def _details(text: str, properties: Mapping[str, PropertyValue], outline: Outline) -> Iterator[ChunkDetail]:
    """Flattened data: other properties for the first chunk, JSON and YAML blocks for the chunk that contains them."""
    lines = flatten_properties(properties, leave_out=_IN_CONTEXT_LINE)
    if lines:
        yield ChunkDetail(NOTE_START, lines)
    for region in outline.protected:
        if region.kind == "fence" and is_data(region.info):
            lines = flatten_block(region.info, text[region.content.start : region.content.end])
            if lines:
                yield ChunkDetail(region.start, lines)


def _property(properties: Mapping[str, PropertyValue], wanted: str) -> PropertyValue | None:
    """The property called *wanted*; case is ignored, as in Obsidian."""
    if wanted in properties:
        return properties[wanted]
    return next((value for name, value in properties.items() if name.lower() == wanted), None)


def _text_property(properties: Mapping[str, PropertyValue], wanted: str) -> str:
    value = _property(properties, wanted)
    return "" if value is None else ", ".join(value) if isinstance(value, tuple) else str(value)
