"""
The postings of the newest snapshot that was asked for.

They come from one of three sources, and `SegmentDelta` brings them up to date by reading the notes that changed since:

- the segment file beside the database, whose blocks are read when a query needs them
- where there is none and the vault has at most `few_notes` notes: all notes, read from the database
- while an empty index is filled and a search found no postings: segments of what was written so far (`serve`)

Otherwise, where more than `few_notes` notes changed at once, or for a reader of an older snapshot, there are none.
Queries are then scored from the forward index (`TermReader`), until `PostingsCache.flush`, in idle time, writes a
segment file of the newest snapshot.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np

from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.index import meta
from quarry.index.database import NO_DEADLINE, Deadline, select
from quarry.index.keys import SLOT_BITS, id_list, id_range
from quarry.index.note_codec import open_packed
from quarry.index.note_rows import every_body
from quarry.index.postings import segment_file
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.dictionary import PostingsDamaged
from quarry.index.postings.fields import CHUNK_FIELDS, NAME_FIELDS, ChunkFields, NameFields
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.segment import Segment, SegmentPair, empty_segment, merge_segments
from quarry.index.postings.segment_file import CHECKED_BYTES, InvalidSegmentFile, SegmentFile
from quarry.index.postings.snapshot import MutableSegment, PostingsSnapshot, SegmentSnapshot


class NoteFields(NamedTuple):
    """The terms of one note: of its names, and of each of its chunks by id."""

    names: NameFields
    chunks: Sequence[tuple[int, ChunkFields]]


def build_from_database(connection: apsw.Connection, deadline: Deadline = NO_DEADLINE) -> tuple[Segment, Segment]:
    """
    The segments of all chunks and of all names: 80,000 chunks in about 2 s.

    Raises:
        OverflowError: There is too much of it for memory.
        PostingsDamaged: A note is not as it was written.
        Cancelled, DeadlineExceeded: The deadline says so.
    """
    collector = BulkCollector()
    for note_id, body in every_body(connection):
        deadline.check()
        fields = _fields(note_id, body)
        for chunk_id, chunk in fields.chunks:
            collector.add_chunk(chunk_id, chunk)
        collector.add_names(note_id, fields.names)
    return collector.build()


def read_note(connection: apsw.Connection, note_id: int) -> NoteFields | None:
    """The terms of one note; None: there is no note of that id. Raises PostingsDamaged as `build_from_database`."""
    found = select(connection, "SELECT body FROM bodies WHERE note_id = ?", (note_id,))
    return _fields(note_id, found[0][0]) if found else None


def _fields(note_id: int, body: bytes) -> NoteFields:
    try:
        opened = open_packed(body)
        terms = opened.terms()
    except IndexDamaged as error:
        raise PostingsDamaged(f"the terms of note {note_id} are not as they were written") from error
    first, _ = id_range(note_id)
    return NoteFields(
        terms.names, [(first + slot, chunk) for slot, chunk in zip(opened.slots, terms.chunks, strict=True)]
    )


class SegmentDelta:
    """Immutable segments with the notes that changed since; see the package for an example."""

    def __init__(self, segments: SegmentPair) -> None:
        """Begin with *segments*, without changes."""
        self.segments = segments
        self.generation = segments.generation  # up to which changes have been applied
        self._chunks = MutableSegment(CHUNK_FIELDS)
        self._names = MutableSegment(NAME_FIELDS)
        self._notes: list[int] = []  # the ordinal of the note of each added chunk
        self._dead: set[int] = set()  # ordinals of notes
        self._added: dict[int, int] = {}  # note id -> ordinal, where it was added

    @property
    def count(self) -> int:
        """The number of changes that were applied, deletions included."""
        return len(self._names) + len(self._dead)

    def apply_note(self, connection: apsw.Connection, note_id: int) -> None:
        """Replace the note *note_id* by what *connection* sees, which may be nothing."""
        fields = read_note(connection, note_id)
        before = self._ordinal_of(note_id)
        if before is not None:
            self._dead.add(before)
        self._added.pop(note_id, None)
        if fields is None:
            return
        ordinal = self._added[note_id] = len(self.segments.names.ids) + len(self._names)
        self._names.add(note_id, fields.names)
        for chunk_id, chunk in fields.chunks:
            self._chunks.add(chunk_id, chunk)
            self._notes.append(ordinal)

    def scorer(self, generation: int) -> TermScorer:
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
        names = SegmentSnapshot.of(self.segments.names, self._names, added, None if is_whole else live_docs)
        of_chunks = None if is_whole else live_docs[note_of_chunk]
        return TermScorer(
            generation,
            SegmentSnapshot.of(self.segments.chunks, self._chunks, len(self._notes), of_chunks),
            names,
            note_of_chunk,
        )

    def merge(self, scorer: TermScorer) -> SegmentPair:
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


_log = logging.getLogger(__name__)
_EMPTY = SegmentPair(0, empty_segment(CHUNK_FIELDS), empty_segment(NAME_FIELDS))
NO_DOCUMENTS = SegmentDelta(_EMPTY).scorer(0)
"""The postings of an index that lacks FTS5: nothing is found by word."""

FEW_NOTES = 1000  # are read in the middle of a search, about .3 ms each, once
FEW_CHUNKS = 8_000  # of these notes together: a long note takes as long as a hundred others
MANY_NOTES = 2000  # in memory on top of segments; more would make searches slower, and wait for `flush`
REBUILD_SHARE = 4  # where one of so many notes changed, segments are built anew instead of merged


class PostingsCache:
    """The postings of one database: its segment file, with the changes since in memory."""

    def __init__(self, database: Path, checked_bytes: int = CHECKED_BYTES, few_notes: int = FEW_NOTES) -> None:
        """
        Make an empty cache.

        Args:
            database: The file of the index.
            checked_bytes: See `SegmentFile`.
            few_notes: How many changed notes a search reads by itself.
        """
        self._database = database
        self._checked_bytes = checked_bytes
        self._few_notes = few_notes
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._file: SegmentFile | None = None
        self._delta: SegmentDelta | None = None  # on top of the file's segments, or of none in a small vault
        self._scorer: TermScorer | None = None  # the newest snapshot of `_delta`
        self.is_missed = False  # whether the last search that looked for postings found none

    def open(self, connection: apsw.Connection) -> None:
        """Open the segment file of the database; a file that is not its own, or damaged, is deleted."""
        segment_file.clear_leftovers(self._database)
        path, file_id = segment_file.path_beside(self._database), meta.get(connection, meta.POSTINGS)
        with self._lock:
            if self._file is not None and self._file.file_id == file_id:
                return
            try:
                self._use(SegmentFile(path, file_id or "", self._checked_bytes))
            except FileNotFoundError:
                return
            except (InvalidSegmentFile, OSError) as error:
                self._invalidate(f"the keyword postings are rebuilt: {error}")

    def moved(self, database: Path) -> None:
        """The database was renamed, and its segment file with it; an open file stays open."""
        self._database = database

    def scorer(self, connection: apsw.Connection) -> TermScorer | None:
        """The postings of *connection*'s snapshot; None: there are none, and they are to be read by `TermReader`."""
        generation = meta.generation(connection)
        with self._lock:
            if self._file is not None and not self._file.is_unchanged():
                self._invalidate("the keyword postings were written to by another program and are rebuilt")
            if self._scorer is not None and self._scorer.generation == generation:
                return self._scorer
            delta = self._delta or self._read_few(connection, generation)
            if delta is not None and generation < delta.generation:
                return None
            try:
                self._scorer = _updated(delta, connection, generation, self._few_notes) if delta is not None else None
            except PostingsDamaged as error:
                self._invalidate(f"the keyword postings are rebuilt: {error}")
            self.is_missed = self._scorer is None
            return self._scorer

    def serve(self, connection: apsw.Connection, collector: BulkCollector) -> None:
        """
        Serve what *collector* holds from memory until a file is written, if memory has room for it.

        Args:
            connection: Sees the notes that were collected, all of an index that is being filled.
        """
        with suppress(OverflowError):
            segments = SegmentPair(meta.generation(connection), *collector.build())
            with self._lock:
                self._file, self._delta, self._scorer = None, SegmentDelta(segments), None
                self.is_missed = False

    def flush(
        self,
        connection: apsw.Connection,
        record: Callable[[str, str], None],
        collected: BulkCollector | None = None,
        deadline: Deadline = NO_DEADLINE,
    ) -> bool:
        """
        Write the segment file of *connection*'s snapshot; returns whether there was anything to write.

        Args:
            record: Puts a key and its value into `meta`: the id of the file. This begins no generation, as it changes
                no answer.
            collected: Everything that the index holds, where it was collected; otherwise it is read.

        Raises:
            Cancelled, DeadlineExceeded: The deadline says so; what is kept stays as it was.
            IndexUnavailable: There is no room for it; likewise.
        """
        with self._flushing:
            path = segment_file.path_beside(self._database)
            with self._lock:
                file = self._file
            if collected is None and file is not None and file.is_at(path) and _is_present(connection, file):
                return False
            try:
                if collected is not None:
                    segments = SegmentPair(meta.generation(connection), *collected.build())
                else:
                    segments = _present_segments(connection, file, deadline)
                file_id = segment_file.write(path, segments)
                file = SegmentFile(path, file_id, self._checked_bytes)  # in place of what is in memory
            except OSError as error:
                raise IndexUnavailable(f"the keyword postings cannot be written ({error}); make room") from error
            except (OverflowError, InvalidSegmentFile, PostingsDamaged) as error:
                self.invalidate(f"the keyword postings cannot be kept: {error}")
                return False
            record(meta.POSTINGS, file_id)
            with self._lock:
                self._use(file)
                self.is_missed = False
            return True

    def verify(self) -> None:
        """Read the segment file to the end; where it is damaged, drop it."""
        with self._flushing:
            file = self._file
            if file is None:
                return
            if not (file.is_at(segment_file.path_beside(self._database)) and file.verify()):
                self.invalidate("the keyword postings were damaged and are rebuilt")

    def invalidate(self, why: str) -> None:
        """Drop the postings in memory and the segment file, and log *why*."""
        with self._lock:
            self._invalidate(why)

    # --- helpers, under the lock ---------------------------------------------------------------

    def _use(self, file: SegmentFile) -> None:
        self._file, self._delta, self._scorer = file, SegmentDelta(file.segments), None

    def _invalidate(self, why: str) -> None:
        _log.warning("%s", why)
        self._file, self._delta, self._scorer = None, None, None
        segment_file.discard(self._database)

    def _read_few(self, connection: apsw.Connection, generation: int) -> SegmentDelta | None:
        """All notes, where they are so few that no segment file is needed."""
        notes = select(connection, "SELECT id FROM notes ORDER BY id LIMIT ?", (self._few_notes + 1,))
        if len(notes) > self._few_notes or meta.chunk_count(connection) > FEW_CHUNKS:
            return None
        delta = SegmentDelta(_EMPTY)
        for (note_id,) in notes:
            delta.apply_note(connection, note_id)
        delta.generation = generation
        self._delta = delta
        return delta


