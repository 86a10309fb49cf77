"""
The index of one vault: the facade that everything outside this folder uses.

One thread at a time writes (the caller sees to that); any thread reads. Readers never wait for the writer.
"""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from quarry.analysis.analysis import clear_cache
from quarry.errors import Cancelled, IndexDamaged, IndexUnavailable
from quarry.faults import fault_point
from quarry.index import files, listing, meta
from quarry.index.database import FTS5, NO_DEADLINE, SQLITE_VEC, Deadline, never, translate_sqlite_errors
from quarry.index.integrity import check_pages, check_structure, verify_notes
from quarry.index.memory import Memory
from quarry.index.notes import NoteWriter
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.cache import FEW_NOTES
from quarry.index.postings.fts5 import begin_bulk, merge
from quarry.index.prepared import PreparedNote
from quarry.index.reader import Reader
from quarry.index.reader_pool import ReaderPool, open_reader, open_writer, warm_memory
from quarry.index.schema import give_back_pages
from quarry.index.vectors.kept_vectors import forget
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.stored_vectors import StoredVectors, carry_over
from quarry.messages import Message, message
from quarry.options import Retriever
from quarry.types import FileStamp

_log = logging.getLogger(__name__)


class Index:
    """An open index. Make one with `Index.open`."""

    def __init__(
        self,
        path: Path,
        without: frozenset[str],
        is_searched: bool,
        vector_limits: VectorLimits | None,
        few_notes: int,
    ) -> None:
        self.path = path
        self._without = without
        self._is_searched = is_searched
        self._vector_limits = vector_limits
        self._few_notes = few_notes
        self._memory = Memory(path, vector_limits, few_notes)
        self._pool = ReaderPool(lambda: open_reader(self.path, self._file_key, self._without))
        self._open_writer()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        without: frozenset[str] = frozenset(),
        is_searched: bool = True,
        vector_limits: VectorLimits | None = None,
        few_notes: int = FEW_NOTES,
    ) -> "Index":
        """
        Open the index at *path*; where there is none, or one of an older schema, begin an empty one.

        What an interrupted rebuild left beside it is deleted.

        Args:
            without: Parts to do without, of `fts5` and `sqlite-vec`.
            is_searched: False: it is not read before it is complete, and a crash of the system may cost all of it.
            vector_limits: None: the defaults.
            few_notes: How many changed notes a search reads by itself where no keyword postings have them.

        Raises:
            IndexDamaged: The file is not an intact index; `quarantine` it and open again.
            SchemaTooNew: A newer version of Quarry wrote it; it is untouched.
            IndexUnavailable: It cannot be opened or written here.
        """
        assert without <= {FTS5, SQLITE_VEC}, without
        files.create_if_needed(path)
        return cls(path, without, is_searched, vector_limits, few_notes)

    def close(self) -> None:
        """Wait for readers, move everything into the one file, and close; once more does no harm."""
        if self._pool.is_closed:
            return
        with self._pool.emptied(for_good=True):
            try:
                self._writer.close()
            except (IndexUnavailable, IndexDamaged) as error:  # another program looks at it; its WAL is kept with it
                _log.warning("the index was closed with its WAL: %s", error)
                self._writer.connection.close()

    @property
    def missing(self) -> Mapping[Retriever, Message]:
        """The retrievers that cannot serve, and why."""
        why = self._parts.fts5_missing
        return {"keyword": message("status.words-unavailable", detail=why)} if why else {}

    @property
    def lacks_postings(self) -> bool:
        """Whether a search found no keyword postings, so that it read the forward index: `flush_postings` helps."""
        return self._memory.postings.is_missed

    def release_cache(self) -> None:
        """Free what the writer has read, up to its `WRITER_CACHE_KIB`; the next change reads its pages anew, .1 ms."""
        self._writer.connection.pragma("shrink_memory")

    def size_bytes(self) -> int:
        """Bytes on disk of the index and the files beside it."""
        return files.size_bytes(self.path)

    # --- writing -------------------------------------------------------------------------------

    def upsert(self, note: PreparedNote, *, old_path: str | None = None) -> None:
        """
        Make everything stored about *note* current, and forget that its file was ever skipped.

        Chunks that did not change keep their rows and vectors.

        Args:
            note: What `prepare` made ready, perhaps in another process.
            old_path: Where the note was until now, when it was renamed; a note that was at its new path is gone.

        Raises:
            ValueError: Its vectors are of another model than those stored; nothing changed.
            IndexUnavailable, IndexDamaged: It could not be written; nothing changed.
        """
        with self._rows() as rows:
            rows.upsert(note, old_path)
            if old_path is not None:
                fault_point("rename")

    def restamp(self, path: str, stamp: FileStamp) -> None:
        """Remember another stamp for the note at *path*, whose content is the same."""
        with self._rows() as rows:
            rows.restamp(path, stamp)

    def remove(self, path: str) -> None:
        """Forget the note at *path*; after `optimize` and a `checkpoint` no byte of its text is left in the files."""
        with self._rows() as rows:
            rows.remove(path)
            fault_point("remove")

    def record_problem(self, path: str, reason: Message, skipped: bool) -> None:
        """Record a problem of the file at *path*; *skipped*: it is not in the index."""
        with self._writer.change() as connection:
            listing.record_problem(connection, path, reason, skipped)

    def stamps_at(self, places: Iterable[str]) -> dict[str, FileStamp]:
        """
        The stamps of notes at or below one of *places*, which are in NFC, as committed.

        A reader is asked, as what the writer has in its cache hides that the file is damaged.
        """
        with translate_sqlite_errors(self.path), self._pool.snapshot() as connection:
            return listing.stamps_at(connection, places)

    def recorded_problems(self, paths: Sequence[str]) -> list[str]:
        """The subset of *paths* that have a recorded problem, as the writer sees it."""
        with translate_sqlite_errors(self.path):
            return listing.paths_with_problem(self._writer.connection, paths)

    def clear_problem(self, path: str) -> None:
        """Delete the recorded problem of the file at *path*, if there is one."""
        with self._writer.change() as connection:
            listing.clear_problem(connection, path)

    def replace_skipped(self, skipped: Mapping[str, Message]) -> None:
        """Record *skipped*, path -> reason, in place of all files that were skipped before; other problems stay."""
        with self._writer.change() as connection:
            listing.replace_skipped(connection, skipped)

    def meta_get(self, key: str) -> str | None:
        """The value that `meta_set` stored under *key*, committed or not; `Reader.meta_get` sees committed values."""
        with translate_sqlite_errors(self.path):
            return meta.get(self._writer.connection, key)

    def meta_set(self, key: str, value: str) -> None:
        """Store *value* under *key*, which must be none of the index's own."""
        assert key not in meta.OWN_KEYS, key
        with self._writer.change() as connection:
            meta.put(connection, key, value)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """
        Let the changes inside share commits, of at most 64 changes or one second; see `Writer.batch`.

        If a search found no postings while an empty index is filled, they are then made of what was written so far:
        .3 s for 40,000 chunks. Otherwise, a search for common words would read every note that holds one.
        """
        with self._writer.batch():
            yield
        collector, postings = self._writer.collector, self._memory.postings
        if collector is not None and postings.is_missed:
            with (
                translate_sqlite_errors(self.path),
                self._pool.snapshot() as connection,
            ):  # everything that is committed is collected
                postings.serve(connection, collector)

    @contextmanager
    def bulk(self) -> Iterator[None]:
        """
        Write many notes: batches share commits, of a second's work at most where the index is searched meanwhile.

        What an empty index is filled with is in memory for searches at the end.
        """
        if self._writer.is_in_bulk:  # what overtakes a long run may be long itself
            yield
            return
        with translate_sqlite_errors(self.path):
            is_empty = meta.totals(self._writer.connection) == (0, 0)
        if self._parts.has_fts5:
            with self._writer.change() as connection:
                begin_bulk(connection)
            self._writer.collector = BulkCollector() if is_empty else None
        try:
            with self._writer.bulk(is_searched=self._is_searched):
                yield
            if collected := self._writer.collector:
                with suppress(IndexUnavailable):  # no room for the segment file: FTS5 answers until there is
                    self.flush_postings(collected=collected)
        finally:
            self._writer.collector = None

    def flush(self) -> None:
        """Let what was written be seen at once, also in the middle of `bulk`."""
        self._writer.flush()

    def forget_model(self, model: str) -> None:
        """Drop the vectors that are kept of *model*, its fingerprint as text, which must not be one in use."""
        with self._writer.change() as connection:
            forget(connection, model)

    def carry_over(self, source: "Index", yield_point: Callable[[], None]) -> None:
        """Take over the vectors that *source* has of contextual models and of those that are kept; see there."""
        carry_over(self._writer, source._writer, yield_point)

    # --- care ----------------------------------------------------------------------------------

    def checkpoint(self) -> None:
        """Move what is committed from the WAL into the file and empty the WAL."""
        self._writer.checkpoint()

    def verify(self, start_after: str | None, limit: int) -> tuple[list[str], str | None]:
        """
        Check the rows of the next *limit* notes in the order of their paths against their checksums.

        Returns:
            The paths of damaged notes (upsert them anew), and the path to go on after, None at the end.
        """
        with translate_sqlite_errors(self.path), self._pool.snapshot() as connection:
            return verify_notes(connection, start_after, limit)

    def check_in_place(self) -> None:
        """
        See that the file that was opened is still the one at `path`: what is written to another is lost.

        Raises:
            IndexDamaged, IndexMisplaced: As `files.check_in_place`.
        """
        files.check_in_place(self.path, self._file_key)

    def check_pages(self, is_wanted: Callable[[], bool] = never) -> bool:
        """
        Check that all pages hang together, which opening does not wait for: 120 MB take .1 s. Blocks no reader.

        Returns whether it came to its end, as *is_wanted* never said that there is something else to do.

        Raises:
            IndexDamaged: The index has to be set aside and rebuilt.
        """
        deadline = Deadline(math.inf, is_wanted)
        try:
            with translate_sqlite_errors(self.path), self._pool.snapshot() as connection, deadline.over(connection):
                check_pages(connection)
        except Cancelled:
            return False
        return True

    def check(self, deadline: Deadline = NO_DEADLINE) -> None:
        """
        Check everything that `verify` does not: structure, references, and the derived parts.

        Blocks other writers, not readers: 80,000 chunks take 10 s, as every text is analysed anew to be compared with
        the keyword index.

        Raises:
            IndexDamaged: The index has to be set aside and rebuilt.
            Cancelled, DeadlineExceeded: *deadline* says so; nothing is known then.
        """
        with self._writer.change() as connection, deadline.over(connection):
            check_structure(connection, self._parts)
        self._memory.postings.verify()

    def flush_postings(self, deadline: Deadline = NO_DEADLINE, collected: BulkCollector | None = None) -> bool:
        """
        Write the keyword postings of this moment beside the index, in idle time; whether there was anything to write.

        Args:
            collected: What an empty index was filled with; None: postings are read from the database.

        Raises:
            Cancelled, DeadlineExceeded: *deadline* says so; everything is as it was.
        """
        with translate_sqlite_errors(self.path), self._pool.snapshot() as connection:
            postings, record = self._memory.postings, partial(meta.put, self._writer.connection)
            return self._parts.has_fts5 and postings.flush(connection, record, collected, deadline)

    def optimize(self) -> None:
        """Merge the keyword index, refresh the planner's statistics and give back free pages; for idle time."""
        if self._parts.has_fts5:
            with self._writer.change() as connection:
                merge(connection)
        clear_cache()
        with translate_sqlite_errors(self.path):
            self._writer.connection.pragma("optimize")
            give_back_pages(self._writer.connection)

    def replace_with(self, other: Path) -> None:
        """
        Let the closed index at *other* take this one's place; running readers end first, new ones wait.

        Raises:
            IndexUnavailable: It could not; this index goes on as it was.
        """
        memory = warm_memory(other, self._without, self._vector_limits, self._few_notes)
        with self._pool.emptied():
            with translate_sqlite_errors(self.path):
                generation = meta.generation(self._writer.connection)
            self._writer.close()
            try:
                files.install(other, self.path)
                memory.postings.moved(self.path)
            except BaseException:
                memory = Memory(self.path, self._vector_limits, self._few_notes)  # of whichever of the two is there now
                raise
            finally:
                self._memory = memory
                self._open_writer()
            with self._writer.change() as connection:  # its commit goes beyond both
                meta.raise_generation(connection, above=generation)

    # --- reading -------------------------------------------------------------------------------

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """
        One moment of the index, to be asked on this thread; keep it no longer than an answer takes.

        Raises:
            IndexUnavailable, IndexDamaged: Here or out of any question.
        """
        with translate_sqlite_errors(self.path), self._pool.snapshot() as connection:
            yield Reader(connection, self._parts, self._memory)

    @contextmanager
    def _rows(self) -> Iterator[NoteWriter]:
        with self._writer.change() as connection:
            yield NoteWriter(connection, self._writer.keywords, has_contextual=self.contextual.model is not None)

    def _open_writer(self) -> None:
        with translate_sqlite_errors(self.path):
            self._writer, self._parts = open_writer(self.path, self._memory.postings, self._without)
            self.static = StoredVectors(self._writer, "static", self._memory.vectors)
            self.contextual = StoredVectors(self._writer, "contextual", self._memory.contextual)
        self._file_key = files.file_key(self.path)
