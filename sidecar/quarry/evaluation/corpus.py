"""
The corpus of a collection as a vault on disk, so that reading, chunking, index and ranking are evaluated together.

Each document becomes a file named by its id if a note can have that path. Any other id becomes a number, in folders of
numbers: the words of a file name are searched, so a name must not contain an answer by chance. Texts are written
unchanged.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from quarry.documents.decoding import decode_note
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.note import ParserSettings, read_note
from quarry.errors import NoteNotFound
from quarry.evaluation.collections import Collection, CorpusDocument, read_documents
from quarry.kinds import NOTE_SUFFIX
from quarry.vault.paths import nfc, note_parts

DONE = "ids.json"  # written last
FILES_A_FOLDER = 1_000  # what every file system lists quickly
MAX_PART_BYTES = 255  # of one name, on every file system in use
MAX_PATH_BYTES = 1_000  # leaves room below the 1,024 of macOS for a path inside a temporary folder's own
WRITTEN_NS = 1_767_225_600 * 10**9  # 2026-01-01: age is no sign of relevance here, so all notes have the same

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_NOT_IN_A_TITLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


class Corpus(Struct, frozen=True):
    """A vault on disk, and the path of its index."""

    vault: Path
    index_path: Path
    ids: Mapping[str, str] | None  # path of a note in NFC -> id of its document; None: the path is the id


def prepare(collection: Collection, folder: Path) -> Corpus:
    """
    Write the corpus of *collection* as a vault below *folder*, unless an earlier run wrote the same one there.

    Raises:
        BadCollection: A document cannot be read.
    """
    source = str(collection.corpus.resolve()).encode() if collection.is_vault else collection.corpus.read_bytes()
    digest = hashlib.sha256(collection.name.encode("utf-8", "surrogateescape") + b"\0" + source).hexdigest()
    place = folder / f"{_UNSAFE.sub('-', collection.name)}-{digest[:16]}"
    place.mkdir(parents=True, exist_ok=True)
    if collection.is_vault:
        return Corpus(collection.corpus, place / "index.db", None)
    vault, done = place / "vault", place / DONE
    if not done.is_file():
        shutil.rmtree(vault, ignore_errors=True)  # of an interrupted run
        ids = {nfc(path): document for path, document in write_vault(read_documents(collection.corpus), vault)}
        done.write_text(json.dumps(ids), "utf-8")
    return Corpus(vault, place / "index.db", json.loads(done.read_text("utf-8")))


def write_vault(documents: Iterable[CorpusDocument], vault: Path) -> Iterator[tuple[str, str]]:
    """
    Write *documents* below *vault*, a new folder; never outside it, whatever their ids say.

    Yields:
        The path of each note, as spelled on disk, and the id of its document.
    """
    vault.mkdir(parents=True)
    names = _Names()
    for number, document in enumerate(documents):
        path = names.path_for(document.id, number)
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as new:  # an existing file would be that of another document
            new.write(note_of(document))
        os.utime(file, ns=(WRITTEN_NS, WRITTEN_NS))
        yield path, document.id


def note_of(document: CorpusDocument) -> bytes:
    """The note for *document*: its text, with its title in the front matter where the text does not give the same."""
    data = document.text.encode("utf-8", "replace")  # a lone surrogate is no text
    title = " ".join(_NOT_IN_A_TITLE.sub(" ", document.title).split())
    if not title or _has_title(data, title):
        return data
    line = b"title: " + json.dumps(title, ensure_ascii=False).encode() + b"\n"  # a JSON string is a YAML string
    front = read_front_matter(decode_note(data))
    if not front.body_start:
        return b"---\n" + line + b"---\n" + data
    if any(name.lower() == "title" for name in front.properties):
        return data  # the author's word counts, as it does in a vault
    end_of_opening = data.index(b"\n") + 1
    return data[:end_of_opening] + line + data[end_of_opening:]


def _has_title(data: bytes, title: str) -> bool:
    if title.casefold()[:20] not in " ".join(data.decode("utf-8", "replace").casefold().split()):
        return False  # saves parsing most texts
    return read_note("", data, ParserSettings()).title.casefold() == title.casefold()


class _Names:
    """Assigns paths: on any file system no two are one file, and none is the folder of another."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def path_for(self, document_id: str, number: int) -> str:
        """The id itself where it can be a note's path and is free, else one made of *number*."""
        path = document_id
        while not (_is_usable(path) and self._is_free(path)):
            path = f"{number // FILES_A_FOLDER:03d}/{number:06d}{NOTE_SUFFIX}"
            number += 1_000_000  # in the case that some id is this very path
        self._files.add(_folded(path))
        self._folders.update(_folders_of(path))
        return path

    def _is_free(self, path: str) -> bool:
        folded = _folded(path)
        is_taken = folded in self._files or folded in self._folders
        return not is_taken and self._files.isdisjoint(_folders_of(path))


def _is_usable(path: str) -> bool:
    if not path.endswith(NOTE_SUFFIX) or len(os.fsencode(path)) > MAX_PATH_BYTES:
        return False
    try:
        parts = note_parts(path, windows=True)  # everywhere, so that a collection is the same vault on every system
    except NoteNotFound:
        return False
    return all(len(os.fsencode(part)) <= MAX_PART_BYTES for part in parts)


def _folded(path: str) -> str:
    return nfc(nfc(path).casefold())


def _folders_of(path: str) -> list[str]:
    parts = _folded(path).split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
