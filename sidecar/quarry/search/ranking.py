"""
In which order do the candidates stand?

By the weighted sum of their signals (`search/signals.py`) or, as published, by reciprocal ranks (`search/fusion.py`).
A ranking holds all notes that were found; paths, shares and passages are worked out for those that are shown. The
passages of a note that are shown are those that hold most of the query, by word and by meaning.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.embedding import Encoder
from quarry.index import Deadline, NoteIds, NoteName, Reader, argsort_by_score_then_path, note_of
from quarry.index.keys import among, look_up, notes_of
from quarry.options import Retriever, SearchOptions
from quarry.search.confidence import Evidence, confidences
from quarry.search.context import RankFusion
from quarry.search.evidence import find_held_words, gather_evidence
from quarry.search.features import FIELD_WEIGHTS, POOL, CandidateFeatures, RankedChunks, extract_features
from quarry.search.fusion import DEPTH, fuse
from quarry.search.grouping import FEW_CHUNKS, PASSAGES_PER_HIT, effective_limit, group_by_note
from quarry.search.meaning import NO_QUERIES, MeaningQueries
from quarry.search.ornaments import ornament
from quarry.search.prepare import PreparedQuery
from quarry.search.reranking import RERANKED, Wording, compare_wording
from quarry.search.signals import (
    SCORE_DIGITS,
    SIGNAL_NAMES,
    WORD_SIGNALS,
    Numbers,
    blend,
    default_signal_weights,
    effective_weights,
    min_max_normalize,
)
from quarry.types import Fused

# Cosine, times how much of the query the model knows. It keeps out what has nothing to do with the query at all. More
# would keep out most of what gibberish brings up, and with it notes that say the same in other words: on the sample
# vault .3 costs .13 nDCG@10 of the queries that share no word with their note.
MIN_COSINE = 0.1

# Of the first notes, for their confidence alone, where wording counts nothing: .1 ms each. Those that hold all words
# are left out.
COMPARED = 3

FOUND_BY: Mapping[tuple[bool, bool], frozenset[Retriever]] = {
    (False, False): frozenset(),
    (True, False): frozenset(("lexical",)),
    (False, True): frozenset(("dense",)),
    (True, True): frozenset(("lexical", "dense")),
}


class RankedNote(Struct, frozen=True):
    """A note at its place in an answer, why it stands there, and the passages that may be shown of it."""

    path: str
    score: float
    retrievers: frozenset[Retriever]  # that found it
    shares: Mapping[str, float]  # signal -> what it adds to the score; empty where ranks alone decided
    passages: tuple[Fused, ...]  # best first
    confidence: float = 0.0  # the probability that it answers; 0 where there is no query to answer
    words_held: float = 0.0  # share of the query's words that its best passage holds


class PublishedRanking(Struct, frozen=True):
    """Notes in the order of a published method, which says nothing of confidence: that is of the notes' signals."""

    prepared: PreparedQuery
    retrievers: tuple[Retriever, ...]
    encoder: Encoder | None
    note_ids: list[int]  # best first
    notes: tuple[RankedNote, ...]

    @property
    def dense_only_notes(self) -> list[int]:
        """Notes that the dense retriever alone proposed; they may hold words of the query all the same."""
        return [i for i, note in zip(self.note_ids, self.notes, strict=True) if "lexical" not in note.retrievers]

    def ranked_notes(self, places: Sequence[int], reader: Reader, deadline: Deadline) -> tuple[RankedNote, ...]:
        """
        The notes at *places* in the order, from 0. The signals that their confidence takes are collected here.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        notes = [self.notes[place] for place in places]

        def evidence() -> Evidence:
            features = extract_features(self.prepared, reader, self.retrievers, deadline, also=self.note_ids)
            weights: dict[Retriever, float] = {"lexical": 1.0, "dense": 1.0}
            by_signals = rank_by_signals(
                self.prepared, features, reader, self.retrievers, weights, self.encoder, deadline, min_cosine=-1.0
            )
            chosen = features.note_ids.searchsorted([self.note_ids[place] for place in places])
            return by_signals.evidence(chosen, [note.passages for note in notes], reader, deadline)

        return tuple(
            [
                replace(note, confidence=one, words_held=share)
                for note, one, share in zip(notes, *_confidences(evidence, len(notes)), strict=True)
            ]
        )


class SignalRanking(Struct, frozen=True):
    """Notes in the order of the weighted sums of their signals."""

    prepared: PreparedQuery
    features: CandidateFeatures
    weights: Mapping[str, float]  # what each signal counts for this query
    scores: Numbers  # of each candidate, found or not
    has_word: NDArray[np.bool_]  # whether a candidate holds a word of the query, and
    is_near: NDArray[np.bool_]  # whether it is near in meaning: one of the two holds for all that are found
    order: NDArray[np.intp]  # the positions among the candidates of those that are found, best first
    note_ids: list[int]  # of these
    wording: Wording | None  # of the notes that stand first; None where it counts nothing
    encoder: Encoder | None

    @property
    def dense_only_notes(self) -> list[int]:
        """Notes without any word of the query."""
        dense_only: list[int] = self.features.note_ids[self.order[~self.has_word[self.order]]].tolist()
        return dense_only

    def ranked_notes(self, places: Sequence[int], reader: Reader, deadline: Deadline) -> tuple[RankedNote, ...]:
        """
        The notes at *places* in the order, from 0.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        chosen = self.order[list(places)]
        names = reader.note_names(self.features.note_ids[chosen].tolist())
        if len(names) < len(chosen):  # a note that lost its row
            chosen = chosen[np.isin(self.features.note_ids[chosen], [name.note_id for name in names])]
        scores, has_word, is_near = (column[chosen].tolist() for column in (self.scores, self.has_word, self.is_near))
        signals = [getattr(self.features.signals, name)[chosen] * self.weights[name] for name in SIGNAL_NAMES]
        shares = np.array(signals).round(SCORE_DIGITS).T.tolist()
        by_words = [SIGNAL_NAMES.index(name) for name in WORD_SIGNALS]
        words_lead = [sum([of_note[at] for at in by_words]) > sum(of_note) / 2 for of_note in shares]
        passages = _choose_passages(names, scores, words_lead, self.features, self.prepared, reader, deadline)
        confidence_and_held = _confidences(lambda: self.evidence(chosen, passages, reader, deadline), len(names))
        columns = (names, scores, has_word, is_near, shares, passages, *confidence_and_held)
        return tuple(
            [
                RankedNote(
                    path=name.path,
                    score=score,
                    retrievers=FOUND_BY[word, near],
                    shares=dict(zip(SIGNAL_NAMES, of_note, strict=True)),
                    passages=best,
                    confidence=confidence,
                    words_held=held,
                )
                for name, score, word, near, of_note, best, confidence, held in zip(*columns, strict=True)
            ]
        )

    def evidence(
        self, chosen: NDArray[np.intp], passages: Sequence[Sequence[Fused]], reader: Reader, deadline: Deadline
    ) -> Evidence:
        """
        The features for the confidence of the candidates at the positions *chosen*, whose best *passages* are given.

        Raises:
            DeadlineExceeded, Cancelled: The deadline says so.
        """
        held = find_held_words(self.prepared, self.features, passages, reader, deadline)
        wording = self.wording
        if wording is None and self.encoder:
            is_first = (chosen == self.order[:COMPARED, np.newaxis]).any(axis=0)  # a tenth of the time of `np.isin`
            first = np.sort(chosen[is_first & ~held.is_whole])
            note_ids, nearest = self.features.note_ids[first], self.features.nearest
            wording = compare_wording(self.prepared, note_ids, nearest, reader, self.encoder, deadline)
        return gather_evidence(self.prepared, self.features, self.scores, chosen, held, wording)


