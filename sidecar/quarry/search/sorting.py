"""
Which notes are sorted by time or by name, and which of them are on a page?

By relevance, every note with some word of the query, or near it in meaning, is a hit: the poor ones come last. In any
other order they would come first, so that only notes that match are sorted:

    notes that hold every word of the query, in any form, however many they are
    those among the first `JUDGED` by relevance that are likely to answer (`WEAK_CONFIDENCE`)
    all that satisfy the conditions, where an alternative has none but conditions

Where no note is such, nothing is sorted: the nearest stand by relevance, and the answer says so.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from quarry.index import Deadline, NoteIds, Reader
from quarry.limits import WEAK_CONFIDENCE
from quarry.options import Retriever
from quarry.search.features import extract_features
from quarry.search.missing_words import holding_every_word
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import NoteRanking, RankedNote, rank_by_signals
from quarry.types import Fused

JUDGED = 100  # notes by relevance; behind them hardly one is likely to answer, and each costs .1 ms


def notes_to_sort(
    prepared: PreparedQuery,
    ranking: NoteRanking,
    retrievers: Sequence[Retriever],
    reader: Reader,
    deadline: Deadline,
    *,
    lists_unranked: bool,
) -> NoteIds:
    """
    The notes that match, ascending by id.

    Args:
        lists_unranked: Whether all that the conditions admit are hits.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    ranked = ranking.note_ids
    if prepared.lexical.name_prefix:  # one or two letters of a word to come: what is named so matches
        return np.unique(np.array(ranked, np.int64))
    if lists_unranked and prepared.admitted is not None:
        return np.union1d(prepared.admitted, np.array(ranked, np.int64))
    first = ranking.ranked_notes(range(len(ranked))[:JUDGED], reader, deadline)
    likely = {note.path for note in first if note.confidence >= WEAK_CONFIDENCE or note.words_held == 1}
    names = reader.note_names(ranked[:JUDGED])
    found = np.array([name.note_id for name in names if name.path in likely], np.int64)
    if "lexical" in retrievers:
        everywhere = reader.every_note() if prepared.admitted is None else prepared.admitted
        found = np.union1d(found, everywhere[holding_every_word(prepared, everywhere, reader, deadline)])
    return np.unique(found)


def ranked_by_path(
    note_ids: Sequence[int],
    prepared: PreparedQuery,
    ranking: NoteRanking,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    reader: Reader,
    deadline: Deadline,
) -> Mapping[str, RankedNote]:
    """
    Path -> what is known of each of these notes, whether or not it is in *ranking*.

    A note that was not proposed is scored beside those that were. One that neither words nor meaning find is shown by
    its first passage.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    wanted = set(note_ids)
    if not wanted.issubset(ranking.note_ids):
        encoder = ranking.encoder
        features = extract_features(prepared, reader, retrievers, deadline, also=note_ids)
        ranking = rank_by_signals(prepared, features, reader, retrievers, weights, encoder, deadline)
    places = [place for place, note_id in enumerate(ranking.note_ids) if note_id in wanted]
    known = {note.path: note for note in ranking.ranked_notes(places, reader, deadline)}
    for name in reader.note_names(note_ids):
        chunk_id = None if name.path in known else reader.first_chunk(name.note_id)
        if chunk_id is not None:
            fused = Fused(chunk_id, name.path, 0, 0.0, None, None, None, None)
            known[name.path] = RankedNote(name.path, 0.0, frozenset(), {}, (fused,))
    return known
