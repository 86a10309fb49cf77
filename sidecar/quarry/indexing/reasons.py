"""Why a note is not in the index, or only partly, as a message."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from quarry.errors import NoteNotFound
from quarry.index import Problem
from quarry.kinds import kind_of
from quarry.messages import Message, message
from quarry.vault.file_reader import FileUnreadable, read_file
from quarry.vault.paths import is_hidden, nfc
from quarry.vault.rules import Rules

MAX_DEPTH = 250  # folders; rules test one after the other, and a made-up path may have thousands

SENSITIVITY = "reason.sensitivity"

Absence = Literal["excluded", "failed", "pending", "unknown"]


def of_other_kind(path: str) -> Message:
    """Why the file at *path*, which is of no kind that is indexed, is left out."""
    kind = kind_of(path)
    return message("reason.kind-off", entry=f"files.{kind}") if kind else message("reason.not-markdown")


def of_class(sensitivity: str) -> Message:
    """Why a note with this data class is left out."""
    return message(SENSITIVITY, entry=sensitivity)


DRAWING = message("reason.drawing")
HIDDEN = message("reason.hidden")
NEW = message("reason.new")
CHANGED = message("reason.changed")
GONE = message("reason.gone")


def absence_of(
    root: Path,
    path: str,
    rules: Rules,
    excluded: Mapping[str, Message],
    problems: Sequence[Problem],
    similar: Sequence[str],
) -> tuple[Absence, Message]:
    """
    Why the index does not hold the note at *path*.

    Args:
        excluded: The files excluded for their front matter, by path.
        problems: Of the index, those about *path* among them.
        similar: Paths of indexed notes that were probably meant, if there is none at *path*.

    Raises:
        VaultMissing: The vault cannot be opened.
    """
    wanted = nfc(path)
    if wanted.count("/") > MAX_DEPTH:
        return "unknown", message("reason.unknown", path=f"{path[:40]}…")
    if "." not in wanted.rpartition("/")[2]:  # a name, not a file
        return "unknown", unknown(path, similar)
    if rules.is_outside(path):  # as if there were nothing
        return "unknown", unknown(path, similar)
    if not rules.is_note(wanted):
        return "excluded", of_other_kind(wanted)
    if is_hidden(wanted):
        return "excluded", HIDDEN
    if refusal := rules.refusal(wanted):
        return "excluded", refusal
    if reason := excluded.get(path) or excluded.get(wanted):
        return "excluded", reason
    for problem in problems:
        if nfc(problem.path) == wanted and problem.skipped:
            return "failed", problem.reason
    try:
        read_file(root, path, max_bytes=0)  # opened without following links: what lies outside stays unknown
    except FileUnreadable as error:
        return "failed", error.reason
    except NoteNotFound:
        return "unknown", unknown(path, similar)
    return "pending", NEW


def unknown(path: str, similar: Sequence[str]) -> Message:
    """There is no note at *path*; *similar* are the paths that were probably meant."""
    if similar:
        return message("reason.unknown-similar", path=path, similar=tuple(similar))
    return message("reason.unknown", path=path)