def _updated(delta: SegmentDelta, connection: apsw.Connection, generation: int, few_notes: int) -> TermScorer | None:
    """The snapshot of *generation*; None where too much changed since *delta* was brought up to date."""
    changed = _changed_since(connection, delta.generation, few_notes + 1)
    if len(changed) > few_notes or delta.count > MANY_NOTES or _chunk_count(connection, changed) > FEW_CHUNKS:
        return None
    for note_id in changed:
        delta.apply_note(connection, note_id)
    return delta.scorer(generation)


def _present_segments(connection: apsw.Connection, file: SegmentFile | None, deadline: Deadline) -> SegmentPair:
    """The segments of *connection*'s snapshot: those of *file* merged with what changed since, or built anew."""
    generation = meta.generation(connection)
    if file is not None and file.verify():  # what is merged gets new checksums
        few = int(select(connection, "SELECT count(*) FROM notes")[0][0]) // REBUILD_SHARE
        changed = _changed_since(connection, file.segments.generation, few + 1)
        if len(changed) <= few:
            delta = SegmentDelta(file.segments)  # of its own: searches go on with theirs
            for note_id in changed:
                deadline.check()
                delta.apply_note(connection, note_id)
            return delta.merge(delta.scorer(generation))
    return SegmentPair(generation, *build_from_database(connection, deadline))


def _is_present(connection: apsw.Connection, file: SegmentFile) -> bool:
    return not _changed_since(connection, file.segments.generation, 1)


def _chunk_count(connection: apsw.Connection, note_ids: Sequence[int]) -> int:
    sql = "SELECT ifnull(sum(chunk_count), 0) FROM notes WHERE id IN (SELECT value FROM json_each(?))"
    return int(select(connection, sql, (id_list(note_ids),))[0][0])


def _changed_since(connection: apsw.Connection, generation: int, limit: int) -> list[int]:
    sql = "SELECT note_id FROM changes WHERE generation > ?1 AND worded > ?1 ORDER BY note_id LIMIT ?2"
    return [note_id for (note_id,) in select(connection, sql, (generation, limit))]
