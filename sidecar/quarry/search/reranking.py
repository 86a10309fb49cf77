"""
Looks again at the notes that stand first: how near does the best passage of each come to every word of the query?

A cosine of two vectors says how near a passage is to the query as a whole. Whether each word of the query has a
counterpart in the passage takes the passage's text, so only the first notes are asked; most of them will be shown, so
that their text is needed anyway.
"""

import numpy as np

from quarry.embedding import Encoder
from quarry.index import Deadline, NearestChunks, NoteIds, Reader
from quarry.index.ids import look_up
from quarry.ranking.signals import Numbers
from quarry.search.prepare import PreparedQuery

RERANKED = 15  # notes; of 10 half the gain is lost, 30 gain .0005 nDCG@10 for twice the cost
SIMILARITY_DIGITS = 9  # beyond that, the order of adding floats decides


def word_similarities(
    prepared: PreparedQuery,
    note_ids: NoteIds,
    nearest: NearestChunks,
    reader: Reader,
    encoder: Encoder,
    deadline: Deadline,
) -> Numbers:
    """
    How near the nearest passage of each of these notes comes to each word of the query; shape (len(note_ids),), 0 to 1.

    Args:
        note_ids: The notes that stand first, in any order.
        nearest: The passage of each note that is nearest to the query.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of a note is not as it was written.
    """
    words = prepared.word_idf
    if not words or prepared.lexical.phrases:  # a date is written in several ways: its words are not those of the note
        return np.zeros(len(note_ids))
    at, has_passage = look_up(nearest.note_ids, note_ids)
    texts = reader.passages(nearest.chunk_ids[at[has_passage]].tolist(), deadline=deadline)
    similarities = np.zeros(len(note_ids))
    similarities[has_passage] = encoder.max_similarities(words, texts)
    return similarities.round(SIMILARITY_DIGITS)
