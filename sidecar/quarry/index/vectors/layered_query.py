"""
Dense retrieval by contextual vectors, with static ones under them for notes that wait.

Cosines of different models cannot be compared: one model has most passages at .1, another at .7. What can is how far a
cosine is from those of passages at random, in standard deviations (`background.py`). So both layers give standardised
cosines: of a passage at random .1 with a deviation of .085, as an ordinary vault has them with the static model. What
holds for static cosines (a least one, what a title may count) then holds for these as well.
"""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from quarry.index.database import Deadline
from quarry.index.keys import NoteIds, among, notes_of
from quarry.index.top_k import Scored
from quarry.index.vectors.background import PRIOR_MEAN, PRIOR_SPREAD, Background
from quarry.index.vectors.query import DenseQuery, FloatArray, NearestChunks
from quarry.index.vectors.rows import Waiting

STANDARD = Background(PRIOR_MEAN, PRIOR_SPREAD)
DIGITS = 9  # of a standardised cosine; beyond that, the order of operations decides


class StandardizedQuery:
    """A `DenseQuery` whose cosines are those of *query*, standardised."""

    def __init__(self, query: DenseQuery) -> None:
        self._query = query
        background = query.background()
        self._scale = STANDARD.spread / background.spread
        self._offset = STANDARD.mean - background.mean * self._scale

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        return self._standardized(self._query.top_chunks(admitted, depth, deadline))

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        nearest = self._query.nearest_chunks(note_ids)
        return replace(nearest, cosines=self._column(nearest.cosines), means=self._column(nearest.means))

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        return self._standardized(self._query.top_titles(admitted, depth))

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        titled, cosines = self._query.title_cosines(note_ids)
        return titled, self._column(cosines)

    def background(self) -> Background:
        """`STANDARD`, whatever the query."""
        return STANDARD

    def _standardized(self, scored: Sequence[Scored]) -> list[Scored]:
        return [(row_id, round(score * self._scale + self._offset, DIGITS)) for row_id, score in scored]

    def _column(self, cosines: FloatArray) -> FloatArray:
        return (cosines * self._scale + self._offset).round(DIGITS)


class LayeredDenseQuery:
    """
    A `DenseQuery` that compares *waiting* notes by *static* vectors, and all others by *contextual* ones.

    Args:
        contextual, static: The query by either, with comparable cosines.
    """

    def __init__(self, contextual: DenseQuery, static: DenseQuery, waiting: Waiting) -> None:
        self._contextual = contextual
        self._static = static
        self._waiting = waiting

    def top_chunks(self, admitted: NoteIds | None, depth: int, deadline: Deadline) -> list[Scored]:
        """See `DenseQuery`."""
        above = self._contextual.top_chunks(admitted, depth + self._waiting.chunk_count, deadline)
        kept = ~among(notes_of(np.array([chunk_id for chunk_id, _ in above], np.int64)), self._waiting.note_ids)
        below = self._static.top_chunks(self._admitted(admitted), depth, deadline)
        return _merged([one for one, is_kept in zip(above, kept.tolist(), strict=True) if is_kept], below)[:depth]

    def nearest_chunks(self, note_ids: NoteIds) -> NearestChunks:
        """See `DenseQuery`."""
        is_waiting = among(note_ids, self._waiting.note_ids)
        above = self._contextual.nearest_chunks(note_ids[~is_waiting])
        if not is_waiting.any():
            return above
        below = self._static.nearest_chunks(note_ids[is_waiting])
        found = np.concatenate((above.note_ids, below.note_ids))
        order = found.argsort()
        return NearestChunks(
            found[order],
            np.concatenate((above.chunk_ids, below.chunk_ids))[order],
            np.concatenate((above.cosines, below.cosines))[order],
            np.concatenate((above.means, below.means))[order],
        )

    def top_titles(self, admitted: NoteIds | None, depth: int) -> list[Scored]:
        """See `DenseQuery`."""
        above = self._contextual.top_titles(admitted, depth + len(self._waiting.note_ids))
        kept = ~among(np.array([note_id for note_id, _ in above], np.int64), self._waiting.note_ids)
        below = self._static.top_titles(self._admitted(admitted), depth)
        return _merged([one for one, is_kept in zip(above, kept.tolist(), strict=True) if is_kept], below)[:depth]

    def title_cosines(self, note_ids: NoteIds) -> tuple[NoteIds, FloatArray]:
        """See `DenseQuery`."""
        is_waiting = among(note_ids, self._waiting.note_ids)
        above, cosines = self._contextual.title_cosines(note_ids[~is_waiting])
        below, static_cosines = self._static.title_cosines(note_ids[is_waiting])
        titled = np.concatenate((above, below))
        order = titled.argsort()
        return titled[order], np.concatenate((cosines, static_cosines))[order]

    def background(self) -> Background:
        """See `DenseQuery`."""
        return self._contextual.background()

    def _admitted(self, admitted: NoteIds | None) -> NoteIds:
        """The waiting notes among the *admitted* ones."""
        waiting = self._waiting.note_ids
        return waiting if admitted is None else waiting[among(waiting, admitted)]


def layered_query(contextual: DenseQuery, static: DenseQuery | None, waiting: Waiting) -> DenseQuery:
    """The query by *contextual* vectors, standardised; notes that wait are compared by *static* ones, if there are."""
    standardized = StandardizedQuery(contextual)
    if static is None or not len(waiting.note_ids):
        return standardized
    return LayeredDenseQuery(standardized, StandardizedQuery(static), waiting)


def _merged(above: Sequence[Scored], below: Sequence[Scored]) -> list[Scored]:
    """Both rankings, best first, as one."""
    return sorted([*above, *below], key=lambda scored: -scored[1])
