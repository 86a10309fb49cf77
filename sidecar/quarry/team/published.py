"""
The published form of a note, as rows: what members need to find and rank it, and no more.

Every text is scrubbed again, by the rules of now. Whatever a credential could be guessed from is left out: the hash and
the size of the file, and which rules fired.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple, replace

from quarry.documents.frontmatter import classes_of
from quarry.documents.note import SCRUBBER_VERSION
from quarry.index import prepare
from quarry.index.export import ExportedNote
from quarry.index.keys import digest, id_range
from quarry.index.postings.bm25 import NOTE_WEIGHTS
from quarry.index.postings.fields import BETWEEN
from quarry.index.postings.scorer import name_weights
from quarry.options import Stemming
from quarry.redaction.scrub import scrub_texts
from quarry.search.candidates import FIELD_WEIGHTS
from quarry.types import FileStamp, Note, PropertyValue

ROWS_VERSION = 1  # raised whenever the same note would give other rows
NOTE_BITS = 32  # of a note's id, below those of its audience
MAX_PATH_BYTES = 2_000  # an entry of a B-tree takes up to 2,704 bytes
MAX_TERM_CHARS = 500  # of up to four bytes; longer ones are data that nobody types
MAX_FREQUENCY = 32_767  # int2; BM25 has long been saturated

_IN_CHUNK = astuple(FIELD_WEIGHTS)
_IN_NOTE = (NOTE_WEIGHTS.body, 0.0, 0.0, NOTE_WEIGHTS.body, NOTE_WEIGHTS.parts)  # of the fields of a chunk

Row = tuple[Any, ...]

# The columns of the tables, and their types where rows are staged.
NOTE_COLUMNS = {
    "audience": "int", "note_id": "bigint", "path": "text", "title": "text", "aliases": "text", "properties": "text",
    "tags": "text[]", "modified_ms": "bigint", "languages": "text", "is_map": "boolean", "content_hash": "bytea",
    "body": "bytea", "vectors": "bytea", "title_vector": "real[]", "terms": "text[]", "frequencies": "int2[]",
    "name_terms": "text[]", "name_frequencies": "int2[]", "length": "int",
}  # fmt: skip
CHUNK_COLUMNS = {
    "audience": "int", "chunk_id": "bigint", "terms": "text[]", "frequencies": "int2[]", "length": "int",
    "vector": "real[]",
}  # fmt: skip


class NoteRows(NamedTuple):
    """The rows of a note in `notes` and in `chunks`."""

    path: str
    note: Row
    chunks: list[Row]


def sensitivity_of(properties: Mapping[str, PropertyValue]) -> str | None:
    """The audience of a note with these properties; None: it is not published. Without a class it is `internal`."""
    classes = classes_of(properties)
    if not classes <= {"public", "internal"}:
        return None
    return "public" if classes == {"public"} else "internal"


def row_hash(content_hash: bytes) -> bytes:
    """A hash of the rows of a note of this *content_hash*: another version of this program may make others of it."""
    return digest(ROWS_VERSION, SCRUBBER_VERSION, content_hash)


def note_rows(exported: ExportedNote, audience: int, number: int, stemming: Stemming, dimension: int) -> NoteRows:
    """
    The rows of a note.

    Args:
        number: Of the note in its audience.

    Raises:
        ValueError: Its path has a credential in it, or is too long for the database.
    """
    note = scrubbed(exported.note)
    if note.path != exported.note.path or len(note.path.encode()) > MAX_PATH_BYTES:
        raise ValueError(note.path)
    compared = zip(exported.vectors, exported.note.chunks, note.chunks, strict=True)
    vectors = [vector if before == after else b"" for vector, before, after in compared]
    title_vector = exported.title_vector if note.title == exported.note.title else b""
    stamp = FileStamp(0, exported.modified_ms * 1_000_000, b"")
    ready = prepare(note, stamp, vectors, title_vector, stemming=stemming)
    assert ready.terms is not None
    names, texts = ready.terms
    whole = _frequencies(names, name_weights("note"))
    for fields in texts:
        whole += _frequencies(fields, _IN_NOTE)
    note_id = audience << NOTE_BITS | number
    row = (
        audience, note_id, note.path, note.title, ready.values[5], ready.values[6], [tag[2] for tag in ready.tags],
        exported.modified_ms, ready.languages, ready.is_map, row_hash(exported.content_hash), ready.body,
        b"".join(vector or bytes(dimension) for vector in vectors), _vector_column(title_vector),
        *_columns(whole), *_columns(_frequencies(names, name_weights("name"))),
        ready.name_length + sum(in_note for _, in_note in ready.lengths),
    )  # fmt: skip
    first, _ = id_range(note_id)
    chunks = [
        (audience, first + at, *_columns(_frequencies(fields, _IN_CHUNK)), length, _vector_column(vector))
        for at, (fields, (length, _), vector) in enumerate(zip(texts, ready.lengths, vectors, strict=True))
    ]
    return NoteRows(note.path, row, chunks)


def scrubbed(note: Note) -> Note:
    """*note* with every text scrubbed, and without NUL, which PostgreSQL does not store."""
    note = replace(note, redactions={}, problems=())
    texts = list(dict.fromkeys(_texts(note)))
    clean = {text: new.replace("\0", "\ufffd") for text, new in zip(texts, scrub_texts(texts), strict=True)}
    if all(text == new for text, new in clean.items()):
        return note
    found: Note = _replaced(note, clean)
    return found


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Struct):
        yield from _texts(astuple(value))
    elif isinstance(value, Mapping):
        yield from _texts((*value.keys(), *value.values()))
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)


def _replaced(value: Any, clean: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return clean[value]
    if isinstance(value, Struct):
        return type(value)(*_replaced(astuple(value), clean))
    if isinstance(value, Mapping):
        return {clean[key]: _replaced(item, clean) for key, item in value.items()}
    return tuple(_replaced(item, clean) for item in value) if isinstance(value, tuple) else value


def _frequencies(fields: Sequence[str], weights: Sequence[float]) -> Counter[str]:
    """The weighted frequency of each term, in tenths."""
    found: Counter[str] = Counter()
    for field, weight in zip(fields, weights, strict=True):
        if weight:
            for term, count in Counter(field.split()).items():
                found[term] += round(count * weight * 10)
    del found[BETWEEN]
    return found


def _columns(frequencies: Counter[str]) -> tuple[str, str]:
    kept = sorted((term, count) for term, count in frequencies.items() if len(term) <= MAX_TERM_CHARS)
    return _texts_column([term for term, _ in kept]), _numbers_column([min(count, MAX_FREQUENCY) for _, count in kept])


# Arrays as COPY takes them: in a fraction of the time that it takes to make them of lists.


def _texts_column(texts: Sequence[str]) -> str:
    escaped = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    return '{"' + '","'.join(escaped) + '"}' if texts else "{}"


def _numbers_column(numbers: Sequence[int]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"


def _vector_column(vector: bytes) -> str | None:
    return _numbers_column(np.frombuffer(vector, np.int8).tolist()) if vector else None
