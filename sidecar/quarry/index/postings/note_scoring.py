"""
The notes that hold a term, and whole-note scores of candidates.

The scores are those of a ranking of all notes, but computed for the notes that are asked about: summing
half a million postings over 200,000 notes takes ten times as long as looking them up for three hundred.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.postings.bm25 import DIGITS, NOTE_WEIGHTS, Floats, TermScores, idf, term_scores
from quarry.index.postings.query import QueryTerm
from quarry.index.postings.segment import DocOrdinals
from quarry.index.postings.snapshot_scorer import PostingsBatch, PostingsReader, SnapshotScorer

BoolMatrix = NDArray[np.bool_]


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


def note_bitmap(scorer: SnapshotScorer, term: QueryTerm, read: PostingsReader) -> NoteBitmap:
    """
    The notes that hold a common term, cached as they take long to find.

    Args:
        read: Gives the chunk postings of a term.
    """

    def find() -> NoteBitmap:
        holds = np.zeros(scorer.names.size, np.bool_)
        ordinals, codes = read(term)
        holds[scorer.note_of_chunk.take(ordinals.take(scorer.is_in_note.take(codes).nonzero()[0]))] = True
        holds[scorer.names.postings(term.text)[0]] = True  # no column of the names counts for nothing
        return NoteBitmap(int(np.count_nonzero(holds)), np.packbits(holds))

    return scorer.cached_notes.get(term, find)


def notes_with_terms(scorer: SnapshotScorer, texts: PostingsBatch, names: PostingsBatch) -> BoolMatrix:
    """A mask of the notes that hold each term of these chunk and name postings; shape (terms, notes)."""
    size = scorer.names.size
    holds = np.zeros((len(texts.counts), size), np.bool_)
    flat = holds.reshape(-1)
    at = texts.offsets(size)
    at += scorer.note_of_chunk.take(texts.ordinals)
    flat[at[scorer.is_in_note.take(texts.codes)]] = True
    flat[names.offsets(size) + names.ordinals] = True
    return holds


class CandidateNoteScorer:
    """Sums up scores for candidate notes and their chunks."""

    def __init__(self, scorer: SnapshotScorer, notes: DocOrdinals) -> None:
        self._scorer = scorer
        self._notes = notes
        self._scores: list[tuple[int, Floats]] = []  # of a term, after the number of notes that hold it
        ordered = scorer.note_of_chunk[: scorer.chunks.ascending]
        wanted = notes.astype(ordered.dtype)
        first = ordered.searchsorted(wanted)
        count = ordered.searchsorted(wanted, side="right") - first
        begins = count.cumsum() - count
        self._row_of_note = _numbered(scorer.names.size, notes, np.arange(len(notes)))
        self._chunks = np.arange(count.sum()) + (first - begins).repeat(count)
        self._rows = np.arange(len(notes)).repeat(count)
        if scorer.chunks.size > len(ordered):
            added = self._row_of_note.take(scorer.note_of_chunk[len(ordered) :])
            is_wanted = added.nonzero()[0]
            self._chunks = np.concatenate([self._chunks, is_wanted + len(ordered)])
            self._rows = np.concatenate([self._rows, added[is_wanted] - 1])

    def add_rare(self, texts: PostingsBatch, names: PostingsBatch, counts: Sequence[int]) -> None:
        """Add the scores for terms of these chunk and name postings; *counts*: the notes that hold each term."""
        if not counts:
            return
        scorer = self._scorer
        row_of_chunk = _numbered(scorer.chunks.size, self._chunks, self._rows)
        frequencies = self._frequencies(texts, row_of_chunk, scorer.in_note) * NOTE_WEIGHTS.body
        frequencies += self._frequencies(names, self._row_of_note, scorer.name_table("note"))
        idfs = np.array([[idf(count, scorer.names.total)] for count in counts])
        scores = term_scores(frequencies.round(DIGITS), scorer.note_length_norms.take(self._notes), idfs)
        self._scores += zip(counts, scores, strict=True)

    def add_common(self, term: QueryTerm, count: int, read: PostingsReader) -> None:
        """Add the scores for a common term, which *count* notes hold; *read* gives the chunk postings of a term."""
        scorer = self._scorer
        tf = scorer.dense_in_note.take(scorer.dense_frequencies(term, read).codes.take(self._chunks))
        in_text = np.bincount(self._rows, tf, len(self._notes)) * NOTE_WEIGHTS.body
        names = PostingsBatch.of([scorer.names.postings(term.text)])
        in_names = self._frequencies(names, self._row_of_note, scorer.name_table("note"))[0]
        frequencies = (in_text + in_names).round(DIGITS)
        norms = scorer.note_length_norms.take(self._notes)
        self._scores.append((count, term_scores(frequencies, norms, idf(count, scorer.names.total))))

    def add(self, term: TermScores) -> None:
        """Add scores that were computed for all notes."""
        everywhere = np.zeros(self._scorer.names.size)
        term.add_to(everywhere)
        self._scores.append((term.count, everywhere.take(self._notes)))

    def scores(self) -> Floats:
        """The sum for each note, not rounded; shape (notes,)."""
        total = np.zeros(len(self._notes))
        for _, scores in sorted(self._scores, key=lambda counted: counted[0]):  # in one order, whatever came first
            total += scores
        return total

    def _frequencies(self, postings: PostingsBatch, row_of: NDArray[np.int32], table: Floats) -> Floats:
        """The weighted frequency of each term in each note; shape (terms, notes)."""
        rows = row_of.take(postings.ordinals)
        at = (rows != 0).nonzero()[0]
        term = postings.counts.cumsum().searchsorted(at, side="right")
        shape = len(postings.counts), len(self._notes)
        keys = term * shape[1] + rows[at] - 1
        found = np.bincount(keys, table.take(postings.codes[at]), shape[0] * shape[1])
        return found.astype(np.float64, copy=False).reshape(shape)


def _numbered(size: int, ordinals: DocOrdinals, rows: DocOrdinals) -> NDArray[np.int32]:
    """At each of *ordinals* its row, counted from 1; elsewhere 0."""
    found = np.zeros(size, np.int32)
    found[ordinals] = rows + 1
    return found
