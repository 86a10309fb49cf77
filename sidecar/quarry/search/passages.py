"""Which passages of a note are shown? Those that hold most of the query, by word and by meaning."""

from collections.abc import Sequence

import numpy as np

from quarry.index import Deadline, Reader
from quarry.index.ids import SLOT_BITS
from quarry.ranking.grouping import PASSAGES_PER_HIT
from quarry.ranking.signals import SCORE_DIGITS
from quarry.search.features import FIELD_WEIGHTS, CandidateFeatures
from quarry.search.prepare import PreparedQuery
from quarry.types import Fused

_Known = tuple[int | None, int | None, float | None, float | None]
"""What the retrievers say of a chunk: its lexical rank, dense rank, BM25 and cosine."""
_UNKNOWN: _Known = (None, None, None, None)


def choose_passages(
    notes: Sequence[tuple[int, str, float]],
    features: CandidateFeatures,
    prepared: PreparedQuery,
    reader: Reader,
    deadline: Deadline,
) -> list[tuple[Fused, ...]]:
    """
    Choose the best passages of each of *notes* among the proposed chunks and the chunk nearest in meaning.

    A note that was found only as a whole has none of these; the index is asked for its best ones.

    Args:
        notes: Id, path and score; every passage carries the score of its note.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    known_of = _known_chunks([note_id for note_id, _, _ in notes], features)
    max_bm25 = features.max_passage_bm25
    chosen = []
    for note_id, path, score in notes:
        known = known_of[note_id]
        if not known:
            keywords = reader.keywords.query(prepared.lexical, deadline=deadline)
            best = keywords.top_chunks_of(note_id, PASSAGES_PER_HIT, FIELD_WEIGHTS)
            known = {chunk_id: (None, None, bm25, None) for chunk_id, bm25 in best}
        by_strength = []
        for chunk_id, (_, _, bm25, cosine) in known.items():
            words = (bm25 or 0.0) / max_bm25 if max_bm25 else 0.0
            by_strength.append((-round(words + max(cosine or 0.0, 0.0), SCORE_DIGITS), chunk_id))
        by_strength.sort()
        passages = [
            Fused(chunk_id, path, number, score, *known[chunk_id])
            for number, (_, chunk_id) in enumerate(by_strength[:PASSAGES_PER_HIT])
        ]
        chosen.append(tuple(passages))
    return chosen


def _known_chunks(note_ids: Sequence[int], features: CandidateFeatures) -> dict[int, dict[int, _Known]]:
    """Note -> its chunks that a retriever proposed, and its nearest one, with what the retrievers say of them."""
    known_of: dict[int, dict[int, _Known]] = {note_id: {} for note_id in note_ids}
    for rank, (chunk_id, bm25) in enumerate(features.lexical, start=1):
        note_id = chunk_id >> SLOT_BITS
        if note_id in known_of:
            known_of[note_id][chunk_id] = (rank, None, bm25, None)
    for rank, (chunk_id, cosine) in enumerate(features.dense, start=1):
        note_id = chunk_id >> SLOT_BITS
        if note_id in known_of:
            lexical_rank, _, score, _ = known_of[note_id].get(chunk_id, _UNKNOWN)
            known_of[note_id][chunk_id] = (lexical_rank, rank, score, cosine)
    nearest = features.nearest
    if len(nearest.note_ids):
        wanted = np.array(note_ids, dtype=np.int64)
        at = np.minimum(nearest.note_ids.searchsorted(wanted), len(nearest.note_ids) - 1)
        at = at[nearest.note_ids[at] == wanted]
        rows = zip(
            nearest.note_ids[at].tolist(), nearest.chunk_ids[at].tolist(), nearest.cosines[at].tolist(), strict=True
        )
        for note_id, chunk_id, cosine in rows:
            lexical_rank, dense_rank, score, _ = known_of[note_id].get(chunk_id, _UNKNOWN)
            known_of[note_id][chunk_id] = (lexical_rank, dense_rank, score, cosine)
    return known_of
