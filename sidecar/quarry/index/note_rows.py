"""Rows of notes and their chunks: encoded, decoded, read with the packed content, checked by their checksums."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias
from unicodedata import normalize

import apsw
from msgspec import Struct

from quarry.errors import IndexDamaged
from quarry.index.database import Deadline, SqlValue, select
from quarry.index.keys import (
    SLOTS,
    fold_marks,
    fold_tag,
    id_list,
    note_checksum,
    note_of,
    slot_of,
    target_key,
    target_number,
)
from quarry.index.note_codec import (
    NoteContent,
    PackedNote,
    StoredTerms,
    decompressed_content,
    open_content,
    stored_terms,
)
from quarry.index.records import StoredChunk
from quarry.messages import list_from_json, to_json
from quarry.types import FileStamp, Note, PropertyValue

Values = tuple[SqlValue, ...]


def note_values(note: Note, stamp: FileStamp) -> Values:
    """The columns of `notes` from `path` to `chunk_count`; `path_nfc` and `path_key` stand as look-ups see them."""
    return (
        note.path,
        normalize("NFC", note.path),
        fold_marks(note.path),
        target_number(target_key(note.path)),
        note.title,
        _to_json(note.aliases),
        _to_json(dict(note.properties)),
        _to_json(dict(note.redactions)),
        to_json(note.problems) if note.problems else "[]",
        stamp.size_bytes,
        stamp.mtime_ns,
        stamp.ctime_ns,
        stamp.sha256,
        len(note.chunks),
    )


def tag_values(note: Note) -> list[Values]:
    """The rows of `tags` for *note*, without its id: `(position, tag, tag_key)`."""
    return [(position, tag, fold_tag(tag)) for position, tag in enumerate(note.tags)]


def link_keys(note: Note) -> list[str]:
    """The names that links of *note* lead to, as `links.target_key`; each once."""
    keys = dict.fromkeys(target_key(link.target) for link in note.links)
    return [key for key in keys if key]


def note_from(values: Values, content: NoteContent) -> Note:
    """The note that these columns, `path` to `chunk_count`, and its *content* were made from."""
    path, _, _, _, title, aliases, properties, redactions, problems = values[:9]
    return Note(
        path=str(path),
        title=str(title),
        aliases=read_list(str(aliases)),
        tags=content.tags,
        properties=read_properties(str(properties)),
        links=content.links,
        chunks=content.chunks,
        redactions=read_counts(str(redactions)),
        problems=list_from_json(str(problems)),
    )


def check_storable(note: Note) -> None:
    """
    Refuse a note that the tables cannot hold.

    Raises:
        ValueError: A text holds half a surrogate pair (an undecodable file name does), or there are more chunks than
            slots.
    """
    if len(note.chunks) > SLOTS:
        raise ValueError(f"note {note.path!r} has {len(note.chunks)} chunks; at most {SLOTS} can be stored")
    texts = [note.path, note.title, *note.aliases, *note.tags, *map(str, note.properties.items())]
    texts += [text for link in note.links for text in (link.target, link.heading or "", link.label or "")]
    texts += [text for chunk in note.chunks for text in (chunk.text, chunk.context, *chunk.heading_path)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"note {note.path!r} holds text that is no Unicode ({error.reason}); leave it out") from error


def read_list(column: str) -> tuple[str, ...]:
    """Decode a JSON array of strings."""
    return () if column == "[]" else tuple(_from_json(column))


def read_properties(column: str) -> dict[str, PropertyValue]:
    """Decode the properties of a note; lists become tuples again."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in _from_json(column).items()}


def read_counts(column: str) -> dict[str, int]:
    """Decode a JSON object of counts."""
    return dict(_from_json(column))


def _from_json(column: str) -> Any:
    """Decode a JSON column, whose type is that of what this module encodes for it."""
    try:
        return json.loads(column)
    except ValueError as error:
        raise IndexDamaged("a row of the index is not as it was written; it has to be rebuilt") from error


_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


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
    def front_matter(self) -> str:
        """The properties of the note, as `read_properties` takes them."""
        return str(self.values[6])

    @property
    def stamp(self) -> FileStamp:
        """The stamp of the note's file when it was read."""
        size_bytes, mtime_ns, ctime_ns, sha256 = self.values[9:13]
        return FileStamp(size_bytes, mtime_ns, sha256, ctime_ns)  # type: ignore[arg-type]  # the columns' types

    @property
    def is_sound(self) -> bool:
        """Whether row and content are as they were written."""
        return self.packed is not None and note_checksum(self.values, self.packed) == self.checksum

    def packed_note(self, content: bytes | None = None, opened: PackedNote | None = None) -> PackedNote:
        """
        The content of the note, to be decoded in parts.

        Args:
            content: Its `decompressed_content`, where the caller has it.
            opened: What this function gives, where the caller has it from elsewhere; the row is checked all the same.

        Raises:
            IndexDamaged: The row is not as it was written. Better no answer than a wrong text.
        """
        if self.packed is None or not self.is_sound:
            raise IndexDamaged(f"what the index holds of {self.path} is not as it was written; it has to be rebuilt")
        if opened is not None:
            return opened
        return open_content(decompressed_content(self.packed) if content is None else content)

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


