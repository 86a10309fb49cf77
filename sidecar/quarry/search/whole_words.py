"""
Which notes hold a typed name as a whole, and which only its parts?

`getStaleFiles` is also ranked by `stale` and `files`, `snake_case` by `snake` and `case`. Where documents are few, or
long, parts in a title outweigh the one place that holds the name itself. So if a query is one such name, what speaks
for notes without it is lessened.
"""

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.analysis.alternatives import Languages
from quarry.analysis.analysis import query_terms
from quarry.index import Deadline, KeywordQuery, Reader
from quarry.search.features import CandidateFeatures
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import Numbers, max_normalize

OF_PARTS = 0.3  # of what the words of a note count that holds only parts of the name; parts count so in passages, too
OF_WHOLE = 0.5  # at least, of what those of the best note count that holds the name


def whole_word(word: str, languages: Languages) -> KeywordQuery:
    """
    A query for *word* as a whole: its words side by side, or joined by its signs (`snake_case`, `c++`).

    A part of it (`stale` of `getStaleFiles`, `flag` of `--flag`) ranks, but is not the word.
    """
    words, compounds = query_terms(word, languages)
    joined = () if word.isalnum() else compounds
    begins_and_ends_plainly = word[0].isalnum() and word[-1].isalnum()
    if len(words) > 1 and (begins_and_ends_plainly or not joined):
        return KeywordQuery(terms=joined, phrases=(words,))
    return KeywordQuery(terms=joined or words)


def prefer_whole_name(
    prepared: PreparedQuery, features: CandidateFeatures, reader: Reader, deadline: Deadline
) -> CandidateFeatures:
    """
    *features* with the notes that hold the name before those that hold only its parts, where the query is one name.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
    """
    words = prepared.query.words
    if len(words) != 1 or prepared.query.phrases or not features.signals.note.any() or not _has_parts(words[0]):
        return features
    whole = reader.keywords.query(whole_word(words[0], prepared.languages), deadline=deadline)
    holding = [*whole.note_scores(features.note_ids.tolist())]
    holds = np.isin(features.note_ids, holding)
    if holds.all() or not holds.any():
        return features
    signals = features.signals
    lessened = replace(
        signals,
        passage=_preferred(signals.passage, holds),
        note=_preferred(signals.note, holds),
        phrase=np.where(holds, signals.phrase, signals.phrase * OF_PARTS),
        title=np.where(holds, signals.title, signals.title * OF_PARTS),
    )
    return replace(features, signals=lessened)


def _has_parts(word: str) -> bool:
    """Whether *word* is a name that is also ranked by its parts; a run without spaces is none."""
    return bool(query_terms(word)[1]) and (word.isascii() or not word.isalnum())


def _preferred(signal: Numbers, holds: NDArray[np.bool_]) -> Numbers:
    of_whole = max_normalize(np.where(holds, signal, 0.0))
    raised = np.where(of_whole > 0, OF_WHOLE + (1 - OF_WHOLE) * of_whole, 0.0)
    return np.where(holds, raised, signal * OF_PARTS)
