"""
The default ranking: notes in the order of the weighted sum of their signals (`search/signals.py`).

A ranking has all notes that were found; their paths, shares and passages are worked out for those that are shown. The
passages are those that contain most of the query, by word and by meaning. `rrf.py` and `six_signals.py` rank by
published methods instead.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index import NoteIds, NoteName, Reader, argsort_by_score_then_path
from quarry.index.keys import among, look_up, notes_of
from quarry.options import Retriever
from quarry.search.answer import RankedChunk, RankedNote, RetrieverScores
from quarry.search.candidates import FIELD_WEIGHTS, POOL, Candidates, RankedChunks
from quarry.search.confidence import Evidence, confidences, gather_evidence, word_coverage
from quarry.search.execution import Ornament, SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import (
    RERANKED,
    SCORE_DIGITS,
    SIGNAL_NAMES,
    WORD_SIGNALS,
    MaxSimScores,
    Numbers,
    blend,
    default_signal_weights,
    effective_weights,
    max_sim_scores,
    min_max_normalize,
)

# Cosine, times how much of the query the model knows. It keeps out notes that have nothing to do with the query. More
# would keep out most of what gibberish brings up, and with it notes that say the same in other words: on the sample
# vault .3 costs .13 nDCG@10 of the queries that share no word with their note.
MIN_COSINE = 0.1
NEAREST = 30  # notes with a word that may count as found by meaning too

# Of the first notes, for their confidence alone, where MaxSim counts nothing: .1 ms each. Those that contain all words
# are left out.
COMPARED = 3

FEW_CHUNKS = 50  # below this many matching chunks a corpus is small enough to show whole
PASSAGES_PER_HIT = 3  # what a person looks at in one note before opening it
_UNSCORED = RetrieverScores()

FOUND_BY: Mapping[tuple[bool, bool], frozenset[Retriever]] = {
    (False, False): frozenset(),
    (True, False): frozenset(("keyword",)),
    (False, True): frozenset(("dense",)),
    (True, True): frozenset(("keyword", "dense")),
}


class SignalRanking(Struct, frozen=True):
    """Notes in the order of the weighted sums of their signals."""

    prepared: PreparedQuery
    features: Candidates
    weights: Mapping[str, float]  # what each signal counts for this query
    scores: Numbers  # of each candidate, found or not
    has_word: NDArray[np.bool_]  # whether a candidate contains a word of the query, and
    is_near: NDArray[np.bool_]  # whether it is near in meaning; a candidate is found if one of the two holds
    order: NDArray[np.intp]  # the positions among the candidates of those that are found, best first
    note_ids: list[int]  # of these
    max_sim: MaxSimScores | None  # of the first notes; None where it counts nothing

    @property
    def dense_only_notes(self) -> list[int]:
        """Notes without any word of the query."""
        dense_only: list[int] = self.features.note_ids[self.order[~self.has_word[self.order]]].tolist()
        return dense_only

    def ranked_notes(self, places: Sequence[int], execution: SearchExecution) -> tuple[RankedNote, ...]:
        """The notes at *places* in the order, from 0."""
        chosen = self.order[list(places)]
        names = execution.reader.note_names(self.features.note_ids[chosen].tolist())
        if len(names) < len(chosen):  # a note that lost its row
            chosen = chosen[np.isin(self.features.note_ids[chosen], [name.note_id for name in names])]
        scores, has_word, is_near = (column[chosen].tolist() for column in (self.scores, self.has_word, self.is_near))
        signals = [getattr(self.features.signals, name)[chosen] * self.weights[name] for name in SIGNAL_NAMES]
        shares = np.array(signals).round(SCORE_DIGITS).T.tolist()
        by_words = [SIGNAL_NAMES.index(name) for name in WORD_SIGNALS]
        words_lead = [sum([row[at] for at in by_words]) > sum(row) / 2 for row in shares]
        passages = choose_passages(names, scores, words_lead, self.features, self.prepared, execution)
        confidence = coverage = [0.0] * len(names)
        with Ornament("confidence"):
            evidence = self.evidence(chosen, passages, execution)
            confidence, coverage = confidences(evidence), evidence.word_coverage.tolist()
        columns = (names, scores, has_word, is_near, shares, passages, confidence, coverage)
        return tuple(
            [
                RankedNote(
                    path=name.path,
                    score=score,
                    retrievers=FOUND_BY[word, near],
                    shares=dict(zip(SIGNAL_NAMES, row, strict=True)),
                    chunks=best,
                    confidence=certainty,
                    word_coverage=share,
                )
                for name, score, word, near, row, best, certainty, share in zip(*columns, strict=True)
            ]
        )

    def evidence(
        self, chosen: NDArray[np.intp], passages: Sequence[Sequence[RankedChunk]], execution: SearchExecution
    ) -> Evidence:
        """The features for the confidence of the candidates at the positions *chosen*, with their best *passages*."""
        coverage = word_coverage(self.prepared, self.features, passages, execution.reader)
        max_sim = self.max_sim
        if max_sim is None and execution.encoder:
            is_first = (chosen == self.order[:COMPARED, np.newaxis]).any(axis=0)  # a tenth of the time of `np.isin`
            first = self.features.note_ids[np.sort(chosen[is_first & ~coverage.is_whole])]
            max_sim = max_sim_scores(self.prepared, first, self.features.nearest, execution, execution.encoder)
        return gather_evidence(self.prepared, self.features, self.scores, chosen, coverage, max_sim)


def rank_by_signals(
    prepared: PreparedQuery,
    features: Candidates,
    execution: SearchExecution,
    *,
    weights: Mapping[Retriever, float] | None = None,
    min_cosine: float = MIN_COSINE,
) -> SignalRanking:
    """
    Rank the candidates of *features* by the weighted sum of their signals; see `search/signals.py`.

    Args:
        weights: Of the retrievers; None: those of the request.
        min_cosine: A note without any word of the query is left out where it is less near in meaning.
    """
    signals, note_ids, encoder = features.signals, features.note_ids, execution.encoder
    of_retrievers = execution.weights if weights is None else weights
    in_use = {name: weight if name in execution.retrievers else 0.0 for name, weight in of_retrievers.items()}
    signal_weights = effective_weights(
        default_signal_weights(),
        features.bm25_coverage,
        len(prepared.query.words),
        prepared.trust_in_cosines,
        in_use,
    )
    scores = blend(signals, signal_weights)
    floor = min_cosine if execution.has_keyword else -1.0  # by meaning alone, all there is is shown
    has_word = (signals.passage > 0) | (signals.note > 0)
    nearest = np.where(has_word, NEAREST, POOL)  # so many count as found by meaning

    def near(cosines: Numbers, known_share: float) -> NDArray[np.bool_]:
        is_near: NDArray[np.bool_] = np.maximum(cosines, -1.0) * known_share >= floor
        return is_near & (_cosine_ranks(note_ids, cosines, execution.reader) < nearest)

    is_near = near(features.max_cosine, prepared.known_share)
    if features.static_cosine is not features.max_cosine:
        is_near |= near(features.static_cosine, prepared.vocabulary_coverage)
    found = (has_word | is_near).nonzero()[0]
    max_sim = None
    if signal_weights["max_sim"] and encoder and len(found) > 1:
        first = np.sort(found[_order(note_ids[found], scores[found], RERANKED, execution.reader)])
        max_sim = max_sim_scores(prepared, note_ids[first], features.nearest, execution, encoder)
        column = np.zeros(len(note_ids))
        column[first] = min_max_normalize(max_sim.means)
        signals = replace(signals, max_sim=column)
        features = replace(features, signals=signals)
        scores = blend(signals, signal_weights)
    order = found[_order(note_ids[found], scores[found], len(found), execution.reader)]
    return SignalRanking(
        prepared, features, signal_weights, scores, has_word, is_near, order, note_ids[order].tolist(), max_sim
    )


def _cosine_ranks(note_ids: NoteIds, cosines: Numbers, reader: Reader) -> NoteIds:
    """For each of *note_ids* how many are nearer in meaning; `POOL` for those beyond the nearest `POOL`."""
    known = (cosines > -np.inf).nonzero()[0]
    ranks = np.full(len(note_ids), POOL, dtype=np.int64)
    order = _order(note_ids[known], cosines[known], POOL, reader)
    ranks[known[order]] = np.arange(len(order))
    return ranks


def _order(note_ids: NoteIds, scores: Numbers, depth: int, reader: Reader) -> NDArray[np.intp]:
    """The positions of the best *depth* notes, best first; equal scores by path."""

    def places(ids: Sequence[int]) -> dict[int, tuple[str, int]]:
        return {name.note_id: (name.path, 0) for name in reader.note_names(ids)}

    return argsort_by_score_then_path(note_ids, scores, depth, places)


def places_on_page(
    note_ids: Sequence[int], dense_only: Collection[int], limit: int, offset: int, matching_chunks: int
) -> Sequence[int]:
    """
    The places in the ranking *note_ids*, from 0, that are shown on the page behind *offset* notes.

    Where fewer than `FEW_CHUNKS` chunks match and *limit* would hide most of their notes, these follow on the first
    page. Notes that are only near in meaning come behind them, so that pages of the same *limit* make up one list.
    """
    order = range(len(note_ids))
    count = len(order) - len(dense_only)
    would_hide_most = count - limit > count / 2
    if matching_chunks >= FEW_CHUNKS or not would_hide_most:
        return order[offset : offset + limit]
    has_word = [note_id not in dense_only for note_id in note_ids]
    with_word = [place for place in order[limit:] if has_word[place]]
    near = [place for place in order[limit:] if not has_word[place]]
    end = offset + limit if offset else limit + len(with_word)
    return [*order[:limit], *with_word, *near][offset:end]


# --- passages ------------------------------------------------------------------------------------


def choose_passages(
    notes: Sequence[NoteName],
    scores: Sequence[float],
    words_lead: Sequence[bool],
    features: Candidates,
    prepared: PreparedQuery,
    execution: SearchExecution,
) -> list[tuple[RankedChunk, ...]]:
    """
    The best passages of each of *notes*, among the chunks that were proposed and the chunk nearest in meaning.

    Where words account for more of the note's score than meaning does, its best passage by BM25 comes first; the others
    are ordered by word and meaning together. If only one note is searched, every passage with a word follows. The best
    passages of a note that was found by its words as a whole are looked up. A note that was found by the beginning of
    its name is shown by its first passage.

    Args:
        scores: One per note, which its passages carry.
        words_lead: Whether words account for more of each note's score than meaning does.
    """
    scores_by_note = _retriever_scores([note.note_id for note in notes], features)
    max_bm25 = float(features.keyword.scores.max(initial=0.0))
    chosen = []
    for note, score, by_word in zip(notes, scores, words_lead, strict=True):
        by_chunk = scores_by_note[note.note_id]
        if not by_chunk or (by_word and not any(row.keyword_score for row in by_chunk.values())):
            best = prepared.scorer.top_chunks_of(note.note_id, PASSAGES_PER_HIT, FIELD_WEIGHTS)
            for chunk_id, bm25 in best:
                row = by_chunk.get(chunk_id, _UNSCORED)
                by_chunk[chunk_id] = row._replace(keyword_rank=None, keyword_score=bm25)
            if not by_chunk and (first := execution.reader.first_chunk(note.note_id)) is not None:
                by_chunk = {first: _UNSCORED}
        strength_of: dict[int, float] = {}
        for chunk_id, row in by_chunk.items():
            strength = row.keyword_score / max_bm25 if row.keyword_score and max_bm25 else 0.0
            if row.dense_score and row.dense_score > 0:
                strength += row.dense_score
            strength_of[chunk_id] = -round(strength, SCORE_DIGITS)
        ordered = sorted(sorted(by_chunk), key=strength_of.__getitem__)
        if by_word and ordered:
            by_bm25 = [by_chunk[chunk_id].keyword_score or 0.0 for chunk_id in ordered]
            ordered.insert(0, ordered.pop(by_bm25.index(max(by_bm25))))  # the first of equals
        best_ids = ordered[:PASSAGES_PER_HIT]
        if prepared.in_one_note:
            best_ids += [i for i in ordered[PASSAGES_PER_HIT:] if by_chunk[i].keyword_score]
        chosen.append(tuple([RankedChunk(i, note.path, score, by_chunk[i]) for i in best_ids]))
    return chosen


def _retriever_scores(note_ids: Sequence[int], features: Candidates) -> dict[int, dict[int, RetrieverScores]]:
    """Note -> its chunks that a retriever proposed, and its nearest one -> their ranks and scores."""
    by_note: dict[int, dict[int, RetrieverScores]] = {note_id: {} for note_id in note_ids}
    ascending = np.sort(np.array(note_ids, dtype=np.int64))
    for note_id, chunk_id, rank, bm25 in _rows_of(features.keyword, ascending):
        by_note[note_id][chunk_id] = RetrieverScores(rank, None, bm25, None)
    for note_id, chunk_id, rank, cosine in _rows_of(features.dense, ascending):
        keyword_rank, _, bm25_or_none, _ = by_note[note_id].get(chunk_id, _UNSCORED)
        by_note[note_id][chunk_id] = RetrieverScores(keyword_rank, rank, bm25_or_none, cosine)
    nearest = features.nearest
    at, is_there = look_up(nearest.note_ids, ascending)
    at = at[is_there]
    columns = (nearest.note_ids[at], nearest.chunk_ids[at], nearest.cosines[at])
    for note_id, chunk_id, cosine in zip(*[column.tolist() for column in columns], strict=True):
        keyword_rank, dense_rank, bm25_or_none, _ = by_note[note_id].get(chunk_id, _UNSCORED)
        by_note[note_id][chunk_id] = RetrieverScores(keyword_rank, dense_rank, bm25_or_none, cosine)
    return by_note


def _rows_of(chunks: RankedChunks, note_ids: NoteIds) -> Iterator[tuple[int, int, int, float]]:
    """Note, id, rank from 1, and score of those *chunks* that belong to *note_ids*, best first."""
    notes = notes_of(chunks.chunk_ids)
    at = among(notes, note_ids).nonzero()[0]
    columns = (notes[at], chunks.chunk_ids[at], at + 1, chunks.scores[at])
    return zip(*[column.tolist() for column in columns], strict=True)
