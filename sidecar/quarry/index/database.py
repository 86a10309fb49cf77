"""
Connections to the database: their settings, the optional parts of SQLite, and what SQLite's errors mean to us.

Each pragma has a call of its own, as a string of several stops at the first that returns a row. Temporary tables stay
in memory, as text spilled into a temporary file would outlive the note it came from.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import apsw
from msgspec import Struct

from quarry.errors import Cancelled, DeadlineExceeded, IndexDamaged, IndexUnavailable

BUSY_TIMEOUT_MS = 5000  # two connections of ours meet for milliseconds; longer means another program
JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024  # what a grown WAL shrinks back to
WRITER_CACHE_KIB = 32 * 1024
BULK_CACHE_KIB = 48 * 1024  # indexes are filled in random order; 96 MB save no write and no read of 80,000 chunks
# Per connection, of which there are a few. A query reads 50 pages into it; with 2 MB it would be 39, and .02 ms less.
READER_CACHE_KIB = 512

SqlValue: TypeAlias = str | int | float | bytes | None
"""The value of a column."""

FTS5 = "fts5"
SQLITE_VEC = "sqlite-vec"

_ENVIRONMENT = (
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.FullError,
    apsw.IOError,
    apsw.PermissionsError,
    apsw.AuthError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.NoLFSError,
    apsw.ProtocolError,
)
# Our SQL is constant and its values are checked before, so these too can only mean that the file is not as we left it.
_DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.ConstraintError, apsw.MismatchError)


class Parts(Struct, frozen=True):
    """The optional parts of SQLite: None where one works here, or why not, as a clause."""

    fts5_missing: str | None
    vec_missing: str | None

    @property
    def has_fts5(self) -> bool:
        """Whether the keyword index can be used."""
        return self.fts5_missing is None

    @property
    def has_vec(self) -> bool:
        """Whether the vector index can be used."""
        return self.vec_missing is None


@contextmanager
def translate_sqlite_errors(path: Path) -> Iterator[None]:
    """
    Translate SQLite's errors into those of the index at *path*.

    Raises:
        IndexUnavailable: The disk is full, a folder read-only, another program holds a lock: the file is sound.
        IndexDamaged: The file is not as it was written.
    """
    try:
        yield
    except _ENVIRONMENT as error:
        # The file, or its WAL, was cut short.
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHORT_READ:
            raise IndexDamaged(f"index {path} is cut short ({error}); it has to be set aside and rebuilt") from error
        raise IndexUnavailable(
            f"index {path} cannot be used ({error}); check free space and permissions of its folder"
        ) from error
    except _DAMAGE as error:
        raise IndexDamaged(f"index {path} is damaged ({error}); it has to be set aside and rebuilt") from error


def select(
    connection: apsw.Connection, sql: str, bindings: Sequence[SqlValue] | Mapping[str, SqlValue] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query. mypy cannot see the types of columns; they are those of the values that were written."""
    try:
        return connection.execute(sql, bindings).fetchall()
    except UnicodeDecodeError as error:  # we store no such text
        raise apsw.CorruptError(f"a text in the database is no UTF-8: {error.reason}") from error


def connect(path: Path, *, writable: bool, without: frozenset[str] = frozenset()) -> tuple[apsw.Connection, Parts]:
    """
    Open the existing file at *path*.

    Args:
        without: Parts to treat as missing, of `fts5` and `sqlite-vec`.

    Raises:
        apsw.Error: See `translate_sqlite_errors`.
    """
    flags = apsw.SQLITE_OPEN_READWRITE if writable else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(str(path), flags=flags)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.pragma("trusted_schema", False)
        connection.pragma("cell_size_check", True)
        connection.pragma("temp_store", "memory")
        connection.pragma("foreign_keys", True)
        if writable:
            _prepare_for_writing(connection)
        else:
            connection.pragma("query_only", True)
            connection.pragma("cache_size", -READER_CACHE_KIB)
        return connection, _find_parts(connection, without)
    except BaseException:
        connection.close()
        raise


def _prepare_for_writing(connection: apsw.Connection) -> None:
    connection.pragma("synchronous", "normal")  # a crash of the system may lose the last notes, never tear one
    connection.pragma("secure_delete", True)
    connection.pragma("journal_size_limit", JOURNAL_LIMIT_BYTES)
    connection.pragma("wal_autocheckpoint", 0)  # see writer.py
    connection.pragma("cache_size", -WRITER_CACHE_KIB)