NoteRanking: TypeAlias = PublishedRanking | SignalRanking


def _confidences(gather: Callable[[], Evidence], count: int) -> tuple[list[float], list[float]]:
    """The confidence of each of *count* notes, and the share of the query's words that it holds; 0 where that fails."""

    def make() -> tuple[list[float], list[float]]:
        evidence = gather()
        return confidences(evidence), evidence.held.tolist()

    return ornament("confidence", make, ([0.0] * count, [0.0] * count))


def rank_by_rrf(
    prepared: PreparedQuery,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    depth: int,
    settings: RankFusion,
    encoder: Encoder | None,
    deadline: Deadline,
) -> PublishedRanking:
    """
    Rank the best *depth* chunks of each retriever by reciprocal rank fusion; a note stands where its best chunk does.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    admitted, by_word, queries = prepared.admitted, "lexical" in retrievers, NO_QUERIES
    if "dense" in retrievers:
        queries = MeaningQueries.of(reader, prepared.vector, prepared.contextual)
    keywords = reader.keywords.query(prepared.lexical, deadline=deadline)
    lexical = reader.candidates(keywords.top_chunks(admitted, depth, settings.columns)) if by_word else ()
    dense = reader.candidates(queries.ranking.top_chunks(admitted, depth, deadline)) if queries.ranking else ()
    note_ids, notes = [], []
    for path, chunks in group_by_note(fuse(lexical, dense, weights, settings.k)).items():
        has_word = any(chunk.lexical_rank is not None for chunk in chunks)
        is_near = any(chunk.dense_rank is not None for chunk in chunks)
        note_ids.append(note_of(chunks[0].chunk_id))
        notes.append(RankedNote(path, chunks[0].score, FOUND_BY[has_word, is_near], {}, chunks))
    return PublishedRanking(prepared, tuple(retrievers), encoder, note_ids, tuple(notes))


def rank_by_signals(
    prepared: PreparedQuery,
    features: CandidateFeatures,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    encoder: Encoder | None,
    deadline: Deadline,
    *,
    min_cosine: float = MIN_COSINE,
) -> SignalRanking:
    """
    Rank the candidates of *features* by the weighted sum of their signals; see `search/signals.py`.

    Args:
        reader: Tells the paths of notes that score alike.
        weights: Of the retrievers, as the user set them; those of *retrievers* that do not serve count nothing.
        encoder: None where the dense retriever is not asked.
        min_cosine: A note without any word of the query is left out where it is less near in meaning.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    signals, note_ids = features.signals, features.note_ids
    in_use = {retriever: weight if retriever in retrievers else 0.0 for retriever, weight in weights.items()}
    known = prepared.trust_in_cosines
    word_count = len(prepared.query.words)
    given = effective_weights(default_signal_weights(), features.bm25_coverage, word_count, known, in_use)
    scores = blend(signals, given)
    floor = min_cosine if "lexical" in retrievers else -1.0  # by meaning alone, all there is is shown
    has_word = (signals.passage > 0) | (signals.note > 0)
    cosine = np.maximum(features.max_cosine, -1.0)
    is_near = cosine * prepared.known_share >= floor
    is_near &= _cosine_ranks(features, reader) < np.where(has_word, DEPTH, POOL)
    found = (has_word | is_near).nonzero()[0]
    wording = None
    if given["wording"] and encoder and len(found) > 1:
        places = argsort_by_score_then_path(note_ids[found], scores[found], RERANKED, _locations(reader))
        first = np.sort(found[places])
        wording = compare_wording(prepared, note_ids[first], features.nearest, reader, encoder, deadline)
        column = np.zeros(len(note_ids))
        column[first] = min_max_normalize(wording.similarities)
        signals = replace(signals, wording=column)
        features = replace(features, signals=signals)
        scores = blend(signals, given)
    order = found[argsort_by_score_then_path(note_ids[found], scores[found], len(found), _locations(reader))]
    return SignalRanking(
        prepared, features, given, scores, has_word, is_near, order, note_ids[order].tolist(), wording, encoder
    )


