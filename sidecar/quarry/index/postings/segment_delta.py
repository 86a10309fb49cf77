"""
A pair of immutable segments with the changes since they were built: dead documents, and mutable segments of new ones.

One thread at a time applies changes; a `SnapshotScorer` that was given before stays as it is.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import apsw
import numpy as np

from quarry.errors import IndexDamaged
from quarry.index.database import NO_DEADLINE, Deadline, select
from quarry.index.keys import SLOT_BITS, id_range
from quarry.index.note_codec import open_packed
from quarry.index.postings.builder import BulkCollector, merge_segments
from quarry.index.postings.codec import PostingsDamaged
from quarry.index.postings.columns import CHUNK_COLUMNS, NAME_COLUMNS, ChunkColumns, NameColumns
from quarry.index.postings.mutable_segment import MutableSegment
from quarry.index.postings.segment import Segment, SegmentPair
from quarry.index.postings.snapshot import PostingsSnapshot, SegmentSnapshot
from quarry.index.postings.snapshot_scorer import SnapshotScorer

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


class SegmentDelta:
    """Immutable segments with the notes that changed since; see the package for an example."""

    def __init__(self, segments: SegmentPair) -> None:
        """Begin with *segments*, without changes."""
        self.segments = segments
        self.generation = segments.generation  # up to which changes have been applied
        self._chunks = MutableSegment(CHUNK_COLUMNS)
        self._names = MutableSegment(NAME_COLUMNS)
        self._notes: list[int] = []  # the ordinal of the note of each added chunk
        self._dead: set[int] = set()  # ordinals of notes
        self._added: dict[int, int] = {}  # note id -> ordinal, where it was added

    @property
    def count(self) -> int:
        """The number of changes that were applied, deletions included."""
        return len(self._names) + len(self._dead)

    def apply_note(self, connection: apsw.Connection, note_id: int) -> None:
        """Replace the note *note_id* by what *connection* sees, which may be nothing."""
        columns = read_note(connection, note_id)
        before = self._ordinal_of(note_id)
        if before is not None:
            self._dead.add(before)
        self._added.pop(note_id, None)
        if columns is None:
            return
        ordinal = self._added[note_id] = len(self.segments.names.ids) + len(self._names)
        self._names.add(note_id, columns.names)
        for chunk_id, chunk in columns.chunks:
            self._chunks.add(chunk_id, chunk)
            self._notes.append(ordinal)

    def scorer(self, generation: int) -> SnapshotScorer:
        """
        The snapshot of *generation*, up to which all changes have been applied.

        Raises:
            PostingsDamaged: The segments of chunks and names do not fit together.
        """
        self.generation = generation
        note_of_chunk = np.concatenate([self._segment_notes, np.array(self._notes, np.int32)])
        added = len(self._names)
        live_docs = np.ones(len(self.segments.names.ids) + added, np.bool_)
        live_docs[list(self._dead)] = False
        is_whole = not self._dead
        names = SegmentSnapshot(self.segments.names, self._names, added, None if is_whole else live_docs)
        of_chunks = None if is_whole else live_docs[note_of_chunk]
        return SnapshotScorer(
            generation,
            SegmentSnapshot(self.segments.chunks, self._chunks, len(self._notes), of_chunks),
            names,
            note_of_chunk,
        )

    def merge(self, scorer: SnapshotScorer) -> SegmentPair:
        """
        Merge the segments and the changes of *scorer*, a snapshot of this delta, into new segments.

        Raises:
            OverflowError: There are too many documents for memory.
            PostingsDamaged: The segments cannot be read.
        """
        return SegmentPair(scorer.generation, _merge(scorer.chunks), _merge(scorer.names))

    @cached_property
    def _segment_notes(self) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
        notes, wanted = self.segments.names.ids, self.segments.chunks.ids >> SLOT_BITS
        at = np.searchsorted(notes, wanted)
        if len(wanted) and (not len(notes) or not np.array_equal(notes[np.minimum(at, len(notes) - 1)], wanted)):
            raise PostingsDamaged("a chunk belongs to no note")
        return at.astype(np.int32)

    def _ordinal_of(self, note_id: int) -> int | None:
        if note_id in self._added:
            return self._added[note_id]
        notes = self.segments.names.ids
        at = int(np.searchsorted(notes, note_id))
        return at if at < len(notes) and int(notes[at]) == note_id else None


def _merge(snapshot: PostingsSnapshot) -> Segment:
    assert isinstance(snapshot, SegmentSnapshot)
    live_docs = np.ones(snapshot.size, np.bool_) if snapshot.live_docs is None else snapshot.live_docs
    count = len(snapshot.segment.ids)
    return merge_segments(snapshot.segment, live_docs[:count], snapshot.mutable_segment.to_segment(live_docs[count:]))
