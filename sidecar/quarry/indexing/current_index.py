"""
The one index in use: opened, set aside when it is damaged, and read by any thread while that happens.

`index` changes only on the worker's thread.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from quarry.errors import IndexDamaged, IndexMisplaced, IndexUnavailable, QuarryError
from quarry.index import Index, Reader, clear_leftovers, quarantine, rebuild_path
from quarry.indexing.metadata import claim_index

_log = logging.getLogger(__name__)


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
        self.kept_as: str | None = None  # the name of its file
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
        is_kept = os.path.lexists(aside)
        self.kept_as = aside.name if is_kept else None
        if not is_kept:
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
