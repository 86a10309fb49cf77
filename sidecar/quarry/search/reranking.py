"""
Looks again at the notes that stand first: how near does the best passage of each come to every word of the query?

A cosine of two vectors says how near a passage is to the query as a whole. Whether each word of the query has a
counterpart in the passage takes the passage's text, so only the first notes are asked; most of them will be shown, so
that their text is needed anyway.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from quarry.embedding import Encoder
from quarry.index import Deadline, NearestChunks, NoteIds, Reader
from quarry.index.keys import look_up
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import Numbers

RERANKED = 15  # notes; of 10 half the gain is lost, 30 gain .0005 nDCG@10 for twice the cost
SIMILARITY_DIGITS = 9  # beyond that, the order of adding floats decides


class Wording(Struct, frozen=True):
    """How near the nearest passage of some notes comes to the words of a query, -1 to 1; 0 where nothing tells."""

    note_ids: NoteIds  # ascending
    words: Sequence[str]
    lengths: Numbers  # shape (words,): how much the model has to say of each; see `Encoder.max_similarities`
    of_words: Numbers  # shape (words, notes)
    similarities: Numbers  # shape (notes,): of all words together, by idf


def compare_wording(
    prepared: PreparedQuery,
    note_ids: NoteIds,
    nearest: NearestChunks,
    reader: Reader,
    encoder: Encoder,
    deadline: Deadline,
) -> Wording:
    """
    Compare the nearest passage of each of these notes with each word of the query.

    Args:
        note_ids: The notes that stand first, ascending.
        nearest: The passage of each note that is nearest to the query.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of a note is not as it was written.
    """
    words = prepared.word_idf
    if prepared.lexical.phrases:  # a date is written in several ways: its words are not those of the note
        words = {}
    at, has_passage = look_up(nearest.note_ids, note_ids)
    texts = reader.passages(nearest.chunk_ids[at[has_passage]].tolist(), deadline=deadline) if words else ()
    of_words, similarities = np.zeros((len(words), len(note_ids))), np.zeros(len(note_ids))
    if not words:
        return Wording(note_ids, (), np.zeros(0), of_words, similarities)
    found = encoder.max_similarities(words, texts)
    of_words[:, has_passage], similarities[has_passage] = found.of_words, found.means
    rounded = [values.round(SIMILARITY_DIGITS) for values in (found.lengths, of_words, similarities)]
    return Wording(note_ids, (*words,), *rounded)
