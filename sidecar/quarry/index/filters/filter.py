"""
Which notes does a condition admit, and which part of it refuses a note?

Asked once a search; every retriever then sees only the notes that are admitted, before anything is ranked or cut.
"""

import apsw
import numpy as np

from quarry.conditions import Condition, Every
from quarry.index.database import select
from quarry.index.deadline import Deadline
from quarry.index.filters.compile import EVERY_NOTE, note_sql
from quarry.index.ids import NoteIds


def matching_notes(
    connection: apsw.Connection, condition: Condition, deadline: Deadline, *, has_fts5: bool
) -> NoteIds | None:
    """
    The notes that *condition* admits; None: every note, whichever there are.

    Raises:
        BadQuery: A regular expression cannot be used on this machine.
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    admits = note_sql(condition, has_fts5=has_fts5)
    if admits == EVERY_NOTE:
        return None
    question = admits.wrap("SELECT n.id FROM notes n WHERE ", " ORDER BY n.id")
    with deadline.over(connection):
        rows = select(connection, question.text, question.bindings)
    return np.fromiter((note_id for (note_id,) in rows), dtype=np.int64, count=len(rows))


def first_failing_condition(
    connection: apsw.Connection, condition: Condition, note_id: int, deadline: Deadline, *, has_fts5: bool
) -> Condition | None:
    """
    The first part of *condition* that does not admit the note *note_id*; None when all of it does.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: As for `admitted`.
    """
    with deadline.over(connection):
        for part in condition.parts if isinstance(condition, Every) else (condition,):
            question = note_sql(part, has_fts5=has_fts5).wrap("SELECT 1 FROM notes n WHERE n.id = ? AND ")
            if not select(connection, question.text, (note_id, *question.bindings)):
                return part
    return None
