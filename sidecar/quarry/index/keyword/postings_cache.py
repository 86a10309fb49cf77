"""
The words of the newest moment that was asked for.

They begin with the side file, and are brought up to date by the notes that changed since. Where there is no file, where
too much changed at once, or for whoever looks at an older moment, there are none: FTS5 answers then, and `flush`, when
there is time, makes a file of the present moment.
"""

import logging
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

import apsw

from quarry.errors import IndexUnavailable
from quarry.index import meta
from quarry.index.database import select
from quarry.index.deadline import NO_DEADLINE, Deadline
from quarry.index.keyword import columns, segment_file
from quarry.index.keyword.build_from_database import build_from_database
from quarry.index.keyword.builder import BulkCollector, empty_segment
from quarry.index.keyword.codec import PostingsDamaged
from quarry.index.keyword.segment_delta import SegmentDelta
from quarry.index.keyword.segment_file import SegmentHeader, SegmentPair
from quarry.index.keyword.snapshot_scorer import SnapshotScorer
from quarry.index.keyword.term_counts import CHUNK_COLUMNS, NAME_COLUMNS

_log = logging.getLogger(__name__)

FEW_NOTES = 32  # are read in the middle of a search, about half a millisecond each
MANY_NOTES = 2000  # in memory on top of segments; more would make searches slower, and wait for `flush`
REBUILD_SHARE = 4  # where one of so many notes changed, everything is read anew


