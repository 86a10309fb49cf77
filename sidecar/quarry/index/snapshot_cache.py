"""Values derived from the index, kept for the newest snapshot: what every query needs is read once, not every time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import apsw

from quarry.index import meta

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
        generation = meta.generation(connection)
        kept = self._kept
        if kept is None or kept[0] < generation:
            with self._lock:
                if self._kept is None or self._kept[0] < generation:
                    kept = None  # the last reference from here to the old value
                    self._kept = (generation, self._renewed(connection))
                kept = self._kept
        return kept[1] if kept[0] == generation else self._build(connection)

    def _renewed(self, connection: apsw.Connection) -> T:
        """The value for a newer snapshot than the one that is kept."""
        if self._kept is not None and self._update is not None:
            generation, value = self._kept
            updated = self._update(connection, value, generation)
            if updated is not None:
                return updated
            del value
        self._kept = None  # the old value is freed before a new one of its size is built
        return self._build(connection)
