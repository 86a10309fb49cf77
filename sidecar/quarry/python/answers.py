"""Replies of the wire as values of the Python API."""

from collections.abc import Sequence
from typing import Any

from quarry.client.replies import Reply
from quarry.messages import sentences, text
from quarry.python.results import (
    AnswerFreshness,
    CapturedNote,
    FoundNote,
    FoundNotes,
    FoundPassage,
    NoteDocument,
    NoteEntry,
    NoteListing,
    NoteProblem,
    PropertyValue,
    QuotedContext,
    QuoteSource,
    SimilarNote,
    SimilarNotes,
    VaultStatus,
)


def found_notes(reply: Reply) -> FoundNotes:
    """The answer to `search`."""
    return FoundNotes(
        hits=tuple(map(_found_note, reply.hits)),
        total=reply.total,
        reachable=reply.reachable,
        sort=reply.sort,
        confidence=float(reply.confidence),
        understood=text(reply.understood),
        corrections={correction.typed: correction.used for correction in reply.corrections},
        unknown_words=tuple(reply.unknown_words),
        relaxed=sentences(reply.relaxed.messages) if reply.relaxed else None,
        weakness=reply.weakness,
        listed=reply.listed,
        missing=_reasons(reply),
        freshness=_freshness(reply),
    )


def quoted_context(reply: Reply) -> QuotedContext:
    """The answer to `context`."""
    return QuotedContext(
        text=reply.text,
        sources=tuple(map(_quote_source, reply.sources)),
        tokens=reply.tokens,
        abstained=reply.abstained,
        missing=_reasons(reply),
        freshness=_freshness(reply),
    )


def similar_notes(reply: Reply) -> SimilarNotes:
    """The answer to `related`."""
    return SimilarNotes(
        notes=tuple(map(_similar_note, reply.notes)), missing=_reasons(reply), freshness=_freshness(reply)
    )


def note_document(reply: Reply) -> NoteDocument:
    """The answer to `note/read`."""
    return NoteDocument(
        path=reply.path,
        title=reply.title,
        aliases=tuple(reply.aliases),
        tags=tuple(reply.tags),
        properties={name: _property(value) for name, value in reply.properties.items()},
        modified_ms=reply.modified_ms,
        text=reply.text,
        start_line=reply.start_line,
        line_count=reply.line_count,
        truncated=reply.truncated,
        links=tuple(reply.links),
        backlinks=tuple(reply.backlinks),
        freshness=_freshness(reply),
    )


def note_listing(reply: Reply) -> NoteListing:
    """The answer to `notes/list`."""
    return NoteListing(notes=tuple(map(_note_entry, reply.notes)), total=reply.total, freshness=_freshness(reply))


def captured_note(reply: Reply) -> CapturedNote:
    """The answer to `capture`."""
    return CapturedNote(
        path=reply.path,
        title=reply.title,
        created=reply.created,
        searchable=reply.searchable,
        redactions=dict(reply.redactions),
        freshness=_freshness(reply),
    )


def vault_status(reply: Reply) -> VaultStatus:
    """The answer to `index/status`."""
    return VaultStatus(
        state=reply.state,
        notes=reply.notes,
        chunks=reply.chunks,
        pending=reply.pending,
        excluded=reply.excluded,
        model=reply.model.name,
        model_state=reply.model.state,
        missing=_reasons(reply),
        problem_count=reply.problem_count,
        problems=tuple(map(_note_problem, reply.problems)),
        indexed_ms=reply.indexed_ms,
        size_bytes=reply.size_bytes,
        message=text(reply.message) if reply.message else None,
    )


def code_points(text: str, utf16_offsets: Sequence[int]) -> list[int]:
    """
    *utf16_offsets* into *text* in characters of Python, in which what lies beyond U+FFFF counts once.

    Returns:
        One for each offset; one within a surrogate pair, or beyond the end, becomes the next that there is.
    """
    wanted = {offset: len(text) for offset in utf16_offsets}
    remaining = sorted(wanted, reverse=True)
    units = 0
    for position, character in enumerate(text):
        while remaining and remaining[-1] <= units:
            wanted[remaining.pop()] = position
        if not remaining:
            break
        units += 2 if character > "\uffff" else 1
    return [wanted[offset] for offset in utf16_offsets]


def _found_note(hit: Reply) -> FoundNote:
    return FoundNote(
        path=hit.path,
        kind=hit.kind,
        title=hit.title,
        score=None if hit.score is None else float(hit.score),
        confidence=float(hit.confidence),
        why=hit.why,
        type=hit["type"],
        domain=hit.domain,
        tags=tuple(hit.tags),
        modified_ms=hit.modified_ms,
        passages=tuple(map(_found_passage, hit.passages)),
    )


def _found_passage(passage: Reply) -> FoundPassage:
    ends = code_points(passage.snippet, [end for mark in passage.marks for end in (mark.start, mark.end)])
    return FoundPassage(
        heading_path=tuple(passage.heading_path),
        line=passage.line,
        snippet=passage.snippet,
        marks=tuple(zip(ends[::2], ends[1::2], strict=True)),
        text=passage.text,
        anchor=passage.anchor,
    )


def _quote_source(source: Reply) -> QuoteSource:
    return QuoteSource(
        path=source.path,
        heading_path=tuple(source.heading_path),
        line=source.line,
        confidence=float(source.confidence),
    )


def _similar_note(note: Reply) -> SimilarNote:
    return SimilarNote(
        path=note.path,
        kind=note.kind,
        title=note.title,
        score=float(note.score),
        linked=note.linked,
        heading_path=tuple(note.heading_path),
        line=note.line,
        snippet=note.snippet,
    )


def _note_entry(note: Reply) -> NoteEntry:
    return NoteEntry(
        path=note.path,
        kind=note.kind,
        title=note.title,
        tags=tuple(note.tags),
        type=note["type"],
        domain=note.domain,
        status=note.status,
        modified_ms=note.modified_ms,
        size_bytes=note.size_bytes,
    )


def _note_problem(problem: Reply) -> NoteProblem:
    return NoteProblem(path=problem.path, reason=text(problem.reason), skipped=problem.skipped)


def _property(value: Any) -> PropertyValue:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, float):  # which the reply keeps with its digits
        return float(value)
    plain: PropertyValue = value
    return plain


def _reasons(reply: Reply) -> tuple[str, ...]:
    return tuple(text(leg.reason) for leg in reply.missing)


def _freshness(reply: Reply) -> AnswerFreshness:
    index = reply.index
    return AnswerFreshness(state=index.state, done=index.done, total=index.total, epoch=index.epoch)
