"""
Writes vectors that are made after their notes were indexed: those of the static model, and of a contextual one.

Contextual vectors take hours to make, so that nothing is thrown away without need: what waits for a vector is what has
none, a chunk whose text stays keeps its own, those of another model are kept (`kept_vectors.py`), and a rebuilt index
takes over what is in the old one (`carry_over`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import apsw
from msgspec import Struct

from quarry.faults import fault_point
from quarry.index import meta
from quarry.index.database import select, translate_sqlite_errors
from quarry.index.keys import content_hash, id_range, note_of, title_hash
from quarry.index.note_rows import note_rows
from quarry.index.notes import note_change
from quarry.index.records import PendingChunk, PendingTitle
from quarry.index.vectors import kept_vectors, rows
from quarry.index.vectors.kept_vectors import TABLES, ModelKind
from quarry.index.vectors.rows import CONTEXTUAL, VectorTables, VectorWriter, waiting_count
from quarry.index.vectors.vector_cache import VectorCache
from quarry.index.writer import Writer

NOTES_AT_ONCE = 100  # read and written between two places where carrying over can be interrupted

_NEXT_NOTES = "SELECT id, path FROM notes WHERE path > ? ORDER BY path LIMIT ?"


class StoredVectors:
    """
    The vectors of the static model in use, or of the contextual one, on the thread that writes the index.

    Args:
        writer: The index's own.
        cache: Caches the vectors that searches compare.
    """

    def __init__(self, writer: Writer, kind: ModelKind, cache: VectorCache) -> None:
        self._writer = writer
        self._kind: ModelKind = kind
        self._tables = TABLES[kind]
        self._cache = cache

    @property
    def model(self) -> str | None:
        """The model that the vectors are of, as it was given to `choose`; None while none is chosen."""
        with self._read() as connection:
            return meta.get(connection, self._tables.model_key) or None

    def choose(self, model: str | None) -> None:
        """
        Make room for the vectors of *model*, or take them out where they are kept; those of another model are kept.

        Args:
            model: None, of a contextual one alone: none is chosen any more.
        """
        if model == self.model:
            return
        with self._writer.change() as connection:
            kept_vectors.choose(connection, self._kind, model)
            fault_point("choose")
        self._cache.clear()

    def waiting_chunks(self) -> int:
        """How many chunks wait for a vector."""
        with self._read() as connection:
            return waiting_count(connection, tables=self._tables)

    def known(self, paths: Sequence[str], hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        """Vectors of the notes at *paths* by `content_hash` or `title_hash`; those of other texts are left out."""
        with self._read() as connection:
            return rows.known_vectors(connection, paths, hashes, self._tables)

    def has_pending(self) -> bool:
        """Whether any chunk or title waits for a vector."""
        with self._read() as connection:
            return rows.has_pending(connection, self._tables)

    def pending_chunks(self, limit: int) -> list[PendingChunk]:
        """The first *limit* chunks that wait for a vector; for a contextual one, those of the newest notes first."""
        with self._read() as connection:
            return rows.pending_chunks(connection, limit, self._tables)

    def pending_titles(self, limit: int) -> list[PendingTitle]:
        """The first *limit* notes whose titles wait for a vector, in the same order."""
        with self._read() as connection:
            return rows.pending_titles(connection, limit, self._tables)

    def fill_in(
        self, vectors: Sequence[tuple[int, bytes, bytes]], titles: Sequence[tuple[int, str, bytes]] = ()
    ) -> bool:
        """
        Store vectors, all in one transaction.

        Args:
            vectors: `(chunk_id, content_hash, vector)`; where a chunk has another text by now, it goes on waiting.
            titles: `(note_id, title, vector)`, likewise.

        Returns:
            Whether contextual vectors are complete for the first time; False for static ones.

        Raises:
            ValueError: A vector has another length than those stored; nothing changed.
        """
        with self._writer.change() as connection:
            writer = VectorWriter(connection, self._tables)
            changed = {note_of(chunk_id) for chunk_id, key, vector in vectors if writer.fill_in(chunk_id, key, vector)}
            changed |= {note_id for note_id, title, vector in titles if writer.fill_in_title(note_id, title, vector)}
            for note_id in changed:
                note_change(connection, note_id, of_words=False)
            if self._tables is not CONTEXTUAL:
                return False
            fault_point("backfill")
            return _mark_complete(connection)

    @contextmanager
    def _read(self) -> Iterator[apsw.Connection]:
        with translate_sqlite_errors(self._writer.path):
            yield self._writer.connection


def carry_over(target: Writer, source: Writer, yield_point: Callable[[], None]) -> None:
    """
    Take over the models of *source*, all but its static one, and their vectors of notes at the same paths.

    A text that is another by now has none.

    Args:
        yield_point: Called between two batches; may raise to give up.
    """
    with translate_sqlite_errors(source.path):
        kept = [(each.kind, each.model, each.tables) for each in reversed(kept_vectors.kept_models(source.connection))]
        contextual = meta.get(source.connection, meta.CONTEXTUAL_MODEL)
    if contextual is not None:
        kept.append(("contextual", contextual, CONTEXTUAL))
    static = StoredVectors(target, "static", VectorCache())
    static_model = static.model
    for kind, model, tables in kept:
        if (kind, model) != ("static", static_model):
            vectors = StoredVectors(target, kind, VectorCache())
            try:
                vectors.choose(model)
                _copy(target, vectors, source, tables, yield_point)
            finally:
                static.choose(static_model)
    if contextual is None:
        StoredVectors(target, "contextual", VectorCache()).choose(None)


def _copy(
    target: Writer, vectors: StoredVectors, source: Writer, tables: VectorTables, yield_point: Callable[[], None]
) -> None:
    """Fill in *vectors* of *target* from *tables* of *source*."""
    after: str | None = ""
    while after is not None:
        with translate_sqlite_errors(target.path):
            texts, after = _texts(target.connection, after)
        with translate_sqlite_errors(source.path):
            paths, keys = [text.path for text in texts], [text.key for text in texts]
            known = rows.known_vectors(source.connection, paths, keys, tables)
        found = [(text, known[text.key]) for text in texts if text.key in known]
        vectors.fill_in(
            [(text.row_id, text.key, vector) for text, vector in found if text.title is None],
            [(text.row_id, text.title, vector) for text, vector in found if text.title is not None],
        )
        yield_point()


def _texts(connection: apsw.Connection, after: str) -> tuple[list["_Text"], str | None]:
    """The chunks and titles of the next notes by path, and the path to go on after; None at the end."""
    paths = select(connection, _NEXT_NOTES, (after, NOTES_AT_ONCE))
    notes = note_rows(connection, [note_id for note_id, _ in paths])
    found = []
    for note_id, path in paths:
        content, (first, _) = notes[note_id].content(), id_range(note_id)
        found.append(_Text(path, note_id, title_hash(notes[note_id].title), notes[note_id].title))
        for slot, chunk in zip(content.slots, content.chunks, strict=True):
            found.append(_Text(path, first + slot, content_hash(chunk)))
    return found, paths[-1][1] if len(paths) == NOTES_AT_ONCE else None


class _Text(Struct, frozen=True):
    """A text to embed: a chunk, or the title of a note."""

    path: str  # of its note
    row_id: int  # of the chunk, or of the note
    key: bytes  # content_hash or title_hash
    title: str | None = None  # None: it is a chunk


def _mark_complete(connection: apsw.Connection) -> bool:
    """Record that no contextual vector is missing, if none is; whether that is new."""
    if meta.get(connection, meta.CONTEXTUAL_COMPLETE) is not None or rows.has_pending(connection, CONTEXTUAL):
        return False
    meta.put(connection, meta.CONTEXTUAL_COMPLETE, "1")
    return True
