"""
Stores the blocks that were built, and decides whether one still holds.

A JSON file beside the index, 0600, replaced in one step. It quotes notes, so a block is dropped at the moment a note
that it quotes is changed or deleted: what a note no longer says is stored nowhere else either. A file that is damaged,
or no regular file, counts as empty, and the next block that is built replaces it.
"""

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from quarry.indexing.status import Updated
from quarry.private_files import read_private, write_atomically
from quarry.protocol import Source, StaleKind
from quarry.vault.paths import nfc

FORMAT = 3
MAX_BYTES = 16 * 1024 * 1024  # a hundred blocks of 20,000 tokens are 8 MB

_log = logging.getLogger(__name__)


class Likely(Struct, frozen=True):
    """A note that may answer a block's query: the state of the index that the block stands on is all of these."""

    path: str  # as the index spells it
    confidence: float
    sha256: str  # of the file that was indexed, hexadecimal


class StoredQuote(Struct, frozen=True):
    """A quote as it stands in a block, and where it is from."""

    text: str
    sentences: tuple[str, ...]  # hashes, by which a conversation knows it again
    source: Source


class StoredBlock(Struct, frozen=True):
    """A block as it was built."""

    name: str
    key: str  # of its definition, the settings of search and our version: another one makes another block
    built_ms: int
    likely: list[Likely]
    missing: list[str]  # retrievers that could not serve
    quotes: list[StoredQuote]


class _File(Struct, frozen=True):
    format: int
    blocks: list[StoredBlock]


_file_decoder = msgspec.json.Decoder(_File)


class BlockStore:
    """The blocks stored in the file at *path*, which need not exist; None: in memory alone. Any thread may use it."""

    def __init__(self, path: Path | None = None, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._blocks: dict[str, StoredBlock] | None = None  # None: not read yet
        self._verified: dict[str, int] = {}  # name -> epoch at which its notes were last found unchanged
        self._dropped: dict[str, str] = {}  # name -> the note because of which it was dropped; in memory alone

    def get(self, name: str) -> StoredBlock | None:
        """The block as it was built last; None where there is none, or it was dropped."""
        with self._lock:
            return self._all().get(name)

    def put(self, block: StoredBlock) -> None:
        """Store *block*."""
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

    def retain(self, names: Iterable[str]) -> None:
        """Drop all blocks but those of *names*: they are not defined any more."""
        with self._lock:
            gone = self._all().keys() - set(names)
            for name in gone:
                self._drop(name)
            if gone:
                self._write()

    def on_commit(self, updated: Updated | None) -> None:
        """Forget what a commit changed; a listener of the engine."""
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

    def _all(self) -> dict[str, StoredBlock]:
        if self._blocks is None:
            self._blocks = dict(_read(self._path, self._max_bytes)) if self._path else {}
        return self._blocks

    def _write(self) -> None:
        """Replace the file; where that fails, blocks are kept in memory until the process ends."""
        if self._path is None:
            return
        content = msgspec.json.encode(_File(FORMAT, list(self._all().values())))
        try:
            write_atomically(self._path, content)
        except OSError as error:
            _log.warning("context blocks cannot be kept: %s", error.strerror)


def _read(path: Path, max_bytes: int) -> Mapping[str, StoredBlock]:
    """The blocks of the file at *path* by name; none if it is damaged or not a file."""
    content = read_private(path, max_bytes + 1)
    if content is None or len(content) > max_bytes:
        return {}
    try:
        found = _file_decoder.decode(content)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        _log.warning("stored context blocks cannot be read (%s); they are rebuilt", type(error).__name__)
        return {}
    return {block.name: block for block in found.blocks} if found.format == FORMAT else {}


# --- staleness: values in, a reason out --------------------------------------------------------


class Staleness(Struct, frozen=True):
    """Why a block has to be built anew."""

    kind: StaleKind
    reason: str  # a sentence


def changed(path: str) -> Staleness:
    """A note that the block stands on, at *path*, says something else or is gone."""
    return Staleness("changed", f"{path} changed or was removed")


def stale_by_itself(kept: StoredBlock | None, key: str, ttl_ms: int, now_ms: int) -> Staleness | None:
    """Why *kept* cannot hold whatever the index says; None where it may."""
    if kept is None:
        return Staleness("not-built", "it is not built yet")
    if kept.key != key:
        return Staleness("redefined", "its query, its budget or the settings of search have changed since it was built")
    if not kept.built_ms <= now_ms < kept.built_ms + ttl_ms:  # before it was built: the clock was set back
        return Staleness("expired", "its time to live is over")
    return None


def stale_by_index(kept: StoredBlock, likely: Sequence[Likely], missing: Sequence[str]) -> Staleness | None:
    """
    Why *kept* may differ from what would be built now, from the notes *likely* to answer; None where it cannot.

    Where it may, the quotes of both decide: see `same_text`.
    """
    if list(likely) == kept.likely and list(missing) == kept.missing:
        return None
    now = {note.path: note for note in likely}
    before = {note.path: note for note in kept.likely}
    sources = {quote.source.path for quote in kept.quotes}
    for path, note in before.items():
        if path in now and now[path].sha256 != note.sha256:
            return changed(path)
    for path in before:
        if path not in now and nfc(path) in sources:
            return Staleness("removed", f"{path} is gone or no longer answers")
    if new := [path for path in now if path not in before]:
        return Staleness("outdated", f"{new[0]} answers now")
    if list(missing) != kept.missing:
        return Staleness("outdated", "other retrievers can serve than when it was built")
    if len(now) < len(before):
        return Staleness("outdated", "fewer notes are likely to answer than when it was built")
    return Staleness("outdated", "its notes answer with another confidence than when it was built")


def same_text(some: Sequence[StoredQuote], others: Sequence[StoredQuote]) -> bool:
    """Whether two lists of quotes are the same text."""
    return [quote.text for quote in some] == [quote.text for quote in others]
