"""
Encodes the content of a note - its chunks, links and tags - as one compressed value, and decodes parts of it.

One value a note, not one a chunk: the chunks of a note share their words, so that this takes less room than each by
itself with a trained dictionary, is made in one call and needs no dictionary (decisions/007).

Before compression the value is a line of terms (the forward index, `postings/fields.py`), two lines of JSON, and then
the texts, one after another. One text among many is sliced out, and a column of the JSON with an entry for each chunk
is decoded only for the chunks that are asked about. A column that holds its usual values is written as 0; the last one,
the anchors, which no Markdown file has, is then not written at all.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from types import GenericAlias
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args

import apsw
from msgspec import Raw, Struct, ValidationError
from msgspec.json import Decoder  # noqa: TID251 - no message: what we stored, in a third of the time of `json`
from msgspec.structs import replace

from quarry.errors import IndexDamaged
from quarry.index.database import SqlValue
from quarry.index.keys import slot_of
from quarry.index.postings.dictionary import PostingsDamaged, compress, decompress
from quarry.index.postings.fields import NoteTerms, decode_terms, encode_terms
from quarry.types import Chunk, Link, Note, Shift

MAX_BYTES = 1 << 28  # of a note in full; a damaged length must not ask for all memory
CACHED_NOTES = 8  # notes that SQL may ask about in turn, chunk by chunk


_Value = TypeVar("_Value")


class NoteContent(Struct, frozen=True):
    """A note's chunks in their order, with the slots (see `keys.py`) that they have in the index."""

    slots: tuple[int, ...]
    chunks: tuple[Chunk, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, note: Note) -> "NoteContent":
        """The content of a new *note*, whose chunks take the first slots."""
        return cls(tuple(range(len(note.chunks))), note.chunks, note.links, note.tags)


class PackedNote(NamedTuple):
    """
    Decompressed content of a note, of which parts can be decoded.

    The position of a chunk is stored as a difference from where the chunk before it ends, which is mostly zero.
    """

    terms_line: bytes  # see `postings/fields.py`
    links_json: bytes
    texts: str
    slots: list[int]
    tags: list[str]
    lengths: list[int]  # of the texts; from here on, each column has an entry for each chunk
    gaps: list[int]  # code points of the note between a chunk and the chunk before
    longer: list[int]  # code points of the note that a chunk covers, less those of its text
    wider: list[int]  # UTF-16 units less code points between the start of a chunk and the start of the chunk before
    lines: list[int]  # line numbers, as differences from the chunk before
    shifts: Sequence[Raw | tuple[()]]  # undecoded JSON: for each chunk a list of lists of numbers
    headings: list[Raw]  # for each chunk a list of texts
    contexts: list[Raw]  # for each chunk a text
    anchors: Sequence[str | None]  # see `Chunk.anchor`
    starts: list[int]  # where each text begins in `texts`; not stored

    def number_of(self, slot: int) -> int | None:
        """The number of the chunk in *slot*; None where the slot is empty."""
        return self.slots.index(slot) if slot in self.slots else None

    def text(self, number: int) -> str:
        """The text of the chunk of that number."""
        first = self.starts[number]
        return self.texts[first : first + self.lengths[number]]

    def chunk(self, number: int) -> Chunk:
        """The chunk of that number."""
        begun, length = number + 1, self.lengths[number]
        first = self.starts[number]
        shifts = self.shifts[number]
        start = first + sum(self.gaps[:begun]) + sum(self.longer[:number])
        return Chunk(
            number=number,
            heading_path=self.heading_path(number),
            text=self.texts[first : first + length],
            start=start,
            end=start + length + self.longer[number],
            start_utf16=start + sum(self.wider[:begun]),
            line=sum(self.lines[:begun]),
            context=self.context(number),
            shifts=tuple([Shift(*shift) for shift in _read(_SHIFTS, shifts)]) if shifts else (),
            anchor=self.anchors[number],
        )

    def context(self, number: int) -> str:
        """The context of the chunk of that number."""
        return _read(_CONTEXT, self.contexts[number])

    def heading_path(self, number: int) -> tuple[str, ...]:
        """The headings above the chunk of that number, the outermost first."""
        return _read(_HEADINGS, self.headings[number])

    def section(self, number: int) -> str:
        """The headings above the chunk of that number, as one text."""
        return " › ".join(self.heading_path(number))

    def passage(self, number: int) -> str:
        """The embedded text of chunk *number*: context, section and text, one line each."""
        return "\n".join(filter(None, (self.context(number), self.section(number), self.text(number))))

    def terms(self) -> NoteTerms:
        """The terms of the note."""
        try:
            found = decode_terms(self.terms_line.decode())
        except ValueError as error:
            raise _damaged() from error
        if len(found.chunks) != len(self.slots):
            raise _damaged()
        return found

    def links(self) -> tuple[Link, ...]:
        """All links."""
        return tuple(Link(*link) for link in json.loads(self.links_json))

    def link_targets(self) -> list[str]:
        """The target of each of `links`."""
        return [target for _, target, _, _ in json.loads(self.links_json)]

    def content(self) -> NoteContent:
        """The whole content of the note."""
        chunks = tuple(self.chunk(number) for number in range(len(self.slots)))
        return NoteContent(tuple(self.slots), chunks, self.links(), tuple(self.tags))


