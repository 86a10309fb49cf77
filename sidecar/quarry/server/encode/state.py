"""Notes, the status of the index and the settings, as they leave: paths in NFC, every text scrubbed once more."""

from collections.abc import Mapping
from typing import get_args

from quarry import protocol as wire
from quarry.index import NotePage, Problem
from quarry.indexing.backfill import BackfillStatus
from quarry.indexing.freshness import Freshness
from quarry.inspection.index_status import Status
from quarry.kinds import kind_of
from quarry.messages import Message
from quarry.options import Retriever
from quarry.redaction.sanitize import scrubbed
from quarry.search.answer import CHARACTERS_PER_TOKEN
from quarry.search.note_reader import WholeNote
from quarry.server.message_redaction import redacted
from quarry.settings import Settings
from quarry.types import PropertyValue
from quarry.vault.capture import Captured
from quarry.vault.paths import nfc

_RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)


def freshness(index: Freshness) -> wire.Freshness:
    """How current the index was that an answer was read from."""
    return wire.Freshness(state=index.state, done=index.done, total=index.total, epoch=index.epoch)


def note_text(note: WholeNote, index: Freshness, params: wire.ReadNoteParams) -> wire.NoteText:
    """The reply to `note/read`: whole lines from `start_line` on, as many as the budget holds."""
    lines = note.text.split("\n")
    text = "\n".join(lines[params.start_line :])
    room = params.max_tokens * CHARACTERS_PER_TOKEN
    shown = text if len(text) <= room else text[: text.rfind("\n", 0, room) + 1] or text[:room]
    return wire.NoteText(
        path=nfc(note.path),
        kind=kind_of(note.path) or "note",
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
        index=freshness(index),
    )


def note_list(page: NotePage, index: Freshness) -> wire.NoteList:
    """The reply to `notes/list`."""
    return wire.NoteList(
        notes=[
            wire.NoteSummary(
                path=nfc(note.path),
                kind=kind_of(note.path) or "note",
                title=scrubbed(note.title),
                tags=[scrubbed(tag) for tag in note.tags],
                type=scrubbed(note.type) if note.type else None,
                domain=scrubbed(note.domain) if note.domain else None,
                status=scrubbed(note.status) if note.status else None,
                modified_ms=note.modified_ms,
                size_bytes=note.size_bytes,
            )
            for note in page.notes
        ],
        total=page.total,
        index=freshness(index),
    )


def capture_result(note: Captured, index: Freshness) -> wire.CaptureResult:
    """The reply to `capture`, before the note is indexed."""
    return wire.CaptureResult(
        path=nfc(note.path),
        title=scrubbed(note.title),
        created=note.is_new,
        searchable=False,
        redacted=sum(note.redactions.values()),
        redactions=dict(note.redactions),
        index=freshness(index),
    )


def _property(value: PropertyValue) -> str | int | float | bool | list[str]:
    if isinstance(value, tuple):
        return [scrubbed(item) for item in value]
    return scrubbed(value) if isinstance(value, str) else value


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
        backfill=_backfill(status.backfill) if status.backfill else None,
        missing=missing_retrievers(status.missing),
        problem_count=status.problem_count,
        problems=[problem(each) for each in status.problems],
        indexed_ms=status.indexed_ms,
        built_ms=status.built_ms,
        size_bytes=status.size_bytes,
        message=redacted(status.message) if status.message else None,
    )


def problem(problem: Problem) -> wire.Problem:
    """A note that was skipped, truncated or partly read; without a path, what is wrong with the vault's settings."""
    return wire.Problem(path=nfc(problem.path), reason=redacted(problem.reason), skipped=problem.skipped)


def _backfill(status: BackfillStatus) -> wire.Backfill:
    return wire.Backfill(
        model=status.model,
        state=status.state,
        message=status.message,
        done_chunks=status.done_chunks,
        total_chunks=status.total_chunks,
        remaining_ms=status.remaining_ms,
    )


def settings(values: Settings) -> wire.Settings:
    """The reply to `settings/read` and `settings/write`."""
    return wire.Settings(
        include_folders=list(values.include_folders),
        exclude_folders=list(values.exclude_folders),
        model=values.model,
        skip_sections=list(values.skip_sections),
        keyword_weight=values.keyword_weight,
        dense_weight=values.dense_weight,
        fusion=values.fusion,
        stemming=values.stemming,
        index_templates=values.index_templates,
        index_canvases=values.index_canvases,
        index_pdfs=values.index_pdfs,
        exclude_status=list(values.exclude_status),
        sensitive_folders=list(values.sensitive_folders),
        restricted_folders=list(values.restricted_folders),
        capture_folder=values.capture_folder,
        capture_by_agents=values.capture_by_agents,
    )


def missing_retrievers(missing: Mapping[Retriever, Message]) -> list[wire.MissingRetriever]:
    """Retrievers that cannot serve, in a fixed order."""
    return [
        wire.MissingRetriever(retriever=retriever, reason=redacted(missing[retriever]))
        for retriever in _RETRIEVERS
        if retriever in missing
    ]
