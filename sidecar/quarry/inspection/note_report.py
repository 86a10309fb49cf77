"""Why one note is found, or not, and what of it is in the index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from quarry.conditions import HasProperty, Not, all_of
from quarry.documents.chunking import skipped_sections
from quarry.documents.decoding import decode_note
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.errors import NoteNotFound
from quarry.index import Deadline, Reader, StoredNote
from quarry.indexing.reasons import CHANGED, GONE
from quarry.inspection.coverage import NoteState
from quarry.messages import Message, message
from quarry.options import Scope
from quarry.redaction.scrub import scrub_text
from quarry.settings import Settings
from quarry.types import FileSeen
from quarry.vault.file_reader import FileGone, read_file, reason_unread
from quarry.vault.rules import Rules

MAX_SECTIONS = 20  # named; a note that is generated may have thousands
TIMEOUT_S = 2.0  # of one condition on one note, which takes microseconds

ReportState = NoteState | Literal["unknown"]


class IndexedContent(Struct, frozen=True):
    """The part of a note that is in the index."""

    title: str
    chunk_count: int
    word_count: int
    languages: tuple[str, ...]  # besides English
    redactions: Mapping[str, int]
    skipped_sections: tuple[str, ...]
    has_vectors: bool
    modified_ms: int  # of the file, when it was indexed
    size_bytes: int


class NoteReport(Struct, frozen=True):
    """The state of a note with every reason that is known, the first of them for the state."""

    path: str
    state: ReportState
    reasons: tuple[Message, ...]
    indexed: IndexedContent | None  # None: nothing of it is in the index
    modified_ms: int | None  # of the file as it is now; None: it cannot be told
    size_bytes: int | None


def report_indexed(root: Path, path: str, reader: Reader, rules: Rules, settings: Settings) -> NoteReport | None:
    """
    The report on a note that the index holds; None where it holds none at *path*.

    Raises:
        VaultMissing: The vault cannot be opened.
        IndexDamaged: Its stored form does not match its checksum.
    """
    name, stored = reader.note_named(path), reader.note(path)
    if name is None or stored is None:
        return None
    seen, text, unreadable = _file(root, stored.note.path)
    reasons: list[tuple[NoteState, Message]] = []
    if refusal := rules.refusal(stored.note.path):
        reasons.append(("excluded", refusal))
    if unreadable is not None:
        reasons.append(unreadable)
    elif seen is not None and not _is_same(seen, stored):
        reasons.append(("waiting", CHANGED))
    if status := _hidden_by(reader, name.note_id, settings):
        reasons.append(("hidden", message("reason.status", entry=status)))
    reasons += [("partial", problem.reason) for problem in reader.problems_of(stored.note.path)]
    content = IndexedContent(
        title=stored.note.title,
        chunk_count=len(stored.note.chunks),
        word_count=sum(len(chunk.text.split()) for chunk in stored.note.chunks),
        languages=name.languages,
        redactions=dict(stored.note.redactions),
        skipped_sections=_skipped(text, settings) if text is not None else (),
        has_vectors=name.note_id not in reader.notes_without_vectors(),
        modified_ms=stored.modified_ms,
        size_bytes=stored.stamp.size_bytes,
    )
    return NoteReport(
        path=stored.note.path,
        state=reasons[0][0] if reasons else "indexed",
        reasons=tuple(reason for _, reason in reasons),
        indexed=content,
        modified_ms=seen.mtime_ns // 1_000_000 if seen else None,
        size_bytes=seen.size_bytes if seen else None,
    )


def file_seen_at(root: Path, path: str) -> FileSeen | None:
    """The size and times of the note's file at *path*, which is opened without following links; None: no such note."""
    try:
        content = read_file(root, path, max_bytes=0)
    except NoteNotFound:
        return None
    return FileSeen(content.size_bytes, content.mtime_ns, content.ctime_ns)


def _file(root: Path, path: str) -> tuple[FileSeen | None, str | None, tuple[NoteState, Message] | None]:
    """The file at *path* with its scrubbed text; or why it cannot be read, and the state of its note for that."""
    try:
        content = read_file(root, path)
    except FileGone:
        return None, None, ("waiting", GONE)
    except NoteNotFound as error:
        return None, None, ("partial", reason_unread(error))
    seen = FileSeen(content.size_bytes, content.mtime_ns, content.ctime_ns)
    return seen, scrub_text(decode_note(content.data)), None


def _is_same(seen: FileSeen, stored: StoredNote) -> bool:
    stamp = stored.stamp
    return (seen.size_bytes, seen.mtime_ns, seen.ctime_ns) == (stamp.size_bytes, stamp.mtime_ns, stamp.ctime_ns)


def _hidden_by(reader: Reader, note_id: int, settings: Settings) -> str | None:
    """The status by which the settings leave the note *note_id* out of answers; None: they do not."""
    if not settings.exclude_status:
        return None
    wanted = all_of(Scope(not_status=settings.exclude_status).status_conditions)
    failing = reader.first_failing_condition(wanted, note_id, deadline=Deadline.after(TIMEOUT_S))
    if isinstance(failing, Not) and isinstance(failing.part, HasProperty):
        return str(failing.part.value)
    return None


def _skipped(text: str, settings: Settings) -> tuple[str, ...]:
    """The headings in *text* whose sections are not searched."""
    outline = read_outline(text, read_front_matter(text).body_start)
    titles = dict.fromkeys(title for title, _, _ in skipped_sections(text, outline.headings, settings.skip_sections))
    return tuple(titles)[:MAX_SECTIONS]