def rrf_depth(
    request: SearchOptions, retrievers: Sequence[Retriever], prepared: PreparedQuery, reader: Reader, matching: int
) -> int:
    """
    Candidates asked of each retriever by the published fusion; all, where there are few and the request wants them.

    Args:
        matching: Chunks that hold a word of the query; with meaning, each that the conditions admit is a candidate.
    """
    few = matching
    if "dense" in retrievers:
        everything = prepared.admitted is None
        few = reader.chunk_count if everything else reader.count_chunks(prepared.admitted, FEW_CHUNKS)
    depth = FEW_CHUNKS if request.expand_small_results and few < FEW_CHUNKS else DEPTH
    return (
        depth if len(retrievers) > 1 else max(depth, request.offset + request.limit)
    )  # with nothing to fuse, depth only cuts


def count_matching_chunks(
    prepared: PreparedQuery, retrievers: Sequence[Retriever], reader: Reader, deadline: Deadline
) -> int:
    """
    How many chunks hold a word of the query, as far as it matters whether they are fewer than `FEW_CHUNKS`.

    Every chunk is somewhere near in meaning, so that nearness is no match: by meaning alone, any number may match.
    """
    if "lexical" not in retrievers:
        return FEW_CHUNKS
    return reader.keywords.query(prepared.lexical, deadline=deadline).count_chunks(prepared.admitted, FEW_CHUNKS)


