"""Why a note is not found, or only partly, as a message."""

from quarry.kinds import kind_of
from quarry.messages import Message, message, sentence

# What the sentences of the modules that meet a problem say, as the index keeps no more of it: the first that is held.
_PROBLEMS: tuple[tuple[str, str], ...] = (
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


def of_problem(problem: str) -> Message:
    """Why a note is not indexed, or only partly: by the *problem* that the index or a walk over the vault reports."""
    code = next((code for part, code in _PROBLEMS if part in problem), "other")
    return message(f"reason.{code}", detail=sentence(problem))


def of_other_kind(path: str) -> Message:
    """Why the file at *path*, which is of no kind that is indexed, is left out."""
    kind = kind_of(path)
    return message("reason.kind-off", entry=f"files.{kind}") if kind else message("reason.not-markdown")


DRAWING = message("reason.drawing")
HIDDEN = message("reason.hidden")
NEW = message("reason.new")
CHANGED = message("reason.changed")
GONE = message("reason.gone")