class PostingsCache:
    """What is kept in memory of the keyword index of one database, and its side file."""

    def __init__(self, database: Path | None = None) -> None:
        self._database = database  # None: no side file
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._delta: SegmentDelta | None = None
        self._scorer: SnapshotScorer | None = None
        self._is_read = False
        self._state: tuple[int, int, int] | None = None  # of the side file when it was opened

    def open(self, connection: apsw.Connection) -> None:
        """
        Open the side file, where there is one of this database; called on opening, before anything else is written.

        A database without a name of its own is given one, so that no side file of another is taken for its own.
        """
        if meta.get(connection, meta.IDENTITY) is None:
            meta.put(connection, meta.IDENTITY, secrets.token_hex(16))
        if self._database is not None:
            segment_file.clear_leftovers(self._database)
        with self._lock:
            self._open(connection)

    def moved(self, database: Path) -> None:
        """The database, and its side file with it, was renamed; what is open stays open."""
        self._database = database

    def scorer(self, connection: apsw.Connection) -> SnapshotScorer | None:
        """The words as *connection*'s snapshot has them; None where FTS5 is to be asked."""
        generation = meta.generation(connection)
        with self._lock:
            if (
                self._state
                and self._database
                and segment_file.stat_key(segment_file.path_beside(self._database)) != self._state
            ):
                self._invalidate("the keyword postings were written to by another program and are made anew")
            if self._scorer is not None and self._scorer.generation == generation:
                return self._scorer
            if not self._is_read:
                self._open(connection)
            delta = self._delta
            if delta is None:
                delta = self._small(connection, generation)
            if delta is None or generation < delta.generation:
                return None
            try:
                self._scorer = self._apply_changes(connection, delta, generation, FEW_NOTES)
            except PostingsDamaged as error:
                self._invalidate(f"the keyword postings are made anew: {error}")
                return None
            return self._scorer

    def flush(
        self,
        connection: apsw.Connection,
        record: Callable[[str, str], None],
        collected: BulkCollector | None = None,
        deadline: Deadline = NO_DEADLINE,
    ) -> bool:
        """
        Write the side file of the moment that *connection*'s snapshot shows; False: it is of this moment already.

        Args:
            record: Puts a key and its value into `meta`: which side file is that of the database. No generation begins
                with it, as it changes no answer.
            collected: Everything that the index holds, where someone collected it; otherwise it is read.

        Raises:
            Cancelled, DeadlineExceeded: The deadline says so; what is kept stays as it was.
            IndexUnavailable: There is no room for it; likewise.
        """
        identity = meta.get(connection, meta.IDENTITY)
        if self._database is None or identity is None:
            return False
        with self._flushing:
            header = SegmentHeader(identity, columns.VERSION, meta.generation(connection))
            with self._lock:
                if not self._is_read:
                    self._open(connection)
                before = self._delta
            if before is not None and before.segments.header.identity and collected is None:
                since = before.segments.header.generation
                if since >= header.generation or not _changed_since(connection, since, 1):
                    return False
            try:
                segments = (
                    SegmentPair(header, *collected.build()) if collected else self._merged(connection, header, deadline)
                )
                path = segment_file.path_beside(self._database)
                with self._lock:
                    self._state = None  # the change to come is ours
                signature = segment_file.write(path, segments)
                state = segment_file.stat_key(path)
                segments = segment_file.read(path, *_key(header), signature)  # in place of memory
                record(meta.POSTINGS, signature)
            except OSError as error:
                with self._lock:  # what was there still is
                    is_open = self._delta is not None and self._delta.segments.header.identity
                    self._state = segment_file.stat_key(segment_file.path_beside(self._database)) if is_open else None
                raise IndexUnavailable(f"the keyword postings cannot be written ({error}); make room") from error
            except (OverflowError, segment_file.InvalidSegmentFile, PostingsDamaged) as error:
                with self._lock:
                    self._invalidate(f"the keyword postings cannot be kept: {error}")
                return False
            with self._lock:
                self._delta, self._scorer, self._state = SegmentDelta(segments), None, state
            return True

    def check(self) -> None:
        """Read the side file to the end; where it is damaged, forget it."""
        if self._database is None:
            return
        with self._lock:
            path = segment_file.path_beside(self._database)
            if path.exists() and not segment_file.verify(path):
                self._invalidate("the keyword postings were damaged and are made anew")

    def invalidate(self, why: str) -> None:
        """Drop what is in memory and the side file."""
        with self._lock:
            self._invalidate(why)

    # --- helpers, under the lock ---------------------------------------------------------------

    def _open(self, connection: apsw.Connection) -> None:
        self._is_read = True
        identity = meta.get(connection, meta.IDENTITY)
        if self._database is None or identity is None:
            return
        path, key = segment_file.path_beside(self._database), (identity, columns.VERSION, meta.generation(connection))
        try:
            state = segment_file.stat_key(path)
            self._delta, self._state = (
                SegmentDelta(segment_file.read(path, *key, meta.get(connection, meta.POSTINGS))),
                state,
            )
        except FileNotFoundError:
            return
        except (segment_file.InvalidSegmentFile, OSError) as error:
            self._invalidate(f"the keyword postings are made anew: {error}")

    def _small(self, connection: apsw.Connection, generation: int) -> SegmentDelta | None:
        """A few notes need no segment file."""
        notes = select(connection, "SELECT id FROM notes ORDER BY id LIMIT ?", (FEW_NOTES + 1,))
        if len(notes) > FEW_NOTES:
            return None
        header = SegmentHeader("", columns.VERSION, 0)
        self._delta = SegmentDelta(SegmentPair(header, empty_segment(CHUNK_COLUMNS), empty_segment(NAME_COLUMNS)))
        for (note_id,) in notes:
            self._delta.apply_note(connection, note_id)
        self._delta.generation = generation
        return self._delta

    def _apply_changes(
        self, connection: apsw.Connection, delta: SegmentDelta, generation: int, few: int
    ) -> SnapshotScorer | None:
        """*changes* with the notes read that changed since; None where those are more than *few*."""
        changed = _changed_since(connection, delta.generation, few + 1)
        if len(changed) > few or delta.count > MANY_NOTES:
            return None
        for note_id in changed:
            delta.apply_note(connection, note_id)
        return delta.scorer(generation)

    def _merged(self, connection: apsw.Connection, header: SegmentHeader, deadline: Deadline) -> SegmentPair:
        """The present moment: what changed since the side file folded into it, or everything read anew."""
        total = int(select(connection, "SELECT count(*) FROM notes")[0][0])
        with self._lock:
            segments = self._delta.segments if self._delta is not None else None
        is_sound = self._database is not None and segment_file.verify(segment_file.path_beside(self._database))
        if segments is not None and segments.header.identity and is_sound:  # what is merged is signed anew
            changed = _changed_since(connection, segments.header.generation, total // REBUILD_SHARE + 1)
            if len(changed) <= total // REBUILD_SHARE:
                fresh = SegmentDelta(segments)  # of its own: searches go on with what they have
                for note_id in changed:
                    deadline.check()
                    fresh.apply_note(connection, note_id)
                return fresh.merge(fresh.scorer(header.generation), header)
        return SegmentPair(header, *build_from_database(connection, deadline))

    def _invalidate(self, why: str) -> None:
        _log.warning("%s", why)
        self._delta, self._scorer, self._state = None, None, None
        if self._database is not None:
            segment_file.discard(self._database)


def _changed_since(connection: apsw.Connection, generation: int, limit: int) -> list[int]:
    sql = "SELECT note_id FROM changes WHERE generation > ?1 AND worded > ?1 ORDER BY note_id LIMIT ?2"
    return [note_id for (note_id,) in select(connection, sql, (generation, limit))]


def _key(header: SegmentHeader) -> tuple[str, str, int]:
    return header.identity, header.terms, header.generation
