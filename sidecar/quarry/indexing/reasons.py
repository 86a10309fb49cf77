"""Why a note is not in the index, or only partly: a code with what it is about, and a sentence."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from quarry.errors import NoteNotFound
from quarry.index import Problem
from quarry.kinds import kind_of
from quarry.messages import ReasonCode
from quarry.vault.paths import is_hidden, nfc
from quarry.vault.read import FileUnreadable, read_file
from quarry.vault.rules import Refusal, Rules

MAX_DEPTH = 250  # folders; rules test one after the other, and a made-up path may have thousands

Absence = Literal["excluded", "failed", "pending", "unknown"]

_RULES: dict[str, ReasonCode] = {
    "sensitivity": "sensitivity",
    "folders.include": "folders-include",
    "folders.exclude": "folders-exclude",
    ".indexignore": "index-ignore",
    "excluded files": "obsidian-excluded",
    "templates": "templates",
}
# What the sentences of the modules that meet a problem say, as the index keeps no more of it: the first that is held.
_PROBLEMS: tuple[tuple[str, ReasonCode], ...] = (
    ("preparing it ended a process", "crash"),
    ("defect of Quarry", "defect"),
    ("a link", "link"),
    ("a broken link", "link"),
    ("its name ", "name"),
    ("only its first ", "too-large"),
    ("only the first ", "too-many-passages"),
    ("the front matter ", "front-matter"),
    ("not a regular file", "not-a-file"),
    ("is larger than", "too-large"),
    ("it is not JSON", "damaged"),
    ("to be a canvas", "damaged"),
    ("not a canvas", "damaged"),
    ("are not a list", "damaged"),
    ("which no canvas needs", "damaged"),
    ("JSON Canvas", "damaged"),
    ("it is damaged", "damaged"),
    ("protected by a password", "locked"),
    ("it is encrypted", "locked"),
    ("its pages are pictures", "no-text"),
    ("time or memory", "too-large"),
    ("of memory", "too-large"),
    ("pages cannot be read", "damaged"),
    ("cannot be examined", "unreadable"),
    ("cannot be listed", "unreadable"),
    ("cannot be read", "unreadable"),
)


class Reason(Struct, frozen=True):
    """One reason."""

    code: ReasonCode
    message: str  # a sentence that says what to do where that helps
    entry: str = ""  # of the rule, as it is written; the status or the setting, where that is what leaves it out
    plugin: str = ""  # that keeps its templates there


def sentence(clause: str) -> str:
    """*clause* with a capital and a full stop."""
    return clause[:1].upper() + clause[1:] + ("" if clause.endswith((".", "?", "!")) else ".")


def of_refusal(refusal: Refusal) -> Reason:
    """Why a rule leaves a note out."""
    return Reason(_RULES[refusal.rule], f"It is left out: {refusal.reason}.", refusal.entry, refusal.plugin)


def of_problem(told: str) -> Reason:
    """Why a note is not indexed, or only partly: what the index or a walk over the vault *told* of it."""
    return Reason(next((code for part, code in _PROBLEMS if part in told), "other"), sentence(told))


def of_other_kind(path: str) -> Reason:
    """Why the file at *path*, which is of no kind that is indexed, is left out."""
    match kind_of(path):
        case "canvas":
            return Reason("kind-off", "Canvases are not searched here; `files.canvas` says so.", "files.canvas")
        case "pdf":
            return Reason("kind-off", "PDF files are not searched here; `files.pdf` says so.", "files.pdf")
        case _:
            return Reason("not-markdown", "Only Markdown notes, canvases and PDF files can be searched.")


def of_class(sensitivity: str) -> Reason:
    """Why a note with this data class is left out."""
    return Reason("sensitivity", f"Its data class {sensitivity!r} keeps it out of the index.", sensitivity)


DRAWING = Reason("drawing", "It is a drawing or a board, which are left out.")
HIDDEN = Reason("hidden", "It lies in a hidden folder, or is hidden itself; those are never indexed.")
NEW = Reason("new", "It is not indexed yet; it will be in a moment.")
CHANGED = Reason("changed", "It has changed since it was indexed; what it said before is found until it is read again.")
GONE = Reason("gone", "Its file is gone; the index follows in a moment.")


def absence_of(
    root: Path,
    path: str,
    rules: Rules,
    excluded: Mapping[str, Reason],
    problems: Sequence[Problem],
    similar: Sequence[str],
) -> tuple[Absence, Reason]:
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
        return "unknown", Reason("unknown", "There is no note that many folders deep.")
    if "." not in wanted.rpartition("/")[2]:  # a name, not a file
        return "unknown", _unknown(path, similar)
    if not rules.is_note(wanted):
        return "excluded", of_other_kind(wanted)
    if is_hidden(wanted):
        return "excluded", HIDDEN
    if refusal := rules.refusal(wanted):
        return "excluded", of_refusal(refusal)
    if reason := excluded.get(path) or excluded.get(wanted):
        return "excluded", reason
    for problem in problems:
        if nfc(problem.path) == wanted and problem.skipped:
            return "failed", _failed(problem.reason)
    try:
        read_file(root, path, max_bytes=0)  # opened without following links: what lies outside stays unknown
    except FileUnreadable as error:
        return "failed", _failed(str(error))
    except NoteNotFound:
        return "unknown", _unknown(path, similar)
    return "pending", NEW


def _failed(told: str) -> Reason:
    return replace(of_problem(told), message=f"It could not be indexed: {told}.")


def _unknown(path: str, similar: Sequence[str]) -> Reason:
    message = str(NoteNotFound.not_indexed(path, similar))
    told = message[0].upper() + message[1:]
    return Reason("unknown", told if similar else f"{told}. Search or list notes to find its path.")
