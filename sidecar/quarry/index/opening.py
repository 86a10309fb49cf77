"""
How is an index opened, so that what it holds can be trusted? Our functions are registered, a newer file is refused, and
what is derived is rebuilt where it is not of this version. Before an index replaces another, its caches are filled.
"""

from pathlib import Path

import apsw

from quarry.errors import IndexDamaged, IndexUnavailable, SchemaTooNew
from quarry.index import files, meta, note_codec
from quarry.index.database import Parts, connect, explained
from quarry.index.filters.filter import register_functions
from quarry.index.integrity import check_opening
from quarry.index.memory import Memory
from quarry.index.postings.fts5 import create_keyword_index, has_keyword_index
from quarry.index.postings.postings_cache import PostingsCache
from quarry.index.reader import Reader
from quarry.index.schema import SCHEMA_VERSION
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.writer import Writer


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
        IndexDamaged, apsw.Error: It is no whole index of ours.
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
    is_stale = meta.get(connection, meta.LEXICAL_STALE) is not None
    if is_stale or not has_keyword_index(connection):
        with writer.change():
            create_keyword_index(connection)
            meta.delete(connection, meta.LEXICAL_STALE)


def warm_memory(path: Path, without: frozenset[str], vector_limits: VectorLimits | None, few_notes: int) -> Memory:
    """
    The caches of the closed index at *path*, filled as they are once it has been searched.

    Raises:
        IndexUnavailable: The index is not closed, or cannot be used.
    """
    files.check_closed(path)
    memory = Memory.of(path, vector_limits, few_notes)
    try:
        with explained(path):
            connection, parts = connect_ours(path, writable=False, without=without)
            try:
                memory.postings.open(connection)
                Reader(connection, parts, memory).warm_up()
            finally:
                connection.close()
    except IndexDamaged as error:  # the new index, not the one that answers now
        raise IndexUnavailable(f"the new index cannot be used ({error}); the old one stays in use") from error
    return memory
