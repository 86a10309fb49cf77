"""
What a note says, as one compressed value: its chunks, links and tags.

One value a note, not one a chunk: the chunks of a note share their words, so that this takes less room than each by
itself with a trained dictionary, is made in one call and needs no dictionary (decisions/007).

Packed are two lines of JSON and the texts one after another: whoever wants one text among many slices it out, and of
what is said of each chunk only what is asked about is read any further than to where it ends. A column that holds what
it does in most notes is written as 0.
"""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import apsw
from msgspec import Raw, Struct
from msgspec.json import Decoder  # noqa: TID251 - no message: what we stored, in a third of the time of `json`

from quarry.errors import IndexDamaged
from quarry.index.database import SqlValue
from quarry.index.ids import slot_of
from quarry.index.zstd import FrameDamaged, compressed, decompressor
from quarry.types import Chunk, Link, Note, Shift

LEVEL = 6  # of zstd; 3 takes half the time, 20 us less a note, and 4 % more room; 9 saves another 1 %
MAX_BYTES = 1 << 28  # of a note in full; a damaged length must not ask for all memory
KEPT = 8  # bodies that SQL may ask about in turn, chunk by chunk


_Value = TypeVar("_Value")


class NoteContent(Struct, frozen=True):
    """A note's chunks in their order, with the slots (see `ids.py`) that they have in the index."""

    slots: tuple[int, ...]
    chunks: tuple[Chunk, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(cls, note: Note) -> "NoteContent":
        """That of a new *note*: its chunks take the first slots."""
        return cls(tuple(range(len(note.chunks))), note.chunks, note.links, note.tags)


class PackedNote(NamedTuple):
    """
    A body of which parts can be asked for.

    Where a chunk stands is kept as far as the one before does not say so: zeros, mostly.
    """

    written_links: bytes
    texts: str
    slots: list[int]
    tags: list[str]
    lengths: list[int]  # of the texts; from here on, each column has a value a chunk
    gaps: list[int]  # code points of the note between a chunk and the one before
    longer: list[int]  # code points of the note that it stands for, less those of its text
    wider: list[int]  # how much further it has got in UTF-16 units than in code points, since the one before
    lines: list[int]  # since the one before
    shifts: Sequence[Raw | tuple[()]]  # as they are written: a list of lists of numbers each
    headings: list[Raw]  # a list of texts each
    contexts: list[Raw]  # a text each

    def at(self, slot: int) -> int | None:
        """The number of the chunk in *slot*; None where there is none."""
        return self.slots.index(slot) if slot in self.slots else None

    def text(self, number: int) -> str:
        """The text of a chunk."""
        first = sum(self.lengths[:number])
        return self.texts[first : first + self.lengths[number]]

    def chunk(self, number: int) -> Chunk:
        """A chunk."""
        begun, length = number + 1, self.lengths[number]
        first = sum(self.lengths[:number])
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
        )

    def context(self, number: int) -> str:
        """The context of a chunk."""
        return _read(_CONTEXT, self.contexts[number])

    def heading_path(self, number: int) -> tuple[str, ...]:
        """The headings that a chunk stands under."""
        return _read(_HEADINGS, self.headings[number])

    def section(self, number: int) -> str:
        """The same as one text."""
        return " › ".join(self.heading_path(number))

    def links(self) -> tuple[Link, ...]:
        """All links."""
        return tuple(Link(*link) for link in json.loads(self.written_links))

    def content(self) -> NoteContent:
        """All of it."""
        chunks = tuple(self.chunk(number) for number in range(len(self.slots)))
        return NoteContent(tuple(self.slots), chunks, self.links(), tuple(self.tags))


