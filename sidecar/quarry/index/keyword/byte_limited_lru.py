"""What is remembered at one moment from one question to the next: scores of single terms, and where things stand."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from msgspec import Struct, field

from quarry.index.keyword.bm25 import Floats

KEPT_BYTES = 16 * 1024 * 1024  # of single terms: of the stop words, and of what is being typed
KEPT_NOTES_BYTES = 4 * 1024 * 1024  # of the notes that hold common terms: those of 160 terms in a million chunks
ENTRY_BYTES = 500  # of an entry itself


class Sized(Protocol):
    """Something that says how much memory it takes."""

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        ...


_Found = TypeVar("_Found", bound=Sized)


class Places(Struct, frozen=True):
    """Where what was found before stands: asked of the database once, as every search finds a hundred chunks."""

    of_chunks: dict[int, tuple[str, int]] = field(default_factory=dict)  # id -> path, and number in its note
    of_notes: dict[int, str] = field(default_factory=dict)  # id -> path


class ByteLimitedLru:
    """What was last worked out of terms; any thread asks."""

    def __init__(self, limit_bytes: int = KEPT_BYTES) -> None:
        """Up to so much of it."""
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._found: OrderedDict[object, Sized] = OrderedDict()
        self._tables: dict[object, Floats] = {}
        self._size_bytes = 0

    def get(self, key: object, find: Callable[[], _Found]) -> _Found:
        """What is kept under *key*, or found now; a key is always asked for the same kind of thing."""
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
        """The same for a table of weighted counts; there are as many as there are weights."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = find()
        return table
