"""
Divides a note into the chunks that are indexed, embedded and shown.

At H1 and H2 headings; a section over 2,000 characters at its H3 headings, then between paragraphs, list items, tables,
fences and callouts (`blocks`), then inside those at lines and sentences, and at any
character only as a last resort. A passage under 30 characters is joined to a neighbour. Sections such as "See also" are
left out, and so are Quarry's own code blocks, which hold a query.

Chunks are slices of the *scrubbed* text. Their offsets count in the note as decoded: `Chunk.shifts` says how far
the two drift apart at each redaction, so that a jump lands right.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quarry.documents.decoding import utf16_length
from quarry.documents.markdown import Heading, OpaqueBlock, Outline, read_outline
from quarry.documents.text_blocks import MAX_CHARS, split_blocks, trim
from quarry.messages import Message, message
from quarry.redaction.scrub import Scrubbed
from quarry.types import Chunk, Shift

MIN_CHARS = 30  # a shorter passage is joined to a neighbour, and is found there
MAX_DETAIL_CHARS = 2_000  # of flattened data in a chunk: as much as its own text may have
LIVE_BLOCK_LANGUAGE = "quarry"
NOTE_START = -1  # as `Detail.offset`: goes to the first chunk


class ChunkDetail(Struct, frozen=True):
    """Lines indexed with a chunk beside its text: the flattened data of the block at *offset* of the scrubbed text."""

    offset: int
    lines: tuple[str, ...]


class TextSection(Struct, frozen=True):
    """A part of a text that is read by itself: a node of a canvas, a page. Offsets count in the decoded text."""

    start: int
    end: int
    trail: tuple[str, ...] = ()  # what its passages stand under, as under headings
    anchor: str | None = None  # see `Chunk.anchor`
    is_markdown: bool = True


class ChunkedText(Struct, frozen=True):
    """The chunks of a note, and messages about what was left out."""

    chunks: tuple[Chunk, ...]
    problems: tuple[Message, ...]


class _Part(Struct, frozen=True):
    """A future chunk: `[start, end)` of the scrubbed text. Between parts of one *run* nothing was left out."""

    start: int
    end: int
    path: tuple[str, ...]
    run: int
    anchor: str | None = None

    @property
    def is_small(self) -> bool:
        return self.end - self.start < MIN_CHARS


def chunk_body(
    decoded: str,
    scrubbed: Scrubbed,
    outline: Outline,
    *,
    body_start: int = 0,
    skip_sections: Sequence[str] = (),
    max_chunks: int = 2_000,
    context: str = "",
    details: Sequence[ChunkDetail] = (),
) -> ChunkedText:
    """
    Divide the text of a note from *body_start* on into chunks.

    Args:
        decoded: The note as decoded; *scrubbed* was made from it.
        scrubbed: The note without its secrets; *outline* and *body_start* count in its text.
        outline: Its headings and protected stretches.
        body_start: Where the front matter ends.
        skip_sections: Titles of sections to leave out with their subsections. Case and a final colon are ignored.
        max_chunks: The maximum; if there are more, `problems` says so.
        context: Indexed with every chunk.
        details: Indexed with single chunks, in the order of the note.

    Returns:
        At least one chunk: a note without text has one empty chunk, and is found by its context.
    """
    sections = _sections(scrubbed.text, outline.headings, body_start, skip_sections)
    sections = _without_live_blocks(scrubbed.text, sections, outline.protected)
    parts = _join_small([part for section in sections for part in _cut(scrubbed.text, section, outline)])
    problems = _cut_to(parts, max_chunks)
    if not parts:
        parts = [_Part(body_start, body_start, (), 0)]
    chunks = tuple(_place(decoded, scrubbed, parts, context))
    return ChunkedText(_with_details(chunks, parts, details), problems)


def chunk_sections(
    decoded: str,
    scrubbed: Scrubbed,
    sections: Sequence[TextSection],
    *,
    skip_sections: Sequence[str] = (),
    max_chunks: int = 2_000,
    context: str = "",
) -> ChunkedText:
    """
    Divide a text that consists of *sections* into chunks, each by itself; other arguments are as for `chunk_body`.

    Nothing between sections is indexed, and none is joined to another. The text of a fence that is never closed, say,
    does not reach beyond its section.

    Args:
        sections: In the order of the text; they do not overlap.

    Returns:
        At least one chunk, as `chunk_body`.
    """
    parts: list[_Part] = []
    for run, section in enumerate(sections):
        start, end = scrubbed.scrubbed_offset(section.start), scrubbed.scrubbed_offset(section.end)
        text = scrubbed.text[start:end]
        outline = read_outline(text) if section.is_markdown else Outline((), ())
        found = [
            part for each in _sections(text, outline.headings, 0, skip_sections) for part in _cut(text, each, outline)
        ]
        parts += [
            _Part(start + part.start, start + part.end, (*section.trail, *part.path), run, section.anchor)
            for part in _join_small(found)
        ]
    problems = _cut_to(parts, max_chunks)
    return ChunkedText(tuple(_place(decoded, scrubbed, parts or [_Part(0, 0, (), 0)], context)), problems)


def _cut_to(parts: list[_Part], max_chunks: int) -> tuple[Message, ...]:
    """Drop what *parts* has beyond *max_chunks*; returns a message that says so."""
    if len(parts) <= max_chunks:
        return ()
    problem = message("reason.too-many-passages", limit=max_chunks, total=len(parts))
    del parts[max_chunks:]
    return (problem,)


# --- sections ----------------------------------------------------------------------------------


class _Section(Struct):
    """The text between two H1 or H2 headings, and the H3 headings in it."""

    start: int
    end: int
    path: tuple[str, ...]
    run: int
    cuts: list[tuple[int, tuple[str, ...]]]  # offset and path of each H3


def _sections(
    text: str, headings: Sequence[Heading], body_start: int, skip_sections: Sequence[str]
) -> Iterator[_Section]:
    """The sections of a note in order, except those in *skip_sections*."""
    skipped_titles = frozenset(_title_key(title) for title in skip_sections)
    trail = ["", "", ""]
    section = _Section(body_start, body_start, (), 0, [])
    skipping = 0  # level of the heading whose section is being left out; 0: none
    seen_top = False
    for heading in headings:
        if skipping and heading.level > skipping:
            continue
        resumes, skipping = skipping > 0, 0
        # The first H1 is the note's title: a note called "Links" is not a section called so.
        is_title = heading.level == 1 and not seen_top
        seen_top = seen_top or heading.level == 1
        if not is_title and _title_key(heading.text) in skipped_titles:
            skipping = heading.level
        elif heading.level <= 3:
            trail[heading.level - 1 :] = [heading.text] + [""] * (3 - heading.level)
        elif not resumes:
            continue
        path = tuple(filter(None, trail))
        if skipping or resumes or heading.level <= 2:
            if not resumes:
                section.end = heading.start
                yield section
            section = _Section(heading.start, len(text), path, section.run + bool(skipping), [])
        elif heading.level == 3:
            section.cuts.append((heading.start, path))
    if not skipping:
        section.end = len(text)
        yield section


def _without_live_blocks(
    text: str, sections: Iterable[_Section], protected: Sequence[OpaqueBlock]
) -> Iterator[_Section]:
    """The sections, divided at Quarry's own code blocks: the words of a query in a note are not what the note says."""
    blocks = [block for block in protected if block.kind == "fence" and block.info == LIVE_BLOCK_LANGUAGE]
    if not blocks:
        yield from sections
        return
    for section in sections:
        passed = sum(block.end <= section.start for block in blocks)  # what a block separates is not joined again
        start, path = section.start, section.path
        for block in blocks:
            if not section.start <= block.start < section.end:
                continue
            yield _piece(section, start, block.start, path, passed)
            start, passed = trim(text, block.end, section.end)[0], passed + 1
            path = next((path for cut, path in reversed(section.cuts) if cut <= start), section.path)
        yield _piece(section, start, section.end, path, passed)


