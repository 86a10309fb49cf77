"""
Reciprocal rank fusion: two rankings become one by rank alone.

    score(d) = Σ weight_r / (k + rank_r(d))            over the retrievers r that propose d

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
SIGIR 2009. A rank says nothing about how much better the first is than the second, which is what makes BM25 scores
and cosines comparable at all.
"""

from collections.abc import Mapping

from quarry.options import Retriever
from quarry.types import Candidate, Fused, Ranking

# k, where a vault does not set it: the paper's constant flattens the top, so that the first of one does not outvote the
# thirds of both.
RRF_K = 60
DEPTH = 30  # candidates asked of each retriever, as published
SCORE_DIGITS = 12  # equal sums of fractions may differ in their last bit by the order of adding


def fuse(lexical: Ranking, dense: Ranking, weights: Mapping[Retriever, float], k: float = RRF_K) -> tuple[Fused, ...]:
    """
    Merge *lexical* and *dense*, best first.

    Equal scores are ordered by: found by both retrievers, lower sum of ranks, lower best rank, path, chunk number.
    So the same rankings always give the same order, whatever ids a rebuild hands out. A retriever of weight 0
    proposes nothing.
    """
    lexical = lexical if weights["lexical"] > 0 else ()
    dense = dense if weights["dense"] > 0 else ()
    in_lexical = {c.chunk_id: (rank, c) for rank, c in enumerate(lexical, start=1)}
    in_dense = {c.chunk_id: (rank, c) for rank, c in enumerate(dense, start=1)}
    fused = [
        _fuse_one(in_lexical.get(chunk_id), in_dense.get(chunk_id), weights, k)
        for chunk_id in {**in_lexical, **in_dense}
    ]
    return tuple(sorted(fused, key=_order))


def rrf_term(weight: float, rank: int, k: float) -> float:
    """The term that a retriever adds to the score of the candidate at *rank*, counted from 1."""
    return weight / (k + rank)


def _fuse_one(
    lexical: tuple[int, Candidate] | None,
    dense: tuple[int, Candidate] | None,
    weights: Mapping[Retriever, float],
    k: float,
) -> Fused:
    score = 0.0
    if lexical:
        score += rrf_term(weights["lexical"], lexical[0], k)
    if dense:
        score += rrf_term(weights["dense"], dense[0], k)
    found = lexical or dense
    assert found is not None, "a fused candidate comes from at least one retriever"
    candidate = found[1]
    return Fused(
        chunk_id=candidate.chunk_id,
        path=candidate.path,
        number=candidate.number,
        score=score,
        lexical_rank=lexical[0] if lexical else None,
        dense_rank=dense[0] if dense else None,
        lexical_score=lexical[1].score if lexical else None,
        dense_score=dense[1].score if dense else None,
    )


def _order(fused: Fused) -> tuple[float, bool, int, int, str, int]:
    ranks = [rank for rank in (fused.lexical_rank, fused.dense_rank) if rank is not None]
    return (-round(fused.score, SCORE_DIGITS), len(ranks) < 2, sum(ranks), min(ranks), fused.path, fused.number)
