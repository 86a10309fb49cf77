"""What every question asks of a moment, kept until the next: to read a hundred names takes longer than to rank them."""

import threading
from collections.abc import Callable, Sequence

import apsw
from msgspec import Struct, field

from quarry.index import meta
from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.index.records import Newest, NoteName
from quarry.index.row_codec import read_list

MOST_NAMES = 50_000  # about 25 MB; a larger vault forgets all of them when it meets one more

_NAMES = "SELECT id, path, title, aliases, mtime_ns FROM notes WHERE id IN (SELECT value FROM json_each(?))"


class Names(Struct):
    """What notes are called at one moment, as far as anyone asked."""

    _known: dict[int, NoteName] = field(default_factory=dict)

    def of(self, connection: apsw.Connection, note_ids: Sequence[int]) -> list[NoteName]:
        """
        What these notes are called, in the same order; ids that are not there are left out.

        Args:
            connection: Sees this moment.
        """
        known = self._known
        found = [known.get(note_id) for note_id in note_ids]
        if None in found:
            lacking = [note_id for note_id, name in zip(note_ids, found, strict=True) if name is None]
            fresh = {
                note_id: NoteName(note_id, path, title, read_list(aliases), mtime_ns // 1_000_000)
                for note_id, path, title, aliases, mtime_ns in select(connection, _NAMES, (id_list(lacking),))
            }
            if len(known) + len(fresh) > MOST_NAMES:
                known.clear()
            known.update(fresh)
            found = [name or fresh.get(note_id) for note_id, name in zip(note_ids, found, strict=True)]
        return [name for name in found if name is not None]


class SnapshotData(Struct):
    """What was read of one moment."""

    generation: int
    names: Names = field(default_factory=Names)
    _newest: tuple[int, Newest] | None = None  # of all notes, at most so many

    def newest(self, depth: int, read: Callable[[], Newest]) -> Newest:
        """
        The *depth* newest of all notes: what a query without anything to rank by lists, as does each stop word typed.

        Args:
            read: Gives them; SQLite goes through all notes for it, 7 ms for 17,000.
        """
        kept = self._newest
        if kept is None or kept[0] < depth:
            kept = self._newest = (depth, read())
        return kept[1] if kept[0] == depth else Newest(kept[1].ranking[:depth], kept[1].total)


class SnapshotDataCache:
    """What was read of the newest moment that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest = SnapshotData(-1)

    def at(self, connection: apsw.Connection) -> SnapshotData:
        """What was read of the moment that *connection* sees; none is kept of one that is older than the newest."""
        generation = meta.generation(connection)
        with self._lock:
            if generation > self._newest.generation:
                self._newest = SnapshotData(generation)
            return self._newest if generation == self._newest.generation else SnapshotData(generation)
