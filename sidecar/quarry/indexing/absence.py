"""Why is a note not in the index: excluded by a rule, skipped, not indexed yet, or not on disk?"""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

from quarry.errors import NoteNotFound
from quarry.index import Problem
from quarry.messages import Message, message
from quarry.vault.paths import is_hidden, is_note, nfc
from quarry.vault.read import FileUnreadable, read_file
from quarry.vault.rules import Rules

MAX_DEPTH = 250  # folders; rules test one after the other, and a made-up path may have thousands

Absence = Literal["excluded", "failed", "pending", "unknown"]


def explain_absence(
    root: Path, path: str, rules: Rules, drawings: Container[str], problems: Sequence[Problem], similar: Sequence[str]
) -> tuple[Absence, str, Message]:
    """
    Why the index does not hold the note at *path*, as a state, as a sentence that says what to do, and by its code.

    Args:
        drawings: Paths of drawings and boards, which are left out.
        problems: Of the index, those about *path* among them.
        similar: Paths of indexed notes that were probably meant, if there is none at *path*.

    Raises:
        VaultMissing: The vault cannot be opened.
    """
    wanted = nfc(path)
    if wanted.count("/") > MAX_DEPTH:
        return "unknown", "There is no note that many folders deep.", message("explain-too-deep")
    if "." not in wanted.rpartition("/")[2]:  # a name, not a file
        return _unknown(path, similar)
    if not is_note(wanted):
        return "excluded", "Only Markdown notes are indexed, and this is no `.md` file.", message("explain-no-note")
    if is_hidden(wanted):
        told = message("explain-hidden")
        return "excluded", "It lies in a hidden folder, or is hidden itself; those are never indexed.", told
    if refusal := rules.refusal(wanted):
        told = message("explain-excluded", rule=refusal.rule, reason=refusal.reason)
        return "excluded", f"It is left out: {refusal.reason}.", told
    if path in drawings or wanted in drawings:
        return "excluded", "It is a drawing or a board, which are left out.", message("explain-drawing")
    for problem in problems:
        if nfc(problem.path) == wanted and problem.skipped:
            return _failed(problem.reason)
    try:
        read_file(root, path, max_bytes=0)  # opened without following links: what lies outside stays unknown
    except FileUnreadable as error:
        return _failed(str(error))
    except NoteNotFound:
        return _unknown(path, similar)
    return "pending", "It is not indexed yet; it will be in a moment.", message("explain-pending")


def _failed(reason: str) -> tuple[Absence, str, Message]:
    return "failed", f"It could not be indexed: {reason}.", message("explain-failed", reason=reason)


def _unknown(path: str, similar: Sequence[str]) -> tuple[Absence, str, Message]:
    error = str(NoteNotFound.not_indexed(path, similar))
    sentence = error[0].upper() + error[1:]
    if not similar:
        sentence = f"{sentence}. Search or list notes to find its path."
    return "unknown", sentence, message("explain-unknown", path=path, similar=tuple(similar))