def places_on_page(ranking: "NoteRanking", limit: int, offset: int, matching_chunks: int) -> Sequence[int]:
    """
    The places of *ranking*, from 0, that are shown on the page behind *offset* notes.

    Where few chunks hold a word and *limit* would hide most of their notes, these follow on the first page. What is
    near in meaning alone comes behind them, so that pages of the same *limit* make up one list.
    """
    order = range(len(ranking.note_ids))
    wordless = frozenset(ranking.dense_only_notes)
    if effective_limit(limit, len(order) - len(wordless), matching_chunks) <= limit:
        return order[offset : offset + limit]
    has_word = [note_id not in wordless for note_id in ranking.note_ids]
    with_word = [place for place in order[limit:] if has_word[place]]
    near = [place for place in order[limit:] if not has_word[place]]
    end = offset + limit if offset else limit + len(with_word)
    return [*order[:limit], *with_word, *near][offset:end]


def _cosine_ranks(features: CandidateFeatures, reader: Reader) -> NoteIds:
    """For each candidate how many are nearer in meaning; `POOL` for those beyond the nearest `POOL`."""
    known = (features.max_cosine > -np.inf).nonzero()[0]
    ranks = np.full(len(features.note_ids), POOL, dtype=np.int64)
    order = argsort_by_score_then_path(features.note_ids[known], features.max_cosine[known], POOL, _locations(reader))
    ranks[known[order]] = np.arange(len(order))
    return ranks


def _locations(reader: Reader) -> Callable[[Sequence[int]], Mapping[int, tuple[str, int]]]:
    """Where notes stand among others that score alike."""
    return lambda note_ids: {name.note_id: (name.path, 0) for name in reader.note_names(note_ids)}


# --- passages ------------------------------------------------------------------------------------

_Evidence = tuple[int | None, int | None, float | None, float | None]
"""The lexical rank, dense rank, BM25 and cosine of a chunk, each None where its retriever did not propose the chunk."""
_NO_EVIDENCE: _Evidence = (None, None, None, None)


