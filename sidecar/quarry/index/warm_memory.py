"""Fills the caches of a new index before it replaces another, so that searches wait for milliseconds only."""

from pathlib import Path

from quarry.errors import IndexDamaged, IndexUnavailable
from quarry.index import files
from quarry.index.database import explained
from quarry.index.opening import connect_ours
from quarry.index.reader import Memory, Reader
from quarry.index.vector.matrix import VectorLimits


def warm_memory(path: Path, without: frozenset[str], vector_limits: VectorLimits | None = None) -> Memory:
    """
    The caches of the closed index at *path*, filled as they are once it has been searched.

    Raises:
        IndexUnavailable: The index is not closed, or cannot be used.
    """
    files.check_closed(path)
    memory = Memory.of(path, vector_limits)
    try:
        with explained(path):
            connection, parts = connect_ours(path, writable=False, without=without)
            try:
                memory.postings.open(connection)
                Reader(connection, parts, memory).warm_up()
            finally:
                connection.close()
    except IndexDamaged as error:  # the new index, not the one that answers now
        raise IndexUnavailable(f"the new index cannot be used ({error}); the old one goes on") from error
    return memory
