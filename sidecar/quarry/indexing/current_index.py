"""
The one index in use: opened, set aside when it is damaged, compacted, checked, and read by any thread meanwhile.

`CurrentIndex.index` changes only on the worker's thread. The metadata of an index says whose notes and vectors it has.
"""

import ctypes
import json
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from msgspec.structs import asdict

from quarry.documents.note import READER_VERSION, SCRUBBER_VERSION
from quarry.embedding import Fingerprint
from quarry.errors import Cancelled, IndexDamaged, IndexMisplaced, IndexUnavailable, QuarryError
from quarry.index import FINGERPRINT, TERMS_VERSION, Deadline, Index, Reader, clear_leftovers, quarantine, rebuild_path
from quarry.settings import Settings
from quarry.vault.paths import folder_key, vault_id

_log = logging.getLogger(__name__)

VAULT = "vault"  # whose notes it has: a JSON object of `vault_id` and `folder_key`
POISON = "poison"  # paths of the notes whose preparation ended processes: a JSON array
BUILT = "built_ms"  # when it was begun from nothing, or rebuilt: milliseconds since 1970
INITIAL_SYNC_DONE = "initial_sync_done"  # present once it has had all notes of the vault
PARSER = "parser"  # `parser_fingerprint` of its notes

QUIET_S = 5.0  # without a change; a writer who pauses that long is reading, not typing
VERIFY_NOTES = 200  # checked at a time: milliseconds, so that a saved note waits no longer
REST = 100  # times as long as the last compaction took: at most a hundredth of the time goes into it


class CurrentIndex:
    """
    Holds the index at *path* of the vault at *root*.

    Args:
        without: Parts to do without, for tests: "sqlite-vec", "fts5".

    Raises:
        SchemaTooNew: A newer version wrote the index.
        IndexUnavailable: It cannot be opened or made at all. A damaged one is set aside and rebuilt.
    """

    def __init__(self, path: Path, root: Path, without: frozenset[str]) -> None:
        self.path = path
        self._root = root
        self.without = without
        self.loss: str | None = None  # in words, what became of an index that could not be kept
        self._replacing = threading.Lock()
        self._is_open = False
        try:
            self.index = self._open()
        except IndexDamaged as error:
            self._set_aside(error)
            self.index = self._open()

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """
        One moment of the index in use.

        Raises:
            IndexUnavailable, IndexDamaged: Here or out of any question.
        """
        with ExitStack() as stack:
            yield self._enter_reader(stack)

    def read_ahead(self, wait: Callable[[], None]) -> None:
        """Have the vectors in memory before they are asked for: read on a thread of their own, once *wait* returns."""
        threading.Thread(target=self._read_ahead, args=(wait,), name="quarry-vectors", daemon=True).start()

    def replace(self, error: IndexDamaged) -> None:
        """
        Set the index aside, as *error* says that it is damaged, and begin an empty one. May be called again.

        Raises:
            IndexUnavailable: The old one could not be moved, or the new one not be made.
        """
        with self._replacing:
            self.close()
            self._set_aside(error)
            self.index = self._open()

    def check_in_place(self) -> None:
        """
        See that the index can be written and is the one at `path`.

        Raises:
            IndexDamaged: It is not; `replace` it.
        """
        if not self._is_open:
            raise IndexDamaged(f"index {self.path} was closed, and could not be opened again")
        self.index.check_in_place()

    def close(self) -> None:
        """Wait for readers and let go of the file; closing twice is no error."""
        if self._is_open:
            self._is_open = False
            self.index.close()

    def _open(self) -> Index:
        try:  # a rebuild that was cut short in its first moment leaves the beginning of its own file
            clear_leftovers(rebuild_path(self.path))
        except OSError as error:
            raise IndexUnavailable(
                f"the folder of {self.path} cannot be used ({error}); check its permissions"
            ) from error
        index = Index.open(self.path, without=self.without)
        try:
            claim_index(index, self._root)
        except BaseException:
            index.close()
            raise
        self._is_open = True
        return index

    def _read_ahead(self, wait: Callable[[], None]) -> None:
        wait()
        with suppress(QuarryError), self.reader() as reader:  # a search meets what is wrong with the index, and says so
            reader.read_ahead()

    def _set_aside(self, error: IndexDamaged) -> None:
        aside = quarantine(self.path)
        _log.warning("the index is set aside as %s: %s", aside.name, error)
        if not os.path.lexists(aside):
            self.loss = "the index was deleted"
        elif isinstance(error, IndexMisplaced):
            self.loss = f"{error} and is kept as {aside.name}"
        else:
            self.loss = f"the index was damaged and is kept as {aside.name}"

    def _enter_reader(self, stack: ExitStack) -> Reader:
        while True:
            with self._replacing:
                index = self.index
            try:
                return stack.enter_context(index.reader())
            except IndexUnavailable:
                with self._replacing:  # until another has taken its place, if that is why it was closed
                    if index is self.index:
                        raise


# --- metadata ---------------------------------------------------------------------------------------


def parser_fingerprint(settings: Settings) -> str:
    """What decides the rows of a note besides its bytes; another one in the index means reading every note anew."""
    return json.dumps(
        [READER_VERSION, SCRUBBER_VERSION, TERMS_VERSION, list(settings.skip_sections), settings.stemming]
    )


