"""
Scores chunks and notes of one snapshot for single terms.

A whole note is scored as one document: its names and tags, and of each of its chunks the text and the compounds. So its
postings are not stored, but added up from those of its chunks and of its names.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct, field
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.index.keys import NoteIds, among, look_up
from quarry.index.postings.bm25 import (
    DIGITS,
    NOTE_WEIGHTS,
    ChunkWeights,
    Floats,
    LazyScores,
    SparseScores,
    TermScores,
    idf,
    is_common,
    length_norms,
    sparse_scores,
)
from quarry.index.postings.columns import COMPOUNDS, IN_ORDER, TEXT
from quarry.index.postings.query import QueryTerm
from quarry.index.postings.segment import DocOrdinals, TfCodes
from quarry.index.postings.snapshot import PostingsSnapshot

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
        self._found: OrderedDict[object, Any] = OrderedDict()
        self._tables: dict[object, Floats] = {}
        self._size_bytes = 0

    def get(self, key: object, find: Callable[[], _Found]) -> _Found:
        """The value of *key*, made by *find* where it is not held; a key always has values of one type."""
        with self._lock:
            known: _Found | None = self._found.get(key)
            if known is not None:
                self._found.move_to_end(key)
                return known
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


# Of single terms: of the stop words, and of what is being typed. Twice as much gains nothing at 50,000 chunks.
SCORES_BYTES = 8 * 1024 * 1024
SCORES_BYTES_A_CHUNK = 8  # more in a large index, where a term takes more; together at most twice as much
NOTES_BYTES = 4 * 1024 * 1024  # of the notes that hold common terms: those of 160 terms in a million chunks
FEW = 8  # postings of a term times this are fewer than documents: sorted, and not counted up over all of them

ScoreScope = Literal["note", "name"]
"""Whether a note is scored by all that it holds, or by its title, aliases and file name alone."""
Postings: TypeAlias = tuple[DocOrdinals, DocOrdinals]
"""Documents that hold a term, and tf codes."""
PostingsReader: TypeAlias = Callable[[QueryTerm], Postings]


class DenseTermFrequencies(Struct, frozen=True, eq=False):
    """The tf codes of a common term for every chunk."""

    count: int  # chunks that hold the term
    codes: TfCodes  # shape (chunks,), one higher than in postings; 0: the term is not there

    @property
    def size_bytes(self) -> int:
        """The memory that it takes."""
        return self.codes.nbytes


class PostingsBatch(NamedTuple):
    """The postings of several terms, one after the other."""

    ordinals: DocOrdinals
    codes: DocOrdinals
    counts: DocOrdinals  # how many each term has; shape (terms,)

    @classmethod
    def of(cls, postings: Sequence[Postings]) -> "PostingsBatch":
        """Concatenate the *postings* of several terms."""
        counts = np.array([len(ordinals) for ordinals, _ in postings], np.intp)
        if not counts.any():
            return cls(_NONE, _NONE, counts)
        ordinals, codes = zip(*postings, strict=True)
        return cls(np.concatenate(ordinals), np.concatenate(codes), counts)

    def offsets(self, size: int) -> DocOrdinals:
        """For each posting where the documents of its term begin, if each term had *size* documents of its own."""
        return (np.arange(len(self.counts)) * size).repeat(self.counts)


class SnapshotScorer(Struct, frozen=True, dict=True):
    """Chunks and names at one moment, and the notes that both belong to: a note's ordinal is that of its names."""

    generation: int
    chunks: PostingsSnapshot
    names: PostingsSnapshot
    note_of_chunk: NDArray[np.int32]  # shape (chunks.size,): ordinals of notes
    cached_notes: ByteLimitedLru = field(default_factory=lambda: ByteLimitedLru(NOTES_BYTES))

    @cached_property
    def cached_scores(self) -> ByteLimitedLru:
        """The scores of terms that were asked for lately, and tables of weighted frequencies."""
        return ByteLimitedLru(min(2 * SCORES_BYTES, SCORES_BYTES + SCORES_BYTES_A_CHUNK * self.chunks.size))

    def chunk_frequency(self, term: str) -> int:
        """In how many chunks *term* stands."""
        return self.chunks.frequency(term)

    def is_held(self, term: str) -> bool:
        """Whether *term* stands in any chunk or name."""
        return self.chunks.frequency(term) > 0 or self.names.frequency(term) > 0

    def matching_notes(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Boolean mask over note ordinals. Deleted notes need none: their postings are dropped."""
        return among(self.names.ids, note_ids)

    def matching_chunks(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Boolean mask over chunk ordinals: the chunks of these notes."""
        return self.matching_notes(note_ids)[self.note_of_chunk]

    def is_common(self, term: QueryTerm) -> bool:
        """Whether a term is scored from its `dense_frequencies`."""
        return term.kind == "term" and is_common(self.chunks.frequency(term.text), self.chunks.total)

    def stands_in_order(self, term: str, ordinals: DocOrdinals) -> NDArray[np.bool_]:
        """Whether *term* stands in a column of these chunks that has the order of the text; shape (len(ordinals),)."""
        asked = QueryTerm(term)
        if self.is_common(asked):
            dense = self.dense_frequencies(asked, self.postings_of).codes
            return self._dense_is_in_order.take(dense.take(ordinals))
        held, codes = self.chunks.postings(term)
        at, is_there = look_up(held, ordinals)
        is_there[is_there] = self._is_in_order.take(codes[at[is_there]])
        return is_there

    # --- rare terms, scored together -----------------------------------------------------------

    def chunk_postings(self, terms: Sequence[QueryTerm]) -> PostingsBatch:
        """Concatenated chunk postings of *terms*."""
        return PostingsBatch.of([self.chunks.postings(term.text) for term in terms])

    def name_postings(self, terms: Sequence[QueryTerm]) -> PostingsBatch:
        """Concatenated name postings of *terms*."""
        return PostingsBatch.of([self.names.postings(term.text) for term in terms])

    def rare_chunk_scores(self, postings: PostingsBatch, weights: ChunkWeights) -> SparseScores:
        """The scores of chunks for terms of these postings."""
        frequencies = self.chunk_table(weights).take(postings.codes)
        return sparse_scores(
            postings.ordinals, frequencies, postings.counts, self.chunks.length_norms, self.chunks.total
        )

    def rare_note_scores(self, texts: PostingsBatch, names: PostingsBatch, scope: ScoreScope) -> SparseScores:
        """The scores of notes for terms of these chunk and name postings."""
        size = self.names.size
        keys = names.offsets(size) + names.ordinals
        frequencies = self.name_table(scope).take(names.codes)
        if scope == "note":
            in_text = texts.offsets(size) + self.note_of_chunk.take(texts.ordinals)
            keys = np.concatenate([in_text, keys])
            frequencies = np.concatenate([self.in_note.take(texts.codes) * NOTE_WEIGHTS.body, frequencies])
        is_held = frequencies > 0
        keys, frequencies = _sum_by_key(keys[is_held], frequencies[is_held])
        term = keys // max(size, 1)
        counts = np.bincount(term, minlength=len(names.counts))
        return sparse_scores(keys - term * size, frequencies, counts, self.note_length_norms, self.names.total)

    # --- the scores of one term ----------------------------------------------------------------

    def chunk_scores(self, term: QueryTerm, weights: ChunkWeights, read: PostingsReader) -> TermScores:
        """
        The scores of chunks for a prefix, or a common term.

        Args:
            read: Gives the chunk postings of a term.
        """
        chunks = self.chunks
        if term.is_prefix:
            return self.cached_scores.get((term, weights), lambda: self._prefix_chunk_scores(term, weights, read))
        dense = self.dense_frequencies(term, read)
        table = self.cached_scores.table((weights, "dense"), lambda: np.append(0.0, self.chunk_table(weights)))
        return LazyScores(dense.count, idf(dense.count, chunks.total), chunks.length_norms, table, dense.codes)

    def dense_frequencies(self, term: QueryTerm, read: PostingsReader) -> DenseTermFrequencies:
        """The tf codes of a common term; *read* gives the chunk postings of a term."""
        return self.cached_scores.get((term, "codes"), lambda: self._densify(*read(term)))

    def note_scores(self, term: QueryTerm, scope: ScoreScope, read: PostingsReader) -> TermScores:
        """The scores of notes for a prefix, or a common term; *read* gives the chunk postings of a term."""
        return self.cached_scores.get((term, scope), lambda: self._find_note_scores(term, scope, read))

    def postings_of(self, term: QueryTerm) -> Postings:
        """The chunk postings of a term or prefix; a prefix of names has none."""
        if term.kind == "name-prefix":
            return _NONE, _NONE
        return self.chunks.prefix_postings(term.text) if term.is_prefix else self.chunks.postings(term.text)

    def _prefix_chunk_scores(self, term: QueryTerm, weights: ChunkWeights, read: PostingsReader) -> TermScores:
        ordinals, codes = read(term)
        pieces = [(ordinals, self.chunk_table(weights).take(codes))]
        return _sum_scores(pieces, self.chunks.length_norms, self.chunks)

    def _densify(self, ordinals: DocOrdinals, codes: TfCodes | DocOrdinals) -> DenseTermFrequencies:
        is_small = len(self.chunks.tf_table) < np.iinfo(np.uint16).max
        dense: TfCodes = np.zeros(self.chunks.size, np.uint16) if is_small else np.zeros(self.chunks.size, np.uint32)
        dense[ordinals] = codes + codes.dtype.type(1)
        return DenseTermFrequencies(len(ordinals), dense)

    def _find_note_scores(self, term: QueryTerm, scope: ScoreScope, read: PostingsReader) -> TermScores:
        names = self.names
        named, codes = names.prefix_postings(term.text) if term.is_prefix else names.postings(term.text)
        pieces = [(named, self.name_table(scope).take(codes))]
        if scope == "note":
            ordinals, codes = read(term)
            in_text = self.in_note.take(codes) * NOTE_WEIGHTS.body
            pieces.append((self.note_of_chunk.take(ordinals).astype(np.intp), in_text))
        return _sum_scores(pieces, self.note_length_norms, names)

    # --- tables --------------------------------------------------------------------------------

    def chunk_table(self, weights: ChunkWeights) -> Floats:
        """The weighted term frequency of each tf code of chunks; rounded, so that .1 * 3 is .3."""
        return self.cached_scores.table(
            weights, lambda: (self.chunks.tf_table @ np.array(astuple(weights))).round(DIGITS)
        )

    def name_table(self, scope: ScoreScope) -> Floats:
        """The weighted term frequency of each tf code of names."""
        return self.cached_scores.table(
            scope, lambda: (self.names.tf_table @ np.array(name_weights(scope))).round(DIGITS)
        )

    @cached_property
    def in_note(self) -> Floats:
        """How often a term of each tf code of chunks stands in the note as a whole."""
        table = self.chunks.tf_table
        frequencies: Floats = table[:, TEXT] + table[:, COMPOUNDS]
        return frequencies

    @cached_property
    def dense_in_note(self) -> Floats:
        """`in_note` by the codes of `DenseTermFrequencies`, which are one higher."""
        return np.append(0.0, self.in_note)

    @cached_property
    def is_in_note(self) -> NDArray[np.bool_]:
        """Whether a term of each tf code of chunks stands in the note at all."""
        return self.in_note > 0

    @cached_property
    def _is_in_order(self) -> NDArray[np.bool_]:
        """Whether a term of each tf code of chunks stands in a column that has the order of the text."""
        frequencies: Floats = self.chunks.tf_table[:, :IN_ORDER].sum(axis=1)
        return frequencies > 0

    @cached_property
    def _dense_is_in_order(self) -> NDArray[np.bool_]:
        """`_is_in_order` by the codes of `DenseTermFrequencies`, which are one higher."""
        return np.append(False, self._is_in_order)

    @cached_property
    def note_length_norms(self) -> Floats:
        """BM25's length norms of whole notes; shape (names.size,)."""
        in_chunks = self.chunks.note_lengths
        if self.chunks.live_docs is not None:
            in_chunks = np.where(self.chunks.live_docs, in_chunks, 0.0)
        lengths = np.bincount(self.note_of_chunk, in_chunks, self.names.size) + self.names.lengths
        live_docs = self.names.live_docs
        tokens = float(lengths.sum() if live_docs is None else lengths[live_docs].sum())
        return length_norms(lengths, tokens / self.names.total if tokens else 1.0)


def name_weights(scope: ScoreScope) -> tuple[float, ...]:
    """The weight of each column of names."""
    title, aliases, name, headings, tags, _, compounds = astuple(NOTE_WEIGHTS)
    return (title, aliases, name, headings, tags, compounds) if scope == "note" else (title, aliases, name, 0, 0, 0)


def _sum_by_key(keys: DocOrdinals, frequencies: Floats) -> tuple[DocOrdinals, Floats]:
    """Each key once, ascending, with the sum of its frequencies."""
    if (keys[1:] < keys[:-1]).any():
        order = keys.argsort(kind="stable")
        keys, frequencies = keys[order], frequencies[order]
    is_new = keys[1:] != keys[:-1]
    if not is_new.all():
        begins = np.append(0, is_new.nonzero()[0] + 1)
        keys, frequencies = keys[begins], np.add.reduceat(frequencies, begins)
    return keys, frequencies.round(DIGITS)


def _sum_scores(pieces: Sequence[tuple[DocOrdinals, Floats]], norms: Floats, snapshot: PostingsSnapshot) -> TermScores:
    """The scores of documents for weighted frequencies at ordinals, which come in any order and repeatedly."""
    if sum(len(ordinals) for ordinals, _ in pieces) * FEW < snapshot.total:
        ordinals, frequencies = (np.concatenate(column) for column in zip(*pieces, strict=True))
        is_held = frequencies > 0
        ordinals, frequencies = _sum_by_key(ordinals[is_held], frequencies[is_held])
        return sparse_scores(ordinals, frequencies, np.array([len(ordinals)]), norms, snapshot.total)
    total = np.zeros(snapshot.size)
    for ordinals, frequencies in pieces:
        total += np.bincount(ordinals, frequencies, snapshot.size)
    held = total.nonzero()[0]
    rounded = total.take(held).round(DIGITS)  # of these alone: of all documents it takes longer than adding up
    if not rounded.all():
        held, rounded = held[rounded > 0], rounded[rounded > 0]
    count = len(held)
    if is_common(count, snapshot.total):
        total = np.zeros(snapshot.size)
        total[held] = rounded
        return LazyScores(count, idf(count, snapshot.total), norms, total, None, total.nbytes)
    return sparse_scores(held, rounded, np.array([count]), norms, snapshot.total)


_NONE = np.zeros(0, np.intp)
