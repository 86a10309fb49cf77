"""Reads chunks of several notes; what is stored of each note is decoded once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import apsw

from quarry.index.deadline import Deadline
from quarry.index.ids import note_of, slot_of
from quarry.index.note_codec import PackedNote, open_content
from quarry.index.note_rows import NoteRow, note_rows, read_contents
from quarry.index.records import StoredChunk

_Opened: TypeAlias = tuple[PackedNote, tuple[str, str, tuple[str, ...], tuple[str, ...], int, str]]
"""A note's content, and what each of its chunks tells of it: path, title, aliases, tags, milliseconds, properties."""


def each_chunk(
    connection: apsw.Connection,
    chunk_ids: Iterable[int],
    contents: Mapping[int, bytes],
    opened: Mapping[int, PackedNote],
) -> Iterator[StoredChunk]:
    """
    The chunks in the order of *chunk_ids*, each decoded only when it is asked for; ids that are not there are left out.

    Args:
        contents: The decompressed content of notes that were read before, by id.
        opened: The content of notes that were opened before, by id.

    Raises:
        IndexDamaged: A row is not as it was written.
    """
    wanted = {chunk_id: note_of(chunk_id) for chunk_id in chunk_ids}
    rows = note_rows(connection, dict.fromkeys(wanted.values()))
    read: dict[int, _Opened] = {}
    for chunk_id, note_id in wanted.items():
        if note_id not in rows:
            continue
        if note_id not in read:
            read[note_id] = _open(rows[note_id], contents.get(note_id), opened.get(note_id))
        content, about = read[note_id]
        number = content.number_of(slot_of(chunk_id))
        if number is not None:
            yield StoredChunk(chunk_id, *about, content.chunk(number))


def read_passages(
    connection: apsw.Connection,
    chunk_ids: Sequence[int],
    deadline: Deadline,
    contents: dict[int, bytes],
    opened: dict[int, PackedNote],
) -> list[str]:
    """
    The embedded text of each chunk: context, section and text; "" for an unknown id.

    Args:
        contents: See `read_contents`.
        opened: Takes the content of those of these notes that *contents* holds, by id.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of a note is not as it was written.
    """
    chunks_of: dict[int, list[int]] = {}
    for chunk_id in chunk_ids:
        chunks_of.setdefault(note_of(chunk_id), []).append(chunk_id)
    texts: dict[int, str] = {}
    known = [(note_id, contents[note_id]) for note_id in chunks_of if note_id in contents]
    unknown = [note_id for note_id in chunks_of if note_id not in contents]
    for note_id, written in chain(known, read_contents(connection, unknown, deadline, contents)):
        content = open_content(written)
        if note_id in contents:  # which holds no more than a query may
            opened[note_id] = content
        for chunk_id in chunks_of[note_id]:
            number = content.number_of(slot_of(chunk_id))
            texts[chunk_id] = content.passage(number) if number is not None else ""
    return [texts.get(chunk_id, "") for chunk_id in chunk_ids]


def _open(row: NoteRow, content: bytes | None, opened: PackedNote | None) -> _Opened:
    packed = row.packed_note(content, opened)
    about = (row.path, row.title, row.aliases, tuple(packed.tags), row.stamp.mtime_ns // 1_000_000, row.front_matter)
    return packed, about