@lru_cache(maxsize=4)  # every query compares the one of its model
def fingerprint_text(fingerprint: Fingerprint) -> str:
    """The value of `FINGERPRINT`."""
    return json.dumps(asdict(fingerprint))


def fingerprint_of(text: str) -> Fingerprint:
    """The fingerprint that *text* is of."""
    return Fingerprint(**json.loads(text))


def stored_fingerprint(index: Index) -> Fingerprint | None:
    """Fingerprint of the model whose vectors *index* holds; None where it never had one."""
    stored = index.static.model
    return fingerprint_of(stored) if stored else None


def claim_index(index: Index, root: Path) -> None:
    """
    See that *index* is of the vault at *root*, and remember that it is.

    Either sign is enough: a vault that was moved or renamed has another path and is the same folder, one that came
    back from a backup is another folder at the same path. What differs otherwise, comparing with the disk finds.

    Raises:
        IndexMisplaced: It holds the notes of another vault.
    """
    ours = {"id": vault_id(root), "folder": folder_key(root)}
    stored = index.meta_get(VAULT)
    if stored is not None:
        theirs = json.loads(stored)
        if theirs == ours:
            return
        if theirs["id"] != ours["id"] and (ours["folder"] is None or theirs["folder"] != ours["folder"]):
            raise IndexMisplaced(f"the index held the notes of another vault ({theirs['id']})")
    else:
        index.meta_set(BUILT, _now_ms())
    index.meta_set(VAULT, json.dumps(ours))


def rebuild_metadata(index: Index, parser: str, fingerprint: Fingerprint | None) -> dict[str, str]:
    """Metadata for a rebuilt index that is to replace *index*."""
    facts = {key: value for key in (VAULT, POISON) if (value := index.meta_get(key))}
    facts |= {PARSER: parser, BUILT: _now_ms(), INITIAL_SYNC_DONE: "1"}
    return facts | {FINGERPRINT: fingerprint_text(fingerprint)} if fingerprint else facts


def poison_notes(index: Index) -> frozenset[str]:
    """Paths of the notes whose preparation ended processes."""
    return frozenset(json.loads(index.meta_get(POISON) or "[]"))


def set_poison_notes(index: Index, paths: frozenset[str]) -> None:
    """Remember *paths* and no others as the notes whose preparation ended processes."""
    index.meta_set(POISON, json.dumps(sorted(paths)))


def _now_ms() -> str:
    return str(time.time_ns() // 1_000_000)


# --- maintenance ------------------------------------------------------------------------------------


class IdleSchedule:
    """When the index is to be compacted, by what changed and how long it took. Times are `time.monotonic()` seconds."""

    def __init__(self) -> None:
        self._is_wanted = False
        self._earliest_s = 0.0

    def changed(self, now_s: float) -> None:
        """Something was stored or removed."""
        self._is_wanted = True
        self._earliest_s = max(self._earliest_s, now_s + QUIET_S)

    def is_due(self, now_s: float) -> bool:
        """Whether there is something to compact, and nothing was saved for a while."""
        return self._is_wanted and now_s >= self._earliest_s

    def compacted(self, begun_s: float, ended_s: float, *, is_done: bool) -> None:
        """The index was compacted, or could not be: what a full disk does not let through is tried again, later."""
        self._is_wanted = not is_done
        self._earliest_s = ended_s + max(QUIET_S, REST * (ended_s - begun_s))


def compact(index: Index, deadline: Deadline) -> bool:
    """
    Merge the keyword index, write its postings of this moment, empty the WAL; whether all of it could be done.

    Raises:
        IndexDamaged: The index has to be set aside.
    """
    try:
        index.optimize()
        try:
            index.flush_postings(deadline)
        finally:  # what keeps the segment file from being written must not let the WAL grow
            index.checkpoint()
    except Cancelled:
        return False
    except IndexUnavailable as error:  # a full disk, or a reader at work
        _log.info("what notes said before leaves the index later: %s", error)
        return False
    give_back_free_memory()
    return True


def restore_postings(index: Index, deadline: Deadline) -> None:
    """Write the keyword postings of *index* where a search found none; what cannot be written waits for `compact`."""
    try:
        index.flush_postings(deadline)
    except (Cancelled, IndexUnavailable) as error:
        _log.info("the keyword postings are written later: %s", error)


def repair(
    index: Index,
    refresh: Callable[[Sequence[str]], object],
    yield_point: Callable[[], None],
    is_wanted: Callable[[], bool],
) -> None:
    """
    Check every row of *index*, then what holds it together.

    Args:
        refresh: Reads the notes at these paths anew.
        yield_point: Called where stopping is safe.
        is_wanted: Whether there is something else to do than the last check, which holds writing up for seconds.

    Raises:
        IndexDamaged: Reading notes anew does not help.
        Cancelled: `yield_point` said so.
    """
    cursor: str | None = None
    while True:
        damaged, cursor = index.verify(cursor, VERIFY_NOTES)
        if damaged:
            _log.warning("%d notes had damaged rows and are read again", len(damaged))
            refresh(damaged)
        if cursor is None:
            break
        yield_point()
    try:
        index.check(Deadline(math.inf, is_wanted))
    except Cancelled:
        _log.info("the check of the whole index is put off: there is something else to do")


def give_back_free_memory() -> None:
    """
    Have glibc return the free pages of its heap to the system, wherever they are; with another C library, do nothing.

    By itself it returns only those at the end: 8 of 120 MB after some hundred searches, for 1 ms.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