def _choose_passages(
    notes: Sequence[NoteName],
    scores: Sequence[float],
    words_lead: Sequence[bool],
    features: CandidateFeatures,
    prepared: PreparedQuery,
    reader: Reader,
    deadline: Deadline,
) -> list[tuple[Fused, ...]]:
    """
    The best passages of each of *notes*, among the chunks that were proposed and the chunk nearest in meaning.

    Where words speak more for the note than meaning does, the passage that is best by BM25 is the first; all others are
    ordered by word and meaning together. Where one note is searched, every passage with a word follows. A note that
    words found only as a whole has no such passage: the index is asked for its best ones. One that was found by the
    beginning of its name is shown by its first.

    Args:
        scores: One a note, which its passages carry.
        words_lead: Whether words speak more for each note than meaning does.
    """
    evidence_of = _evidence([note.note_id for note in notes], features)
    max_bm25 = float(features.lexical.scores.max(initial=0.0))
    chosen = []
    for note, score, by_word in zip(notes, scores, words_lead, strict=True):
        evidence = evidence_of[note.note_id]
        if not evidence or (by_word and not any(bm25 for _, _, bm25, _ in evidence.values())):
            keywords = reader.keywords.query(prepared.lexical, deadline=deadline)
            best = keywords.top_chunks_of(note.note_id, PASSAGES_PER_HIT, FIELD_WEIGHTS)
            for chunk_id, score_by_words in best:
                _, dense_rank, _, nearness = evidence.get(chunk_id, _NO_EVIDENCE)
                evidence[chunk_id] = (None, dense_rank, score_by_words, nearness)
            if not evidence and (first := reader.first_chunk(note.note_id)) is not None:
                evidence = {first: _NO_EVIDENCE}
        strength_of: dict[int, float] = {}
        for chunk_id, (_, _, bm25, cosine) in evidence.items():
            strength = bm25 / max_bm25 if bm25 and max_bm25 else 0.0
            if cosine and cosine > 0:
                strength += cosine
            strength_of[chunk_id] = -round(strength, SCORE_DIGITS)
        ordered = sorted(sorted(evidence), key=strength_of.__getitem__)
        if by_word and ordered:
            by_bm25 = [evidence[chunk_id][2] or 0.0 for chunk_id in ordered]
            ordered.insert(0, ordered.pop(by_bm25.index(max(by_bm25))))  # the first of equals
        best_ids = ordered[:PASSAGES_PER_HIT]
        if prepared.in_one_note:
            best_ids += [chunk_id for chunk_id in ordered[PASSAGES_PER_HIT:] if evidence[chunk_id][2]]
        chosen.append(tuple([Fused(i, note.path, rank, score, *evidence[i]) for rank, i in enumerate(best_ids)]))
    return chosen


def _evidence(note_ids: Sequence[int], features: CandidateFeatures) -> dict[int, dict[int, _Evidence]]:
    """Note -> its chunks that a retriever proposed, and its nearest one, with what the retrievers say of each."""
    evidence_of: dict[int, dict[int, _Evidence]] = {note_id: {} for note_id in note_ids}
    wanted = np.sort(np.array(note_ids, dtype=np.int64))
    for note_id, chunk_id, rank, bm25 in _rows_of(features.lexical, wanted):
        evidence_of[note_id][chunk_id] = (rank, None, bm25, None)
    for note_id, chunk_id, rank, cosine in _rows_of(features.dense, wanted):
        lexical_rank, _, score, _ = evidence_of[note_id].get(chunk_id, _NO_EVIDENCE)
        evidence_of[note_id][chunk_id] = (lexical_rank, rank, score, cosine)
    nearest = features.nearest
    at, is_there = look_up(nearest.note_ids, wanted)
    at = at[is_there]
    columns = (nearest.note_ids[at], nearest.chunk_ids[at], nearest.cosines[at])
    for note_id, chunk_id, cosine in zip(*[column.tolist() for column in columns], strict=True):
        lexical_rank, dense_rank, score, _ = evidence_of[note_id].get(chunk_id, _NO_EVIDENCE)
        evidence_of[note_id][chunk_id] = (lexical_rank, dense_rank, score, cosine)
    return evidence_of


def _rows_of(chunks: RankedChunks, note_ids: NoteIds) -> Iterator[tuple[int, int, int, float]]:
    """Note, id, rank from 1, and score of those *chunks* that belong to *note_ids*, best first."""
    notes = notes_of(chunks.chunk_ids)
    at = among(notes, note_ids).nonzero()[0]
    columns = (notes[at], chunks.chunk_ids[at], at + 1, chunks.scores[at])
    return zip(*[column.tolist() for column in columns], strict=True)
