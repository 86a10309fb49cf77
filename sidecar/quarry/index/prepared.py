"""
A note prepared for writing: everything about it that can be computed without the database.

It is computed on any thread or in another process; the one thread that writes then only hands values to SQLite.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from quarry.index.keys import content_hash, note_checksum
from quarry.index.links import is_map
from quarry.index.note_codec import NoteContent, pack
from quarry.index.note_rows import Values, check_storable, link_keys, note_values, tag_values
from quarry.index.postings.builder import CountedDocument, TermCounts, count_terms
from quarry.index.postings.fields import (
    CHUNK_FIELDS,
    NAME_FIELDS,
    NoteTerms,
    chunk_lengths,
    languages_in,
    name_length,
    note_terms,
)
from quarry.options import Stemming
from quarry.types import FileStamp, Note


class CountedNote(NamedTuple):
    """The counted terms of a note, within those of a batch of notes; a tuple, as that is unpickled without Python."""

    chunks: TermCounts
    first: int  # the row of the note's first chunk in `chunks`
    names: CountedDocument

    def chunk(self, number: int) -> CountedDocument:
        """The counted terms of the chunk of that number."""
        return CountedDocument(self.chunks, self.first + number)


class PreparedNote(Struct, frozen=True):
    """The values of a note's rows; can be pickled."""

    values: Values  # of `notes`, from `path` to `chunk_count`
    body: bytes  # as for a note that is new: its chunks have the first slots
    checksum: bytes  # over `values` and `body`
    tags: tuple[Values, ...]  # (position, tag, tag_key)
    links: tuple[str, ...]  # target_key
    hashes: tuple[bytes, ...]  # content_hash of each chunk
    vectors: tuple[bytes | None, ...]  # what `quantize` gave for each chunk
    title_vector: bytes | None
    lengths: tuple[tuple[int, int], ...]  # `chunk_lengths` of each chunk
    name_length: int
    vocabulary: str  # each term of the note once
    languages: str | None  # see `languages_in`
    is_map: bool  # see `links.is_map`
    terms: NoteTerms | None  # None: they are in `counted`
    counted: CountedNote | None = None

    @property
    def path(self) -> str:
        """The path of the note."""
        return str(self.values[0])

    @property
    def title(self) -> str:
        """The title of the note."""
        return str(self.values[4])


def prepare(
    note: Note,
    stamp: FileStamp,
    vectors: Sequence[bytes | None],
    title_vector: bytes | None = None,
    *,
    hashes: tuple[bytes, ...] | None = None,
    stemming: Stemming = "by-language",
) -> PreparedNote:
    """
    Make *note* ready to be written.

    Args:
        vectors: For each chunk what `quantize` gave, or None where there is no model yet.
        title_vector: Of the title, likewise.
        hashes: The `content_hash` of each chunk; None: they are computed.
        stemming: How the words of the note become terms.

    Raises:
        ValueError: The note cannot be stored (see `note_rows.check_storable`), or the number of vectors is not that of
            its chunks.
    """
    if len(vectors) != len(note.chunks):
        raise ValueError(f"note {note.path!r} has {len(note.chunks)} chunks but {len(vectors)} vectors")
    check_storable(note)
    terms = note_terms(note, stemming)
    values, body = note_values(note, stamp), pack(NoteContent.of(note), terms)
    return PreparedNote(
        values=values,
        body=body,
        checksum=note_checksum(values, body),
        tags=tuple(tag_values(note)),
        links=tuple(link_keys(note)),
        hashes=hashes or tuple(map(content_hash, note.chunks)),
        vectors=tuple(vectors),
        title_vector=title_vector,
        lengths=tuple(map(chunk_lengths, terms.chunks)),
        name_length=name_length(terms.names),
        vocabulary=terms.distinct(),
        languages=languages_in(terms),
        is_map=is_map(note),
        terms=terms,
    )


def counted(notes: Sequence[PreparedNote]) -> list[PreparedNote]:
    """*notes* with their terms counted, all in one batch: what a bulk load of the index collects."""
    every = [note.terms for note in notes if note.terms is not None]
    chunks = count_terms([fields for terms in every for fields in terms.chunks], CHUNK_FIELDS)
    names = count_terms([terms.names for terms in every], NAME_FIELDS)
    found: list[PreparedNote] = []
    first = row = 0
    for note in notes:
        if note.terms is None:
            found.append(note)
            continue
        found.append(replace(note, terms=None, counted=CountedNote(chunks, first, CountedDocument(names, row))))
        first, row = first + len(note.lengths), row + 1
    return found