_OF_EACH_CHUNK = PackedNote._fields.index("lengths")
_LENGTHS = PackedNote._fields.index("lengths") - PackedNote._fields.index("slots")
_Columns: TypeAlias = tuple[
    list[int] | int,
    list[str],
    list[int],
    list[int] | int,
    list[int] | int,
    list[int] | int,
    list[int] | int,
    list[Raw] | int,
    list[Raw],
    list[Raw],
]
_COLUMNS = Decoder(_Columns)
_WITH_ANCHORS = Decoder(GenericAlias(tuple, (*get_args(_Columns), list[str | None])))
_SHIFTS = Decoder(list[tuple[int, int, int]])
_HEADINGS = Decoder(tuple[str, ...])
_CONTEXT = Decoder(str)


def pack(content: NoteContent, terms: NoteTerms) -> bytes:
    """The stored form of *content*, which was analysed into *terms*."""
    chunks = content.chunks
    wide = [chunk.start_utf16 - chunk.start for chunk in chunks]
    columns = [
        list(content.slots),
        content.tags,
        [len(chunk.text) for chunk in chunks],
        _differences([chunk.start for chunk in chunks], [0, *(chunk.end for chunk in chunks)]),
        [chunk.end - chunk.start - len(chunk.text) for chunk in chunks],
        _differences(wide, [0, *wide]),
        _differences([chunk.line for chunk in chunks], [0, *(chunk.line for chunk in chunks)]),
        [tuple((shift.offset, shift.utf16, shift.lines) for shift in chunk.shifts) for chunk in chunks],
        [chunk.heading_path for chunk in chunks],
        [chunk.context for chunk in chunks],
        [chunk.anchor for chunk in chunks],
    ]
    short = [
        0 if column == usual else column for column, usual in zip(columns, _usual_columns(len(chunks)), strict=True)
    ]
    if short[-1] == 0:
        short.pop()
    links = [[link.kind, link.target, link.heading, link.label] for link in content.links]
    texts = "".join([chunk.text for chunk in chunks])
    written = "\n".join((encode_terms(terms), _to_json(short), _to_json(links), texts))
    # The frame's checksum is what tells damage where SQL asks for one text among many, without the row that the note's
    # own checksum covers.
    return compress(written.encode())


def open_packed(packed: bytes) -> PackedNote:
    """
    The content that `pack` made *packed* of, to be decoded in parts.

    Raises:
        IndexDamaged: *packed* is not what `pack` gave.
    """
    return open_content(decompressed_content(packed))


def open_content(written: bytes) -> PackedNote:
    """`open_packed` for content that is decompressed."""
    try:
        terms_end = written.index(b"\n")
        columns_end = written.index(b"\n", terms_end + 1)
        links_end = written.index(b"\n", columns_end + 1)
        parts = memoryview(written)  # a long note is not copied before it is decoded
        columns = _decoded_columns(parts[terms_end + 1 : columns_end])
        usual = _usual_columns(len(columns[_LENGTHS]))
        whole: list[Any] = [usual[at] if column == 0 else column for at, column in enumerate(columns)]
        lengths: list[int] = whole[_LENGTHS]
        starts = [0, *accumulate(lengths)][: len(lengths)]
        texts = str(parts[links_end + 1 :], "utf-8")
        found = PackedNote(*[written[:terms_end], written[columns_end + 1 : links_end], texts, *whole, starts])
        if {*map(len, found[_OF_EACH_CHUNK:])} != {len(found.slots)} or sum(found.lengths) != len(found.texts):
            raise _damaged()
    except (ValueError, TypeError, LookupError) as error:
        raise _damaged() from error
    return found


