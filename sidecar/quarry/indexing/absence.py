"""Why is a note not in the index: excluded by a rule, skipped, not indexed yet, or not on disk?"""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

from quarry.errors import NoteNotFound
from quarry.index import Problem
from quarry.kinds import kind_of
from quarry.vault.paths import is_hidden, nfc
from quarry.vault.read import FileUnreadable, read_file
from quarry.vault.rules import Rules

MAX_DEPTH = 250  # folders; rules test one after the other, and a made-up path may have thousands

Absence = Literal["excluded", "failed", "pending", "unknown"]


def explain_absence(
    root: Path, path: str, rules: Rules, drawings: Container[str], problems: Sequence[Problem], similar: Sequence[str]
) -> tuple[Absence, str]:
    """
    Why the index does not hold the note at *path*, as a state and as a sentence that says what to do.

    Args:
        drawings: Paths of drawings and boards, which are left out.
        problems: Of the index, those about *path* among them.
        similar: Paths of indexed notes that were probably meant, if there is none at *path*.

    Raises:
        VaultMissing: The vault cannot be opened.
    """
    wanted = nfc(path)
    if wanted.count("/") > MAX_DEPTH:
        return "unknown", "There is no note that many folders deep."
    if "." not in wanted.rpartition("/")[2]:  # a name, not a file
        return "unknown", _unknown(path, similar)
    if not rules.is_note(wanted):
        return "excluded", _other_kind(wanted)
    if is_hidden(wanted):
        return "excluded", "It lies in a hidden folder, or is hidden itself; those are never indexed."
    if refusal := rules.refusal(wanted):
        return "excluded", f"It is left out: {refusal.reason}."
    if path in drawings or wanted in drawings:
        return "excluded", "It is a drawing or a board, which are left out."
    for problem in problems:
        if nfc(problem.path) == wanted and problem.skipped:
            return "failed", f"It could not be indexed: {problem.reason}."
    try:
        read_file(root, path, max_bytes=0)  # opened without following links: what lies outside stays unknown
    except FileUnreadable as error:
        return "failed", f"It could not be indexed: {error}."
    except NoteNotFound:
        return "unknown", _unknown(path, similar)
    return "pending", "It is not indexed yet; it will be in a moment."


def _other_kind(path: str) -> str:
    match kind_of(path):
        case "canvas":
            return "Canvases are not searched in this vault; switch them on in the settings (`files.canvas`)."
        case "pdf":
            return "PDF files are not searched in this vault; switch them on in the settings (`files.pdf`)."
        case _:
            return "Only Markdown notes, canvases and PDF files can be searched, and this is none."


def _unknown(path: str, similar: Sequence[str]) -> str:
    message = str(NoteNotFound.not_indexed(path, similar))
    sentence = message[0].upper() + message[1:]
    return sentence if similar else f"{sentence}. Search or list notes to find its path."