READ_AT_ONCE = 64  # notes
MAX_KEPT_BYTES = 4_000_000  # for the rest of a query, which reads most of the notes that it shows more than once

_BODIES = "SELECT note_id, body FROM bodies WHERE note_id IN (SELECT value FROM json_each(?))"
_NEXT_BODIES = "SELECT note_id, body FROM bodies WHERE note_id > ? ORDER BY note_id LIMIT ?"


def every_body(connection: apsw.Connection) -> Iterator[tuple[int, bytes]]:
    """The packed content of every note, ascending by id."""
    last = 0
    while rows := select(connection, _NEXT_BODIES, (last, READ_AT_ONCE)):
        yield from rows
        last = rows[-1][0]


class ContentReader:
    """
    Reads what notes contain, for one query: their terms, then the text of some of them.

    Contents that were read are kept, up to `MAX_KEPT_BYTES`. Methods with a deadline raise DeadlineExceeded or
    Cancelled when it says so, and all raise IndexDamaged where a note is not stored as it was written.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection
        self._contents: dict[int, bytes] = {}  # decompressed
        self._opened: dict[int, PackedNote] = {}  # of notes that are compared with a query, and then quoted
        self._room = MAX_KEPT_BYTES

    def contents(self, note_ids: Sequence[int], deadline: Deadline) -> Iterator[tuple[int, bytes]]:
        """The `decompressed_content` of these notes, which ascend by id; ids that are not there are left out."""
        for first in range(0, len(note_ids), READ_AT_ONCE):
            some = note_ids[first : first + READ_AT_ONCE]
            unread = [note_id for note_id in some if note_id not in self._contents]
            bodies: dict[int, bytes] = dict(select(self._db, _BODIES, (id_list(unread),))) if unread else {}
            for note_id in some:
                deadline.check()  # a note may be long
                content = self._contents.get(note_id)
                if content is None and note_id in bodies:
                    content = decompressed_content(bodies[note_id])
                    if self._room > 0:
                        self._contents[note_id] = content
                        self._room -= len(content)
                if content is not None:
                    yield note_id, content

    def terms(self, note_ids: Sequence[int], deadline: Deadline) -> Iterator[tuple[int, StoredTerms]]:
        """The terms of these notes, which ascend by id; ids that are not there are left out."""
        for note_id, content in self.contents(note_ids, deadline):
            yield note_id, stored_terms(content)

    def passages(self, chunk_ids: Sequence[int], deadline: Deadline) -> list[str]:
        """The embedded text of each chunk: context, section and text; "" for an unknown id."""
        chunks_of: dict[int, list[int]] = {}
        for chunk_id in chunk_ids:
            chunks_of.setdefault(note_of(chunk_id), []).append(chunk_id)
        texts: dict[int, str] = {}
        for note_id, written in self.contents(sorted(chunks_of), deadline):
            content = open_content(written)
            if note_id in self._contents:  # which holds no more than a query may
                self._opened[note_id] = content
            for chunk_id in chunks_of[note_id]:
                number = content.number_of(slot_of(chunk_id))
                texts[chunk_id] = content.passage(number) if number is not None else ""
        return [texts.get(chunk_id, "") for chunk_id in chunk_ids]

    def each_chunk(self, chunk_ids: Iterable[int]) -> Iterator[StoredChunk]:
        """
        The chunks in the order of *chunk_ids*; ids that are not there are left out.

        Each is decoded only when it is asked for, and the row of its note is checked.
        """
        wanted = {chunk_id: note_of(chunk_id) for chunk_id in chunk_ids}
        rows = note_rows(self._db, dict.fromkeys(wanted.values()))
        read: dict[int, _Opened] = {}
        for chunk_id, note_id in wanted.items():
            if note_id not in rows:
                continue
            if note_id not in read:
                read[note_id] = _open(rows[note_id], self._contents.get(note_id), self._opened.get(note_id))
            content, about = read[note_id]
            number = content.number_of(slot_of(chunk_id))
            if number is not None:
                yield StoredChunk(chunk_id, *about, content.chunk(number))


_Opened: TypeAlias = tuple[PackedNote, tuple[str, str, tuple[str, ...], tuple[str, ...], int, str]]
"""A note's content, and what each of its chunks tells of it: path, title, aliases, tags, milliseconds, properties."""


def _open(row: NoteRow, content: bytes | None, opened: PackedNote | None) -> _Opened:
    packed = row.packed_note(content, opened)
    about = (row.path, row.title, row.aliases, tuple(packed.tags), row.stamp.mtime_ns // 1_000_000, row.front_matter)
    return packed, about