def _decoded_columns(written: bytes | memoryview) -> Sequence[Any]:
    """The columns as written, each 0 that stands for usual values among them."""
    try:
        return *_COLUMNS.decode(written), 0
    except ValidationError:  # there is one more
        columns: Sequence[Any] = _WITH_ANCHORS.decode(written)
        return columns


class StoredTerms(Struct, frozen=True):
    """The encoded terms of a note, without the rest of its content."""

    line: bytes  # see `postings/fields.py`
    slots: Sequence[int] | None  # None: the first ones

    def slot(self, number: int) -> int:
        """The slot of the chunk of that number."""
        return number if self.slots is None else self.slots[number]

    def number(self, slot: int) -> int:
        """The number of the chunk in *slot*, which is not empty."""
        return slot if self.slots is None else self.slots.index(slot)


def stored_terms(written: bytes) -> StoredTerms:
    """The terms in the `decompressed_content` of a note; raises as `open_packed`."""
    try:
        line_end = written.index(b"\n")
        if written.startswith(b"[0,", line_end + 1):  # usual slots
            return StoredTerms(written[:line_end], None)
        line, short, _ = written.split(b"\n", 2)
        return StoredTerms(line, _decoded_columns(short)[0])  # a list, as it is not 0
    except ValueError as error:
        raise _damaged() from error


def with_slots(packed: bytes, slots: Sequence[int]) -> bytes:
    """*packed* for a note whose chunks have these *slots*; raises as `open_packed`."""
    opened = open_packed(packed)
    return pack(replace(opened.content(), slots=tuple(slots)), opened.terms())


def decompressed_content(packed: bytes) -> bytes:
    """The bytes that `pack` compressed to *packed*; raises as `open_packed`."""
    try:
        return decompress(packed, MAX_BYTES)
    except PostingsDamaged as error:
        raise _damaged() from error


def register(connection: apsw.Connection) -> None:
    """Register the functions of the view `chunks` on *connection*; they are innocuous: they only compute."""
    for name, part in _PARTS_OF_CHUNK.items():
        connection.create_scalar_function(
            name, partial(_part_of_chunk, part), 2, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
        )


def _usual_columns(count: int) -> tuple[Sequence[Any] | None, ...]:
    """The usual values of each column in a note of *count* chunks; None: there are none."""
    zeros = [0] * count
    return list(range(count)), None, None, zeros, zeros, zeros, zeros, [()] * count, None, None, [None] * count


def _differences(values: Sequence[int], before: Sequence[int]) -> list[int]:
    return [value - last for value, last in zip(values, before, strict=False)]


_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # one line: a line end is two letters


def _read(decoder: Decoder[_Value], written: Raw) -> _Value:
    try:
        return decoder.decode(written)
    except ValueError as error:
        raise _damaged() from error


def _damaged() -> IndexDamaged:
    return IndexDamaged("the text of a note in the index is not as it was written; it has to be rebuilt")


_open = lru_cache(maxsize=CACHED_NOTES)(open_packed)


_PARTS_OF_CHUNK: dict[str, Callable[[PackedNote, int], str]] = {
    "body_text": PackedNote.text,
    "body_section": PackedNote.section,
    "body_context": PackedNote.context,
    "body_headings": lambda content, number: bytes(content.headings[number]).decode(),
}


def _part_of_chunk(part: Callable[[PackedNote, int], str], packed: SqlValue, chunk_id: SqlValue) -> str:
    if isinstance(packed, bytes) and isinstance(chunk_id, int):
        content = _open(packed)
        number = content.number_of(slot_of(chunk_id))
        if number is not None:
            return part(content, number)
    raise _damaged()
