"""
Which notes hold a term, and what do a few of them score by all that they hold?

The same as a ranking of whole notes gives, but worked out for those alone that are asked about: what half a million
postings say of 200,000 notes takes ten times as long as to look up what they say of three hundred.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from quarry.index.keyword.bm25 import DIGITS, Floats, TermScores, idf, term_scores
from quarry.index.keyword.fts5 import NOTE_WEIGHTS
from quarry.index.keyword.segment import DocOrdinals
from quarry.index.keyword.snapshot_scorer import PostingsBatch, PostingsReader, QueryTerm, SnapshotScorer

BoolMatrix = NDArray[np.bool_]


class NoteBitmap(Struct, frozen=True, eq=False):
    """The notes that hold a common term, as the bits of a row."""

    count: int
    bits: NDArray[np.uint8]  # shape (notes / 8,)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.bits.nbytes


def marked(words: SnapshotScorer, term: QueryTerm, read: PostingsReader) -> NoteBitmap:
    """
    The notes that hold a common term; they take long to find and are remembered.

    Args:
        read: Gives the chunks that hold it, and their codes.
    """

    def find() -> NoteBitmap:
        holds = np.zeros(words.names.size, np.bool_)
        documents, codes = read(term)
        at = words.note_of_chunk.take(documents.take(np.flatnonzero(words.is_in_note.take(codes))))
        holds[at] = True
        holds[words.names.postings(term.text)[0]] = True  # no column of a name counts for nothing
        return NoteBitmap(int(np.count_nonzero(holds)), np.packbits(holds))

    return words.kept_notes.get(term, find)


def holding(words: SnapshotScorer, texts: PostingsBatch, names: PostingsBatch) -> BoolMatrix:
    """Which notes hold each of several terms of these postings; shape (terms, notes)."""
    size = words.names.size
    holds = np.zeros((len(texts.counts), size), np.bool_)
    flat = holds.reshape(-1)
    at = texts.keys(size)
    at += words.note_of_chunk.take(texts.positions)
    flat[at[words.is_in_note.take(texts.codes)]] = True
    flat[names.keys(size) + names.positions] = True
    return holds


class CandidateNoteScorer:
    """Some notes, where what they hold stands, and what they score."""

    def __init__(self, words: SnapshotScorer, notes: DocOrdinals) -> None:
        self._words = words
        self._notes = notes
        self._scores: list[tuple[int, Floats]] = []  # of a term, and how many notes hold it
        ordered = words.note_of_chunk[: len(words.chunks.segment.ids)]
        wanted = notes.astype(ordered.dtype)
        first = np.searchsorted(ordered, wanted)
        count = np.searchsorted(ordered, wanted, side="right") - first
        begins = np.cumsum(count) - count
        self._of_name = _numbered(words.names.size, notes, np.arange(len(notes)))
        self._chunks = np.arange(count.sum()) + np.repeat(first - begins, count)
        self._owners = np.repeat(np.arange(len(notes)), count)
        if words.chunks.added_count:
            added = self._of_name.take(words.note_of_chunk[len(ordered) :])
            is_there = np.flatnonzero(added)
            self._chunks = np.concatenate([self._chunks, is_there + len(ordered)])
            self._owners = np.concatenate([self._owners, added[is_there] - 1])

    def add_plain(self, texts: PostingsBatch, names: PostingsBatch, counts: Sequence[int]) -> None:
        """Add what plain terms of these postings score, which so many notes hold."""
        if not counts:
            return
        words = self._words
        of_chunk = _numbered(words.chunks.size, self._chunks, self._owners)
        frequencies = self._frequencies(texts, of_chunk, words.in_note) * NOTE_WEIGHTS.body
        frequencies += self._frequencies(names, self._of_name, words.weighted_names("note"))
        idfs = np.array([[idf(count, words.names.total)] for count in counts])
        scores = term_scores(np.round(frequencies, DIGITS), words.note_length_norms.take(self._notes), idfs)
        self._scores += zip(counts, scores, strict=True)

    def add_common(self, term: QueryTerm, count: int, read: PostingsReader) -> None:
        """Add what a common term scores, which so many notes hold; *read* as above."""
        words = self._words
        times = words.in_note_above.take(words.codes_of(term, read).codes.take(self._chunks))
        in_text = np.bincount(self._owners, times, len(self._notes)) * NOTE_WEIGHTS.body
        names = PostingsBatch.of([words.names.postings(term.text)])
        in_names = self._frequencies(names, self._of_name, words.weighted_names("note"))[0]
        frequencies = np.round(in_text + in_names, DIGITS)
        scores = term_scores(frequencies, words.note_length_norms.take(self._notes), idf(count, words.names.total))
        self._scores.append((count, scores))

    def add(self, term: TermScores) -> None:
        """Add what something else scores in all notes."""
        everywhere = np.zeros(self._words.names.size)
        term.add_to(everywhere)
        self._scores.append((term.count, everywhere.take(self._notes)))

    def scores(self) -> Floats:
        """What each scores in all, not rounded."""
        total = np.zeros(len(self._notes))
        for _, scores in sorted(self._scores, key=lambda counted: counted[0]):  # in one order, whatever came first
            total += scores
        return total

    def _frequencies(self, postings: PostingsBatch, of_document: NDArray[np.int32], table: Floats) -> Floats:
        """How often each term stands in each note; shape (terms, notes)."""
        notes = of_document.take(postings.positions)
        at = np.flatnonzero(notes != 0)
        term = np.searchsorted(np.cumsum(postings.counts), at, side="right")
        shape = len(postings.counts), len(self._notes)
        keys = term * shape[1] + notes[at] - 1
        found = np.bincount(keys, table.take(postings.codes[at]), shape[0] * shape[1])
        return found.astype(np.float64, copy=False).reshape(shape)


def _numbered(size: int, positions: DocOrdinals, numbers: DocOrdinals) -> NDArray[np.int32]:
    """At each of *positions* its number, counted from 1; elsewhere 0."""
    found = np.zeros(size, np.int32)
    found[positions] = numbers + 1
    return found
