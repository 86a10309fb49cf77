"""
Which notes hold a term, and what do a few of them score by all that they hold?

The same as a ranking of whole notes gives, but worked out for those alone that are asked about: what half a million
postings say of 200,000 notes takes ten times as long as to look up what they say of three hundred.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.lexical import NOTE_WEIGHTS
from quarry.index.postings.scoring import DIGITS, Floats, idf, saturated
from quarry.index.postings.segment import Positions
from quarry.index.postings.words import Asked, Holding, Words


class Marked(Struct, frozen=True, eq=False):
    """The notes that hold a term, as the bits of a row."""

    count: int
    bits: NDArray[np.uint8]  # shape (notes / 8,)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.bits.nbytes


def marked(words: Words, term: Asked, read: Holding) -> Marked:
    """
    The notes that hold *term*; of those that take long to find they are remembered.

    Args:
        read: Gives the chunks that hold it, and their codes.
    """
    if words.is_plain(term):
        return _marked(words, term, read)
    return words.kept.get((term, "notes"), lambda: _marked(words, term, read))


def _marked(words: Words, term: Asked, read: Holding) -> Marked:
    holds = np.zeros(words.names.size, np.bool_)
    documents, codes = read(term)
    holds[words.note_at.take(documents[words.is_in_note.take(codes)])] = True
    holds[words.name_postings(term)[0]] = True  # no column of a name counts for nothing
    return Marked(int(np.count_nonzero(holds)), np.packbits(holds))


class FewNotes:
    """Some notes, and where what they hold stands."""

    def __init__(self, words: Words, notes: Positions) -> None:
        self._words = words
        self._notes = notes
        ordered = words.note_at[: len(words.chunks.base.ids)]
        first = np.searchsorted(ordered, notes.astype(ordered.dtype))
        count = np.searchsorted(ordered, notes.astype(ordered.dtype), side="right") - first
        begins = np.cumsum(count) - count
        self._owner_of_name = _numbered(words.names.size, notes, np.arange(len(notes)))
        added = self._owner_of_name.take(words.note_at[len(ordered) :])
        is_there = np.flatnonzero(added)
        self._chunks = np.concatenate(
            [np.arange(count.sum()) + np.repeat(first - begins, count), is_there + len(ordered)]
        )
        self._owners = np.concatenate([np.repeat(np.arange(len(notes)), count), added[is_there] - 1])
        self._owner_of_chunk = _numbered(words.chunks.size, self._chunks, self._owners)

    def scores(self, terms: Sequence[tuple[Asked, int]], read: Holding) -> Floats:
        """
        What each of them scores, not rounded.

        Args:
            terms: With the number of notes that hold each.
            read: Gives the chunks that hold a term, and their codes.
        """
        words = self._words
        factors = words.note_factors.take(self._notes)
        scores = np.zeros(len(self._notes))
        for term, count in sorted(terms, key=lambda counted: (counted[1], counted[0])):  # always in one order
            frequencies = np.round(self._in_text(term, read) * NOTE_WEIGHTS.body + self._in_names(term), DIGITS)
            scores += saturated(frequencies, factors, idf(count, words.names.total))
        return scores

    def _in_text(self, term: Asked, read: Holding) -> Floats:
        words = self._words
        if words.is_coded(term):
            times = words.in_note_above.take(words.codes_of(term, read).codes.take(self._chunks))
            return _added_up(self._owners, times, len(self._notes))
        documents, codes = read(term)
        return self._summed(self._owner_of_chunk.take(documents), words.in_note, codes)

    def _in_names(self, term: Asked) -> Floats:
        named, codes = self._words.name_postings(term)
        return self._summed(self._owner_of_name.take(named), self._words.weighted_names("note"), codes)

    def _summed(self, owners: NDArray[np.int32], table: Floats, codes: Positions) -> Floats:
        at = np.flatnonzero(owners)
        return _added_up(owners[at] - 1, table.take(codes[at]), len(self._notes))


def _added_up(owners: NDArray[np.integer[Any]], times: Floats, count: int) -> Floats:
    found: Floats = np.bincount(owners, times, count).astype(np.float64, copy=False)
    return found


def _numbered(size: int, positions: Positions, numbers: Positions) -> NDArray[np.int32]:
    """At each of *positions* its number, counted from 1; elsewhere 0."""
    found = np.zeros(size, np.int32)
    found[positions] = numbers + 1
    return found
