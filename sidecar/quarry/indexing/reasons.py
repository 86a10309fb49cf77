"""Why is a note not found, or only partly: as a code with what it is about, and as a sentence."""

from msgspec import Struct

from quarry.kinds import kind_of
from quarry.messages import ReasonCode
from quarry.vault.rules import Refusal

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


DRAWING = Reason("drawing", "It is a drawing or a board, which are left out.")
HIDDEN = Reason("hidden", "It lies in a hidden folder, or is hidden itself; those are never indexed.")
NEW = Reason("new", "It is not indexed yet; it will be in a moment.")
CHANGED = Reason("changed", "It has changed since it was indexed; what it said before is found until it is read again.")
GONE = Reason("gone", "Its file is gone; the index follows in a moment.")
