"""Notes as a team's database stores them, made ready for a `PartialReader`; nothing is analysed or embedded anew."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from quarry.index import PreparedNote
from quarry.index.keys import fold_tag, note_checksum
from quarry.index.note_codec import open_packed
from quarry.index.note_rows import note_values, read_list, read_properties
from quarry.index.postings.fields import chunk_lengths, name_length
from quarry.index.postings.snapshot import SizedCache
from quarry.types import Chunk, FileStamp, Note

if TYPE_CHECKING:
    from quarry.team.connection import Connection

CACHED_BYTES = 48 * 1024 * 1024  # about 10,000 notes: what a person looks for is mostly about the same of them
ENTRY_BYTES = 1000
NS_OF_MS = 1_000_000

_READ = "SELECT * FROM quarry.read_notes(%s)"
_UNREAD_CHUNK = Chunk(number=0, heading_path=(), text="", start=0, end=0, start_utf16=0, line=0, context="")

StoredNotes = list[tuple[int, PreparedNote]]


class NoteCache:
    """Notes that were read. Another version of a note has another id, so that none is outdated."""

    def __init__(self) -> None:
        self._kept = SizedCache[PreparedNote](
            CACHED_BYTES, lambda note: ENTRY_BYTES + len(note.body) + sum(len(vector or b"") for vector in note.vectors)
        )

    def read(self, connection: "Connection", note_ids: Iterable[int], dimension: int) -> StoredNotes:
        """
        The notes of *note_ids*, each of which the member was shown by this transaction; ascending.

        Raises:
            IndexDamaged: One is not as it was written.
        """
        wanted = {note_id: self._kept.get(note_id) for note_id in sorted(note_ids)}
        unknown = [note_id for note_id, note in wanted.items() if note is None]
        for note_id, *row in connection.execute(_READ, (unknown,), binary=True) if unknown else ():
            wanted[note_id] = self._kept.put(note_id, _prepared(row, dimension))
        return [(note_id, note) for note_id, note in wanted.items() if note is not None]


def without_text(
    path: str, title: str, aliases: str, properties: str, tags: Sequence[str], modified_ms: int
) -> PreparedNote:
    """What conditions other than those on the text of a note are about."""
    return _note((path, title, aliases, properties, modified_ms, 1), b"", [(tag, tag) for tag in tags])


def _prepared(row: Sequence[Any], dimension: int) -> PreparedNote:
    path, title, aliases, properties, _, modified_ms, languages, is_map, body, vectors, title_vector = row
    content = open_packed(body)
    terms = content.terms()
    about = path, title, aliases, properties, modified_ms, len(content.slots)
    each = [vectors[start : start + dimension] for start in range(0, len(vectors), dimension)]
    return replace(
        _note(about, body, [(tag, fold_tag(tag)) for tag in content.tags]),
        vectors=tuple(vector if any(vector) else None for vector in each),
        title_vector=np.array(title_vector).astype(np.int8).tobytes() if title_vector else None,
        lengths=tuple(map(chunk_lengths, terms.chunks)),
        name_length=name_length(terms.names),
        languages=languages,
        is_map=is_map,
    )


def _note(about: tuple[str, str, str, str, int, int], body: bytes, tags: Sequence[tuple[str, str]]) -> PreparedNote:
    path, title, aliases, properties, modified_ms, chunk_count = about
    chunks = (_UNREAD_CHUNK,) * chunk_count
    note = Note(path, title, read_list(aliases), (), read_properties(properties), (), chunks)
    values = note_values(note, FileStamp(0, modified_ms * NS_OF_MS, b""))
    positioned = tuple((position, *tag) for position, tag in enumerate(tags))
    return PreparedNote(
        values=values, body=body, checksum=note_checksum(values, body), tags=positioned, links=(), hashes=(),
        vectors=(), title_vector=None, lengths=(), name_length=0, vocabulary="", languages=None, is_map=False,
        terms=None,
    )  # fmt: skip
