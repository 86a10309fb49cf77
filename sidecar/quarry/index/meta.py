"""Facts about the whole index, stored under keys."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import apsw

from quarry.index.database import select

FINGERPRINT = "fingerprint"  # of the model whose static vectors it has, as text; absent: it never had one
GENERATION = "generation"  # counts transactions; what is cached from the index is keyed by it
DIMENSION = "dimension"  # of every vector; absent while there is none
KEYWORDS_STALE = "keywords_stale"  # present: rows changed while FTS5 was missing
DROPPED = "dropped"  # the generation in which all vectors were dropped
NOTES = "notes"  # how many there are: counting 80,000 chunks at every search would take a millisecond
CHUNKS = "chunks"
POSTINGS = "postings"  # the random id of the segment file that was written last
CONTEXTUAL_MODEL = "contextual_model"  # that the contextual tables are for; absent while there are none
CONTEXTUAL_DIMENSION = "contextual_dimension"  # of every vector in them
CONTEXTUAL_DROPPED = "contextual_dropped"  # the generation in which they were last made
CONTEXTUAL_COMPLETE = "contextual_complete"  # present: there was a moment when no chunk and no title waited
KEPT_MODELS = "kept_models"  # see `vectors/kept_vectors.py`
OWN_KEYS = frozenset(
    {GENERATION, DIMENSION, KEYWORDS_STALE, DROPPED, NOTES, CHUNKS, POSTINGS, KEPT_MODELS}
    | {CONTEXTUAL_MODEL, CONTEXTUAL_DIMENSION, CONTEXTUAL_DROPPED, CONTEXTUAL_COMPLETE}
)


def get(connection: apsw.Connection, key: str) -> str | None:
    """The value of *key*, or None."""
    rows: list[tuple[str]] = select(connection, "SELECT value FROM meta WHERE key = ?", (key,))
    return rows[0][0] if rows else None


def put(connection: apsw.Connection, key: str, value: str) -> None:
    """Set *key* to *value*."""
    connection.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (key, value))


def delete(connection: apsw.Connection, key: str) -> None:
    """Delete *key*."""
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def generation(connection: apsw.Connection) -> int:
    """The number of transactions so far; it differs after every change of a note."""
    return int(get(connection, GENERATION) or 0)


def next_generation(connection: apsw.Connection) -> int:
    """The generation after the current transaction."""
    return generation(connection) + 1


def advance_generation(connection: apsw.Connection) -> None:
    """Count a transaction; to be called just before it is committed."""
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = ?", (GENERATION,))


def raise_generation(connection: apsw.Connection, above: int) -> None:
    """Let the generation be higher than *above*: that of an index whose place this one takes."""
    sql = "UPDATE meta SET value = max(CAST(value AS INTEGER), ?) WHERE key = ?"
    connection.execute(sql, (above, GENERATION))


def totals(connection: apsw.Connection) -> tuple[int, int]:
    """The number of notes and of chunks."""
    return note_count(connection), chunk_count(connection)


def note_count(connection: apsw.Connection) -> int:
    """The number of notes."""
    return int(get(connection, NOTES) or 0)


def chunk_count(connection: apsw.Connection) -> int:
    """The number of chunks."""
    return int(get(connection, CHUNKS) or 0)


def add_to_totals(connection: apsw.Connection, notes: int, chunks: int) -> None:
    """Add to the stored number of notes and of chunks; negative numbers for removed ones."""
    if notes or chunks:
        sql = "UPDATE meta SET value = value + CASE key WHEN ?1 THEN ?3 ELSE ?4 END WHERE key IN (?1, ?2)"
        connection.execute(sql, (NOTES, CHUNKS, notes, chunks))


T = TypeVar("T")


class SnapshotCache(Generic[T]):
    """
    The value of the newest snapshot that was asked for; any thread may ask.

    A reader of an older snapshot is given a value of its own, which is not kept.
    """

    def __init__(
        self,
        build: Callable[[apsw.Connection], T],
        update: Callable[[apsw.Connection, T, int], T | None] | None = None,
    ) -> None:
        """
        Make an empty cache.

        Args:
            build: Reads the value of the snapshot that a connection sees.
            update: Makes it from the value of the given earlier generation; None where it has to be built. The earlier
                value must stay as it is: readers may be at work with it.
        """
        self._build = build
        self._update = update
        self._lock = threading.Lock()
        self._kept: tuple[int, T] | None = None  # the generation of a snapshot, and its value

    @property
    def newest(self) -> T | None:
        """The value that is kept, of whichever snapshot."""
        kept = self._kept
        return kept[1] if kept is not None else None

    def at(self, connection: apsw.Connection) -> T:
        """The value of the snapshot that *connection* sees."""
        current = generation(connection)
        kept = self._kept
        if kept is None or kept[0] < current:
            with self._lock:
                if self._kept is None or self._kept[0] < current:
                    kept = None  # the last reference from here to the old value
                    self._kept = (current, self._renewed(connection))
                kept = self._kept
        return kept[1] if kept[0] == current else self._build(connection)

    def _renewed(self, connection: apsw.Connection) -> T:
        """The value for a newer snapshot than the one that is kept."""
        if self._kept is not None and self._update is not None:
            earlier, value = self._kept
            updated = self._update(connection, value, earlier)
            if updated is not None:
                return updated
            del value
        self._kept = None  # the old value is freed before a new one of its size is built
        return self._build(connection)
