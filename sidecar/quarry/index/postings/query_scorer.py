"""One keyword query at one moment of the index: ranks chunks and notes, scores candidates, counts matches."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import apsw
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from quarry.index.database import Deadline, select
from quarry.index.keys import NoteIds, among, id_range
from quarry.index.memory import SnapshotData
from quarry.index.postings.bm25 import (
    DIGITS,
    SCORE_DIGITS,
    ChunkWeights,
    Floats,
    TermScores,
    idf,
    scores_of,
    term_scores,
    top_documents,
)
from quarry.index.postings.fields import QueryTerm
from quarry.index.postings.phrases import PhraseOccurrences, phrase_chunk_scores, phrase_note_scores
from quarry.index.postings.scorer import BoolMatrix, PostingsBatch, ScoreScope, TermScorer
from quarry.index.postings.segment import DocOrdinals
from quarry.index.postings.snapshot import PostingsSnapshot
from quarry.index.top_k import Scored, paths_of, sort_by_score_then_path


class NoteRescorer:
    """Sums up scores for candidate notes and their chunks."""

    def __init__(self, scorer: TermScorer, notes: DocOrdinals) -> None:
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
        frequencies = self._frequencies(texts, row_of_chunk, scorer.in_note)
        frequencies += self._frequencies(names, self._row_of_note, scorer.name_table("note"))
        idfs = np.array([[idf(count, scorer.names.total)] for count in counts])
        scores = term_scores(frequencies.round(DIGITS), scorer.note_length_norms.take(self._notes), idfs)
        self._scores += zip(counts, scores, strict=True)

    def add_common(self, term: QueryTerm) -> None:
        """Add the scores for a common term."""
        scorer = self._scorer
        count = scorer.document_frequency(term, "note", scorer.note_bitmap(term).count)
        tf = np.append(0.0, scorer.in_note).take(scorer.dense_frequencies(term).codes.take(self._chunks))
        in_text = np.bincount(self._rows, tf, len(self._notes))
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


FEW_POSTINGS = 4096  # are quicker added up for all notes than looked up for some


class QueryScorer:
    """
    The terms of a query, scored once for all that is asked about them.

    Every method raises DeadlineExceeded or Cancelled when the deadline says so.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        scorer: TermScorer,
        data: SnapshotData,
        terms: Sequence[QueryTerm],
        phrases: Mapping[QueryTerm, PhraseOccurrences],
        deadline: Deadline,
    ) -> None:
        self._db = connection
        self._scorer = scorer
        self._data = data
        self.terms = terms
        self._phrases = phrases
        self._deadline = deadline
        self._chunk_scores: dict[ChunkWeights, list[TermScores]] = {}
        self._note_scores: dict[ScoreScope, list[TermScores]] = {}

    # --- chunks --------------------------------------------------------------------------------

    def top_chunks(self, admitted: NoteIds | None, depth: int, weights: ChunkWeights) -> list[Scored]:
        """The best *depth* chunks of the *admitted* notes (None: of all); equal scores by path and number."""
        if depth < 1 or not self.terms:
            return []
        chunks = self._scorer.chunks
        chosen = None if admitted is None else self._scorer.matching_chunks(admitted)
        terms = self._scores_for_chunks(weights)
        found, scores = top_documents(terms, chunks.size, chosen, depth, self._deadline.check)
        return sort_by_score_then_path(chunks.ids[found], scores, depth, self._places)

    def top_chunks_of(self, note_id: int, depth: int, weights: ChunkWeights) -> list[Scored]:
        """The best *depth* chunks of one note; equal scores by number."""
        sql = "SELECT id FROM chunk_rows WHERE id BETWEEN ? AND ?"
        scores = self.chunk_scores([row[0] for row in select(self._db, sql, id_range(note_id))], weights)
        ids, values = np.array([*scores], np.int64), np.array([*scores.values()], np.float64)
        return sort_by_score_then_path(ids, values, depth, self._places) if scores else []

    def chunk_scores(self, chunk_ids: Iterable[int], weights: ChunkWeights) -> dict[int, float]:
        """The scores that `top_chunks` gives to these chunks; those without any are left out."""
        return _scores(self._scorer.chunks, self._scores_for_chunks(weights), chunk_ids)

    def terms_held(self, chunk_ids: NDArray[np.int64]) -> BoolMatrix:
        """Which of `terms` each of these chunks holds, in any field; shape (terms, chunks)."""
        ordinals = self._scorer.chunks.ordinals_of(chunk_ids)
        held = np.zeros((len(self.terms), len(chunk_ids)), np.bool_)
        ends = self._texts.counts.cumsum().tolist()
        begun = zip(self._rare, pairwise([0, *ends]), strict=True)
        of_rare = {term: self._texts.ordinals[start:end] for term, (start, end) in begun}
        for row, term in zip(held, self.terms, strict=True):
            if term.kind == "phrase":
                row[:] = among(ordinals, self._phrases[term].chunks)
            elif term in of_rare:
                row[:] = among(ordinals, of_rare[term])
            elif term.is_prefix:  # the postings of the terms that it stands for come one after the other
                holds = np.zeros(self._scorer.chunks.size + 1, np.bool_)  # the last stands for what is not there: -1
                holds[self._scorer.postings_of(term)[0]] = True
                row[:] = holds.take(ordinals)
            else:
                codes = self._scorer.dense_frequencies(term).codes
                row[:] = (codes.take(ordinals) > 0) & (ordinals >= 0)
        return held

    def count_chunks(self, admitted: NoteIds | None, limit: int) -> int:
        """How many chunks of the *admitted* notes match, counted no further than *limit*."""
        scorer = self._scorer
        plain = [term for term in self.terms if term.kind == "term"]
        if admitted is None and any(scorer.chunks.frequency(term.text) >= limit for term in plain):
            return limit
        holds = np.zeros(scorer.chunks.size, np.bool_)
        for term in self.terms:
            holds[self._phrases[term].chunks if term.kind == "phrase" else self._scorer.postings_of(term)[0]] = True
        if admitted is not None:
            holds &= scorer.matching_chunks(admitted)
        return min(int(np.count_nonzero(holds)), limit)

    # --- notes ---------------------------------------------------------------------------------

    def top_note_ids(self, admitted: NoteIds | None, depth: int, *, by_name: bool = False) -> set[int]:
        """
        The best *depth* of the *admitted* notes, in no order; equal scores are cut by path.

        Args:
            by_name: Only what notes are called counts: title, aliases, file name. That is a tenth of the work.
        """
        ids, scores = self._best_notes(admitted, depth, by_name)
        if len(ids) <= depth:
            return set(ids.tolist())
        lowest = scores.min()
        found, tied = set(ids[scores > lowest].tolist()), ids[scores == lowest].tolist()
        paths = paths_of(self._db, tied)
        return found.union(sorted(tied, key=lambda note_id: paths.get(note_id, ""))[: depth - len(found)])

    def note_scores(self, note_ids: Iterable[int]) -> dict[int, float]:
        """The scores by which `top_note_ids` ranks these notes; those without any are left out."""
        self._deadline.check()
        scorer, names = self._scorer, self._scorer.names
        others = [term for term in self._others if not term.is_prefix]
        if len(self._texts.ordinals) < FEW_POSTINGS and not others:
            return _scores(names, self._scores_for_notes("note"), note_ids)
        ordinals = names.ordinals_of(np.array(sorted(note_ids), np.int64))
        ordinals = ordinals[ordinals >= 0]
        candidates = NoteRescorer(scorer, ordinals)
        held = zip(self._rare, [int(np.count_nonzero(row)) for row in self._rare_notes], strict=True)
        counts = [scorer.document_frequency(term, "note", count) for term, count in held]
        candidates.add_rare(self._texts, self._names, counts)
        for term in self._others:
            if term.kind == "term":
                candidates.add_common(term)
            else:
                candidates.add(self._term_note_scores(term, "note"))
        scores = candidates.scores().round(SCORE_DIGITS)
        has_any = scores > 0
        return dict(zip(names.ids[ordinals[has_any]].tolist(), scores[has_any].tolist(), strict=True))

    def terms_of_notes(self, note_ids: NDArray[np.int64]) -> dict[QueryTerm, NDArray[np.bool_]]:
        """For each of `terms` which of these notes hold it, in their names or their text; shape (notes,)."""
        self._deadline.check()
        ordinals = self._scorer.names.ordinals_of(note_ids)
        is_there = ordinals >= 0
        rows = zip(self._rare, self._rare_notes, strict=True)
        held = {term: np.append(row, [False]).take(ordinals) for term, row in rows}  # the last is of what is not there
        for term in self._others:
            if term.kind == "term":
                held[term] = self._scorer.note_bitmap(term).holds(ordinals) & is_there
            else:
                holds = np.zeros(self._scorer.names.size + 1, np.bool_)  # the last stands for what is not there: -1
                holds[self._term_note_scores(term, "note").held()] = True
                held[term] = holds.take(ordinals)
        return held

    def count_notes(self, admitted: NoteIds | None) -> int:
        """How many of the *admitted* notes match."""
        names = self._scorer.names
        holds: BoolMatrix = np.logical_or.reduce(self._rare_notes, axis=0)
        for term in self._others:
            if term.kind == "term":
                bits = self._scorer.note_bitmap(term).bits
                holds |= np.unpackbits(bits, count=names.size).view(np.bool_)
            else:
                holds[self._term_note_scores(term, "note").held()] = True
        if admitted is not None:
            holds &= self._scorer.matching_notes(admitted)
        return int(np.count_nonzero(holds))

    # --- helpers -------------------------------------------------------------------------------

    def _best_notes(self, admitted: NoteIds | None, depth: int, by_name: bool) -> tuple[NDArray[np.int64], Floats]:
        names = self._scorer.names
        if depth < 1 or not self.terms:
            return np.zeros(0, np.int64), np.zeros(0)
        chosen = None if admitted is None else self._scorer.matching_notes(admitted)
        terms = self._scores_for_notes("name" if by_name else "note")
        found, scores = top_documents(terms, names.size, chosen, depth, self._deadline.check)
        return names.ids[found], scores

    @cached_property
    def _rare(self) -> list[QueryTerm]:
        """The terms whose postings are read together, the rarest first."""
        scorer = self._scorer
        rare = [term for term in self.terms if term.kind == "term" and not scorer.is_common(term)]
        return sorted(rare, key=lambda term: scorer.chunks.frequency(term.text))

    @cached_property
    def _others(self) -> list[QueryTerm]:
        """Common terms, phrases and the prefix."""
        return [term for term in self.terms if term not in self._rare]

    @cached_property
    def _texts(self) -> PostingsBatch:
        return PostingsBatch.of([self._scorer.chunks.postings(term.text) for term in self._rare])

    @cached_property
    def _names(self) -> PostingsBatch:
        return PostingsBatch.of([self._scorer.names.postings(term.text) for term in self._rare])

    @cached_property
    def _rare_notes(self) -> BoolMatrix:
        """Which notes hold each of the rare terms; shape (terms, notes)."""
        return self._scorer.rare_notes(self._texts, self._names)

    def _scores_for_chunks(self, weights: ChunkWeights) -> list[TermScores]:
        found = self._chunk_scores.get(weights)
        if found is None:
            found = [self._scorer.rare_chunk_scores(self._rare, self._texts, weights)]
            for term in self._others:
                if term.kind == "phrase":
                    found.append(phrase_chunk_scores(self._scorer, self._phrases[term], astuple(weights)))
                else:
                    found.append(self._scorer.chunk_scores(term, weights))
            self._chunk_scores[weights] = found
        return found

    def _scores_for_notes(self, scope: ScoreScope) -> list[TermScores]:
        found = self._note_scores.get(scope)
        if found is None:
            found = [self._scorer.rare_note_scores(self._rare, self._texts, self._names, scope)]
            for term in self._others:
                found.append(self._term_note_scores(term, scope))
            self._note_scores[scope] = found
        return found

    def _term_note_scores(self, term: QueryTerm, scope: ScoreScope) -> TermScores:
        if term.kind == "phrase":
            return phrase_note_scores(self._scorer, self._phrases[term], scope)
        return self._scorer.note_scores(term, scope)

    def _places(self, chunk_ids: Sequence[int]) -> Mapping[int, tuple[str, int]]:
        return self._data.locations.of(self._db, chunk_ids)


def _scores(snapshot: PostingsSnapshot, terms: Sequence[TermScores], ids: Iterable[int]) -> dict[int, float]:
    ordinals = snapshot.ordinals_of(np.array(sorted(ids), np.int64))
    ordinals = ordinals[ordinals >= 0]
    scores = scores_of(terms, snapshot.size, ordinals)
    has_any = scores > 0
    return dict(zip(snapshot.ids[ordinals[has_any]].tolist(), scores[has_any].tolist(), strict=True))
