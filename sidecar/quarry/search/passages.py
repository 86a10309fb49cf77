"""Which passages of a note are shown? Those that speak most of the query, by word and by meaning."""

from collections.abc import Callable, Iterable

from quarry.index import Deadline, NearestChunks, Reader
from quarry.index.ids import SLOT_BITS
from quarry.ranking.grouping import PASSAGES_PER_HIT
from quarry.ranking.signals import SCORE_DIGITS
from quarry.search.features import FIELD_WEIGHTS, CandidateFeatures
from quarry.search.prepare import PreparedQuery
from quarry.types import Fused

Passages = Callable[[int, str, float], tuple[Fused, ...]]
"""Note id, path and score -> its passages, best first; each carries the note's score."""


def passages_by(features: CandidateFeatures, prepared: PreparedQuery, reader: Reader, deadline: Deadline) -> Passages:
    """Passages from what the retrievers proposed; a note that only matches as a whole is asked for its best one."""
    by_word, by_meaning, nearest = dict(features.lexical), dict(features.dense), features.nearest
    lexical_ranks, dense_ranks = _ranks(by_word), _ranks(by_meaning)
    highest = features.highest
    proposed: dict[int, list[int]] = {}
    for chunk_id in by_word | by_meaning:
        proposed.setdefault(chunk_id >> SLOT_BITS, []).append(chunk_id)

    def passages(note_id: int, path: str, score: float) -> tuple[Fused, ...]:
        of_note = proposed.get(note_id, ())
        bm25 = {chunk_id: by_word[chunk_id] for chunk_id in of_note if chunk_id in by_word}
        cosines = {chunk_id: by_meaning[chunk_id] for chunk_id in of_note if chunk_id in by_meaning}
        cosines |= _nearest(nearest, note_id)
        if not bm25 and not cosines:
            first = reader.best_chunks(
                prepared.lexical, note_id, PASSAGES_PER_HIT, deadline=deadline, weights=FIELD_WEIGHTS
            )
            bm25 = {candidate.chunk_id: candidate.score for candidate in first}

        def strength(chunk_id: int) -> float:
            words = bm25.get(chunk_id, 0.0) / highest if highest else 0.0
            return round(words + max(cosines.get(chunk_id, 0.0), 0.0), SCORE_DIGITS)

        ordered = sorted(bm25.keys() | cosines, key=lambda chunk_id: (-strength(chunk_id), chunk_id))
        return tuple(
            Fused(
                chunk_id=chunk_id,
                path=path,
                number=at,
                score=score,
                lexical_rank=lexical_ranks.get(chunk_id),
                dense_rank=dense_ranks.get(chunk_id),
                lexical_score=bm25.get(chunk_id),
                dense_score=cosines.get(chunk_id),
            )
            for at, chunk_id in enumerate(ordered[:PASSAGES_PER_HIT])
        )

    return passages


def _nearest(nearest: NearestChunks, note_id: int) -> dict[int, float]:
    """The nearest chunk of one note, and its cosine."""
    at = int(nearest.note_ids.searchsorted(note_id))
    is_there = at < len(nearest) and nearest.note_ids[at] == note_id
    return {int(nearest.chunk_ids[at]): float(nearest.cosines[at])} if is_there else {}


def _ranks(chunk_ids: Iterable[int]) -> dict[int, int]:
    """Chunk -> its rank, from 1."""
    return {chunk_id: rank for rank, chunk_id in enumerate(chunk_ids, start=1)}