def _piece(section: _Section, start: int, end: int, path: tuple[str, ...], passed: int) -> _Section:
    cuts = [(offset, path) for offset, path in section.cuts if start <= offset < end]
    return _Section(start, end, path, section.run + passed, cuts)


def skipped_sections(
    text: str, headings: Sequence[Heading], skip_sections: Sequence[str]
) -> Iterator[tuple[str, int, int]]:
    """The sections that `chunk_body` leaves out: title, start and end, in order."""
    skipped_titles = frozenset(_title_key(title) for title in skip_sections)
    seen_top, end_before = False, 0
    for at, heading in enumerate(headings):
        is_title = heading.level == 1 and not seen_top
        seen_top = seen_top or heading.level == 1
        if is_title or heading.start < end_before or _title_key(heading.text) not in skipped_titles:
            continue
        behind = (later.start for later in headings[at + 1 :] if later.level <= heading.level)
        end_before = next(behind, len(text))
        yield heading.text, heading.start, end_before


def _title_key(title: str) -> str:
    return title.strip().rstrip(":：").rstrip().casefold()


def _cut(text: str, section: _Section, outline: Outline) -> Iterator[_Part]:
    """A section as one part, or if it is too long, divided at its H3 headings and then between its blocks."""
    start, end = trim(text, section.start, section.end)
    if end - start <= MAX_CHARS:
        if start < end:
            yield _Part(start, end, section.path, section.run)
        return
    starts = [(section.start, section.path), *section.cuts]
    ends = [offset for offset, _ in section.cuts] + [section.end]
    for (sub_start, path), sub_end in zip(starts, ends, strict=True):
        start, end = trim(text, sub_start, sub_end)
        if end - start > MAX_CHARS:
            for piece_start, piece_end in split_blocks(text, start, end, outline.protected, MIN_CHARS):
                yield _Part(piece_start, piece_end, path, section.run)
        elif start < end:
            yield _Part(start, end, path, section.run)


