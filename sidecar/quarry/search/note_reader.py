"""Reads a whole note: its file as it is now, scrubbed; a PDF file as the index has it."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from quarry.documents.canvas import canvas_text
from quarry.documents.decoding import decode_note
from quarry.documents.document import text_of_chunks
from quarry.documents.frontmatter import refused_class
from quarry.errors import NoteNotFound, UnreadableDocument
from quarry.index import Reader, StoredNote
from quarry.kinds import kind_of
from quarry.redaction.scrub import scrub_text
from quarry.types import PropertyValue
from quarry.vault.file_reader import read_file


class WholeNote(Struct, frozen=True):
    """A note as it may be read: scrubbed, with what the index knows of it."""

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    properties: Mapping[str, PropertyValue]
    modified_ms: int
    text: str
    links: tuple[str, ...]  # paths of the notes it links to, unresolved ones as written
    backlinks: tuple[str, ...]


class IndexedNote(Struct, frozen=True):
    """A note as it is in the index, read from one snapshot."""

    stored: StoredNote
    links: tuple[str, ...]
    backlinks: tuple[str, ...]


def find_indexed_note(reader: Reader, name: str) -> IndexedNote:
    """
    The note that `Reader.find_note` finds by *name*, with its links.

    Raises:
        NoteNotFound: There is none, or several are called so.
        IndexDamaged: Its stored form does not match its checksum.
    """
    stored = reader.note(reader.find_note(name).path)
    assert stored is not None  # one reader sees one snapshot
    path = stored.note.path
    links = tuple(dict.fromkeys(link.path or link.link.target for link in reader.links_from(path)))
    return IndexedNote(stored, links, tuple(dict.fromkeys(link.source for link in reader.links_to(path))))


def read_whole_note(root: Path, indexed: IndexedNote) -> WholeNote:
    """
    Read the file of the note *indexed* in the vault at *root*.

    Raises:
        NoteNotFound: The file is gone, unreadable or has become sensitive.
        VaultMissing: The vault folder does not exist.
    """
    note = indexed.stored.note
    if kind_of(note.path) == "pdf":  # its pages are what was found when it was indexed
        return _whole(indexed, indexed.stored.modified_ms, text_of_chunks(note.chunks))
    file = read_file(root, note.path)
    try:
        text = canvas_text(file.data) if kind_of(note.path) == "canvas" else decode_note(file.data)
    except UnreadableDocument as error:  # its file changed since
        raise NoteNotFound(f"{note.path} cannot be read: {error}") from error
    if refused_class(text):  # since it was indexed
        raise NoteNotFound(f"{note.path} may not be read: its data class keeps it out of the index")
    return _whole(indexed, file.mtime_ns // 1_000_000, scrub_text(text))


def _whole(indexed: IndexedNote, modified_ms: int, text: str) -> WholeNote:
    note = indexed.stored.note
    return WholeNote(
        path=note.path,
        title=note.title,
        aliases=note.aliases,
        tags=note.tags,
        properties=note.properties,
        modified_ms=modified_ms,
        text=text,
        links=indexed.links,
        backlinks=indexed.backlinks,
    )
