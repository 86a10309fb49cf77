"""The parts of an index that are kept in memory, for all readers."""

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw

from quarry.analysis.analysis import Languages
from quarry.analysis.normalize import TAGS
from quarry.index.database import select
from quarry.index.keys import id_list
from quarry.index.meta import SnapshotCache
from quarry.index.note_rows import read_list
from quarry.index.postings.cache import FEW_NOTES, PostingsCache
from quarry.index.postings.spelling import SpellingIndex
from quarry.index.records import NoteName
from quarry.index.top_k import chunk_locations
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL
from quarry.index.vectors.vector_cache import VectorCache
from quarry.kinds import bare_name

MAX_LOCATIONS = 20_000  # of chunks, 2 MB
MAX_NAMES = 20_000  # about 10 MB

_NAMES = "SELECT id, path, title, aliases, mtime_ns, languages FROM notes WHERE id IN (SELECT value FROM json_each(?))"

T = TypeVar("T")


class RowCache(Generic[T]):
    """
    Values of one snapshot by id, read when they are first asked for: every query finds a hundred, many of them again.

    Beyond *limit* values, all are dropped before more are read.
    """

    def __init__(self, read: Callable[[apsw.Connection, Sequence[int]], Mapping[int, T]], limit: int) -> None:
        """*read* finds the values of ids on a connection; it leaves out ids that are not there."""
        self._read = read
        self._limit = limit
        self._known: dict[int, T] = {}

    def of(self, connection: apsw.Connection, ids: Sequence[int]) -> Mapping[int, T]:
        """The values of *ids*, among others; *connection* always sees the one snapshot."""
        known = self._known
        if unknown := [each for each in ids if each not in known]:
            if len(known) > self._limit:
                known = self._known = {}
                unknown = [*ids]
            known.update(self._read(connection, unknown))
        return known


class SnapshotData:
    """The data of one snapshot that are kept for the next query; every *connection* sees that snapshot."""

    def __init__(self) -> None:
        self.locations = RowCache(chunk_locations, MAX_LOCATIONS)  # of chunks
        self.names = RowCache(_read_names, MAX_NAMES)
        self._lock = threading.Lock()
        self._values: dict[Hashable, Any] = {}

    def once(self, read: Callable[..., T], connection: apsw.Connection, *arguments: Hashable) -> T:
        """What *read* returns for *connection* and *arguments*, which it is called with once."""
        key = (read, *arguments)
        if key not in self._values:
            with self._lock:
                if key not in self._values:
                    self._values[key] = read(connection, *arguments)
        value: T = self._values[key]
        return value


class Memory:
    """The caches of the index at *database*, which outlive its readers."""

    def __init__(self, database: Path, limits: VectorLimits | None = None, few_notes: int = FEW_NOTES) -> None:
        self.vectors = VectorCache(limits)
        self.contextual = VectorCache(limits, CONTEXTUAL)
        self.spelling = SpellingIndex()
        self.snapshot_data = SnapshotCache(lambda _: SnapshotData())
        self.postings = PostingsCache(database, few_notes=few_notes)


def _read_names(connection: apsw.Connection, note_ids: Sequence[int]) -> dict[int, NoteName]:
    names = {}
    for note_id, path, title, written, mtime_ns, languages in select(connection, _NAMES, (id_list(note_ids),)):
        aliases = read_list(written)
        every = tuple(dict.fromkeys((title, *aliases, bare_name(path))))
        names[note_id] = NoteName(
            note_id, path, title, aliases, mtime_ns // 1_000_000, read_languages(languages), every
        )
    return names


# Each different value, found by a look-up of its own: a vault of 50,000 notes in German has but one.
_LANGUAGES = """
WITH RECURSIVE found(value) AS (
    SELECT min(languages) FROM notes WHERE languages IS NOT NULL
    UNION ALL
    SELECT (SELECT min(languages) FROM notes WHERE languages > found.value) FROM found WHERE found.value IS NOT NULL
)
SELECT value FROM found WHERE value IS NOT NULL
"""


_ORDER = tuple(TAGS)


def read_languages(column: str | None) -> Languages:
    """Decode `notes.languages`: the languages of a note besides English."""
    return tuple(sorted(column.split(" "), key=_ORDER.index)) if column else ()


def vault_languages(connection: apsw.Connection) -> Languages:
    """The languages that any note has terms in; exact, as no count of them is kept."""
    rows: list[tuple[str]] = select(connection, _LANGUAGES)
    found = {language for (value,) in rows for language in value.split(" ")}
    return tuple([language for language in _ORDER if language in found])
