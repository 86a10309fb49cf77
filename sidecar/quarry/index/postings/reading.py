"""What the keyword index should hold, read from the database: of everything, or of some notes."""

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from quarry.index.database import SqlValue, select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import id_range
from quarry.index.postings.building import Gatherer
from quarry.index.postings.segment import Segment

CHECK_EVERY = 256  # rows between two looks at the deadline

_CHUNKS = "SELECT id, text, section, context, compounds, parts FROM chunk_terms"
# As the view `name_terms` has it; told here as well, as an index of an earlier schema has only `note_terms`.
_NAMES = """
    SELECT id, words_of(title), words_in_list(aliases), words_of(file_name(path)), words_in_list(headings),
        words_in_list(tags),
        compounds_of(title) || ' ' || compounds_in_list(aliases) || ' ' || compounds_of(file_name(path)) || ' '
        || compounds_in_list(headings) || ' ' || compounds_in_list(tags)
    FROM (SELECT n.id, n.title, n.aliases, n.path,
        (SELECT json_group_array(t.tag ORDER BY t.position) FROM tags t WHERE t.note_id = n.id) AS tags,
        (SELECT heading_list(json_group_array(c.heading_path ORDER BY c.number))
            FROM chunks c WHERE c.note_id = n.id) AS headings
    FROM notes n)
"""


class NoteColumns(NamedTuple):
    """The columns of one note: those of its name, and of each of its chunks by id."""

    names: Sequence[str]
    chunks: Sequence[tuple[int, Sequence[str]]]


def read_everything(connection: apsw.Connection, deadline: Deadline = NO_DEADLINE) -> tuple[Segment, Segment]:
    """
    Segments of all chunks and all names; every text is analysed for it, 80,000 chunks in about 8 s.

    Raises:
        OverflowError: There is too much of it for memory.
        Cancelled, DeadlineExceeded: The deadline says so.
    """
    gathered = Gatherer()
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
