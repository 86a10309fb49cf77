"""
Writes a text as a new note of the vault.

It is scrubbed, with everything that goes into its front matter, before a byte of it is written.
"""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from quarry.errors import BadRequest
from quarry.kinds import NOTE_SUFFIX
from quarry.redaction.scrub import scrub
from quarry.vault.captured_note import Draft, checked_draft, checked_text, file_stem, note_text
from quarry.vault.rules import Rules
from quarry.vault.write import checked_folder, write_new_note


class Captured(Struct, frozen=True):
    """A note that was captured."""

    path: str
    title: str
    redactions: Mapping[str, int]  # credentials that were replaced, by the rule that found them
    is_new: bool  # False: an identical note existed already


def capture(root: Path, rules: Rules, draft: Draft, folder: str, today: date) -> Captured:
    """
    Write *draft* as a new note into *folder* of the vault at *root*, which *rules* must admit.

    Raises:
        BadRequest: The draft is empty, too large or has a value that cannot be written, or the folder is outside the
            vault, hidden, reached through a link, or excluded from the index.
        VaultMissing: The vault cannot be opened.
        NoteNotWritten: The system refuses.
    """
    inner = checked_folder(folder)
    scrubbed, redactions = _scrubbed(replace(draft, text=checked_text(draft.text)))
    checked = checked_draft(scrubbed)
    title = checked.title or ""
    _refuse_excluded(rules, inner, file_stem(title))
    written = write_new_note(root, inner, file_stem(title), note_text(checked, today).encode())
    return Captured(written.path, title, redactions, written.is_new)


def _scrubbed(draft: Draft) -> tuple[Draft, dict[str, int]]:
    """*draft* without credentials, and how many of each kind it had."""
    counts: dict[str, int] = {}

    def clean(text: str) -> str:
        found = scrub(text)
        for name, count in found.names().items():
            counts[name] = counts.get(name, 0) + count
        return found.text

    cleaned = replace(
        draft,
        text=clean(draft.text),
        title=clean(draft.title) if draft.title is not None else None,
        domain=clean(draft.domain),
        source=clean(draft.source),
        tags=tuple(map(clean, draft.tags)),
    )
    return cleaned, counts


def _refuse_excluded(rules: Rules, folder: str, stem: str) -> None:
    path = f"{folder}/{stem}{NOTE_SUFFIX}" if folder else stem + NOTE_SUFFIX
    if refusal := rules.refusal(path):
        raise BadRequest(
            f"a note at {path!r} would never be found: {refusal.reason}; choose another folder, or change that rule"
        )
