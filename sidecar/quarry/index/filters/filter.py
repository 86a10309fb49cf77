"""
Which notes match a condition, and which part of it a note fails.

A search asks once; every retriever then sees only the notes that match, before anything is ranked or cut.
"""

import apsw
import numpy as np

from quarry.conditions import MATCH_ALL, AllOf, Condition
from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.filters.compile import EVERY_NOTE, compile_condition
from quarry.index.filters.phrases import WrittenPhrases
from quarry.index.ids import NoteIds


def matching_notes(
    connection: apsw.Connection, condition: Condition, phrases: WrittenPhrases, deadline: Deadline
) -> NoteIds | None:
    """
    The notes that match *condition*; None: every note.

    Raises:
        BadQuery: A regular expression cannot be used on this machine.
        DeadlineExceeded, Cancelled: *deadline* says so.
    """
    if condition == MATCH_ALL:  # as of most queries
        return None
    compiled = compile_condition(condition, phrases)
    if compiled == EVERY_NOTE:
        return None
    question = compiled.wrap("SELECT n.id FROM notes n WHERE ", " ORDER BY n.id")
    with deadline.over(connection):
        rows = select(connection, question.text, question.bindings)
    return np.fromiter((note_id for (note_id,) in rows), dtype=np.int64, count=len(rows))


def first_failing_condition(
    connection: apsw.Connection, condition: Condition, note_id: int, phrases: WrittenPhrases, deadline: Deadline
) -> Condition | None:
    """
    The first part of *condition* that the note *note_id* fails; None when it matches.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `matching_notes`.
    """
    with deadline.over(connection):
        for part in condition.parts if isinstance(condition, AllOf) else (condition,):
            question = compile_condition(part, phrases).wrap("SELECT 1 FROM notes n WHERE n.id = ? AND ")
            if not select(connection, question.text, (note_id, *question.bindings)):
                return part
    return None
