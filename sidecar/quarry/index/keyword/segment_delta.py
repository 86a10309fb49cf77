"""
The base, and the notes that changed since: what becomes the words of one moment.

One thread at a time brings it up to date; the `SnapshotScorer` that it gave before stays as it is.
"""

from functools import cached_property

import apsw
import numpy as np

from quarry.index.ids import SLOT_BITS
from quarry.index.keyword.build_from_database import read_note
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.merging import merge_segments
from quarry.index.keyword.mutable_segment import MutableSegment
from quarry.index.keyword.segment import Segment
from quarry.index.keyword.segment_file import SegmentHeader, SegmentPair
from quarry.index.keyword.segment_snapshot import SegmentSnapshot
from quarry.index.keyword.snapshot_scorer import SnapshotScorer
from quarry.index.keyword.forward import CHUNK_COLUMNS, NAME_COLUMNS


class SegmentDelta:
    """A base, and on top of it the notes that are read anew."""

    def __init__(self, base: SegmentPair) -> None:
        self.base = base
        self.generation = base.stamp.generation  # that it has been brought up to
        self._chunks = MutableSegment(CHUNK_COLUMNS)
        self._names = MutableSegment(NAME_COLUMNS)
        self._notes: list[int] = []  # the position of the note of each added chunk
        self._dead: set[int] = set()  # positions of notes
        self._added: dict[int, int] = {}  # note -> its position among all, where it was added

    @property
    def count(self) -> int:
        """Notes that were read anew, each as often as it was."""
        return len(self._names) + len(self._dead)

    def take(self, connection: apsw.Connection, note_id: int) -> None:
        """Read a note anew as *connection* sees it; it may be gone."""
        columns = read_note(connection, note_id)
        before = self._position_of(note_id)
        if before is not None:
            self._dead.add(before)
        self._added.pop(note_id, None)
        if columns is None:
            return
        position = self._added[note_id] = len(self.base.names.ids) + len(self._names)
        self._names.add(note_id, columns.names)
        for chunk_id, chunk in columns.chunks:
            self._chunks.add(chunk_id, chunk)
            self._notes.append(position)

    def words(self, generation: int) -> SnapshotScorer:
        """
        The words of the moment up to which all changes have been taken.

        Raises:
            PostingsDamaged: The base does not fit chunk_postings_of.
        """
        self.generation = generation
        note_of_chunk = np.concatenate([self._base_notes, np.array(self._notes, np.int32)])
        added = len(self._names)
        live_docs = np.ones(len(self.base.names.ids) + added, np.bool_)
        live_docs[list(self._dead)] = False
        is_whole = not self._dead
        names = SegmentSnapshot(self.base.names, self._names, added, None if is_whole else live_docs)
        of_chunks = None if is_whole else live_docs[note_of_chunk]
        return SnapshotScorer(
            generation,
            SegmentSnapshot(self.base.chunks, self._chunks, len(self._notes), of_chunks),
            names,
            note_of_chunk,
        )

    def folded(self, words: SnapshotScorer, stamp: SegmentHeader) -> SegmentPair:
        """
        What *words*, given by this, hold, as a new base.

        Raises:
            OverflowError: It is too large.
        """
        return SegmentPair(stamp, _fold(words.chunks), _fold(words.names))

    @cached_property
    def _base_notes(self) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
        notes, wanted = self.base.names.ids, self.base.chunks.ids >> SLOT_BITS
        at = np.searchsorted(notes, wanted)
        if len(wanted) and (not len(notes) or not np.array_equal(notes[np.minimum(at, len(notes) - 1)], wanted)):
            raise PostingsDamaged("a chunk is of no note")
        return at.astype(np.int32)

    def _position_of(self, note_id: int) -> int | None:
        if note_id in self._added:
            return self._added[note_id]
        notes = self.base.names.ids
        at = int(np.searchsorted(notes, note_id))
        return at if at < len(notes) and int(notes[at]) == note_id else None


def _fold(moment: SegmentSnapshot) -> Segment:
    live_docs = np.ones(moment.size, np.bool_) if moment.live_docs is None else moment.live_docs
    of_base = len(moment.base.ids)
    return merge_segments(moment.base, live_docs[:of_base], moment.additions.frozen(live_docs[of_base:]))
