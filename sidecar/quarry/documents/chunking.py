"""
Divides a note into the chunks that are indexed, embedded and shown.

At H1 and H2 headings; a section over 2,000 characters at its H3 headings, then between paragraphs, list items, tables,
fences and callouts (`blocks`), then inside those at lines and sentences, and at any
character only as a last resort. A passage under 30 characters is joined to a neighbour. Sections such as "See also" are
left out, and so are Quarry's own code blocks, which hold a query.

Chunks are slices of the *scrubbed* text. Their offsets count in the note as decoded: `Chunk.shifts` says how far
the two drift apart at each redaction, so that a jump lands right.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from quarry.documents.decoding import utf16_length
from quarry.documents.markdown import Heading, OpaqueBlock, Outline, gaps, read_outline
from quarry.documents.text_blocks import MAX_CHARS, split_blocks, trim
from quarry.messages import Message, message
from quarry.redaction.scrub import Scrubbed
from quarry.types import Chunk, Shift, Span

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
    live_blocks = [block for block in outline.protected if block.kind == "fence" and block.info == LIVE_BLOCK_LANGUAGE]
    parts = _parts(scrubbed.text, outline, body_start, skip_sections, live_blocks)
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
        parts += [
            _Part(start + part.start, start + part.end, (*section.trail, *part.path), run, section.anchor)
            for part in _parts(text, outline, 0, skip_sections)
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


def _parts(
    text: str, outline: Outline, body_start: int, skip_sections: Sequence[str], live_blocks: Sequence[OpaqueBlock] = ()
) -> list[_Part]:
    """
    Divide *text* from *body_start* on, without *skip_sections* and *live_blocks*.

    The words of the query in a live block are not what the note says.
    """
    left_out = [(start, end) for _, start, end in skipped_sections(text, outline.headings, skip_sections)]
    left_out += [(block.start, block.end) for block in live_blocks]
    trail = ["", "", ""]
    parts: list[_Part] = []
    for run, (start, end) in enumerate(gaps(sorted(left_out), body_start, len(text))):
        for section in _sections(text, outline.headings, Span(start, end), run, trail):
            parts += _cut(text, section, outline)
    return _join_small(parts)


def _sections(text: str, headings: Sequence[Heading], kept: Span, run: int, trail: list[str]) -> Iterator[_Section]:
    """The sections in *kept*, from which nothing is left out; *trail* has the headings above, by level."""
    section = _Section(kept.start, kept.end, tuple(filter(None, trail)), run, [])
    first, end = (bisect_left(headings, offset, key=attrgetter("start")) for offset in (kept.start, kept.end))
    for heading in headings[first:end]:
        if heading.level > 3:
            continue
        trail[heading.level - 1 :] = [heading.text] + [""] * (3 - heading.level)
        path = tuple(filter(None, trail))
        is_first = run > 0 and not section.cuts and not text[section.start : heading.start].strip()
        if heading.level == 3 and not is_first:
            section.cuts.append((heading.start, path))
        else:
            section.end = heading.start
            yield section
            section = _Section(heading.start, kept.end, path, run, [])
    yield section


def skipped_sections(
    text: str, headings: Sequence[Heading], skip_sections: Sequence[str]
) -> Iterator[tuple[str, int, int]]:
    """The sections that `chunk_body` leaves out: title, start and end, in order."""
    skipped_titles = frozenset(_title_key(title) for title in skip_sections)
    seen_top = False
    skipped: Heading | None = None
    for heading in headings:
        if skipped and heading.level > skipped.level:
            continue
        if skipped:
            yield skipped.text, skipped.start, heading.start
        # The first H1 is the note's title: a note called "Links" is not a section called so.
        is_title = heading.level == 1 and not seen_top
        seen_top = seen_top or heading.level == 1
        skipped = heading if not is_title and _title_key(heading.text) in skipped_titles else None
    if skipped:
        yield skipped.text, skipped.start, len(text)


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