def _join_small(parts: Sequence[_Part]) -> list[_Part]:
    """
    Join each part under 30 characters to a neighbour that has room for it and keeps its own heading path.

    That is the part before it; for the first part and for a heading above its own subsection, the part after it.
    """
    joined: list[_Part] = []
    for at, part in enumerate(parts):
        before = joined[-1] if joined else None
        if before is not None and _fit(before, part):
            if before.is_small:
                joined[-1] = replace(part, start=before.start)
                continue
            if part.is_small and not (at + 1 < len(parts) and _introduces(part, parts[at + 1])):
                joined[-1] = replace(before, end=part.end)
                continue
        joined.append(part)
    return joined


def _fit(first: _Part, second: _Part) -> bool:
    return first.run == second.run and second.end - first.start <= MAX_CHARS


def _introduces(part: _Part, following: _Part) -> bool:
    depth = len(part.path)
    return len(following.path) > depth and following.path[:depth] == part.path and _fit(part, following)


# --- places in the note ------------------------------------------------------------------------


def _place(decoded: str, scrubbed: Scrubbed, parts: Iterable[_Part], context: str) -> Iterator[Chunk]:
    """Turn parts into chunks, with offsets into the decoded note, line numbers and UTF-16 offsets."""
    text = scrubbed.text
    is_ascii = decoded.isascii()
    markers = tuple(_markers(decoded, scrubbed)) if scrubbed.redactions else ()
    marker_starts = [marker.start for marker in markers]
    counted, line, utf16 = 0, 0, 0
    for number, part in enumerate(parts):
        start, end = part.start, part.end
        shifts: tuple[Shift, ...] = ()
        if markers:
            start = scrubbed.original_offset(part.start, edge="start")
            end = scrubbed.original_offset(part.end, edge="end")
            inside = markers[bisect_right(marker_starts, part.start - 1) : bisect_right(marker_starts, part.end - 1)]
            shifts = tuple(Shift(marker.end - part.start, marker.utf16, marker.lines) for marker in inside)
        line += decoded.count("\n", counted, start)
        utf16 += start - counted if is_ascii else utf16_length(decoded[counted:start])
        counted = start
        yield Chunk(
            number, part.path, text[part.start : part.end], start, end, utf16, line, context, shifts, part.anchor
        )


class _Marker(Struct, frozen=True):
    """A redaction marker in the scrubbed text, and how much longer than it the secret is."""

    start: int
    end: int
    utf16: int
    lines: int


def _markers(decoded: str, scrubbed: Scrubbed) -> Iterator[_Marker]:
    drift = 0  # offset into the scrubbed text minus offset into the decoded text
    for redaction in scrubbed.redactions:
        start = redaction.start + drift
        size = len(redaction.marker)
        secret = decoded[redaction.start : redaction.end]
        yield _Marker(start, start + size, utf16_length(secret) - size, secret.count("\n"))
        drift += size - (redaction.end - redaction.start)


def _with_details(
    chunks: tuple[Chunk, ...], parts: Sequence[_Part], details: Sequence[ChunkDetail]
) -> tuple[Chunk, ...]:
    """Add each detail to the context of the chunk in which its block begins, as far as there is room."""
    if not details:
        return chunks
    starts = [part.start for part in parts]
    lines_of: dict[int, list[str]] = {}
    room = dict.fromkeys(range(len(chunks)), MAX_DETAIL_CHARS)
    for detail in details:
        at = 0 if detail.offset == NOTE_START else bisect_right(starts, detail.offset) - 1
        if detail.offset != NOTE_START and (at < 0 or detail.offset >= parts[at].end):
            continue  # in a section that is left out
        for line in detail.lines:
            room[at] -= len(line) + 1
            if room[at] < 0:
                break
            lines_of.setdefault(at, []).append(line)
    enriched = list(chunks)
    for at, lines in lines_of.items():
        context = "\n".join((chunks[at].context, *lines) if chunks[at].context else lines)
        enriched[at] = replace(chunks[at], context=context)
    return tuple(enriched)
