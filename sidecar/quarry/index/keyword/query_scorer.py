"""What the keyword retriever asks about one list of terms, answered from memory: each posting is read once."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from quarry.index.ids import NoteIds
from quarry.index.keyword.bm25 import SCORE_DIGITS, Floats, SparseScores, TermScores, best, scores_at
from quarry.index.keyword.fts5 import ChunkWeights
from quarry.index.keyword.note_scoring import BoolMatrix, CandidateNoteScorer, holding, marked
from quarry.index.keyword.segment import DocOrdinals
from quarry.index.keyword.segment_snapshot import SegmentSnapshot
from quarry.index.keyword.snapshot_scorer import Of, PostingsBatch, QueryTerm, SnapshotScorer

FEW_POSTINGS = 4096  # are quicker added up for all notes than looked up for some

Scores = dict[int, float]
"""Score by id."""


class QueryScorer:
    """
    The terms asked for at one moment.

    `more` are scores to be added, of chunks or of notes by id: those of phrases.
    """

    def __init__(self, words: SnapshotScorer, asked: Sequence[QueryTerm]) -> None:
        self.words = words
        self._asked = asked
        self._postings: dict[QueryTerm, tuple[DocOrdinals, DocOrdinals]] = {}
        self._of_chunks: dict[ChunkWeights, list[TermScores]] = {}
        self._of_notes: dict[Of, list[TermScores]] = {}

    # --- chunks --------------------------------------------------------------------------------

    def best_chunks(
        self,
        admitted: NoteIds | None,
        depth: int,
        weights: ChunkWeights,
        check: Callable[[], None],
        more: Scores | None = None,
    ) -> tuple[DocOrdinals, Floats]:
        """
        The ids of the *depth* best chunks of the *admitted* notes and of all that score like the last; their scores.

        Args:
            check: Called now and then; may raise to give up.
        """
        check()
        words = self.words
        terms = [*self._chunk_scores(weights), *_given(words.chunks, more)]
        chosen = None if admitted is None else words.admitted(admitted)[words.note_of_chunk]
        found, scores = best(terms, words.chunks.size, chosen, depth, check)
        return words.chunks.ids[found], scores

    def chunk_scores(self, ids: Iterable[int], weights: ChunkWeights, more: Scores | None = None) -> Scores:
        """The scores of these chunks; those without any are left out."""
        chunks = self.words.chunks
        return _scores_of(chunks, [*self._chunk_scores(weights), *_given(chunks, more)], ids)

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks of the *admitted* notes hold any of the terms, counted no further than *limit*."""
        words = self.words
        if admitted is None and any(not t.is_prefix and words.frequency(t.text) >= limit for t in self._asked):
            return limit
        holds = np.zeros(words.chunks.size, np.bool_)
        for term in self._asked:
            holds[self._holding(term)[0]] = True
        if admitted is not None:
            holds &= words.admitted(admitted)[words.note_of_chunk]
        return min(int(holds.sum()), limit)

    # --- notes ---------------------------------------------------------------------------------

    def best_notes(
        self, admitted: NoteIds | None, depth: int, of: Of, check: Callable[[], None], more: Scores | None = None
    ) -> tuple[DocOrdinals, Floats]:
        """The same of notes, by all that they hold or by *name* alone."""
        check()
        names = self.words.names
        chosen = None if admitted is None else self.words.admitted(admitted)
        terms = [*self._note_scores(of), *_given(names, more)]
        found, scores = best(terms, names.size, chosen, depth, check)
        return names.ids[found], scores

    def note_scores(self, ids: Iterable[int], more: Scores | None = None) -> Scores:
        """The scores of these notes by all that they hold; those without any are left out."""
        names = self.words.names
        if len(self._texts.positions) < FEW_POSTINGS and all(term.is_prefix for term in self._parted[1]):
            return _scores_of(names, [*self._note_scores("note"), *_given(names, more)], ids)
        positions = names.ordinals_of(np.array(sorted(ids), np.int64))
        positions = positions[positions >= 0]
        few = CandidateNoteScorer(self.words, positions)
        few.add_plain(self._texts, self._names, [int(np.count_nonzero(row)) for row in self._noted])
        for term in self._parted[1]:
            if term.is_prefix:
                few.add(self.words.note_scores(term, "note", self._holding))
            else:
                few.add_common(term, marked(self.words, term, self._holding).count, self._holding)
        for given in _given(names, more):
            few.add(given)
        scores = np.round(few.scores(), SCORE_DIGITS)
        has_any = scores > 0
        return dict(zip(names.ids[positions[has_any]].tolist(), scores[has_any].tolist(), strict=True))

    def count_notes(self, admitted: NoteIds | None, also: Sequence[int] = ()) -> int:
        """How many of the *admitted* notes hold any of the terms, with those of *also*."""
        names = self.words.names
        holds: BoolMatrix = np.logical_or.reduce(self._noted, axis=0)
        if also:
            at = names.ordinals_of(np.array(also, np.int64))
            holds[at[at >= 0]] = True
        for term in self._parted[1]:
            if term.is_prefix:
                holds[self.words.note_scores(term, "note", self._holding).held()] = True
            else:
                bits = marked(self.words, term, self._holding).bits
                holds |= np.unpackbits(bits, count=names.size).view(np.bool_)
        if admitted is not None:
            holds &= self.words.admitted(admitted)
        return int(holds.sum())

    # --- helpers -------------------------------------------------------------------------------

    @cached_property
    def _parted(self) -> tuple[list[QueryTerm], list[QueryTerm]]:
        """The plain terms, the rarest first, and the others."""
        plain = [term for term in self._asked if self.words.is_rare_term(term)]
        others = [term for term in self._asked if term not in plain]
        return sorted(plain, key=lambda term: self.words.frequency(term.text)), others

    @cached_property
    def _texts(self) -> PostingsBatch:
        return self.words.chunk_postings_of(self._parted[0])

    @cached_property
    def _names(self) -> PostingsBatch:
        return self.words.name_postings_of(self._parted[0])

    @cached_property
    def _noted(self) -> BoolMatrix:
        """Which notes hold each of the plain terms; shape (terms, notes)."""
        return holding(self.words, self._texts, self._names)

    def _holding(self, term: QueryTerm) -> tuple[DocOrdinals, DocOrdinals]:
        """The chunks that hold a term, and their codes: half a million may, which are read once."""
        if term not in self._postings:
            self._postings[term] = self.words.chunk_postings(term)
        return self._postings[term]

    def _chunk_scores(self, weights: ChunkWeights) -> list[TermScores]:
        found = self._of_chunks.get(weights)
        if found is None:
            others = self._parted[1]
            found = [self.words.plain_chunk_scores(self._texts, weights)]
            found += [self.words.chunk_scores(term, weights, self._holding) for term in others]
            self._of_chunks[weights] = found
        return found

    def _note_scores(self, of: Of) -> list[TermScores]:
        found = self._of_notes.get(of)
        if found is None:
            others = self._parted[1]
            found = [self.words.plain_note_scores(self._texts, self._names, of)]
            found += [self.words.note_scores(term, of, self._holding) for term in others]
            self._of_notes[of] = found
        return found


def _given(moment: SegmentSnapshot, scores: Scores | None) -> list[TermScores]:
    """Scores by id, as those of a term."""
    if not scores:
        return []
    positions = moment.ordinals_of(np.fromiter(scores, np.int64, len(scores)))
    values = np.fromiter(scores.values(), np.float64, len(scores))
    is_there = positions >= 0
    return [SparseScores(positions[is_there], values[is_there])]


def _scores_of(moment: SegmentSnapshot, terms: Sequence[TermScores], ids: Iterable[int]) -> Scores:
    positions = moment.ordinals_of(np.array(sorted(ids), np.int64))
    positions = positions[positions >= 0]
    scores = scores_at(terms, moment.size, positions)
    has_any = scores > 0
    return dict(zip(moment.ids[positions[has_any]].tolist(), scores[has_any].tolist(), strict=True))
