"""Rows of notes, read by id together with the packed content, and checked against their checksums."""

from collections.abc import Iterable

import apsw
from msgspec import Struct

from quarry.errors import IndexDamaged
from quarry.index.checksums import note_checksum
from quarry.index.database import select
from quarry.index.ids import id_list
from quarry.index.note_codec import NoteContent, PackedNote, open_packed
from quarry.index.row_codec import Values, read_list
from quarry.types import FileStamp

_NOTES = (
    "SELECT n.id, n.checksum, b.body, n.path, n.path_nfc, n.path_key, n.name, n.title, n.aliases, n.properties,"
    " n.redactions, n.problems, n.size_bytes, n.mtime_ns, n.ctime_ns, n.sha256, n.chunk_count"
    " FROM notes n LEFT JOIN bodies b ON b.note_id = n.id WHERE n.id IN (SELECT value FROM json_each(?))"
)


class NoteRow(Struct, frozen=True):
    """The row of a note with its body."""

    note_id: int
    checksum: bytes
    packed: bytes | None  # see `note_codec.py`; None: the row of `bodies` is gone
    values: Values  # from `path` to `chunk_count`

    @property
    def path(self) -> str:
        """The path of the note."""
        return str(self.values[0])

    @property
    def title(self) -> str:
        """The title of the note."""
        return str(self.values[4])

    @property
    def aliases(self) -> tuple[str, ...]:
        """The aliases of the note."""
        return read_list(str(self.values[5]))

    @property
    def stamp(self) -> FileStamp:
        """The stamp of the note's file when it was read."""
        size_bytes, mtime_ns, ctime_ns, sha256 = self.values[9:13]
        return FileStamp(size_bytes, mtime_ns, sha256, ctime_ns)  # type: ignore[arg-type]  # the columns' types

    @property
    def is_sound(self) -> bool:
        """Whether row and content are as they were written."""
        return self.packed is not None and note_checksum(self.values, self.packed) == self.checksum

    def packed_note(self) -> PackedNote:
        """
        The content of the note, to be decoded in parts.

        Raises:
            IndexDamaged: The row is not as it was written. Better no answer than a wrong text.
        """
        if self.packed is None or not self.is_sound:
            raise IndexDamaged(f"what the index holds of {self.path} is not as it was written; it has to be rebuilt")
        return open_packed(self.packed)

    def content(self) -> NoteContent:
        """The content of the note; raises as `packed_note`."""
        return self.packed_note().content()


def note_row(connection: apsw.Connection, note_id: int) -> NoteRow:
    """
    The row of a note that another table refers to.

    Raises:
        IndexDamaged: There is no such row.
    """
    found = note_rows(connection, [note_id]).get(note_id)
    if found is None:
        raise IndexDamaged(f"the index lacks the row of note {note_id}; it has to be rebuilt")
    return found


def note_rows(connection: apsw.Connection, note_ids: Iterable[int]) -> dict[int, NoteRow]:
    """The rows of these notes, unchecked; ids that are not there are left out."""
    rows = select(connection, _NOTES, (id_list(note_ids),))
    return {note_id: NoteRow(note_id, checksum, body, tuple(values)) for note_id, checksum, body, *values in rows}
