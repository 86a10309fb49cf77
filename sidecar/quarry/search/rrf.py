"""
Ranking by reciprocal rank fusion, as published: `fusion = "rrf"`. Two rankings become one by rank alone.

    score(d) = Σ weight_r / (k + rank_r(d))            over the retrievers r that propose d

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
SIGIR 2009. A rank says nothing about how much better the first is than the second, which is what makes BM25 scores
and cosines comparable at all.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quarry.index import CHUNK_WEIGHTS, note_of
from quarry.options import Retriever
from quarry.search.answer import RankedChunk, RankedNote, RetrieverScores
from quarry.search.candidates import collect_candidates
from quarry.search.confidence import confidences
from quarry.search.execution import Ornament, SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import FEW_CHUNKS, FOUND_BY, PASSAGES_PER_HIT, rank_by_signals
from quarry.types import Candidate, Ranking

RRF_K = 60  # the paper's constant flattens the top: the first of one retriever does not outvote the thirds of both
DEPTH = 30  # candidates asked of each retriever, as published
SCORE_DIGITS = 12  # equal sums of fractions may differ in their last bit by the order of adding


class PublishedRanking(Struct, frozen=True):
    """Notes in the order of a published method, which has no confidence: that is computed from the notes' signals."""

    prepared: PreparedQuery
    notes: tuple[RankedNote, ...]  # best first

    @property
    def note_ids(self) -> list[int]:
        """The notes, best first."""
        return [note_of(note.chunks[0].chunk_id) for note in self.notes]

    @property
    def dense_only_notes(self) -> list[int]:
        """Notes that only the dense retriever proposed; they may contain words of the query all the same."""
        return [i for i, note in zip(self.note_ids, self.notes, strict=True) if "keyword" not in note.retrievers]

    def ranked_notes(self, places: Sequence[int], execution: SearchExecution) -> tuple[RankedNote, ...]:
        """The notes at *places* in the order, from 0. The signals that their confidence takes are collected here."""
        notes = [self.notes[place] for place in places]
        confidence = coverage = [0.0] * len(notes)
        with Ornament("confidence"):
            note_ids = self.note_ids
            features = collect_candidates(self.prepared, execution, also=note_ids)
            equal: dict[Retriever, float] = {"keyword": 1.0, "dense": 1.0}
            by_signals = rank_by_signals(self.prepared, features, execution, weights=equal, min_cosine=-1.0)
            chosen = features.note_ids.searchsorted([note_ids[place] for place in places])
            evidence = by_signals.evidence(chosen, [note.chunks for note in notes], execution)
            confidence, coverage = confidences(evidence), evidence.word_coverage.tolist()
        certainty = zip(notes, confidence, coverage, strict=True)
        return tuple([replace(note, confidence=one, word_coverage=share) for note, one, share in certainty])


def rank_by_rrf(prepared: PreparedQuery, depth: int, execution: SearchExecution) -> PublishedRanking:
    """
    Rank the best *depth* chunks of each retriever by reciprocal rank fusion.

    A note takes the place of its best chunk.
    """
    reader, admitted, dense_query = execution.reader, prepared.admitted, prepared.dense.ranking
    settings = execution.settings
    keyword: Ranking = ()
    dense: Ranking = ()
    if execution.has_keyword:
        weights = replace(
            CHUNK_WEIGHTS,
            text=settings.rrf_text_weight,
            section=settings.rrf_section_weight,
            context=settings.rrf_context_weight,
        )
        keyword = reader.candidates(prepared.scorer.top_chunks(admitted, depth, weights))
    if dense_query:
        dense = reader.candidates(dense_query.top_chunks(admitted, depth, execution.deadline))
    notes = []
    for path, chunks in group_by_note(fuse(keyword, dense, execution.weights, settings.rrf_k)).items():
        has_word = any(chunk.scores.keyword_rank is not None for chunk in chunks)
        is_near = any(chunk.scores.dense_rank is not None for chunk in chunks)
        notes.append(RankedNote(path, chunks[0].score, FOUND_BY[has_word, is_near], {}, chunks))
    return PublishedRanking(prepared, tuple(notes))


def rrf_depth(
    wanted: int, prepared: PreparedQuery, execution: SearchExecution, matching: int, *, expand_small_results: bool
) -> int:
    """
    Candidates asked of each retriever; all, where there are few and the request shows all of few.

    Args:
        wanted: Notes up to the end of the page.
        matching: Chunks that contain a word of the query; with meaning, each that the conditions admit is a candidate.
    """
    few = matching
    if execution.has_dense:
        reader, admitted = execution.reader, prepared.admitted
        few = reader.chunk_count if admitted is None else reader.count_chunks(admitted, FEW_CHUNKS)
    depth = FEW_CHUNKS if expand_small_results and few < FEW_CHUNKS else DEPTH
    return depth if len(execution.retrievers) > 1 else max(depth, wanted)  # with nothing to fuse, depth only cuts


def group_by_note(chunks: Sequence[RankedChunk]) -> dict[str, tuple[RankedChunk, ...]]:
    """Path -> the note's best chunks of *chunks*, which is best first; notes are ordered by their best chunk."""
    by_path: dict[str, list[RankedChunk]] = {}
    for chunk in chunks:
        by_path.setdefault(chunk.path, []).append(chunk)
    return {path: tuple(of_note[:PASSAGES_PER_HIT]) for path, of_note in by_path.items()}


def fuse(
    keyword: Ranking, dense: Ranking, weights: Mapping[Retriever, float], k: float = RRF_K
) -> tuple[RankedChunk, ...]:
    """
    Merge *keyword* and *dense*, best first.

    Equal scores are ordered by: found by both retrievers, lower sum of ranks, lower best rank, path, chunk number.
    So the same rankings always give the same order, whatever ids a rebuild hands out. A retriever of weight 0
    proposes nothing.
    """
    proposed: dict[int, tuple[Candidate, RetrieverScores]] = {}
    for rank, chunk in enumerate(keyword if weights["keyword"] > 0 else (), start=1):
        proposed[chunk.chunk_id] = chunk, RetrieverScores(keyword_rank=rank, keyword_score=chunk.score)
    for rank, chunk in enumerate(dense if weights["dense"] > 0 else (), start=1):
        _, scores = proposed.get(chunk.chunk_id, (chunk, RetrieverScores()))
        proposed[chunk.chunk_id] = chunk, scores._replace(dense_rank=rank, dense_score=chunk.score)
    fused = []
    for chunk, scores in proposed.values():
        score, places = 0.0, []
        if scores.keyword_rank is not None:
            score += weights["keyword"] / (k + scores.keyword_rank)
            places.append(scores.keyword_rank)
        if scores.dense_rank is not None:
            score += weights["dense"] / (k + scores.dense_rank)
            places.append(scores.dense_rank)
        order = (-round(score, SCORE_DIGITS), len(places) < 2, sum(places), min(places), chunk.path, chunk.number)
        fused.append((order, RankedChunk(chunk.chunk_id, chunk.path, score, scores)))
    return tuple([chunk for _, chunk in sorted(fused, key=lambda entry: entry[0])])
