"""A cache of a snapshot that lives from one query to the next, bounded by the memory that it takes."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from quarry.index.keyword.bm25 import Floats

ENTRY_BYTES = 500  # of an entry itself


class Sized(Protocol):
    """A value that knows its own size."""

    @property
    def size_bytes(self) -> int:
        """Bytes that the value takes in memory."""
        ...


_Found = TypeVar("_Found", bound=Sized)


class ByteLimitedLru:
    """Values by key, the least recently used dropped first; for any number of threads."""

    def __init__(self, limit_bytes: int) -> None:
        """Hold at most *limit_bytes*."""
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._found: OrderedDict[object, Sized] = OrderedDict()
        self._tables: dict[object, Floats] = {}
        self._size_bytes = 0

    def get(self, key: object, find: Callable[[], _Found]) -> _Found:
        """The value of *key*, made by *find* where it is not held; a key always has values of one type."""
        with self._lock:
            if (known := self._found.get(key)) is not None:
                self._found.move_to_end(key)
                return cast("_Found", known)
        found = find()
        with self._lock:
            if key not in self._found:
                self._found[key] = found
                self._size_bytes += found.size_bytes + ENTRY_BYTES
            while self._size_bytes > self._limit_bytes:
                _, oldest = self._found.popitem(last=False)
                self._size_bytes -= oldest.size_bytes + ENTRY_BYTES
        return found

    def table(self, key: object, find: Callable[[], Floats]) -> Floats:
        """A table of weighted term frequencies, never dropped: there is one for each set of weights."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = find()
        return table
