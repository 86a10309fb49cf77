"""
Where are built blocks kept, and what is dropped from there when a note changes?

A JSON file beside the index, 0600, replaced in one step. It quotes notes, so a block goes from it in the moment a note
that it stands on is changed or deleted: what a note no longer says stands nowhere else either. A file that is damaged,
or anything but a file of ours, counts as empty, and the next block that is built replaces it.
"""

import contextlib
import logging
import os
import stat
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from quarry.indexing.activity import Updated
from quarry.protocol.context import Source
from quarry.vault.paths import nfc

FORMAT = 2
MAX_BYTES = 16 * 1024 * 1024  # a hundred blocks of 20,000 tokens are 8 MB

_log = logging.getLogger(__name__)


class Likely(Struct, frozen=True):
    """A note that may answer a block's query: the state of the index that the block stands on is all of these."""

    path: str  # as the index spells it
    confidence: float
    sha256: str  # of the file that was indexed, hexadecimal


class KeptQuote(Struct, frozen=True):
    """A quote as it stands in a block, and where it is from."""

    text: str
    passage: str  # a hash of the whole passage, by which a conversation knows it again
    source: Source


class KeptBlock(Struct, frozen=True):
    """A block as it was built."""

    name: str
    key: str  # of its definition, the settings of search and our version: another one makes another block
    built_ms: int
    likely: list[Likely]
    missing: list[str]  # retrievers that could not serve
    quotes: list[KeptQuote]


class _File(Struct, frozen=True):
    format: int
    blocks: list[KeptBlock]


class BlockStore:
    """The blocks kept in the file at *path*, which need not exist; None: in memory alone. Any thread may use it."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._blocks: dict[str, KeptBlock] | None = None  # None: not read yet
        self._verified: dict[str, int] = {}  # name -> epoch at which its notes were last found unchanged
        self._dropped: dict[str, str] = {}  # name -> the note because of which it was dropped; in memory alone

    def get(self, name: str) -> KeptBlock | None:
        """The block as it was built last; None where there is none, or it was dropped."""
        with self._lock:
            return self._all().get(name)

    def put(self, block: KeptBlock) -> None:
        """Keep *block*."""
        with self._lock:
            self._all()[block.name] = block
            self._dropped.pop(block.name, None)
            self._write()

    def verify(self, name: str, epoch: int) -> None:
        """The notes of the block were found unchanged at *epoch*."""
        with self._lock:
            self._verified[name] = epoch

    def is_verified(self, name: str, epoch: int) -> bool:
        """Whether this process found the notes of the block unchanged at *epoch*."""
        with self._lock:
            return self._verified.get(name) == epoch

    def dropped_for(self, name: str) -> str | None:
        """The path of the note whose change had the block dropped since this process began; None if none had."""
        with self._lock:
            return self._dropped.get(name)

    def keep_only(self, names: Iterable[str]) -> None:
        """Drop all blocks but those of *names*: they are not defined any more."""
        with self._lock:
            gone = self._all().keys() - set(names)
            for name in gone:
                self._drop(name)
            if gone:
                self._write()

    def heed(self, updated: Updated | None) -> None:
        """The engine's listener: what a commit changed is forgotten."""
        if updated:
            self.forget((*updated.indexed, *updated.removed))

    def forget(self, paths: Iterable[str]) -> None:
        """The notes at *paths* changed or are gone: drop the blocks that quote one, and every mention of them."""
        changed = {nfc(path) for path in paths}
        with self._lock:
            self._verified.clear()
            affected = [
                block for block in self._all().values() if any(nfc(note.path) in changed for note in block.likely)
            ]
            for block in affected:
                quoted = next((quote.source.path for quote in block.quotes if quote.source.path in changed), None)
                if quoted is None:
                    likely = [note for note in block.likely if nfc(note.path) not in changed]
                    self._all()[block.name] = replace(block, likely=likely)
                else:
                    self._drop(block.name)
                    self._dropped[block.name] = quoted
            if affected:
                self._write()

    # --- steps ---------------------------------------------------------------------------------

    def _drop(self, name: str) -> None:
        self._all().pop(name, None)
        self._verified.pop(name, None)

    def _all(self) -> dict[str, KeptBlock]:
        if self._blocks is None:
            self._blocks = dict(_read(self._path)) if self._path else {}
        return self._blocks

    def _write(self) -> None:
        """Replace the file; where that fails, blocks are kept in memory until the process ends."""
        if self._path is None:
            return
        content = msgspec.json.encode(_File(FORMAT, list(self._all().values())))
        try:
            _replace(self._path, content)
        except OSError as error:
            _log.warning("context blocks cannot be kept: %s", error.strerror)


def _read(path: Path) -> Mapping[str, KeptBlock]:
    """The blocks of the file at *path* by name; none where it is not a whole file of ours."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return {}
            content = file.read(MAX_BYTES + 1)
        found = msgspec.json.decode(content, type=_File) if len(content) <= MAX_BYTES else _File(0, [])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError) as error:
        _log.warning("stored context blocks cannot be read (%s); they are rebuilt", type(error).__name__)
        return {}
    return {block.name: block for block in found.blocks} if found.format == FORMAT else {}


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
