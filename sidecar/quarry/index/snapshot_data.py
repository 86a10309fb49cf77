"""What every query asks of a snapshot: to read the names of a hundred notes takes longer than to rank them."""

from collections.abc import Callable, Sequence

import apsw
from msgspec import Struct, field

from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.index.records import Newest, NoteName
from quarry.index.row_codec import read_list

MAX_NAMES = 20_000  # about 10 MB; a larger vault forgets all of them when one more is asked for

_NAMES = "SELECT id, path, title, aliases, mtime_ns FROM notes WHERE id IN (SELECT value FROM json_each(?))"


class NoteNames(Struct):
    """The names of those notes of one snapshot that were asked for."""

    limit: int = MAX_NAMES
    _known: dict[int, NoteName] = field(default_factory=dict)

    def of(self, connection: apsw.Connection, note_ids: Sequence[int]) -> list[NoteName]:
        """
        The names of these notes, in the same order; ids that are not there are left out.

        Args:
            connection: Sees this snapshot.
        """
        known = self._known
        found = [known.get(note_id) for note_id in note_ids]
        if None in found:
            lacking = [note_id for note_id, name in zip(note_ids, found, strict=True) if name is None]
            fresh = {
                note_id: NoteName(note_id, path, title, read_list(aliases), mtime_ns // 1_000_000)
                for note_id, path, title, aliases, mtime_ns in select(connection, _NAMES, (id_list(lacking),))
            }
            if len(known) + len(fresh) > self.limit:
                known.clear()
            known.update(fresh)
            found = [name or fresh.get(note_id) for note_id, name in zip(note_ids, found, strict=True)]
        return [name for name in found if name is not None]


class SnapshotData(Struct):
    """What was read of one snapshot, kept for the next query."""

    names: NoteNames = field(default_factory=NoteNames)
    _newest: tuple[int, Newest] | None = None  # the depth that was asked for, and the newest notes

    def newest(self, depth: int, read: Callable[[], Newest]) -> Newest:
        """
        The *depth* newest of all notes: the answer to a query with nothing to rank by, as while a stop word is typed.

        Args:
            read: Reads them; SQLite goes through all notes for it, 7 ms for 17,000.
        """
        kept = self._newest
        if kept is None or kept[0] < depth:
            kept = self._newest = (depth, read())
        return kept[1] if kept[0] == depth else Newest(kept[1].ranking[:depth], kept[1].total)
