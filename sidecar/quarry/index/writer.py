"""
Transactions: which changes are committed together, and when they become visible.

A change by itself is one transaction. Inside `batch` several share a commit, as a commit costs as much as ten notes;
each still has a savepoint of its own, so that a note that fails leaves no trace and the others stay. Inside `bulk`,
where many notes come at once, commits come by the second, and the first of them as soon as there is a batch to find.

A commit moves nothing from the WAL into the file: that would cost a saved note 5 to 80 ms. It is done when idle
(`checkpoint`), or when the WAL has grown past a bound.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from quarry.faults import fault_point
from quarry.index import meta
from quarry.index.database import BULK_CACHE_KIB, WRITER_CACHE_KIB, Parts, translate_sqlite_errors
from quarry.index.postings.builder import BulkCollector
from quarry.index.postings.fts5 import KeywordQueue, collect

BATCH_NOTES = 64  # a kill costs at most this much work, and a commit is 2 % of theirs
BATCH_SECONDS = 1.0  # a saved note is to be found within a second, also while a vault is being indexed
BULK_NOTES = 4096  # 10 MB of WAL; where nobody searches meanwhile, it is this that ends a transaction
WAL_PAGES = 4000  # 16 MB, while many notes come
WAL_PAGES_OF_SAVES = 4 * WAL_PAGES  # 400 saves: idle time empties it before, so that no save waits for it
WAL_FACTOR_AT_MOST = 4  # beyond, the writer waits for readers, which keep a WAL from beginning anew


class Writer:
    """Owns the one connection that writes to the index at *path*. One thread at a time may use it."""

    def __init__(self, path: Path, connection: apsw.Connection, parts: Parts) -> None:
        self.path = path
        self.connection = connection
        self.keywords = KeywordQueue(parts.has_fts5)  # written when the transaction ends
        self._bulk: int | None = None  # notes a commit inside `bulk`
        self._is_searched = True  # inside `bulk`: whether a commit is awaited
        self.collector: BulkCollector | None = None  # knows every row of the keyword index, where someone gathers them
        self._wal_pages = 0
        connection.set_wal_hook(self._note_wal)  # in place of SQLite's own checkpoints
        self._batches = 0  # how many `batch` blocks are open, one in another
        self._uncommitted = 0
        self._begun_s = 0.0

    @contextmanager
    def change(self) -> Iterator[apsw.Connection]:
        """
        Make a change that happens whole or not at all.

        Raises:
            IndexUnavailable: The change could not be written; nothing changed.
            IndexDamaged: The file turned out to be damaged; nothing changed.
        """
        with translate_sqlite_errors(self.path):
            self._begin()
            self.connection.execute("SAVEPOINT change")
            queued = len(self.keywords.changes)
            try:
                yield self.connection
                self.connection.execute("RELEASE change")
            except BaseException:
                self.keywords.rewind(queued)
                self._undo()
                raise
            self._uncommitted += 1
            if not self._batches or self._is_due():
                self._commit()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """
        Let the changes inside share commits. Complete changes are committed at the end, also when an error ends it.

        A batch inside another commits at its own end as well: a note saved during a long run is visible at once.
        """
        self._batches += 1
        try:
            yield
        finally:
            self._batches -= 1
            with translate_sqlite_errors(self.path):
                if self._bulk is None or self._is_due():
                    self._commit()

    @contextmanager
    def bulk(self, *, is_searched: bool) -> Iterator[None]:
        """
        Let batches share commits as well, and keep more of the file in memory meanwhile.

        Args:
            is_searched: Whether there are readers meanwhile: changes are then visible within a second. Without readers,
                as where the index is to replace another, a crash of the system may cost the whole file.
        """
        assert self._bulk is None, "one bulk inside another"
        # A search in a vault that is being indexed finds notes at once; a second is worth one more commit.
        self._bulk, self._is_searched = BATCH_NOTES if is_searched else BULK_NOTES, is_searched
        self.connection.pragma("cache_size", -BULK_CACHE_KIB)
        if not is_searched:
            self.connection.pragma("synchronous", "off")
        try:
            yield
        finally:
            self._bulk, self._is_searched = None, True
            try:
                with translate_sqlite_errors(self.path):
                    self._commit()
            finally:  # a commit that fails is rolled back: neither setting can be changed inside a transaction
                self.connection.pragma("synchronous", "normal")
                self.connection.pragma("cache_size", -WRITER_CACHE_KIB)

    @property
    def is_in_bulk(self) -> bool:
        """Whether a `bulk` block is open."""
        return self._bulk is not None

    def flush(self) -> None:
        """Commit the changes so far, also in the middle of `bulk`."""
        with translate_sqlite_errors(self.path):
            self._commit()

    def checkpoint(self) -> None:
        """Move committed changes from the WAL into the file, and empty the WAL; readers may hold some of it back."""
        fault_point("checkpoint")
        with translate_sqlite_errors(self.path):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._wal_pages = 0

    def close(self) -> None:
        """
        Close, leaving the whole index in the one file.

        Raises:
            IndexUnavailable: Another program reads the index, so that its WAL cannot be emptied; it is still open.
        """
        with translate_sqlite_errors(self.path):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self.connection.close()

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
            self._uncommitted = 0
            self._begun_s = time.monotonic()

    def _is_due(self) -> bool:
        if self._uncommitted >= (self._bulk or BATCH_NOTES):
            return True
        return self._is_searched and time.monotonic() - self._begun_s >= BATCH_SECONDS

    def _note_wal(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _bound_wal(self) -> None:
        """Keep a busy vault's WAL from growing without end; readers in the way need milliseconds."""
        bound = WAL_PAGES if self.is_in_bulk else WAL_PAGES_OF_SAVES
        if self._wal_pages < bound:
            return
        must = self._wal_pages >= WAL_FACTOR_AT_MOST * bound
        mode = apsw.SQLITE_CHECKPOINT_RESTART if must else apsw.SQLITE_CHECKPOINT_PASSIVE
        with suppress(apsw.BusyError, apsw.LockedError):  # the next commit tries again
            self.connection.wal_checkpoint(mode=mode)

    def _commit(self) -> None:
        if not self.connection.in_transaction:
            return
        fault_point("commit")
        self._wal_pages = 0  # told anew by the commit
        try:
            written = self.keywords.run(self.connection)
            meta.advance_generation(self.connection)
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        if self._bulk is not None and self._uncommitted >= self._bulk:
            self._bulk = BULK_NOTES
        if self.collector:
            collect(written, self.collector)
        self._bound_wal()

    def _undo(self) -> None:
        """Roll back the current change; on a full disk SQLite may have rolled back the whole transaction by itself."""
        if not self.connection.in_transaction:
            self.keywords.rewind(0)
            return
        if self._uncommitted:
            self.connection.execute("ROLLBACK TO change")
            self.connection.execute("RELEASE change")
        else:
            self.connection.execute("ROLLBACK")
