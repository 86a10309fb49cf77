"""
Between the engine's values and the wire's: offsets become UTF-16, paths NFC, and every text is scrubbed once more.

The second scrub is a line of defence: notes were scrubbed when indexed, but what leaves is what counts.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

from quarry.engine import Status, WholeNote
from quarry.index import NoteFilter, NotePage
from quarry.interfaces import protocol as wire
from quarry.interfaces.outgoing import one_line, printable, scrubbed
from quarry.ranking.budget import CHARACTERS_PER_TOKEN, estimate_tokens
from quarry.search import Answer, Hit, Passage
from quarry.settings import Settings
from quarry.text.chunking import note_line, note_utf16_offset
from quarry.text.decoding import utf16_offset
from quarry.text.snippet import Snippet
from quarry.types import Leg, PropertyValue, Scope, SearchRequest, VaultChange
from quarry.vault.paths import nfc

SCAN_WIDTH = 120  # characters: two lines of a sidebar
FULL_WIDTH = 300
QUOTE_CHARACTERS = 500  # of a passage in a context block


# --- requests --------------------------------------------------------------------------------------


def search_request(params: wire.SearchParams) -> SearchRequest:
    """What the engine is to be asked."""
    return SearchRequest(
        query=params.query,
        limit=params.limit,
        mode=params.mode,
        snippet_width=SCAN_WIDTH if params.detail == "scan" else FULL_WIDTH,
        max_tokens=params.max_tokens,
        scope=_scope(params.filters),
        weights={"lexical": params.weights.lexical, "dense": params.weights.dense} if params.weights else None,
        guard=params.guard,
        with_text=params.detail == "full",
    )


def context_request(params: wire.ContextParams) -> SearchRequest:
    """The search behind a context block; its snippets are the quotes."""
    return SearchRequest(
        query=params.query,
        limit=params.limit,
        snippet_width=QUOTE_CHARACTERS,
        max_tokens=params.max_tokens,
        scope=_scope(params.filters),
        guard=False,
        with_text=False,
    )


def listing(params: wire.ListNotesParams) -> NoteFilter:
    """Which notes to list."""
    return NoteFilter(
        scope=Scope(folders=(params.folder,) if params.folder else (), tags=(params.tag,) if params.tag else ()),
        type=params.type,
        modified_from_ms=params.modified_after_ms,
        modified_until_ms=params.modified_before_ms,
    )


def vault_change(change: wire.Change) -> VaultChange:
    """A change as the engine takes it."""
    return VaultChange(change.kind, change.path, change.old_path)


def _scope(filters: wire.Filters) -> Scope:
    return Scope(
        folders=tuple(filters.folders),
        not_folders=tuple(filters.not_folders),
        paths=tuple(filters.paths),
        not_paths=tuple(filters.not_paths),
        tags=tuple(filters.tags),
        not_tags=tuple(filters.not_tags),
    )


# --- results ---------------------------------------------------------------------------------------


def search_result(answer: Answer, *, with_text: bool) -> wire.SearchResult:
    """The reply to `search`."""
    return wire.SearchResult(
        hits=[_hit(hit, with_text=with_text) for hit in answer.hits],
        total=answer.total,
        legs=list(answer.legs),
        missing=missing_legs(answer.missing),
        tokens=answer.tokens,
        truncated=answer.truncated,
    )


def context_result(answer: Answer, max_tokens: int) -> wire.ContextResult:
    """
    The reply to `context`: one quote a note, each under its path and heading, within *max_tokens*.

    Quotes stand behind `> `, so that nothing a note says can pass for anything but a quote.
    """
    blocks: list[str] = []
    sources: list[wire.Source] = []
    room = max_tokens * CHARACTERS_PER_TOKEN
    for hit in answer.hits:
        block = _quote_block(hit)
        room -= len(block) + 2
        if room < 0:
            break
        blocks.append(block)
        chunk = hit.passages[0].chunk.chunk
        sources.append(wire.Source(path=nfc(hit.path), heading_path=_headings(chunk.heading_path), line=chunk.line))
    text = "\n\n".join(blocks)
    return wire.ContextResult(
        text=text, sources=sources, tokens=estimate_tokens(text), missing=missing_legs(answer.missing)
    )


def note_text(note: WholeNote, params: wire.ReadNoteParams) -> wire.NoteText:
    """The reply to `note/read`: whole lines from `start_line` on, as many as the budget holds."""
    lines = note.text.split("\n")
    text = "\n".join(lines[params.start_line :])
    room = params.max_tokens * CHARACTERS_PER_TOKEN
    shown = text if len(text) <= room else text[: text.rfind("\n", 0, room) + 1] or text[:room]
    return wire.NoteText(
        path=nfc(note.path),
        title=scrubbed(note.title),
        aliases=[scrubbed(alias) for alias in note.aliases],
        tags=[scrubbed(tag) for tag in note.tags],
        properties={key: _property(value) for key, value in note.properties.items()},
        modified_ms=note.modified_ms,
        text=shown,
        start_line=params.start_line,
        line_count=len(lines),
        truncated=len(shown) < len(text),
        links=[scrubbed(nfc(link)) for link in note.links],  # unresolved ones stand as they were written
        backlinks=[nfc(link) for link in note.backlinks],
    )


def note_list(page: NotePage) -> wire.NoteList:
    """The reply to `notes/list`."""
    return wire.NoteList(
        notes=[
            wire.NoteSummary(
                path=nfc(note.path),
                title=scrubbed(note.title),
                tags=[scrubbed(tag) for tag in note.tags],
                type=scrubbed(note.type) if note.type else None,
                modified_ms=note.modified_ms,
                size_bytes=note.size_bytes,
            )
            for note in page.notes
        ],
        total=page.total,
    )


def index_status(status: Status) -> wire.IndexStatus:
    """The reply to `index/status`, and what `index/progress` carries."""
    progress = status.progress
    return wire.IndexStatus(
        state=status.state,
        notes=status.notes,
        chunks=status.chunks,
        pending=status.pending,
        excluded=status.excluded,
        progress=wire.Progress(
            done_notes=progress.done_notes,
            total_notes=progress.total_notes,
            done_chunks=progress.done_chunks,
            notes_per_second=progress.notes_per_second,
            remaining_ms=progress.remaining_ms,
        )
        if progress
        else None,
        model=wire.Model(name=status.model_name, state=status.model_state, message=status.model_message),
        missing=missing_legs(status.missing),
        problem_count=status.problem_count,
        problems=[wire.Problem(path=nfc(p.path), reason=p.reason, skipped=p.skipped) for p in status.problems],
        indexed_ms=status.indexed_ms,
        size_bytes=status.size_bytes,
        message=status.message,
    )


def settings(values: Settings) -> wire.Settings:
    """The reply to `settings/read` and `settings/write`."""
    return wire.Settings(
        include_folders=list(values.include_folders),
        exclude_folders=list(values.exclude_folders),
        model=values.model,
        skip_sections=list(values.skip_sections),
        lexical_weight=values.lexical_weight,
        dense_weight=values.dense_weight,
    )


def missing_legs(missing: Mapping[Leg, str]) -> list[wire.MissingLeg]:
    """Legs that cannot serve, in a fixed order."""
    return [wire.MissingLeg(leg=leg, reason=missing[leg]) for leg in get_args(Leg) if leg in missing]


# --- hits ------------------------------------------------------------------------------------------


def _hit(hit: Hit, *, with_text: bool) -> wire.Hit:
    note = hit.passages[0].chunk
    return wire.Hit(
        path=nfc(hit.path),
        title=scrubbed(note.title),
        score=hit.score,
        why=_why(hit),
        modified_ms=note.modified_ms,
        tags=[scrubbed(tag) for tag in note.tags],
        passages=[_passage(passage, with_text=with_text) for passage in hit.passages],
    )


def _why(hit: Hit) -> wire.Why:
    if len(hit.legs) == 2:
        return "both"
    return "meaning" if "dense" in hit.legs else "exact"


def _passage(passage: Passage, *, with_text: bool) -> wire.Passage:
    chunk, snippet, fused = passage.chunk.chunk, passage.snippet, passage.fused
    start, end = _match(snippet)
    text, marks = _snippet(snippet)
    return wire.Passage(
        heading_path=_headings(chunk.heading_path),
        snippet=text,
        marks=marks,
        start=chunk.start_utf16,
        line=note_line(chunk, start),
        match_start=note_utf16_offset(chunk, start),
        match_end=note_utf16_offset(chunk, end),
        tokens=passage.tokens,
        text=scrubbed(passage.text) if with_text else None,
        truncated=passage.truncated,
        breakdown=wire.Breakdown(
            lexical_rank=fused.lexical_rank,
            lexical_score=fused.lexical_score,
            dense_rank=fused.dense_rank,
            dense_score=fused.dense_score,
            fused=fused.score,
        )
        if with_text
        else None,
    )


def _match(snippet: Snippet) -> tuple[int, int]:
    """Where to jump to in the chunk: the first mark, or where the snippet begins."""
    if not snippet.marks:
        return snippet.start, snippet.start
    return snippet.start + snippet.marks[0].start, snippet.start + snippet.marks[0].end


def _snippet(snippet: Snippet) -> tuple[str, list[wire.Mark]]:
    """The snippet's text and its marks in UTF-16; none where the second scrub struck, as they would lie wrong."""
    clean = scrubbed(snippet.text)
    if clean != snippet.text:
        return clean, []
    return clean, [
        wire.Mark(start=utf16_offset(clean, mark.start), end=utf16_offset(clean, mark.end), kind=mark.kind)
        for mark in snippet.marks
    ]


def _headings(path: Sequence[str]) -> list[str]:
    return [scrubbed(heading) for heading in path]


def _quote_block(hit: Hit) -> str:
    passage = hit.passages[0]
    trail = " › ".join(_headings(passage.chunk.chunk.heading_path))
    title = f"**{one_line(scrubbed(nfc(hit.path)))}**" + (f" › {one_line(trail)}" if trail else "")
    quote = printable(scrubbed(passage.snippet.text)).strip()
    return f"{title}\n\n" + "\n".join(f"> {line}".rstrip() for line in quote.split("\n"))


def _property(value: PropertyValue) -> str | int | float | bool | list[str]:
    if isinstance(value, tuple):
        return [scrubbed(item) for item in value]
    return scrubbed(value) if isinstance(value, str) else value
