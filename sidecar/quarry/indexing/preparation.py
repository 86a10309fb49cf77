"""
From the path of a note to what is stored of it: everything that needs its file and the model, and no database.

A file is read here, where drawings and sensitive notes are recognised by their first 64 KB, parsed by `documents/`, and
its chunks embedded: a saved note in the serving process at once, the notes of a large plan in processes of their own
(`workforce.py`).
"""

import codecs
import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from quarry.config import MAX_NOTE_BYTES, MAX_PDF_BYTES
from quarry.documents.canvas import read_canvas
from quarry.documents.decoding import decode_note
from quarry.documents.document import read_pdf
from quarry.documents.frontmatter import SENSITIVITY, is_drawing_or_board, read_front_matter, refused_class
from quarry.documents.note import ParserSettings, read_note
from quarry.embedding.encoder import Encoder
from quarry.errors import Cancelled, NoteNotFound, UnreadableDocument, VaultMissing
from quarry.faults import fault_point
from quarry.index import PreparedNote, content_hash, counted, prepare, quantize, title_hash
from quarry.indexing.pdf_worker import PdfReader
from quarry.indexing.reasons import DRAWING, of_class
from quarry.indexing.vector_model import embedded_text
from quarry.kinds import kind_of
from quarry.messages import Message, message, sentence
from quarry.redaction.secret_rules import default_scrub_engine
from quarry.types import FileSeen, FileStamp, Note
from quarry.vault.file_reader import HEAD_BYTES, FileGone, read_file, read_stamp, reason_unread

_log = logging.getLogger(__name__)
_MARKS = (b"-plugin", SENSITIVITY.encode())  # `excalidraw-plugin`, `kanban-plugin`; spares most notes a second parse
_WIDE_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # in which the marks have other bytes

_NONE: Mapping[str, "FoundFile"] = MappingProxyType({})

# Words of several scripts and shapes, what looks like credentials, and a paragraph that is cut between sentences, so
# that the patterns of each are compiled: 40 ms in all.
_WARM_UP = (
    """---
title: "Über-Größe"
tags: [a, b/c]
---
# Title

Text, a [[link|label]] and a token: abcdefgh. getStaleFiles, snake_case, don\u2019t, v1.2.3, e\u0301, 2026-01-31.
ÜberSetzung, Maßstab-Änderung, Привет, 机器学习, ไทย, e.g. U.S.A. password = example

- [ ] task

```sh
curl -u name:aB3dE5gH7jK9 -H "Authorization: Bearer aB3dE5gH7jK9mN1pQ3sT5vX7" https://name:aB3dE5gH7jK9@example.org/a/b
export API_TOKEN=aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5pR7t
integrity: sha512-aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5pR7tV9xZ1bD3fH5jL7nP9rT1vX3z/b+==
```

""".encode()
    + b"Is it one sentence, e.g. of Mr. Smith? It is; and so is this. " * 60
)


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

KnownVectors: TypeAlias = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
"""Looks up stored vectors of the notes in hand by `content_hash` or `title_hash`."""


class ReadyNote(Struct, frozen=True):
    """A note ready to be stored. Can be pickled."""

    rows: PreparedNote
    redactions: Mapping[str, int]  # kind of credential -> how many were blanked

    @property
    def path(self) -> str:
        """The path of the note."""
        return self.rows.path

    @property
    def chunk_count(self) -> int:
        """The number of its chunks."""
        return len(self.rows.hashes)


class FailedNote(Struct, frozen=True):
    """A note that could not be prepared: it cannot be stored, or preparing it met a defect."""

    path: str
    reason: Message
    is_poison: bool = False  # preparing it ended a process; it must never be tried in the one that serves


Prepared: TypeAlias = ReadyNote | FailedNote | ExcludedFile | MissedFile
Ready: TypeAlias = tuple[Prepared, str | None]
"""The outcome of preparing a file, and the path that its note had before."""


# --- reading -----------------------------------------------------------------------------------------


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


# --- preparing ---------------------------------------------------------------------------------------


def no_known_vectors(_: Sequence[bytes]) -> Mapping[bytes, bytes]:
    """For a process without the index: embedding a chunk costs less than asking the writer whether it has to."""
    return {}


