"""Segments read from the forward index: of everything, or of one note."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apsw

from quarry.errors import IndexDamaged
from quarry.index.database import select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.ids import id_range
from quarry.index.keyword.builder import BulkCollector
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.forward import ChunkColumns, NameColumns
from quarry.index.keyword.segment import Segment
from quarry.index.note_codec import open_packed

CHECK_EVERY = 64  # notes between two looks at the deadline
READ_AT_ONCE = 256  # notes


class NoteColumns(NamedTuple):
    """The terms of one note: of its names, and of each of its chunks by id."""

    names: NameColumns
    chunks: Sequence[tuple[int, ChunkColumns]]


def build_from_database(connection: apsw.Connection, deadline: Deadline = NO_DEADLINE) -> tuple[Segment, Segment]:
    """
    The segments of all chunks and of all names: 80,000 chunks in about 2 s.

    Raises:
        OverflowError: There is too much of it for memory.
        PostingsDamaged: A note is not as it was written.
        Cancelled, DeadlineExceeded: The deadline says so.
    """
    collector = BulkCollector()
    for at, (note_id, columns) in enumerate(_every_note(connection)):
        if at % CHECK_EVERY == 0:
            deadline.check()
        for chunk_id, chunk in columns.chunks:
            collector.add_chunk(chunk_id, chunk)
        collector.add_names(note_id, columns.names)
    return collector.build()


def read_note(connection: apsw.Connection, note_id: int) -> NoteColumns | None:
    """The terms of one note; None: there is no note of that id. Raises PostingsDamaged as `build_from_database`."""
    found = select(connection, "SELECT body FROM bodies WHERE note_id = ?", (note_id,))
    return _columns(note_id, found[0][0]) if found else None


def _every_note(connection: apsw.Connection) -> Iterator[tuple[int, NoteColumns]]:
    sql, last = "SELECT note_id, body FROM bodies WHERE note_id > ? ORDER BY note_id LIMIT ?", 0
    while rows := select(connection, sql, (last, READ_AT_ONCE)):
        for note_id, body in rows:
            yield note_id, _columns(note_id, body)
        last = rows[-1][0]


def _columns(note_id: int, body: bytes) -> NoteColumns:
    try:
        opened = open_packed(body)
        terms = opened.terms()
    except IndexDamaged as error:
        raise PostingsDamaged(f"the terms of note {note_id} are not as they were written") from error
    first, _ = id_range(note_id)
    return NoteColumns(
        terms.names, [(first + slot, chunk) for slot, chunk in zip(opened.slots, terms.chunks, strict=True)]
    )
