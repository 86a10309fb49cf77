"""
Scores chunks and notes of one snapshot for single terms.

A whole note is scored as one document: its names and tags, and of each of its chunks the text, the compounds and the
parts. So its postings are not stored, but added up from those of its chunks and of its names.

A term that few chunks contain is *rare*: all rare terms of a query are scored in one batch (`rare_chunk_scores`,
`rare_note_scores`). Each common term and each prefix is scored by itself, a common term's chunks only on demand
(`LazyScores`). Phrases are scored in `phrases.py`. Chunk frequency decides, for scores of notes and of names as well.

What is cached, and where:

    PostingsSnapshot              postings and document frequencies of terms, by snapshot
    TermScorer._cached            of common terms: the tf code of every chunk, and the notes that hold them;
                                  of these and of prefixes: scores
    TermScorer._tables            weighted frequencies of tf codes, by weights; never dropped
    query_scorer.QueryScorer      scores of the terms of one query, by weights or scope
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, TypeAlias

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
from quarry.index.postings.collection_statistics import CollectionStatistics, FrequencyScope
from quarry.index.postings.fields import COMPOUNDS, IN_ORDER, PARTS, TEXT, QueryTerm
from quarry.index.postings.segment import NO_POSTINGS, DocOrdinals, TfCodes
from quarry.index.postings.snapshot import Postings, PostingsSnapshot, SizedCache

ENTRY_BYTES = 500  # of an entry itself
# Of single terms: of the stop words, and of what is being typed. Twice as much gains nothing at 50,000 chunks.
CACHED_BYTES = 8 * 1024 * 1024
CACHED_BYTES_PER_CHUNK = 8  # more in a large index, where a term takes more; together at most twice as much
FEW = 8  # postings of a term times this are fewer than documents: sorted, and not counted up over all of them

BoolMatrix: TypeAlias = NDArray[np.bool_]
ScoreScope = Literal["note", "name"]
"""Whether a note is scored by all that it holds, or by its title, aliases and file name alone."""


class DenseTermFrequencies(Struct, frozen=True, eq=False):
    """The tf codes of a common term for every chunk."""

    count: int  # chunks that hold the term
    codes: TfCodes  # shape (chunks,), one higher than in postings; 0: the term is not there

    @property
    def size_bytes(self) -> int:
        """The memory that it takes."""
        return self.codes.nbytes


class NoteBitmap(Struct, frozen=True, eq=False):
    """The notes that hold a common term, as the bits of a row."""

    count: int
    bits: NDArray[np.uint8]  # shape (notes / 8,)

    @property
    def size_bytes(self) -> int:
        """The memory that it takes."""
        return self.bits.nbytes

    def holds(self, ordinals: DocOrdinals) -> NDArray[np.bool_]:
        """Whether these notes hold the term; shape as *ordinals*."""
        bits = self.bits.take(ordinals >> 3) >> (7 - (ordinals & 7)).astype(np.uint8)
        return (bits & 1).astype(np.bool_)


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
            return cls(*NO_POSTINGS, counts)
        ordinals, codes = zip(*postings, strict=True)
        return cls(np.concatenate(ordinals), np.concatenate(codes), counts)

    def offsets(self, size: int) -> DocOrdinals:
        """For each posting where the documents of its term begin, if each term had *size* documents of its own."""
        return (np.arange(len(self.counts)) * size).repeat(self.counts)


class TermScorer(Struct, frozen=True, dict=True):
    """
    Scores the terms of one snapshot; any number of threads may ask.

    The notes that chunks and names belong to are the same: a note's ordinal is that of its names.
    """

    generation: int
    chunks: PostingsSnapshot
    names: PostingsSnapshot
    note_of_chunk: NDArray[np.int32]  # shape (chunks.size,): ordinals of notes
    whole: CollectionStatistics | None = None  # of the collection that these are a part of; None: they are all of it
    _tables: dict[object, Floats] = field(default_factory=dict)

    @cached_property
    def _cached(self) -> "SizedCache[Any]":
        limit = min(2 * CACHED_BYTES, CACHED_BYTES + CACHED_BYTES_PER_CHUNK * self.chunks.size)
        return SizedCache(limit, lambda found: found.size_bytes + ENTRY_BYTES)

    def is_held(self, term: str) -> bool:
        """Whether *term* is in any chunk or name."""
        return self.chunks.frequency(term) > 0 or self.names.frequency(term) > 0

    def is_common(self, term: QueryTerm) -> bool:
        """Whether a term is scored from its `dense_frequencies`."""
        return term.kind == "term" and is_common(self.chunks.frequency(term.text), self.chunks.total)

    def document_frequency(self, term: QueryTerm, scope: FrequencyScope, held: int) -> int:
        """How many documents have *term*, at least the *held* ones."""
        return held if self.whole is None else max(held, self.whole.frequency(term.text, scope, term.is_prefix))

    def matching_notes(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Boolean mask over note ordinals. Deleted notes need none: their postings are dropped."""
        return among(self.names.ids, note_ids)

    def matching_chunks(self, note_ids: NoteIds) -> NDArray[np.bool_]:
        """Boolean mask over chunk ordinals: the chunks of these notes."""
        return self.matching_notes(note_ids)[self.note_of_chunk]

    def is_in_order(self, term: str, ordinals: DocOrdinals) -> NDArray[np.bool_]:
        """Whether *term* is in a field of these chunks that has the order of the text; shape (len(ordinals),)."""
        asked = QueryTerm(term)
        if self.is_common(asked):
            return np.append(False, self._is_code_in_order).take(self.dense_frequencies(asked).codes.take(ordinals))
        held, codes = self.chunks.postings(term)
        at, is_there = look_up(held, ordinals)
        is_there[is_there] = self._is_code_in_order.take(codes[at[is_there]])
        return is_there

    # --- rare terms, scored together -----------------------------------------------------------

    def rare_chunk_scores(
        self, terms: Sequence[QueryTerm], postings: PostingsBatch, weights: ChunkWeights
    ) -> SparseScores:
        """The scores of chunks for *terms*, given their postings."""
        frequencies, counts = self.chunk_table(weights).take(postings.codes), postings.counts
        weighed_by = self._document_frequencies(terms, "chunk", counts)
        norms, total = self.chunks.length_norms, self.chunks.total
        return sparse_scores(postings.ordinals, frequencies, counts, norms, total, weighed_by)

    def rare_note_scores(
        self, terms: Sequence[QueryTerm], texts: PostingsBatch, names: PostingsBatch, scope: ScoreScope
    ) -> SparseScores:
        """The scores of notes for *terms*, given their chunk and name postings."""
        size = self.names.size
        keys = names.offsets(size) + names.ordinals
        frequencies = self.name_table(scope).take(names.codes)
        if scope == "note":
            in_text = texts.offsets(size) + self.note_of_chunk.take(texts.ordinals)
            keys = np.concatenate([in_text, keys])
            frequencies = np.concatenate([self.in_note.take(texts.codes), frequencies])
        is_held = frequencies > 0
        keys, frequencies = _sum_by_key(keys[is_held], frequencies[is_held])
        term = keys // max(size, 1)
        counts = np.bincount(term, minlength=len(names.counts))
        weighed_by = self._document_frequencies(terms, scope, counts)
        norms, total = self.note_length_norms, self.names.total
        return sparse_scores(keys - term * size, frequencies, counts, norms, total, weighed_by)

    def rare_notes(self, texts: PostingsBatch, names: PostingsBatch) -> BoolMatrix:
        """A mask of the notes that hold each term of these chunk and name postings; shape (terms, notes)."""
        size = self.names.size
        holds = np.zeros((len(texts.counts), size), np.bool_)
        flat = holds.reshape(-1)
        at = texts.offsets(size)
        at += self.note_of_chunk.take(texts.ordinals)
        flat[at[self.is_in_note.take(texts.codes)]] = True
        flat[names.offsets(size) + names.ordinals] = True
        return holds

    # --- terms by themselves -------------------------------------------------------------------

    def postings_of(self, term: QueryTerm) -> Postings:
        """The chunk postings of a term or prefix; a prefix of names has none."""
        if term.kind == "name-prefix":
            return NO_POSTINGS
        return self.chunks.prefix_postings(term.text) if term.is_prefix else self.chunks.postings(term.text)

    def chunk_scores(self, term: QueryTerm, weights: ChunkWeights) -> TermScores:
        """The scores of chunks for a prefix, or a common term."""
        chunks = self.chunks
        if term.is_prefix:
            found: TermScores | None = self._cached.get((term, weights))
            if found is None:
                ordinals, codes = self.postings_of(term)
                weigh = partial(self.document_frequency, term, "chunk")
                piece = ordinals, self.chunk_table(weights).take(codes)
                found = _sum_scores([piece], chunks.length_norms, chunks, weigh)
                self._cached.put((term, weights), found)
            return found
        dense = self.dense_frequencies(term)
        table = self._table((weights, "dense"), lambda: np.append(0.0, self.chunk_table(weights)))
        count = self.document_frequency(term, "chunk", dense.count)
        return LazyScores(count, idf(count, chunks.total), chunks.length_norms, table, dense.codes)

    def note_scores(self, term: QueryTerm, scope: ScoreScope) -> TermScores:
        """The scores of notes for a prefix, or a common term."""
        found: TermScores | None = self._cached.get((term, scope))
        if found is not None:
            return found
        names = self.names
        named, codes = names.prefix_postings(term.text) if term.is_prefix else names.postings(term.text)
        pieces = [(named, self.name_table(scope).take(codes))]
        if scope == "note":
            ordinals, codes = self.postings_of(term)
            in_text = self.in_note.take(codes)
            pieces.append((self.note_of_chunk.take(ordinals).astype(np.intp), in_text))
        found = _sum_scores(pieces, self.note_length_norms, names, partial(self.document_frequency, term, scope))
        self._cached.put((term, scope), found)
        return found

    def dense_frequencies(self, term: QueryTerm) -> DenseTermFrequencies:
        """The tf codes of a common term."""
        found: DenseTermFrequencies | None = self._cached.get((term, "codes"))
        if found is None:
            ordinals, codes = self.postings_of(term)
            is_small = len(self.chunks.tf_table) < np.iinfo(np.uint16).max
            dense: TfCodes = np.zeros(self.chunks.size, np.uint16 if is_small else np.uint32)
            dense[ordinals] = codes + codes.dtype.type(1)
            found = self._cached.put((term, "codes"), DenseTermFrequencies(len(ordinals), dense))
        return found

    def note_bitmap(self, term: QueryTerm) -> NoteBitmap:
        """The notes that hold a common term."""
        found: NoteBitmap | None = self._cached.get((term, "notes"))
        if found is None:
            holds = np.zeros(self.names.size, np.bool_)
            ordinals, codes = self.postings_of(term)
            holds[self.note_of_chunk.take(ordinals.take(self.is_in_note.take(codes).nonzero()[0]))] = True
            holds[self.names.postings(term.text)[0]] = True  # no field of the names counts for nothing
            bitmap = NoteBitmap(int(np.count_nonzero(holds)), np.packbits(holds))
            found = self._cached.put((term, "notes"), bitmap)
        return found

    # --- tables --------------------------------------------------------------------------------

    def chunk_table(self, weights: ChunkWeights) -> Floats:
        """The weighted term frequency of each tf code of chunks; rounded, so that .1 * 3 is .3."""
        return self._table(weights, lambda: (self.chunks.tf_table @ np.array(astuple(weights))).round(DIGITS))

    def name_table(self, scope: ScoreScope) -> Floats:
        """The weighted term frequency of each tf code of names."""
        return self._table(scope, lambda: (self.names.tf_table @ np.array(name_weights(scope))).round(DIGITS))

    @cached_property
    def in_note(self) -> Floats:
        """The weighted frequency in its note of a term of each tf code of chunks."""
        table, weights = self.chunks.tf_table, NOTE_WEIGHTS
        frequencies: Floats = (table[:, TEXT] + table[:, COMPOUNDS]) * weights.body + table[:, PARTS] * weights.parts
        return frequencies.round(DIGITS)

    @cached_property
    def is_in_note(self) -> NDArray[np.bool_]:
        """Whether a term of each tf code of chunks is in the note at all."""
        return self.in_note > 0

    @cached_property
    def _is_code_in_order(self) -> NDArray[np.bool_]:
        """Whether a term of each tf code of chunks is in a field that has the order of the text."""
        frequencies: Floats = self.chunks.tf_table[:, :IN_ORDER].sum(axis=1)
        return frequencies > 0

    @cached_property
    def note_length_norms(self) -> Floats:
        """BM25's length norms of whole notes; shape (names.size,)."""
        in_chunks = self.chunks.note_lengths
        if self.chunks.live_docs is not None:
            in_chunks = np.where(self.chunks.live_docs, in_chunks, 0.0)
        lengths = np.bincount(self.note_of_chunk, in_chunks, self.names.size) + self.names.lengths
        if self.whole is not None:
            return length_norms(lengths, self.whole.note_length)
        live_docs = self.names.live_docs
        tokens = float(lengths.sum() if live_docs is None else lengths[live_docs].sum())
        return length_norms(lengths, tokens / self.names.total if tokens else 1.0)

    def _document_frequencies(
        self, terms: Sequence[QueryTerm], scope: FrequencyScope, held: DocOrdinals
    ) -> Sequence[int] | None:
        if self.whole is None:
            return None
        each = zip(terms, held.tolist(), strict=True)
        return [self.document_frequency(term, scope, count) for term, count in each]

    def _table(self, key: object, find: Callable[[], Floats]) -> Floats:
        """A table of weighted term frequencies; there is one for each set of weights."""
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = find()
        return table


def name_weights(scope: ScoreScope) -> tuple[float, ...]:
    """The weight of each field of names."""
    title, aliases, name, headings, tags, _, compounds, _ = astuple(NOTE_WEIGHTS)
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


def _sum_scores(
    pieces: Sequence[tuple[DocOrdinals, Floats]],
    norms: Floats,
    snapshot: PostingsSnapshot,
    weigh: Callable[[int], int],
) -> TermScores:
    """
    The scores of documents for weighted frequencies at ordinals, which come in any order and repeatedly.

    Args:
        weigh: The document frequency where so many documents have one.
    """
    if sum(len(ordinals) for ordinals, _ in pieces) * FEW < snapshot.total:
        ordinals, frequencies = (np.concatenate(column) for column in zip(*pieces, strict=True))
        is_held = frequencies > 0
        ordinals, frequencies = _sum_by_key(ordinals[is_held], frequencies[is_held])
        count = len(ordinals)
        return sparse_scores(ordinals, frequencies, np.array([count]), norms, snapshot.total, [weigh(count)])
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
        return LazyScores(count, idf(weigh(count), snapshot.total), norms, total, None, total.nbytes)
    return sparse_scores(held, rounded, np.array([count]), norms, snapshot.total, [weigh(count)])
