"""
A chunk's id says which note it is of: the note's id, then a slot within the note.

So a row of the keyword index or of the vectors is admitted or refused without looking anything up.
"""

import json
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

NoteIds: TypeAlias = NDArray[np.int64]
"""Ids of notes, ascending, each once."""

SLOT_BITS = 11  # SQL spells it out: `>> 11`
SLOTS = 1 << SLOT_BITS
"""Chunks that a note can have."""


def note_of(chunk_id: int) -> int:
    """The id of the note that a chunk is of."""
    return chunk_id >> SLOT_BITS


def id_range(note_id: int) -> tuple[int, int]:
    """The first and the last id that a chunk of this note can have."""
    return note_id << SLOT_BITS, (note_id << SLOT_BITS) + SLOTS - 1


def free_ids(note_id: int, used: AbstractSet[int]) -> Iterator[int]:
    """Ids for new chunks of a note, in order, without those in use."""
    first, last = id_range(note_id)
    return (chunk_id for chunk_id in range(first, last + 1) if chunk_id not in used)


def among(note_ids: NDArray[np.int64], admitted: NoteIds) -> NDArray[np.bool_]:
    """Which of *note_ids* (any order, repeats allowed) are *admitted*; shape (len(note_ids),)."""
    if not len(admitted) or not len(note_ids):
        return np.zeros(len(note_ids), dtype=np.bool_)
    at = np.searchsorted(admitted, note_ids)
    found: NDArray[np.bool_] = admitted[np.minimum(at, len(admitted) - 1)] == note_ids
    return found


def id_list(ids: Iterable[int] | NoteIds) -> str:
    """*ids* as SQL reads them, by `json_each`."""
    return json.dumps(ids.tolist() if isinstance(ids, np.ndarray) else list(ids))