class NotePreparer:
    """
    Prepares notes whose files were read.

    Args:
        encoder: None where there is no model.
        known: Asked before anything is embedded.
        with_counts: Count the terms of all notes of a call here, for a bulk load of the index.
        pdf: Reads PDF files; None: there are none.
    """

    def __init__(
        self,
        rules: ParserSettings,
        encoder: Encoder | None,
        known: KnownVectors = no_known_vectors,
        *,
        with_counts: bool = False,
        pdf: PdfReader | None = None,
    ) -> None:
        self._rules = rules
        self._encoder = encoder
        self._known = known
        self._with_counts = with_counts
        self._pdf = pdf

    def prepare(self, group: Sequence[tuple[FoundFile, str | None]]) -> list[Ready]:
        """The notes of *group*, files with the path that each one's note had before, in order."""
        read: list[_ReadFile | Prepared] = []
        for file, _ in group:
            read.append(self._read(file) if isinstance(file, NoteFile) else file)
        vectors = self._vectors([found for found in read if isinstance(found, _ReadFile)])
        ready: list[Ready] = []
        for found, (_, old_path) in zip(read, group, strict=True):
            if not isinstance(found, _ReadFile):
                ready.append((found, old_path))
                continue
            note, of_chunks, of_title = found.note, [vectors.get(key) for key in found.hashes], vectors.get(found.title)
            try:
                rows = prepare(
                    note, found.stamp, of_chunks, of_title, hashes=found.hashes, stemming=self._rules.stemming
                )
                ready.append((ReadyNote(rows, note.redactions), old_path))
            except ValueError as error:
                reason = message("reason.other", detail=sentence(str(error)))
                ready.append((FailedNote(note.path, reason), old_path))
        return _counted(ready) if self._with_counts else ready

    def warm_up(self) -> None:
        """Do once what the first note would wait for: the rules of scrubbing alone take 20 ms to be compiled."""
        default_scrub_engine().compile_sets()
        self.prepare([(NoteFile("warm-up.md", _WARM_UP, FileStamp(0, 0, b"")), None)])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """The vector of each of *texts*, as stored."""
        assert self._encoder is not None, "only asked for when a model is there"
        fault_point("embed")
        return quantize(self._encoder.encode(texts))

    # --- steps ---------------------------------------------------------------------------------

    def _read(self, file: NoteFile) -> "_ReadFile | FailedNote":
        """Parse *file*; a failure is a value, so that the other notes go on."""
        try:
            if (kind := kind_of(file.path)) == "canvas":
                note = read_canvas(file.path, file.data, self._rules)
            elif kind != "pdf":
                note = read_note(file.path, file.data, self._rules)
            elif self._pdf:
                note = read_pdf(file.path, self._pdf.read(file.path), self._rules)
            else:
                return FailedNote(file.path, message("reason.kind-off", entry="files.pdf"))
        except UnreadableDocument as error:
            return FailedNote(file.path, error.reason)
        except (VaultMissing, Cancelled):
            raise
        except Exception as error:  # a defect of ours, met by one note: it must not end indexing for all of them
            _log.warning("a note could not be read: %s", type(error).__name__)  # no trace: it may quote the note
            return FailedNote(file.path, message("reason.defect", detail=type(error).__name__))
        return _ReadFile(note, file.stamp, tuple(map(content_hash, note.chunks)), title_hash(note.title))

    def _vectors(self, files: Sequence["_ReadFile"]) -> Mapping[bytes, bytes]:
        """Vectors for the chunks and titles of *files*, by `content_hash` and `title_hash`, each text embedded once."""
        chunks = {key: chunk for read in files for key, chunk in zip(read.hashes, read.note.chunks, strict=True)}
        titles = {read.title: read.note.title for read in files}
        known = self._known([*chunks, *titles])
        if self._encoder is None:
            return known
        texts = {key: embedded_text(chunk) for key, chunk in chunks.items() if key not in known}
        texts |= {key: title for key, title in titles.items() if key not in known}
        return {**known, **dict(zip(texts, self.embed(list(texts.values())), strict=True))} if texts else known


class _ReadFile(Struct, frozen=True):
    """A note as read, with the `content_hash` of each chunk and the `title_hash`."""

    note: Note
    stamp: FileStamp
    hashes: tuple[bytes, ...]
    title: bytes


def _counted(group: Sequence[Ready]) -> list[Ready]:
    """*group*, with the terms of its notes counted together."""
    rows = iter(counted([found.rows for found, _ in group if isinstance(found, ReadyNote)]))
    return [
        (replace(found, rows=next(rows)) if isinstance(found, ReadyNote) else found, old_path)
        for found, old_path in group
    ]
