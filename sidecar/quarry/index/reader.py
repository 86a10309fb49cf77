"""Reads the index: every answer of one `Reader` is from the same snapshot."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import apsw

from quarry.analysis.analysis import Languages
from quarry.conditions import MATCH_ALL, Condition
from quarry.errors import MAX_NAMED, NoteNotFound
from quarry.index import listing, meta
from quarry.index.database import NO_DEADLINE, Deadline, Parts, select
from quarry.index.filters.filter import first_failing_condition, matching_notes
from quarry.index.filters.phrase_filter import IndexedPhrases, WrittenPhrases
from quarry.index.keys import NoteIds, id_list, id_range
from quarry.index.links import MapsOfContent, links_from, links_to, note_paths, similar_paths
from quarry.index.listing import OrderedNote, ordered_notes
from quarry.index.memory import Memory, SnapshotData, vault_languages
from quarry.index.note_rows import ContentReader, note_from, note_row, read_properties
from quarry.index.postings.cache import NO_DOCUMENTS
from quarry.index.postings.query import KeywordSearcher
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.stored_snapshot import Documents, TermReader
from quarry.index.records import (
    IncomingLink,
    IndexedFile,
    IndexSize,
    MapOfContent,
    Newest,
    NoteFilter,
    NoteName,
    NotePage,
    Problem,
    ResolvedLink,
    StoredChunk,
    StoredNote,
)
from quarry.index.top_k import Scored
from quarry.index.vectors.kept_vectors import StoredModel, stored_models
from quarry.index.vectors.quantize import FloatMatrix, FloatVector
from quarry.index.vectors.rows import CONTEXTUAL, STATIC, VectorTables, Waiting, notes_without_vectors, serving_model
from quarry.index.vectors.vector_query import (
    DenseQuery,
    MemoryDenseQuery,
    QueryVector,
    StoredDenseQuery,
    layered_query,
    unit_vectors_of,
)
from quarry.options import SortOrder
from quarry.types import Candidate, FileStamp, PropertyValue, Ranking

LISTING_TIMEOUT_S = 60.0  # filters of a list are cheap; this only bounds a disk that hangs


class Reader:
    """
    One snapshot of the index, for one thread.

    Methods that take a deadline raise `DeadlineExceeded` or `Cancelled` when it says so. Where FTS5 is missing, nothing
    is found by word. `admitted` are the notes that may be found; None: all.
    """

    def __init__(self, connection: apsw.Connection, parts: Parts, memory: Memory) -> None:
        self._db = connection
        self._parts = parts
        self._memory = memory
        self._notes = ContentReader(connection)

    def warm_up(self) -> None:
        """Fill the caches that every search needs: a fifth of a second that no search should wait for."""
        if self._parts.has_fts5:
            self._memory.postings.scorer(self._db)
        self.read_ahead()

    def read_ahead(self) -> None:
        """Read the vectors that the first query by meaning would wait for, where they fit in memory."""
        for cache in (self._memory.vectors, *([self._memory.contextual] if self.contextual_model else ())):
            if cache.fits(self._db):
                cache.snapshot(self._db)

    # --- by word -------------------------------------------------------------------------------

    @cached_property
    def keywords(self) -> KeywordSearcher:
        """The keyword index of this snapshot; where its postings come from is decided once."""
        postings, spelling = self._postings(), self._memory.spelling
        return KeywordSearcher(self._db, postings, spelling, self._snapshot_data, self._notes)

    def candidates(self, scored: Sequence[Scored]) -> Ranking:
        """Chunks and their scores with the places where they stand, in the same order; ids that are gone left out."""
        places = self._snapshot_data.locations.of(self._db, [chunk_id for chunk_id, _ in scored])
        return tuple(Candidate(i, *places[i], score) for i, score in scored if i in places)

    def invalidate_postings(self, why: str) -> None:
        """Have the postings rebuilt, as they turned out to be damaged; this reader goes on without them."""
        self._memory.postings.invalidate(why)
        self.__dict__.pop("keywords", None)

    # --- by meaning ----------------------------------------------------------------------------

    @property
    def contextual_model(self) -> str | None:
        """The contextual model whose vectors answer in this snapshot; None: the static ones do. See `serving_model`."""
        return self._snapshot_data.once(serving_model, self._db)

    @property
    def stored_models(self) -> Sequence[StoredModel]:
        """The models that there are vectors of, those in use first."""
        return self._snapshot_data.once(stored_models, self._db)

    def dense_query(self, vector: FloatVector, tables: VectorTables = STATIC) -> DenseQuery | None:
        """
        A query that can be asked about this snapshot again and again; None where *vector* is near nothing.

        Args:
            vector: float32, shape (dim,); its length does not matter. A zero vector is near nothing.
            tables: The vectors to compare it with; the contextual ones only where `contextual_model` says whose.

        Raises:
            ValueError: They are of another dimension.
        """
        dimension = self.dimension if tables is STATIC else tables.dimension(self._db)
        if dimension is None:
            return None
        if vector.shape != (dimension,):
            raise ValueError(f"a query vector of shape {vector.shape} for an index of {dimension} dimensions")
        query = QueryVector.of(vector)
        if query is None:
            return None
        cache = self._memory.vectors if tables is STATIC else self._memory.contextual
        if cache.fits(self._db) or not self._parts.has_vec:
            return MemoryDenseQuery(self._db, query, cache.snapshot(self._db))
        return StoredDenseQuery(self._db, query, cache)

    def contextual_query(self, vector: FloatVector, static: DenseQuery | None) -> DenseQuery | None:
        """
        A query by contextual vectors, where `contextual_model` says whose; None where *vector* is near nothing.

        Notes that wait for theirs are compared by *static*. Cosines are standardised: see `vectors/query.py`.
        """
        contextual = self.dense_query(vector, CONTEXTUAL)
        if contextual is None:
            return None
        return layered_query(contextual, static, self._snapshot_data.once(Waiting.read, self._db))

    def dense(self, vector: FloatVector, admitted: NoteIds | None, depth: int, *, deadline: Deadline) -> Ranking:
        """The *depth* chunks nearest to *vector*, nearest first; raises as `dense_query`."""
        dense_query = self.dense_query(vector)
        return self.candidates(dense_query.top_chunks(admitted, depth, deadline)) if dense_query else ()

    def vectors_of(self, chunk_ids: Sequence[int], tables: VectorTables = STATIC) -> FloatMatrix:
        """The unit vectors of these chunks, shape (count, dim); those without a vector are left out."""
        return unit_vectors_of(self._db, chunk_ids, tables)

    @property
    def dimension(self) -> int | None:
        """The dimension of every static vector in the index; None while there is none."""
        return self._snapshot_data.once(STATIC.dimension, self._db)

    # --- names ---------------------------------------------------------------------------------

    @property
    def languages(self) -> Languages:
        """The languages of the notes besides English, in which a query's words are stemmed as well."""
        return self._snapshot_data.once(vault_languages, self._db)

    def note_languages(self, note_ids: Sequence[int]) -> dict[int, Languages]:
        """The languages besides English of these notes; those in English alone are left out."""
        names = self.note_names(note_ids) if self.languages else ()
        return {name.note_id: name.languages for name in names if name.languages}

    def note_names(self, note_ids: Sequence[int]) -> list[NoteName]:
        """The names of these notes, in the same order; unknown ids are left out."""
        names = self._snapshot_data.names.of(self._db, note_ids)
        return [names[note_id] for note_id in note_ids if note_id in names]

    @property
    def note_count(self) -> int:
        """The number of notes in the index."""
        return meta.note_count(self._db)

    @cached_property
    def chunk_count(self) -> int:
        """The number of chunks in the index."""
        return meta.chunk_count(self._db)

    def note_named(self, path: str) -> NoteName | None:
        """The names of the note at *path*, which may be spelled in any Unicode composition; None if there is none."""
        note_id = listing.id_of(self._db, path)
        return self.note_names([note_id])[0] if note_id is not None else None

    def find_note(self, name: str) -> NoteName:
        """
        The note at the path *name*, else the one that a link with *name* leads to, or that has this title or alias.

        Raises:
            NoteNotFound: There is none, or more than one; the message names those that may be meant.
        """
        if found := self.note_named(name):
            return found
        paths = note_paths(self._db, name)
        if len(paths) > 1:
            raise NoteNotFound.ambiguous(name, paths)
        found = self.note_named(paths[0]) if paths else None
        if found is None:
            raise NoteNotFound.not_indexed(name, self.similar_notes(name))
        return found

    def is_name(self, name: str) -> bool:
        """Whether a note has *name* as its path, title, alias, or in links."""
        return self.note_named(name) is not None or bool(note_paths(self._db, name))

    def similar_notes(self, name: str) -> list[str]:
        """Paths of the notes whose file name, title or alias is most like *name*."""
        return similar_paths(self._db, name, MAX_NAMED)

    @cached_property
    def _snapshot_data(self) -> SnapshotData:
        return self._memory.snapshot_data.at(self._db)

    def _postings(self) -> TermScorer | TermReader:
        """The postings in memory if it has this snapshot, otherwise those of the forward index by way of FTS5."""
        scorer = self._memory.postings.scorer(self._db) if self._parts.has_fts5 else NO_DOCUMENTS
        return scorer or TermReader(self._db, lambda connection: self._snapshot_data.once(Documents.read, connection))

    # --- conditions ----------------------------------------------------------------------------

    def matching_notes(self, condition: Condition, *, deadline: Deadline) -> NoteIds | None:
        """
        The notes that *condition* admits; None: every note, whichever there are.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            BadQuery: A regular expression cannot be used on this machine.
        """
        if condition == MATCH_ALL:  # as of most queries
            return None
        return matching_notes(self._db, condition, self._phrases(deadline), deadline)

    def first_failing_condition(self, condition: Condition, note_id: int, *, deadline: Deadline) -> Condition | None:
        """
        The first part of *condition* that does not admit the note *note_id*; None when all of it does.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        return first_failing_condition(self._db, condition, note_id, self._phrases(deadline), deadline)

    def browse(
        self, condition: Condition, depth: int, *, deadline: Deadline, order: SortOrder = "modified", offset: int = 0
    ) -> Newest:
        """
        The *depth* newest notes that *condition* admits, each by the first passage that shows why, else its first.

        With another *order*, the first in that; those before *offset* are left out.

        Raises:
            DeadlineExceeded, Cancelled, BadQuery: As for `admitted`.
        """
        admitted = self.matching_notes(condition, deadline=deadline)
        with deadline.over(self._db):
            if condition == MATCH_ALL and order in ("modified", "relevance") and not offset:
                return self._snapshot_data.once(listing.newest_of_all, self._db, depth)
            return listing.newest(self._db, admitted, condition, self._phrases(deadline), depth, order, offset)

    def ordered_notes(
        self, note_ids: NoteIds, order: SortOrder, limit: int, offset: int, *, deadline: Deadline
    ) -> list[OrderedNote]:
        """*limit* of these notes in *order*, behind the first *offset*; see `listing.ordered_notes`."""
        with deadline.over(self._db):
            return ordered_notes(self._db, note_ids, order, limit, offset)

    def every_note(self) -> NoteIds:
        """The ids of all notes, ascending."""
        return self._snapshot_data.once(listing.every_note, self._db)

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """The number of chunks of the *admitted* notes, counted no further than *limit*."""
        return listing.count_chunks(self._db, admitted, limit)

    # --- chunks and notes ----------------------------------------------------------------------

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, StoredChunk]:
        """
        The chunks of these ids; ids that are not there are left out.

        Raises:
            IndexDamaged: A row is not as it was written. Better no answer than a wrong text.
        """
        return {chunk.chunk_id: chunk for chunk in self.each_chunk(chunk_ids)}

    def each_chunk(self, chunk_ids: Iterable[int]) -> Iterator[StoredChunk]:
        """The chunks in the order of *chunk_ids*, each decoded only when it is asked for; see `chunks`."""
        return self._notes.each_chunk(chunk_ids)

    def passages(self, chunk_ids: Sequence[int], *, deadline: Deadline = NO_DEADLINE) -> list[str]:
        """
        The embedded text of each chunk: context, section and text; "" for an unknown id.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
            IndexDamaged: The stored form of a note does not match its checksum.
        """
        return self._notes.passages(chunk_ids, deadline)

    def first_chunk(self, note_id: int) -> int | None:
        """The id of the first chunk of a note; None where it has none."""
        return listing.first_chunk(self._db, note_id)

    def note(self, path: str) -> StoredNote | None:
        """
        The note at *path*, spelled as on disk or in any other composition of its letters.

        Raises:
            IndexDamaged: As for `chunks`.
        """
        note_id = listing.id_of(self._db, path)
        if note_id is None:
            return None
        row = note_row(self._db, note_id)
        first, _ = id_range(row.note_id)
        content = row.content()
        return StoredNote(note_from(row.values, content), row.stamp, tuple(first + slot for slot in content.slots))

    def properties(self, note_ids: Iterable[int]) -> dict[int, dict[str, PropertyValue]]:
        """The front matter of these notes; unknown ids are left out."""
        sql = "SELECT id, properties FROM notes WHERE id IN (SELECT value FROM json_each(?))"
        rows = select(self._db, sql, (id_list(list(note_ids)),))
        return {note_id: read_properties(column) for note_id, column in rows}

    def notes(self, wanted: NoteFilter, limit: int, offset: int = 0) -> NotePage:
        """The notes that pass a filter, newest first, *limit* of them from *offset* on."""
        admitted = self.matching_notes(wanted.condition, deadline=Deadline.after(LISTING_TIMEOUT_S))
        return listing.page(self._db, admitted, limit, offset)

    def stamps(self) -> dict[str, FileStamp]:
        """The stamp of every indexed file when it was read, by path."""
        rows = select(self._db, "SELECT path, size_bytes, mtime_ns, sha256, ctime_ns FROM notes")
        return {path: FileStamp(*stamp) for path, *stamp in rows}

    def indexed_files(self) -> list[IndexedFile]:
        """Every note as far as it is compared with its file."""
        return listing.indexed_files(self._db)

    def notes_without_vectors(self) -> frozenset[int]:
        """The notes with a chunk that waits for a vector of a model in use."""
        return notes_without_vectors(self._db)

    def content_hashes(self, paths: Iterable[str], least_bytes: int = 0) -> dict[str, bytes]:
        """Path, spelled as on disk -> SHA-256 of the file as it was indexed, of notes of at least *least_bytes*."""
        return listing.content_hashes(self._db, paths, least_bytes)

    # --- links ---------------------------------------------------------------------------------

    def links_from(self, path: str) -> list[ResolvedLink]:
        """The links in the note at *path* in order, each with the note it leads to."""
        return links_from(self._db, path)

    def links_to(self, path: str) -> list[IncomingLink]:
        """The links in other notes that lead to the note at *path*, by the path of the note they are in."""
        return links_to(self._db, path)

    def maps_listing(self, paths: Sequence[str]) -> dict[str, tuple[MapOfContent, ...]]:
        """The maps of content that link to the notes at *paths*; notes that none links to are left out."""
        return self._snapshot_data.once(MapsOfContent.of, self._db).listing(self._db, paths)

    # --- about the index -----------------------------------------------------------------------

    def counts(self) -> IndexSize:
        """The numbers of notes, chunks, and chunks without a vector."""
        notes, chunks = meta.totals(self._db)
        return IndexSize(notes, chunks, select(self._db, "SELECT count(*) FROM pending")[0][0])

    def problems(self, limit: int) -> list[Problem]:
        """The first *limit* problems, by path and reason: those recorded and those of indexed notes."""
        return listing.first_problems(self._db, limit)

    def problems_of(self, path: str) -> list[Problem]:
        """The problems of the file at *path*, spelled as on disk."""
        return listing.problems_of(self._db, path)

    def problem_count(self) -> int:
        """The number of all problems."""
        return listing.problem_count(self._db)

    def meta_get(self, key: str) -> str | None:
        """The value that `Index.meta_set` stored under *key*; None if there is none."""
        return meta.get(self._db, key)

    @property
    def generation(self) -> int:
        """A number that differs whenever an answer may: what is kept from this snapshot can be keyed by it."""
        return meta.generation(self._db)

    def _phrases(self, deadline: Deadline) -> WrittenPhrases:
        return IndexedPhrases(self.keywords, deadline) if self._parts.has_fts5 else WrittenPhrases()
