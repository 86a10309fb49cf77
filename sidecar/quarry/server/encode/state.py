"""
Notes, the index and the settings as they are sent: paths in NFC, every text scrubbed once more.

The second scrub is a line of defence: notes were scrubbed when indexed, but what is sent is what counts.
"""

from collections.abc import Mapping
from typing import TypeVar

from quarry import protocol as wire
from quarry.index import NotePage, Problem, StoredModel
from quarry.indexing.current_index import fingerprint_of
from quarry.indexing.freshness import Freshness
from quarry.inspection.coverage import CoveredFolder
from quarry.inspection.index_status import Status
from quarry.inspection.inspector import FolderPage, NoteStates
from quarry.inspection.note_report import NoteReport
from quarry.kinds import kind_of
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_LISTED_LINKS, MAX_LISTED_TAGS
from quarry.messages import Message
from quarry.options import RETRIEVERS, Retriever
from quarry.redaction.scrub import scrub_text
from quarry.search.note_reader import WholeNote
from quarry.server.message_redaction import redacted
from quarry.settings import Settings
from quarry.types import PropertyValue
from quarry.vault.capture import Captured
from quarry.vault.paths import nfc, shown

W = TypeVar("W", bound=wire.Value)


def to_wire(kind: type[W], value: object, /, **changes: object) -> W:
    """The message of *kind* with the fields of *value*, except for *changes*, among which are all texts of notes."""
    same = {name: getattr(value, name) for name in kind.__struct_fields__ if name not in changes}
    return kind(**same, **changes)


# --- notes -------------------------------------------------------------------------------------


def note_text(note: WholeNote, index: Freshness, params: wire.ReadNoteParams) -> wire.NoteText:
    """The reply to `note/read`: whole lines from `start_line` on, as many as the budget allows."""
    lines = note.text.split("\n")
    text = "\n".join(lines[params.start_line :])
    room = params.max_tokens * CHARACTERS_PER_TOKEN
    quoted = text if len(text) <= room else text[: text.rfind("\n", 0, room) + 1] or text[:room]
    return wire.NoteText(
        path=nfc(note.path),
        kind=kind_of(note.path) or "note",
        title=scrub_text(note.title),
        aliases=[scrub_text(alias) for alias in note.aliases],
        tags=[scrub_text(tag) for tag in note.tags],
        properties={key: _property(value) for key, value in note.properties.items()},
        modified_ms=note.modified_ms,
        text=quoted,
        start_line=params.start_line,
        line_count=len(lines),
        truncated=len(quoted) < len(text),
        links=[scrub_text(nfc(link)) for link in note.links[:MAX_LISTED_LINKS]],  # unresolved ones are as written
        link_count=len(note.links),
        backlinks=[nfc(link) for link in note.backlinks[:MAX_LISTED_LINKS]],
        backlink_count=len(note.backlinks),
        index=freshness(index),
    )


def note_list(page: NotePage, index: Freshness) -> wire.NoteList:
    """The reply to `notes/list`."""
    notes = [
        to_wire(
            wire.NoteSummary,
            note,
            path=nfc(note.path),
            kind=kind_of(note.path) or "note",
            title=scrub_text(note.title),
            tags=[scrub_text(tag) for tag in note.tags[:MAX_LISTED_TAGS]],
            type=scrub_text(note.type) if note.type else None,
            domain=scrub_text(note.domain) if note.domain else None,
            status=scrub_text(note.status) if note.status else None,
        )
        for note in page.notes
    ]
    return wire.NoteList(notes=notes, total=page.total, index=freshness(index))


def capture_result(note: Captured, index: Freshness) -> wire.CaptureResult:
    """The reply to `capture`, before the note is indexed."""
    return wire.CaptureResult(
        path=nfc(note.path),
        title=scrub_text(note.title),
        created=note.is_new,
        searchable=False,
        redacted=sum(note.redactions.values()),
        redactions=dict(note.redactions),
        index=freshness(index),
    )


def _property(value: PropertyValue) -> str | int | float | bool | list[str]:
    if isinstance(value, tuple):
        return [scrub_text(item) for item in value]
    return scrub_text(value) if isinstance(value, str) else value


# --- the index and its settings ----------------------------------------------------------------


def freshness(index: Freshness) -> wire.Freshness:
    """How current the index was that an answer was read from."""
    return to_wire(wire.Freshness, index)


def index_status(status: Status) -> wire.IndexStatus:
    """The reply to `index/status`, and what `index/progress` carries."""
    return to_wire(
        wire.IndexStatus,
        status,
        progress=to_wire(wire.Progress, status.progress) if status.progress else None,
        model=wire.Model(name=status.model_name, state=status.model_state, message=status.model_message),
        backfill=to_wire(wire.Backfill, status.backfill) if status.backfill else None,
        models=[_stored_model(model) for model in status.models],
        missing=missing_retrievers(status.missing),
        problems=[problem(each) for each in status.problems],
        message=redacted(status.message) if status.message else None,
    )


def _stored_model(model: StoredModel) -> wire.StoredModel:
    fingerprint = fingerprint_of(model.model)
    return to_wire(wire.StoredModel, model, id=fingerprint.weights_sha256, name=fingerprint.name)


def problem(problem: Problem) -> wire.Problem:
    """A note that was skipped, truncated or partly read; without a path, what is wrong with the vault's settings."""
    return wire.Problem(path=nfc(problem.path), reason=redacted(problem.reason), skipped=problem.skipped)


def missing_retrievers(missing: Mapping[Retriever, Message]) -> list[wire.MissingRetriever]:
    """Retrievers that are unavailable, in a fixed order."""
    return [
        wire.MissingRetriever(retriever=retriever, reason=redacted(missing[retriever]))
        for retriever in RETRIEVERS
        if retriever in missing
    ]


def settings(values: Settings) -> wire.Settings:
    """The reply to `settings/read` and `settings/write`."""
    return to_wire(wire.Settings, values)


# --- the states of notes -----------------------------------------------------------------------


def folder_states(page: FolderPage) -> wire.InspectFoldersResult:
    """The reply to `inspect/folders`."""
    return wire.InspectFoldersResult(
        folder=_folder(page.folder, page.refusal),
        folders=[_folder(folder, refusal) for folder, refusal in page.folders],
        total=page.total,
    )


def _folder(folder: CoveredFolder, refusal: Message | None) -> wire.FolderState:
    counts, excluded_by = to_wire(wire.StateCounts, folder.counts), redacted(refusal) if refusal else None
    return to_wire(wire.FolderState, folder, counts=counts, excluded_by=excluded_by)


def note_states(found: NoteStates) -> wire.InspectNotesResult:
    """The reply to `inspect/notes`."""
    notes = [
        wire.NoteStateEntry(path=note.path, state=note.state, reason=redacted(note.reason) if note.reason else None)
        for note in found.notes
    ]
    return wire.InspectNotesResult(notes=notes, total=found.total)


def note_report(report: NoteReport) -> wire.NoteReport:
    """The reply to `inspect/note`."""
    content = report.indexed
    indexed = content and to_wire(
        wire.IndexedContent,
        content,
        title=scrub_text(content.title),
        chunks=content.chunk_count,
        words=content.word_count,
        skipped_sections=[scrub_text(title) for title in content.skipped_sections],
    )
    reasons = [redacted(reason) for reason in report.reasons]
    return to_wire(wire.NoteReport, report, path=nfc(shown(report.path)), reasons=reasons, indexed=indexed)
