"""
Connections of an index: opened so that what the index stores can be trusted, and lent to readers.

SQL functions are registered, a newer file is refused, and derived tables of another version are rebuilt.
Before an index replaces another, its caches are filled. Readers' connections are opened when first needed, each lent to
one thread at a time.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from quarry.errors import IndexDamaged, IndexUnavailable, SchemaTooNew
from quarry.index import files, meta, note_codec
from quarry.index.database import Parts, connect, translate_sqlite_errors
from quarry.index.filters.filter import register_functions
from quarry.index.integrity import check_opening
from quarry.index.memory import Memory
from quarry.index.postings.cache import PostingsCache
from quarry.index.postings.fts5 import create_keyword_index, has_keyword_index
from quarry.index.reader import Reader
from quarry.index.schema import SCHEMA_VERSION
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.writer import Writer

MAX_READERS = 8  # more searches at once than this only take turns on the processor; each holds half a MB of cache
WAIT_S = 30.0  # a search may take a second; a longer wait is for something that hangs


class ReaderPool:
    """Lends connections that *open_connection* makes, to at most *max_readers* threads at a time."""

    def __init__(
        self, open_connection: Callable[[], apsw.Connection], max_readers: int = MAX_READERS, wait_s: float = WAIT_S
    ) -> None:
        self._max_readers = max_readers
        self._wait_s = wait_s
        self._open = open_connection
        self._changed = threading.Condition()
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._is_held = False
        self.is_closed = False  # for good

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """
        A connection that sees the index as it was when this began, whatever is written meanwhile.

        Raises:
            IndexUnavailable: No connection became free in time.
        """
        connection = self._take()
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT 1 FROM meta LIMIT 1").fetchall()  # only a read takes the snapshot
            yield connection
        finally:
            self._give_back(connection)

    @contextmanager
    def emptied(self, *, for_good: bool = False) -> Iterator[None]:
        """
        Wait for all readers to end and close their connections; new ones wait until the block ends, or are refused.

        Raises:
            IndexUnavailable: A reader did not end in time.
        """
        with self._changed:
            self._wait_for(lambda: not self._is_held)
            self._is_held = True
            try:
                self._wait_for(lambda: self._lent == 0)
            except IndexUnavailable:
                self._release()
                raise
            while self._idle:
                self._idle.pop().close()
        try:
            yield
        finally:
            with self._changed:
                self.is_closed = for_good
                self._release()

    def _take(self) -> apsw.Connection:
        with self._changed:
            self._wait_for(lambda: self.is_closed or (not self._is_held and self._lent < self._max_readers))
            if self.is_closed:
                raise IndexUnavailable("the index was closed")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._open()
        except BaseException:
            with self._changed:
                self._lent -= 1
                self._changed.notify_all()
            raise

    def _give_back(self, connection: apsw.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        finally:
            with self._changed:
                self._lent -= 1
                self._idle.append(connection)
                self._changed.notify_all()

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        if not self._changed.wait_for(condition, self._wait_s):
            raise IndexUnavailable(f"the index was busy for {self._wait_s:.0f} s; try again")

    def _release(self) -> None:
        self._is_held = False
        self._changed.notify_all()


def connect_ours(path: Path, *, writable: bool, without: frozenset[str]) -> tuple[apsw.Connection, Parts]:
    """A connection that knows the SQL functions of our views and conditions; raises as `connect`."""
    connection, parts = connect(path, writable=writable, without=without)
    register_functions(connection)
    note_codec.register(connection)
    return connection, parts


def open_reader(path: Path, file_key: tuple[int, int] | None, without: frozenset[str]) -> apsw.Connection:
    """
    A connection that reads the index at *path*.

    Raises:
        IndexDamaged, IndexMisplaced: It is not the file of *file_key*; see `files.check_in_place`.
    """
    connection, _ = connect_ours(path, writable=False, without=without)
    try:
        files.check_in_place(path, file_key)
    except IndexDamaged:
        connection.close()
        raise
    return connection


def open_writer(path: Path, postings: PostingsCache, without: frozenset[str]) -> tuple[Writer, Parts]:
    """
    The one writer of the index at *path*; its *postings* are opened.

    Raises:
        SchemaTooNew: A newer version of Quarry wrote it.
        IndexDamaged, apsw.Error: It is not an intact index.
    """
    connection, parts = connect_ours(path, writable=True, without=without)
    try:
        _refuse_newer(path, connection)
        check_opening(connection)
        writer = Writer(path, connection, parts)
        if parts.has_fts5:
            _refill_keyword_index(writer)
        postings.open(connection)
    except BaseException:
        connection.close()
        raise
    return writer, parts


def _refuse_newer(path: Path, connection: apsw.Connection) -> None:
    """Refuse a newer schema version that is only in the WAL, where reading the header did not show it."""
    version = connection.pragma("user_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise SchemaTooNew(f"index {path} has schema {version}, this version reads {SCHEMA_VERSION}")


def _refill_keyword_index(writer: Writer) -> None:
    """Make the keyword index agree with the forward index again where FTS5 was missing for a while."""
    connection = writer.connection
    is_stale = meta.get(connection, meta.KEYWORDS_STALE) is not None
    if is_stale or not has_keyword_index(connection):
        with writer.change():
            create_keyword_index(connection)
            meta.delete(connection, meta.KEYWORDS_STALE)


def warm_memory(path: Path, without: frozenset[str], vector_limits: VectorLimits | None, few_notes: int) -> Memory:
    """
    The caches of the closed index at *path*, filled as they are once it has been searched.

    Raises:
        IndexUnavailable: The index is not closed, or cannot be used.
    """
    files.check_closed(path)
    memory = Memory(path, vector_limits, few_notes)
    try:
        with translate_sqlite_errors(path):
            connection, parts = connect_ours(path, writable=False, without=without)
            try:
                memory.postings.open(connection)
                Reader(connection, parts, memory).warm_up()
            finally:
                connection.close()
    except IndexDamaged as error:  # the new index, not the one that answers now
        raise IndexUnavailable(f"the new index cannot be used ({error}); the old one stays in use") from error
    return memory
