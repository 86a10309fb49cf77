"""Reads the columns of the keyword index from the database, of one note or of all, and builds segments from them."""

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
    """The columns of one note: of its names, and of each of its chunks, `(id, columns)`."""

    names: Sequence[str]
    chunks: Sequence[tuple[int, Sequence[str]]]


def build_from_database(connection: apsw.Connection, deadline: Deadline = NO_DEADLINE) -> tuple[Segment, Segment]:
    """
    Build the segments of all chunks and of all names. Every text is analysed for it: 80,000 chunks take about 8 s.

    Raises:
        OverflowError: There is too much of it for memory.
        Cancelled, DeadlineExceeded: The deadline says so.
    """
    collector = BulkCollector()
    for add, sql in ((collector.add_chunk, _CHUNKS), (collector.add_names, _NAMES)):
        for at, (row_id, *columns) in enumerate(connection.execute(sql + " ORDER BY id")):
            if at % CHECK_EVERY == 0:
                deadline.check()
            add(row_id, _texts(columns))
    return collector.build()


def read_note(connection: apsw.Connection, note_id: int) -> NoteColumns | None:
    """The columns of the note *note_id*; None where there is none."""
    names = select(connection, _NAMES + " WHERE id = ?", (note_id,))
    if not names:
        return None
    chunks = select(connection, _CHUNKS + " WHERE id BETWEEN ? AND ? ORDER BY id", id_range(note_id))
    return NoteColumns(_texts(names[0][1:]), [(row[0], _texts(row[1:])) for row in chunks])


def _texts(columns: Sequence[SqlValue]) -> Sequence[str]:
    return [column if isinstance(column, str) else "" for column in columns]