def _find_parts(connection: apsw.Connection, without: frozenset[str]) -> Parts:
    return Parts(
        fts5_missing="it was switched off" if FTS5 in without else _why_no_fts5(connection),
        vec_missing="it was switched off" if SQLITE_VEC in without else _load_vec(connection),
    )


def _why_no_fts5(connection: apsw.Connection) -> str | None:
    found = select(connection, "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")
    return None if found else "this SQLite was built without it"


def _load_vec(connection: apsw.Connection) -> str | None:
    try:
        connection.enable_load_extension(True)
        connection.load_extension(_vec_path())
        connection.enable_load_extension(False)
    except (apsw.Error, AttributeError) as error:  # no attribute: an apsw built without extension loading
        return f"it could not be loaded: {error}"
    return None


@cache
def _vec_path() -> str:
    """The path of sqlite-vec's extension. Its package is looked up, not imported: that would import `sqlite3`."""
    found = find_spec(SQLITE_VEC.replace("-", "_"))
    if found is None or found.origin is None:
        raise apsw.ExtensionLoadingError("sqlite-vec is not installed")
    return str(Path(found.origin).with_name("vec0"))


def examine_parts() -> dict[str, str | None]:
    """The parts of SQLite that an index needs, each with the reason why it does not work on this machine, or None."""
    connection = apsw.Connection(":memory:")
    try:
        parts = _find_parts(connection, frozenset())
    finally:
        connection.close()
    return {f"SQLite {apsw.sqlite_lib_version()}": None, FTS5: parts.fts5_missing, SQLITE_VEC: parts.vec_missing}


class SqlFragment(Struct, frozen=True):
    """A fragment of SQL, and the values of its placeholders in order."""

    text: str
    bindings: tuple[SqlValue, ...] = ()

    def wrap(self, before: str, after: str = "") -> "SqlFragment":
        """This fragment with constant SQL around it."""
        return SqlFragment(before + self.text + after, self.bindings)


def join(between: str, fragments: Sequence[SqlFragment], otherwise: SqlFragment) -> SqlFragment:
    """*fragments*, with constant SQL *between* them, in parentheses where there are several; *otherwise* where none."""
    if len(fragments) < 2:
        return fragments[0] if fragments else otherwise
    return concat(between, fragments).wrap("(", ")")


def concat(between: str, fragments: Sequence[SqlFragment]) -> SqlFragment:
    """*fragments* one after another, with constant SQL *between* them."""
    text = between.join(fragment.text for fragment in fragments)
    return SqlFragment(text, tuple(value for fragment in fragments for value in fragment.bindings))


CHECK_EVERY_STEPS = 1000  # of SQLite's machine: 20 to 100 us apart, while one check costs under 1 us


def never() -> bool:
    """False: the query is never cancelled."""
    return False


DatabaseError = apsw.Error  # of which `translate_sqlite_errors` makes an error of ours


class Deadline(Struct, frozen=True):
    """Stops a query at a point in time, or as soon as `cancelled` returns True."""

    at: float  # time.monotonic() seconds
    cancelled: Callable[[], bool] = never  # called often, on the thread of the query

    @classmethod
    def after(cls, timeout_s: float) -> "Deadline":
        """A deadline *timeout_s* seconds from now."""
        return cls(time.monotonic() + timeout_s)

    def check(self) -> None:
        """
        Return if there is time left.

        Raises:
            Cancelled: The answer is no longer wanted.
            DeadlineExceeded: Time is up.
        """
        if self.cancelled():
            raise Cancelled("the search was cancelled")
        if time.monotonic() >= self.at:
            raise DeadlineExceeded("the search took longer than it may; use fewer words or a narrower filter")

    @contextmanager
    def over(self, connection: apsw.Connection) -> Iterator[None]:
        """
        Apply this deadline to every statement that runs on *connection* inside the block.

        A statement raises what `check` raises: apsw carries an exception through SQLite's progress handler.
        """
        self.check()
        block = object()  # of its own, as a block may stand inside another
        connection.set_progress_handler(self._keep_going, CHECK_EVERY_STEPS, id=block)
        try:
            yield
        finally:
            connection.set_progress_handler(None, id=block)

    def _keep_going(self) -> bool:
        self.check()
        return False


NO_DEADLINE = Deadline(math.inf)
"""For queries of known cost."""
