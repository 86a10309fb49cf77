"""Notes to read and to list, as they leave: paths in NFC, every text scrubbed once more."""

from quarry.engine import WholeNote
from quarry.index import NotePage
from quarry.interfaces import protocol as wire
from quarry.interfaces.sanitize import scrubbed
from quarry.ranking.budget import CHARACTERS_PER_TOKEN
from quarry.types import PropertyValue
from quarry.vault.paths import nfc


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


def _property(value: PropertyValue) -> str | int | float | bool | list[str]:
    if isinstance(value, tuple):
        return [scrubbed(item) for item in value]
    return scrubbed(value) if isinstance(value, str) else value
