"""A note as the values of its rows and back; what cannot be stored is refused here, before anything is written."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from quarry.errors import IndexDamaged
from quarry.index.checksums import content_hash, digest
from quarry.index.database import SqlValue
from quarry.index.folding import fold_marks, fold_name, fold_tag
from quarry.index.ids import SLOTS
from quarry.index.links import target_key
from quarry.types import Chunk, FileStamp, Note, PropertyValue, Shift

Values = tuple[SqlValue, ...]


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """The columns of a chunk but its id, note and checksum, which the table knows."""

    number: int
    heading_path: str
    section: str
    text: str
    context: str
    first: int
    last: int
    first_utf16: int
    line: int
    shifts: str
    content_hash: bytes

    @property
    def indexed(self) -> tuple[str, str, str]:
        """What the keyword index and the model see: rows alike in this share their postings and vectors."""
        return (self.text, self.section, self.context)

    @property
    def values(self) -> Values:
        """All columns in the order of the table."""
        return (
            self.number,
            self.heading_path,
            self.section,
            self.text,
            self.context,
            self.first,
            self.last,
            self.first_utf16,
            self.line,
            self.shifts,
            self.content_hash,
        )

    def checksum(self, note_id: int) -> bytes:
        """What the row of this chunk in note *note_id* carries as its checksum."""
        return digest(note_id, *self.values)

    def as_chunk(self) -> Chunk:
        """The chunk that this row was made from."""
        return Chunk(
            number=self.number,
            heading_path=tuple(_from_json(self.heading_path)),
            text=self.text,
            start=self.first,
            end=self.last,
            start_utf16=self.first_utf16,
            line=self.line,
            context=self.context,
            shifts=tuple(Shift(*shift) for shift in _from_json(self.shifts)),
        )


def chunk_row(chunk: Chunk) -> ChunkRow:
    """The row of *chunk*."""
    return ChunkRow(
        number=chunk.number,
        heading_path=_to_json(chunk.heading_path),
        section=chunk.section,
        text=chunk.text,
        context=chunk.context,
        first=chunk.start,
        last=chunk.end,
        first_utf16=chunk.start_utf16,
        line=chunk.line,
        shifts=_to_json([(shift.offset, shift.utf16, shift.lines) for shift in chunk.shifts]),
        content_hash=content_hash(chunk),
    )


def note_values(note: Note, stamp: FileStamp) -> Values:
    """The columns of *note* from `path` to `chunk_count`."""
    return (
        note.path,
        normalize("NFC", note.path),
        fold_marks(note.path),
        fold_name(note.path),
        note.title,
        _to_json(note.aliases),
        _to_json(dict(note.properties)),
        _to_json(dict(note.redactions)),
        _to_json(note.problems),
        stamp.size_bytes,
        stamp.mtime_ns,
        stamp.sha256,
        len(note.chunks),
    )


def tag_values(note: Note) -> list[Values]:
    """`(position, tag, tag_key)` for each tag."""
    return [(position, tag, fold_tag(tag)) for position, tag in enumerate(note.tags)]


def link_values(note: Note) -> list[Values]:
    """`(position, kind, target, target_key, heading, label)` for each link."""
    return [
        (position, link.kind, link.target, target_key(link.target), link.heading, link.label)
        for position, link in enumerate(note.links)
    ]


def check_storable(note: Note, vectors: Iterable[bytes | None], dimension: int | None) -> None:
    """
    Refuse a note that the tables cannot hold.

    Args:
        vectors: Those of the chunks and of the title.

    Raises:
        ValueError: A text holds half a surrogate pair (an undecodable file name does), there are more chunks than
            slots, or a vector has another length than those before it: it is from another model, see
            `Index.drop_vectors`.
    """
    if len(note.chunks) > SLOTS:
        raise ValueError(f"note {note.path!r} has {len(note.chunks)} chunks; at most {SLOTS} can be stored")
    texts = [note.path, note.title, *note.aliases, *note.tags, *note.problems, *map(str, note.properties.items())]
    texts += [text for link in note.links for text in (link.target, link.heading or "", link.label or "")]
    texts += [text for chunk in note.chunks for text in (chunk.text, chunk.context, *chunk.heading_path)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"note {note.path!r} holds text that is no Unicode ({error.reason}); leave it out") from error
    lengths = {len(vector) for vector in vectors if vector} | ({dimension} if dimension else set())
    if len(lengths) > 1:
        raise ValueError(f"note {note.path!r} has vectors of {sorted(lengths)} dimensions; drop the old ones first")


def read_list(column: str) -> tuple[str, ...]:
    """A JSON array of strings."""
    return tuple(_from_json(column))


def read_properties(column: str) -> dict[str, PropertyValue]:
    """The properties of a note, lists as tuples again."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in _from_json(column).items()}


def read_counts(column: str) -> dict[str, int]:
    """A JSON object of counts."""
    return dict(_from_json(column))


def _from_json(column: str) -> Any:
    """The value of a JSON column; what it holds is typed by who wrote it, here."""
    try:
        return json.loads(column)
    except ValueError as error:
        raise IndexDamaged("a row of the index is not as it was written; it has to be rebuilt") from error


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
