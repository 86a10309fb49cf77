"""Notes as a team's database stores them, made ready for a `PartialReader`; nothing is analysed or embedded anew."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import convert
from msgspec.structs import replace

from quarry.config import MAX_NOTE_BYTES
from quarry.index import PreparedNote
from quarry.index.keys import fold_tag, note_checksum
from quarry.index.note_codec import open_content
from quarry.index.note_rows import note_values, read_list, read_properties
from quarry.index.postings.dictionary import decompress
from quarry.index.postings.fields import chunk_lengths, name_length
from quarry.index.postings.snapshot import SizedCache
from quarry.types import Chunk, FileStamp, Note, PropertyValue

if TYPE_CHECKING:
    from quarry.team.connection import Connection

CACHED_BYTES = 48 * 1024 * 1024  # about 10,000 notes: what a person looks for is mostly about the same of them
ENTRY_BYTES = 1000
NS_OF_MS = 1_000_000
LAST_MS = 9_000_000_000_000  # in the year 2255; SQLite holds nanoseconds until 2262
MAX_CONTENT_BYTES = 4 * MAX_NOTE_BYTES  # text, terms and places of the longest note

_READ = "SELECT * FROM quarry.read_notes(%s)"
_UNREAD_CHUNK = Chunk(number=0, heading_path=(), text="", start=0, end=0, start_utf16=0, line=0, context="")

_log = logging.getLogger(__name__)
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

        One that is not as this program writes it is left out.
        """
        wanted = {note_id: self._kept.get(note_id) for note_id in sorted(note_ids)}
        unknown = [note_id for note_id, note in wanted.items() if note is None]
        rows = connection.execute(_READ, (unknown,), binary=True) if unknown else ()
        for note_id, note in read_each(rows, lambda *row: _prepared(row, dimension)):
            wanted[note_id] = self._kept.put(note_id, note)
        return [(note_id, note) for note_id, note in wanted.items() if note is not None]


def read_each(rows: Iterable[Sequence[Any]], read: Callable[..., PreparedNote]) -> Iterator[tuple[int, PreparedNote]]:
    """Each of *rows*, an id and what *read* takes; what a publisher wrote that cannot be read costs that note alone."""
    for note_id, *row in rows:
        try:
            yield note_id, read(*row)
        except Exception as error:  # whatever is wrong with it
            _log.warning("a note of the team is left out: %s; who publishes it can do so again", type(error).__name__)


def without_text(
    path: str, title: str, aliases: str, properties: str, tags: Sequence[str], modified_ms: int
) -> PreparedNote:
    """What conditions other than those on the text of a note are about."""
    return _note((path, title, aliases, properties, modified_ms, 1), b"", [(tag, tag) for tag in tags])


def _prepared(row: Sequence[Any], dimension: int) -> PreparedNote:
    path, title, aliases, properties, _, modified_ms, languages, is_map, body, vectors, title_vector = row
    content = open_content(decompress(body, MAX_CONTENT_BYTES))
    if content.slots != list(range(len(content.content().chunks))):  # all of which can be decoded
        raise ValueError("a new note has its chunks in the first slots")
    terms = content.terms()
    about = path, title, aliases, properties, modified_ms, len(content.slots)
    each = np.frombuffer(vectors, np.int8).reshape(len(content.slots), dimension)
    return replace(
        _note(about, body, [(tag, fold_tag(tag)) for tag in content.tags]),
        vectors=tuple(vector.tobytes() if vector.any() else None for vector in each),
        title_vector=np.array(title_vector).astype(np.int8).tobytes() if title_vector else None,
        lengths=tuple(map(chunk_lengths, terms.chunks)),
        name_length=name_length(terms.names),
        languages=languages,
        is_map=is_map,
    )


def _note(about: tuple[str, str, str, str, int, int], body: bytes, tags: Sequence[tuple[str, str]]) -> PreparedNote:
    path, title, aliases, properties, modified_ms, chunk_count = about
    chunks = (_UNREAD_CHUNK,) * chunk_count
    named = convert(read_list(aliases), tuple[str, ...])
    about_it = convert(read_properties(properties), dict[str, PropertyValue])
    note = Note(path, title, named, (), about_it, (), chunks)
    values = note_values(note, FileStamp(0, max(-LAST_MS, min(modified_ms, LAST_MS)) * NS_OF_MS, b""))
    "".join(map(str, values)).encode()  # half a surrogate pair, which JSON may hold, is refused here
    positioned = tuple((position, *tag) for position, tag in enumerate(convert(tags, list[tuple[str, str]])))
    return PreparedNote(
        values=values, body=body, checksum=note_checksum(values, body), tags=positioned, links=(), hashes=(),
        vectors=(), title_vector=None, lengths=(), name_length=0, vocabulary="", languages=None, is_map=False,
        terms=None,
    )  # fmt: skip
