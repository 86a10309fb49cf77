"""The states of notes, as they leave: paths in NFC, sentences scrubbed once more."""

from quarry import protocol as wire
from quarry.inspection.coverage import CoveredFolder, CoveredNote, StateCounts
from quarry.inspection.inspector import FolderPage, NoteStates
from quarry.inspection.note_report import NoteReport
from quarry.messages import Message
from quarry.redaction.scrub import scrub_text
from quarry.server.message_redaction import redacted
from quarry.vault.paths import nfc, shown


def folder_states(page: FolderPage) -> wire.InspectFoldersResult:
    """The reply to `inspect/folders`."""
    return wire.InspectFoldersResult(
        folder=_folder(page.folder, page.refusal),
        folders=[_folder(folder, refusal) for folder, refusal in page.folders],
        total=page.total,
    )


def note_states(found: NoteStates) -> wire.InspectNotesResult:
    """The reply to `inspect/notes`."""
    return wire.InspectNotesResult(notes=[_note(note) for note in found.notes], total=found.total)


def note_report(report: NoteReport) -> wire.NoteReport:
    """The reply to `inspect/note`."""
    content = report.indexed
    return wire.NoteReport(
        path=nfc(shown(report.path)),
        state=report.state,
        reasons=[redacted(reason) for reason in report.reasons],
        indexed=wire.IndexedContent(
            title=scrub_text(content.title),
            chunks=content.chunk_count,
            words=content.word_count,
            languages=list(content.languages),
            redactions=dict(content.redactions),
            skipped_sections=[scrub_text(title) for title in content.skipped_sections],
            has_vectors=content.has_vectors,
            modified_ms=content.modified_ms,
            size_bytes=content.size_bytes,
        )
        if content
        else None,
        modified_ms=report.modified_ms,
        size_bytes=report.size_bytes,
    )


def _folder(folder: CoveredFolder, refusal: Message | None) -> wire.FolderState:
    return wire.FolderState(
        path=folder.path,
        counts=_counts(folder.counts),
        folder_count=folder.folder_count,
        excluded_by=redacted(refusal) if refusal else None,
    )


def _counts(counts: StateCounts) -> wire.StateCounts:
    return wire.StateCounts(
        indexed=counts.indexed,
        partial=counts.partial,
        hidden=counts.hidden,
        waiting=counts.waiting,
        excluded=counts.excluded,
        failed=counts.failed,
        without_vectors=counts.without_vectors,
    )


def _note(note: CoveredNote) -> wire.NoteStateEntry:
    return wire.NoteStateEntry(path=note.path, state=note.state, reason=redacted(note.reason) if note.reason else None)
