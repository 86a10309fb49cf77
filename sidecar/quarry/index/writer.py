"""
Transactions: what is written together, and when it becomes visible.

A change by itself is one transaction. Inside `batch` several share a commit, as a commit costs as much as ten notes;
each still has a savepoint of its own, so that a note that fails leaves no trace and the others stay.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from quarry.faults import fault_point
from quarry.index import meta
from quarry.index.database import explained
from quarry.index.keyword_rows import KeywordQueue

BATCH_NOTES = 64  # a kill costs at most this much work, and a commit is 2 % of theirs
BATCH_SECONDS = 1.0  # a saved note is to be found within a second, also while a vault is being indexed


class Writer:
    """Owns the one connection that changes the index at *path*. One thread at a time may use it."""

    def __init__(self, path: Path, connection: apsw.Connection) -> None:
        self.path = path
        self.connection = connection
        self.keywords = KeywordQueue()  # written when the transaction ends
        self._batches = 0  # how many `batch` blocks are open, one in another
        self._uncommitted = 0
        self._begun_s = 0.0

    @contextmanager
    def change(self) -> Iterator[apsw.Connection]:
        """
        A change that happens whole or not at all.

        Raises:
            IndexUnavailable: It could not be written; nothing changed.
            IndexDamaged: The file turned out to be damaged; nothing changed.
        """
        with explained(self.path):
            self._begin()
            self.connection.execute("SAVEPOINT change")
            queued = len(self.keywords.statements)
            try:
                yield self.connection
                meta.advance_generation(self.connection)
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
        Let the changes inside share commits. What is complete is committed at the end, also when an error ends it.

        One inside another commits at its own end as well: a saved note that overtakes a long run is visible at once.
        """
        self._batches += 1
        try:
            yield
        finally:
            self._batches -= 1
            with explained(self.path):
                self._commit()

    def checkpoint(self) -> None:
        """Move everything committed from the WAL into the file, and empty the WAL; readers may hold some of it back."""
        fault_point("checkpoint")
        with explained(self.path):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """
        Close, leaving the whole index in the one file.

        Raises:
            IndexUnavailable: Another program reads it, so the WAL cannot be emptied; the connection is still open.
        """
        with explained(self.path):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self.connection.close()

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
            self._uncommitted = 0
            self._begun_s = time.monotonic()

    def _is_due(self) -> bool:
        return self._uncommitted >= BATCH_NOTES or time.monotonic() - self._begun_s >= BATCH_SECONDS

    def _commit(self) -> None:
        if not self.connection.in_transaction:
            return
        fault_point("commit")
        try:
            self.keywords.run(self.connection)
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def _undo(self) -> None:
        """Take back the change in hand; a full disk may have SQLite take back the whole transaction by itself."""
        if not self.connection.in_transaction:
            self.keywords.rewind(0)
            return
        if self._uncommitted:
            self.connection.execute("ROLLBACK TO change")
            self.connection.execute("RELEASE change")
        else:
            self.connection.execute("ROLLBACK")
