"""
The passages that are shown of each note: those that contain most of the query, by word and by meaning.

Where words account for more of the note's score than meaning does, its best passage by BM25 comes first; the others are
ordered by word and meaning together.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from quarry.index import NoteIds, NoteName
from quarry.index.keys import among, look_up, notes_of
from quarry.search.answer import RankedChunk, RetrieverScores
from quarry.search.candidates import FIELD_WEIGHTS, CandidateFeatures, RankedChunks
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import SCORE_DIGITS

PASSAGES_PER_HIT = 3  # what a person looks at in one note before opening it

_UNSCORED = RetrieverScores()


def choose_passages(
    notes: Sequence[NoteName],
    scores: Sequence[float],
    words_lead: Sequence[bool],
    features: CandidateFeatures,
    prepared: PreparedQuery,
    execution: SearchExecution,
) -> list[tuple[RankedChunk, ...]]:
    """
    The best passages of each of *notes*, among the chunks that were proposed and the chunk nearest in meaning.

    If only one note is searched, every passage with a word follows. The best passages of a note that was found by its
    words as a whole are looked up. A note that was found by the beginning of its name is shown by its first passage.

    Args:
        scores: One per note, which its passages carry.
        words_lead: Whether words account for more of each note's score than meaning does.
    """
    scores_by_note = _retriever_scores([note.note_id for note in notes], features)
    max_bm25 = float(features.lexical.scores.max(initial=0.0))
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


def _retriever_scores(note_ids: Sequence[int], features: CandidateFeatures) -> dict[int, dict[int, RetrieverScores]]:
    """Note -> its chunks that a retriever proposed, and its nearest one -> their ranks and scores."""
    by_note: dict[int, dict[int, RetrieverScores]] = {note_id: {} for note_id in note_ids}
    ascending = np.sort(np.array(note_ids, dtype=np.int64))
    for note_id, chunk_id, rank, bm25 in _rows_of(features.lexical, ascending):
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
