"""Which passages of a note are shown? Those that speak most of the query, by word and by meaning."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping

from quarry.index import Deadline, Reader
from quarry.index.ids import id_range
from quarry.ranking.grouping import PASSAGES_PER_HIT
from quarry.ranking.signals import SCORE_DIGITS
from quarry.search.evidence import WEIGHTS, Evidence
from quarry.search.question import Question
from quarry.types import Fused

Passages = Callable[[int, str, float], tuple[Fused, ...]]
"""Note id, path and score -> its passages, best first; each carries the note's score."""


def passages_by(evidence: Evidence, question: Question, reader: Reader, deadline: Deadline) -> Passages:
    """Passages from what the legs proposed; a note that only matches as a whole is asked for its best one."""
    proposed_bm25, cosines = evidence.bm25, evidence.cosines
    lexical_ranks, dense_ranks = _ranks(proposed_bm25), _ranks(chunk_id for chunk_id, _ in evidence.dense)
    highest = max(proposed_bm25.values(), default=0.0)
    known = sorted({*proposed_bm25, *cosines})

    def strength(chunk_id: int, bm25: Mapping[int, float]) -> float:
        words = bm25.get(chunk_id, 0.0) / highest if highest else 0.0
        return round(words + max(cosines.get(chunk_id, 0.0), 0.0), SCORE_DIGITS)

    def passages(note_id: int, path: str, score: float) -> tuple[Fused, ...]:
        bm25 = proposed_bm25
        first_id, last_id = id_range(note_id)
        found = known[bisect_left(known, first_id) : bisect_left(known, last_id + 1)]
        if not found:
            first = reader.best_chunks(question.lexical, note_id, PASSAGES_PER_HIT, deadline=deadline, weights=WEIGHTS)
            bm25 = {candidate.chunk_id: candidate.score for candidate in first}
            found = list(bm25)
        ordered = sorted(found, key=lambda chunk_id: (-strength(chunk_id, bm25), chunk_id))
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


def _ranks(chunk_ids: Iterable[int]) -> dict[int, int]:
    """Chunk -> its rank, from 1."""
    return {chunk_id: rank for rank, chunk_id in enumerate(chunk_ids, start=1)}
