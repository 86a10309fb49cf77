"""
Reads files for indexing. Drawings and sensitive notes are recognised by their first 64 KB.

Bytes only: `documents/` parses them.
"""

import codecs
import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from quarry.config import MAX_NOTE_BYTES, MAX_PDF_BYTES
from quarry.documents.decoding import decode_note
from quarry.documents.frontmatter import SENSITIVITY, is_drawing_or_board, read_front_matter, refused_class
from quarry.errors import NoteNotFound
from quarry.faults import fault_point
from quarry.indexing.reasons import DRAWING, of_class
from quarry.kinds import kind_of
from quarry.messages import Message
from quarry.types import FileSeen, FileStamp
from quarry.vault.file_reader import HEAD_BYTES, FileGone, read_file, read_stamp, reason_unread

_MARKS = (b"-plugin", SENSITIVITY.encode())  # `excalidraw-plugin`, `kanban-plugin`; spares most notes a second parse
_WIDE_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # in which the marks have other bytes

_NONE: Mapping[str, "FoundFile"] = MappingProxyType({})


class NoteFile(Struct, frozen=True):
    """A note's bytes with what identifies them."""

    path: str
    data: bytes  # one byte more than may be indexed where the file is larger than that; none of a PDF file
    stamp: FileStamp


class ExcludedFile(Struct, frozen=True):
    """A drawing, a board or a sensitive note, which is left out; only its head was read."""

    path: str
    seen: FileSeen
    reason: Message


class MissedFile(Struct, frozen=True):
    """A file that could not be read."""

    path: str
    reason: Message
    is_gone: bool  # there is no file any more; anything else may be there still


FoundFile: TypeAlias = NoteFile | ExcludedFile | MissedFile
Move: TypeAlias = tuple[str, str | None]
"""A path to read, and the path its note was known under before, where it was renamed."""


def read_one(root: Path, path: str) -> FoundFile:
    """
    Read the file at *path* below the vault *root*.

    Raises:
        VaultMissing: The vault itself cannot be opened; nothing can be said about the file.
    """
    fault_point("read")
    try:
        if kind_of(path) == "pdf":  # its own process reads it
            return NoteFile(path, b"", read_stamp(root, path, MAX_PDF_BYTES))
        is_note = kind_of(path) == "note"
        is_enough = (lambda head: _exclusion(head) is not None) if is_note else None  # no more than the head is read
        content = read_file(root, path, MAX_NOTE_BYTES + 1, is_enough)
    except NoteNotFound as error:
        return MissedFile(path, reason_unread(error), isinstance(error, FileGone))
    if is_note and (reason := _exclusion(content.data[:HEAD_BYTES])):
        return ExcludedFile(path, FileSeen(content.size_bytes, content.mtime_ns, content.ctime_ns), reason)
    sha256 = hashlib.sha256(content.data).digest()
    return NoteFile(path, content.data, FileStamp(content.size_bytes, content.mtime_ns, sha256, content.ctime_ns))


def read_stamps(root: Path, paths: Iterable[str]) -> list[FoundFile]:
    """The files at *paths* with their stamps, without their bytes. Raises as `read_one`."""
    found = (read_one(root, path) for path in paths)
    return [replace(file, data=b"") if isinstance(file, NoteFile) else file for file in found]


def read_moves(
    root: Path, moves: Iterable[Move], in_memory: Mapping[str, FoundFile] = _NONE
) -> list[tuple[FoundFile, str | None]]:
    """
    The files of *moves*, each with the path its note had before.

    Args:
        in_memory: Files that were read already, by path; they are not opened again, but for renamed notes, which are
            looked for once more: some programs rename a file and back while they save it.

    Raises:
        VaultMissing: As for `read_one`.
    """
    return [((None if old_path else in_memory.get(path)) or read_one(root, path), old_path) for path, old_path in moves]


@lru_cache(maxsize=1)  # a long note is asked about twice: before the rest of it is read, and after
def _exclusion(head: bytes) -> Message | None:
    """Why the note that begins with *head* is left out, by its front matter."""
    folded = head.lower()
    if not (head.startswith(_WIDE_ENCODINGS) or any(mark in folded for mark in _MARKS)):
        return None
    text = decode_note(head)
    if sensitivity := refused_class(text):
        return of_class(sensitivity)
    return DRAWING if is_drawing_or_board(read_front_matter(text).properties) else None
