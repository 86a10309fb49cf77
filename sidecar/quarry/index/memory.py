"""The parts of an index that are kept in memory, for all readers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import apsw
from msgspec import Struct, field

from quarry.analysis.analysis import Languages
from quarry.analysis.normalize import TAGS
from quarry.index.database import select
from quarry.index.keys import id_list
from quarry.index.maps import MapsOfContent
from quarry.index.meta import SnapshotCache
from quarry.index.note_rows import read_list
from quarry.index.postings.cache import FEW_NOTES, PostingsCache
from quarry.index.postings.spelling import SpellingIndex
from quarry.index.postings.stored_snapshot import Documents
from quarry.index.records import Newest, NoteName
from quarry.index.top_k import ChunkLocation, chunk_locations
from quarry.index.vectors.matrix import VectorLimits
from quarry.index.vectors.rows import CONTEXTUAL, STATIC, Waiting, serving_model
from quarry.index.vectors.vector_cache import VectorCache

MAX_LOCATIONS = 20_000  # of chunks, and of notes, 4 MB
MAX_NAMES = 20_000  # about 10 MB; a larger vault forgets all of them when one more is asked for

_PATHS = "SELECT id, path FROM notes WHERE id IN (SELECT value FROM json_each(?))"
_NAMES = "SELECT id, path, title, aliases, mtime_ns, languages FROM notes WHERE id IN (SELECT value FROM json_each(?))"


# --- names, paths and locations -----------------------------------------------------------------


class NoteNames(Struct):
    """The names of notes of one snapshot, cached once they were asked for."""

    limit: int = MAX_NAMES
    _known: dict[int, NoteName] = field(default_factory=dict)

    def of(self, connection: apsw.Connection, note_ids: Sequence[int]) -> list[NoteName]:
        """
        The names of these notes, in the same order; ids that are not there are left out.

        Args:
            connection: Sees this snapshot.
        """
        known = self._known
        found = list(map(known.get, note_ids))
        if not all(found):  # a name is true: `None in found` compares each, which takes nine times as long
            lacking = [note_id for note_id, name in zip(note_ids, found, strict=True) if name is None]
            fresh = {
                note_id: NoteName.of(
                    note_id, path, title, read_list(aliases), mtime_ns // 1_000_000, read_languages(languages)
                )
                for note_id, path, title, aliases, mtime_ns, languages in select(
                    connection, _NAMES, (id_list(lacking),)
                )
            }
            if len(known) + len(fresh) > self.limit:
                known.clear()
            known.update(fresh)
            found = [name or fresh.get(note_id) for note_id, name in zip(note_ids, found, strict=True)]
        return [name for name in found if name is not None]


class Locations(Struct):
    """
    The locations of chunks and paths of notes that were asked for: every query finds a hundred, many of them again.

    *connection* always sees the one snapshot. What is given holds others as well; ids that are not there are left out.
    """

    limit: int = MAX_LOCATIONS
    _chunks: dict[int, ChunkLocation] = field(default_factory=dict)
    _notes: dict[int, str] = field(default_factory=dict)

    def of_chunks(self, connection: apsw.Connection, chunk_ids: Sequence[int]) -> Mapping[int, ChunkLocation]:
        """The locations of these chunks, among others."""
        known = self._chunks
        if unknown := [chunk_id for chunk_id in chunk_ids if chunk_id not in known]:
            if len(known) > self.limit:
                known = self._chunks = {}
                unknown = [*chunk_ids]
            known.update(chunk_locations(connection, unknown))
        return known

    def of_notes(self, connection: apsw.Connection, note_ids: Sequence[int]) -> Mapping[int, str]:
        """The paths of these notes, among others."""
        known = self._notes
        if unknown := [note_id for note_id in note_ids if note_id not in known]:
            if len(known) > self.limit:
                known = self._notes = {}
                unknown = [*note_ids]
            known.update(select(connection, _PATHS, (id_list(unknown),)))
        return known


class SnapshotData(Struct):
    """The data of one snapshot that is kept for the next query."""

    locations: Locations = field(default_factory=Locations)
    names: NoteNames = field(default_factory=NoteNames)
    _dimension: tuple[int | None] | None = None  # of static vectors, once it was asked for
    _languages: Languages | None = None
    _maps: MapsOfContent | None = None
    _serving: tuple[str | None] | None = None  # the contextual model that answers, once it was asked for
    _waiting: Waiting | None = None
    _newest: tuple[int, Newest] | None = None  # the depth that was asked for, and the newest notes

    def dimension(self, connection: apsw.Connection) -> int | None:
        """The dimension of every static vector, None while there is none; *connection* sees this snapshot."""
        if self._dimension is None:
            self._dimension = (STATIC.dimension(connection),)
        return self._dimension[0]

    def languages(self, connection: apsw.Connection) -> Languages:
        """The languages of the notes besides English; *connection* sees this snapshot."""
        if self._languages is None:
            self._languages = vault_languages(connection)
        return self._languages

    def maps(self, connection: apsw.Connection) -> MapsOfContent:
        """The maps of content; *connection* sees this snapshot."""
        if self._maps is None:
            self._maps = MapsOfContent.of(connection)
        return self._maps

    def serving_model(self, connection: apsw.Connection) -> str | None:
        """The contextual model whose vectors answer, if any do; *connection* sees this snapshot."""
        if self._serving is None:
            self._serving = (serving_model(connection),)
        return self._serving[0]

    def waiting(self, connection: apsw.Connection) -> Waiting:
        """The notes that wait for contextual vectors; *connection* sees this snapshot, in which there are such."""
        if self._waiting is None:
            self._waiting = Waiting.read(connection)
        return self._waiting

    def newest(self, depth: int, read: Callable[[], Newest]) -> Newest:
        """
        The *depth* newest of all notes: the answer to a query with nothing to rank by, as while a stop word is typed.

        Args:
            read: Reads them; SQLite goes through all notes for it, 7 ms for 17,000.
        """
        kept = self._newest
        if kept is None or kept[0] < depth:
            kept = self._newest = (depth, read())
        return kept[1] if kept[0] == depth else Newest(kept[1].ranking[:depth], kept[1].total)


class Memory(Struct, frozen=True):
    """The caches of an index, which outlive its readers."""

    vectors: VectorCache = field(default_factory=VectorCache)
    contextual: VectorCache = field(default_factory=lambda: VectorCache(tables=CONTEXTUAL))
    spelling: SpellingIndex = field(default_factory=SpellingIndex)
    documents: SnapshotCache[Documents] = field(default_factory=lambda: SnapshotCache(Documents.read))
    snapshot_data: SnapshotCache[SnapshotData] = field(default_factory=lambda: SnapshotCache(lambda _: SnapshotData()))
    postings: PostingsCache = field(default_factory=PostingsCache)

    @classmethod
    def of(cls, database: Path, limits: VectorLimits | None = None, few_notes: int = FEW_NOTES) -> "Memory":
        """Empty caches for the index at *database*, which has a segment file."""
        return cls(
            vectors=VectorCache(limits),
            contextual=VectorCache(limits, CONTEXTUAL),
            postings=PostingsCache(database, few_notes=few_notes),
        )


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
