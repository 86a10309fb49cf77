"""Why a note is not in the index: excluded by a rule, skipped, not indexed yet, or not on disk."""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

from quarry.errors import NoteNotFound
from quarry.index import Problem
from quarry.indexing.reasons import DRAWING, HIDDEN, NEW, of_other_kind, of_problem
from quarry.messages import Message, message
from quarry.vault.paths import is_hidden, nfc
from quarry.vault.read import FileUnreadable, read_file
from quarry.vault.rules import Rules

MAX_DEPTH = 250  # folders; rules test one after the other, and a made-up path may have thousands

Absence = Literal["excluded", "failed", "pending", "unknown"]


def absence_of(
    root: Path, path: str, rules: Rules, drawings: Container[str], problems: Sequence[Problem], similar: Sequence[str]
) -> tuple[Absence, Message]:
    """
    Why the index does not hold the note at *path*.

    Args:
        drawings: Paths of drawings and boards, which are left out.
        problems: Of the index, those about *path* among them.
        similar: Paths of indexed notes that were probably meant, if there is none at *path*.

    Raises:
        VaultMissing: The vault cannot be opened.
    """
    wanted = nfc(path)
    if wanted.count("/") > MAX_DEPTH:
        return "unknown", message("reason.unknown", path=f"{path[:40]}…")
    if "." not in wanted.rpartition("/")[2]:  # a name, not a file
        return "unknown", _unknown(path, similar)
    if not rules.is_note(wanted):
        return "excluded", of_other_kind(wanted)
    if is_hidden(wanted):
        return "excluded", HIDDEN
    if refusal := rules.refusal(wanted):
        return "excluded", refusal
    if path in drawings or wanted in drawings:
        return "excluded", DRAWING
    for problem in problems:
        if nfc(problem.path) == wanted and problem.skipped:
            return "failed", of_problem(problem.reason)
    try:
        read_file(root, path, max_bytes=0)  # opened without following links: what lies outside stays unknown
    except FileUnreadable as error:
        return "failed", of_problem(str(error))
    except NoteNotFound:
        return "unknown", _unknown(path, similar)
    return "pending", NEW


def _unknown(path: str, similar: Sequence[str]) -> Message:
    if similar:
        return message("reason.unknown-similar", path=path, similar=tuple(similar))
    return message("reason.unknown", path=path)