_OF_EACH_CHUNK = PackedNote._fields.index("lengths")
_LENGTHS = PackedNote._fields.index("lengths") - PackedNote._fields.index("slots")
_COLUMNS = Decoder(
    tuple[
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
)
_SHIFTS = Decoder(list[tuple[int, int, int]])
_HEADINGS = Decoder(tuple[str, ...])
_CONTEXT = Decoder(str)


def pack(body: NoteContent) -> bytes:
    """*body* as it is stored."""
    chunks = body.chunks
    wide = [chunk.start_utf16 - chunk.start for chunk in chunks]
    columns = [
        list(body.slots),
        body.tags,
        [len(chunk.text) for chunk in chunks],
        _steps([chunk.start for chunk in chunks], [0, *(chunk.end for chunk in chunks)]),
        [chunk.end - chunk.start - len(chunk.text) for chunk in chunks],
        _steps(wide, [0, *wide]),
        _steps([chunk.line for chunk in chunks], [0, *(chunk.line for chunk in chunks)]),
        [tuple((shift.offset, shift.utf16, shift.lines) for shift in chunk.shifts) for chunk in chunks],
        [chunk.heading_path for chunk in chunks],
        [chunk.context for chunk in chunks],
    ]
    short = [0 if column == usual else column for column, usual in zip(columns, _usual(len(chunks)), strict=True)]
    links = [[link.kind, link.target, link.heading, link.label] for link in body.links]
    written = "\n".join((_to_json(short), _to_json(links), "".join(chunk.text for chunk in chunks)))
    # The frame's checksum is what tells damage where SQL asks for one text among many, without the row that the note's
    # own checksum covers.
    return compressed(written.encode(), LEVEL)


def open_packed(packed: bytes) -> PackedNote:
    """
    What was packed, to be asked.

    Raises:
        IndexDamaged: *packed* is nothing that `pack` gave.
    """
    try:
        written = decompressor()(packed, MAX_BYTES)
        if written is None:
            raise _damaged()
        short, links, texts = written.split(b"\n", 2)
        columns: Sequence[Any] = _COLUMNS.decode(short)
        usual = _usual(len(columns[_LENGTHS]))
        whole: list[Any] = [usual[at] if column == 0 else column for at, column in enumerate(columns)]
        found = PackedNote(links, texts.decode(), *whole)
        if {*map(len, found[_OF_EACH_CHUNK:])} != {len(found.slots)} or sum(found.lengths) != len(found.texts):
            raise _damaged()
    except (FrameDamaged, ValueError, TypeError, LookupError) as error:
        raise _damaged() from error
    return found


def unpack(packed: bytes) -> NoteContent:
    """What `pack` was given; raises as `open_packed`."""
    return open_packed(packed).content()


def register(connection: apsw.Connection) -> None:
    """Make the functions of the view `chunks` known to *connection*; innocuous: they only compute."""
    functions: tuple[tuple[str, Callable[..., SqlValue], int], ...] = (
        ("body_text", _text, 2),
        ("body_section", _section, 2),
        ("body_context", _context, 2),
        ("body_headings", _headings, 2),
        ("text_of", _text_of, 1),
    )
    for name, function, count in functions:
        connection.create_scalar_function(name, function, count, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)


def _usual(count: int) -> tuple[Sequence[Any] | None, ...]:
    """What the columns of a note of *count* chunks mostly are; None: each is another."""
    zeros = [0] * count
    return list(range(count)), None, None, zeros, zeros, zeros, zeros, [()] * count, None, None


def _steps(values: Sequence[int], before: Sequence[int]) -> list[int]:
    return [value - last for value, last in zip(values, before, strict=False)]


_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # one line: a line end is two letters


def _read(decoder: Decoder[_Value], written: Raw) -> _Value:
    try:
        return decoder.decode(written)
    except ValueError as error:
        raise _damaged() from error


def _damaged() -> IndexDamaged:
    return IndexDamaged("the text of a note in the index is not as it was written; it has to be rebuilt")


_open = lru_cache(maxsize=KEPT)(open_packed)


def _found(packed: SqlValue, chunk_id: SqlValue) -> tuple[PackedNote, int]:
    if isinstance(packed, bytes) and isinstance(chunk_id, int):
        body = _open(packed)
        number = body.at(slot_of(chunk_id))
        if number is not None:
            return body, number
    raise _damaged()


def _text(packed: SqlValue, chunk_id: SqlValue) -> str:
    body, number = _found(packed, chunk_id)
    return body.text(number)


def _section(packed: SqlValue, chunk_id: SqlValue) -> str:
    body, number = _found(packed, chunk_id)
    return body.section(number)


def _context(packed: SqlValue, chunk_id: SqlValue) -> str:
    body, number = _found(packed, chunk_id)
    return body.context(number)


def _headings(packed: SqlValue, chunk_id: SqlValue) -> str:
    body, number = _found(packed, chunk_id)
    return bytes(body.headings[number]).decode()


def _text_of(text: SqlValue) -> SqlValue:
    """SQL: the text of a chunk from the column that holds it, which the view `chunks` has taken apart already."""
    return text
