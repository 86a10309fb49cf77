"""
Reads whole notes with their vectors out of an index that another process may be writing, in short snapshots.

What goes to another index is so the same as what a search of this one would rank.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw
from msgspec import Struct

from quarry.index import meta
from quarry.index.database import select, translate_sqlite_errors
from quarry.index.keys import HASH_BYTES, digest, id_range
from quarry.index.note_rows import NoteRow, note_from, note_rows, read_properties
from quarry.index.reader_pool import connect_ours
from quarry.types import Note, PropertyValue

READ_AT_ONCE = 500  # notes of one snapshot: what is written meanwhile waits in the WAL

_IDS = "SELECT id FROM notes WHERE id > ? ORDER BY id LIMIT ?"
_IDS_OF = "SELECT id FROM notes WHERE path IN (SELECT value FROM json_each(?))"
_VECTORS = "SELECT r.id, v.vector FROM chunk_rows r LEFT JOIN vectors v ON v.chunk_id = r.id WHERE r.id BETWEEN ? AND ?"


class ExportedNote(Struct, frozen=True):
    """A note as indexed; a vector is empty where there is nothing to embed, or not yet."""

    note: Note
    modified_ms: int
    vectors: tuple[bytes, ...]  # of each chunk, see `quantize`
    title_vector: bytes
    content_hash: bytes


class ExportedHash(Struct, frozen=True):
    """The properties of a note, and a hash by which a change is noticed."""

    properties: dict[str, PropertyValue]
    content_hash: bytes  # over all of `ExportedNote` but the time of its file


class IndexExport:
    """The notes of the index at *path*; every method raises IndexUnavailable or IndexDamaged if it cannot."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def model(self) -> str | None:
        """The fingerprint of the model of the vectors; None while there are none."""
        with self._snapshot() as connection:
            return meta.get(connection, meta.FINGERPRINT) if meta.get(connection, meta.DIMENSION) else None

    def hashes(self) -> Iterator[tuple[str, ExportedHash]]:
        """The path and the hash of every note."""
        last = 0
        while True:
            with self._snapshot() as connection:
                ids = [row[0] for row in select(connection, _IDS, (last, READ_AT_ONCE))]
                found = [_Exported(connection, row) for row in note_rows(connection, ids).values()]
            if not ids:
                return
            for note in found:
                yield note.row.path, ExportedHash(read_properties(note.row.front_matter), note.content_hash())
            last = ids[-1]

    def notes(self, paths: Sequence[str]) -> list[ExportedNote]:
        """The notes at *paths*, in any order; those that are gone are left out."""
        with self._snapshot() as connection:
            ids = [row[0] for row in select(connection, _IDS_OF, (json.dumps(list(paths)),))]
            return [_Exported(connection, row).note() for row in note_rows(connection, ids).values()]

    @contextmanager
    def _snapshot(self) -> Iterator[apsw.Connection]:
        with translate_sqlite_errors(self._path):
            connection, _ = connect_ours(self._path, writable=False, without=frozenset())
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()


class _Exported:
    """A note as it is read from one snapshot."""

    def __init__(self, connection: apsw.Connection, row: NoteRow) -> None:
        self.row = row
        self._vectors = dict(select(connection, _VECTORS, id_range(row.note_id)))
        titles = select(connection, "SELECT vector FROM title_vectors WHERE note_id = ?", (row.note_id,))
        self._title_vector: bytes = titles[0][0] if titles else b""

    def content_hash(self) -> bytes:
        row, vectors = self.row, sorted(self._vectors.items())
        key = digest(row.path, row.title, *row.aliases, row.front_matter, self._title_vector, *[v for _, v in vectors])
        return hashlib.blake2b(row.packed or b"", digest_size=HASH_BYTES, key=key).digest()

    def note(self) -> ExportedNote:
        content = self.row.content()
        first, _ = id_range(self.row.note_id)
        return ExportedNote(
            note_from(self.row.values, content),
            self.row.stamp.mtime_ns // 1_000_000,
            tuple(self._vectors.get(first + slot) or b"" for slot in content.slots),
            self._title_vector,
            self.content_hash(),
        )
