"""
Ids of notes and chunks: a chunk's id is its note's id, shifted, plus a slot within the note.

So a row of the keyword index or of the vectors is in or out of a filter without anything being looked up. All shifting
of ids, in Python and in SQL, is done by the names of this module.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

NoteIds: TypeAlias = NDArray[np.int64]
"""Ids of notes, ascending, each once."""

SLOT_BITS = 11
SLOTS = 1 << SLOT_BITS
"""The number of chunks that a note can have."""

# --- in SQL ------------------------------------------------------------------------------------


def note_of_sql(chunk_id: str) -> str:
    """SQL: the id of the note that the chunk *chunk_id*, a column, belongs to."""
    return f"{chunk_id} >> {SLOT_BITS}"


def of_note_sql(chunk_id: str, note_id: str) -> str:
    """SQL: whether the chunk *chunk_id*, a column, belongs to the note *note_id*; a range, which an index serves."""
    return f"{chunk_id} BETWEEN {note_id} << {SLOT_BITS} AND ({note_id} << {SLOT_BITS}) + {SLOTS - 1}"


# --- in Python ---------------------------------------------------------------------------------


def note_of(chunk_id: int) -> int:
    """The id of the note that a chunk belongs to."""
    return chunk_id >> SLOT_BITS


def notes_of(chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ids of the notes that chunks belong to; shape as *chunk_ids*."""
    return chunk_ids >> SLOT_BITS


def slot_of(chunk_id: int) -> int:
    """The slot of a chunk within its note."""
    return chunk_id % SLOTS


def id_range(note_id: int) -> tuple[int, int]:
    """The first and the last id that a chunk of this note can have."""
    return note_id << SLOT_BITS, (note_id << SLOT_BITS) + SLOTS - 1


def free_ids(note_id: int, used: AbstractSet[int]) -> Iterator[int]:
    """Ids for new chunks of a note, in order, without those in use."""
    first, last = id_range(note_id)
    return (chunk_id for chunk_id in range(first, last + 1) if chunk_id not in used)


def look_up(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """
    Where *wanted* ids stand among *ordered* ids, which ascend.

    Returns:
        A position for each of *wanted*, which means nothing where the id is not there, and whether it is there.
    """
    if not len(ordered):
        return np.zeros(len(wanted), dtype=np.intp), np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(ordered.searchsorted(wanted), len(ordered) - 1)
    return at, ordered[at] == wanted


def ordinals_in(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """The positions of *wanted* ids among *ordered* ids, which ascend; shape (len(wanted),), -1 for absent ids."""
    at, is_there = look_up(ordered, wanted)
    return np.where(is_there, at, -1)


def among(note_ids: NDArray[np.int64], admitted: NoteIds) -> NDArray[np.bool_]:
    """Boolean mask of the *note_ids* (any order, repeats allowed) that are *admitted*; shape (len(note_ids),)."""
    return look_up(admitted, note_ids)[1]


def id_list(ids: Iterable[int] | NoteIds) -> str:
    """*ids* as a JSON array, which SQL reads by `json_each`."""
    return str(ids.tolist() if isinstance(ids, np.ndarray) else list(ids))
