"""What the keyword index should hold, read from the database: of everything, or of some notes."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from quarry.index.database import SqlValue, select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import id_range
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.segment import Segment

CHECK_EVERY = 256  # rows between two looks at the deadline

_CHUNKS = "SELECT id, text, section, context, compounds, parts FROM chunk_terms"
_NAMES = "SELECT id, title, aliases, name, headings, tags, compounds FROM name_terms"


class NoteColumns(NamedTuple):
    """The columns of one note: those of its name, and of each of its chunks by id."""

    names: Sequence[str]
    chunks: Sequence[tuple[int, Sequence[str]]]


def build_from_database(connection: apsw.Connection, deadline: Deadline = NO_DEADLINE) -> tuple[Segment, Segment]:
    """
    Segments of all chunks and all names; every text is analysed for it, 80,000 chunks in about 8 s.

    Raises:
        OverflowError: There is too much of it for memory.
        Cancelled, DeadlineExceeded: The deadline says so.
    """
    gathered = BulkCollector()
    for put, sql in ((gathered.put, _CHUNKS), (gathered.put_names, _NAMES)):
        for at, (row_id, *columns) in enumerate(connection.execute(sql + " ORDER BY id")):
            if at % CHECK_EVERY == 0:
                deadline.check()
            put(row_id, _texts(columns))
    return gathered.finish()


def read_note(connection: apsw.Connection, note_id: int) -> NoteColumns | None:
    """What one note holds; None: there is none of that id."""
    names = select(connection, _NAMES + " WHERE id = ?", (note_id,))
    if not names:
        return None
    chunks = select(connection, _CHUNKS + " WHERE id BETWEEN ? AND ? ORDER BY id", id_range(note_id))
    return NoteColumns(_texts(names[0][1:]), [(row[0], _texts(row[1:])) for row in chunks])


def _texts(columns: Sequence[SqlValue]) -> Sequence[str]:
    return [column if isinstance(column, str) else "" for column in columns]
